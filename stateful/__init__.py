"""Find faults in Python classes that random testing does not reach, and learn their contracts on the way.

The command line is the way in: `stateful test package.module:Class`. From Python, `open` gives a database to query.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stateful.report.exploring import Explorer

__all__ = ["__version__", "open"]
__version__ = "0.1.0"


def open(path: str | Path) -> Explorer:
    """The database at `path`, read-only: `open("run.db").find("LinkedList", where="not self.is_empty()")`."""
    from stateful.report.exploring import Explorer

    return Explorer(path)
