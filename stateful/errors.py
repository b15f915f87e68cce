"""Every error a user can cause, each one clear sentence that names the culprit and the remedy."""

from __future__ import annotations

__all__ = [
    "DatabaseError",
    "ExpressionError",
    "NoRecipe",
    "NothingToTest",
    "StatefulError",
    "SubjectError",
    "UsageError",
]


class StatefulError(Exception):
    """The root of all errors that are raised on purpose; the command line prints it and exits with `exit_code`."""

    exit_code = 2


class UsageError(StatefulError):
    """An argument or option does not make sense."""


class ExpressionError(UsageError):
    """A contract expression that the language cannot read."""


class SubjectError(UsageError):
    """A target that cannot be found or imported."""


class DatabaseError(StatefulError):
    """A database that cannot be opened, read or written."""


class NoRecipe(DatabaseError):
    """An object that no sequence of public calls is known to build."""


class NothingToTest(StatefulError):
    """A target without a single routine that can be called."""

    exit_code = 5
