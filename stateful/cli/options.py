"""Options that several commands share, and how what they say is checked at the door."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from stateful.config import DEFAULT_DATABASE, seconds_from
from stateful.errors import UsageError
from stateful.generate.settings import DEFAULT_STRATEGY, SETTINGS
from stateful.reduce.changes import meet_changes
from stateful.report.exploring import named_classes
from stateful.sandbox.spread import cores
from stateful.store.database import Database

__all__ = [
    "Seconds",
    "allow_option",
    "chosen_classes",
    "chosen_seed",
    "class_option",
    "database_option",
    "note",
    "quiet_option",
    "tell_changes",
    "template_option",
    "testing_options",
    "workers_from",
]

F = TypeVar("F", bound=Callable[..., Any])


ALLOWABLE = ("network", "processes")
LAST_SEED = "SELECT seed FROM sessions WHERE strategy <> 'reduce' ORDER BY id DESC LIMIT 1"


class _Seconds(click.ParamType[float]):
    name = "seconds"

    def __init__(self, least: float = 0.0) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = float(value) if isinstance(value, float) else seconds_from(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)
        if not self.least <= found <= LONGEST:
            self.fail(f"{value!r} is no duration from {self.least:g} s to {LONGEST / 3600:.0f} h", param, ctx)
        return found


LONGEST = 1e7
Seconds, Deadline = _Seconds(), _Seconds(least=0.01)


def _checked_values(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        try:
            ast.literal_eval(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise click.BadParameter(f"{value!r} is no Python literal, such as 7, 'text' or [1, 2]") from None
    return values


def database_option(function: F) -> F:
    return click.option(
        "--db", type=click.Path(path_type=Path), default=DEFAULT_DATABASE, show_default=True, help="The database."
    )(function)


def class_option(function: F) -> F:
    return click.option("--class", "class_name", metavar="CLASS", help="Only this class; a bare or a qualified name.")(
        function
    )


def testing_options(function: F) -> F:
    """How random testing is done; `run_options` reads what the user gave."""
    for option in reversed(TESTING):
        function = option(function)
    return function


TESTING: tuple[Callable[[Any], Any], ...] = (
    click.option("--seed", help="A number, or 'last'; without it a new one, which is printed."),
    click.option("--deadline", type=Deadline, default=1.0, show_default=True, help="Seconds for one call."),
    click.option(
        "--strategy", type=click.Choice(list(SETTINGS)), default=DEFAULT_STRATEGY, show_default=True,
        help="How calls are chosen.",
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE",
        help="A setting of the strategy, such as pools=3; docs/strategies.md lists them. Can be repeated.",
    ),
    click.option("--workers", type=click.IntRange(min=1, max=64), help="Processes that test at the same time."),
    click.option(
        "--value", "values", multiple=True, metavar="EXPR", callback=_checked_values,
        help="A Python literal to be drawn as an argument, too. Can be repeated.",
    ),
    click.option("--coverage/--no-coverage", default=True, help="Measure what is covered."),
    click.option(
        "--law", "--laws", "laws", multiple=True, metavar="MODULE:FUNCTION",
        help="A law of your own: a function that looks at an object. Can be repeated.",
    ),
    click.option(
        "--without-law", "--without-laws", "without_laws", multiple=True, metavar="NAME",
        help="Do not check this law; docs/judging.md lists them. Can be repeated.",
    ),
)  # fmt: skip


def workers_from(given: int | None, tests: int | None) -> int:
    """One for each core; with a number of calls just one, so that a seed gives the same tests on every machine."""
    if given is not None or tests is not None:
        return given or 1
    return cores()


def allow_option(function: F) -> F:
    return click.option(
        "--allow", "allowed", multiple=True, metavar="WHAT", callback=_checked,
        help="Let the subject write below this path, or use 'network' or 'processes'. Can be repeated.",
    )(function)  # fmt: skip


def _checked(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value not in ALLOWABLE and not Path(value).exists():
            raise click.BadParameter(f"{value!r} is neither a path that is there, nor 'network', nor 'processes'")
    return tuple(value if value in ALLOWABLE else str(Path(value).resolve()) for value in values)


def template_option(function: F) -> F:
    return click.option(
        "--template", "--templates", "templates", multiple=True, metavar="TEXT",
        help="A template of clauses, such as '{n} == 2 * {m}'; docs/contracts.md lists the holes. Repeatable.",
    )(function)  # fmt: skip


def quiet_option(function: F) -> F:
    return click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")(function)


def chosen_seed(text: str | None, database: Database | None = None) -> int:
    """The seed as given, the last one of the database for `last`, or a new one."""
    if text is None:
        return random.SystemRandom().randrange(2**31)
    if text == "last":
        last = database.value(LAST_SEED) if database else None
        if last is None:
            raise UsageError("there is no last seed: nothing was run yet")
        return int(last)
    if not re.fullmatch(r"-?\d{1,18}", text):
        raise UsageError(f"{text!r} is no seed: give a whole number of at most 18 digits, or 'last'")
    return int(text)


def chosen_classes(database: Database, name: str | None) -> Sequence[str] | None:
    """The full name of the class that a user means; None if none was named."""
    return None if name is None else named_classes(database, name)


def tell_changes(database: Database, *, more: bool = False) -> None:
    """Has the subject changed since? What was done about it is said even with --quiet."""
    for sentence in meet_changes(database, more=more):
        note(sentence)


def note(text: str, quiet: bool = False) -> None:
    """Progress: to standard error, unless it is not wanted."""
    if not quiet:
        click.echo(text, err=True)
