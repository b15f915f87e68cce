"""Coverage of the subject's own files, put together from what workers report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Covered"]


class Covered:
    """Statements and branches that sessions covered so far. Give the same one to several sessions to add them up."""

    def __init__(self) -> None:
        self.statements: set[tuple[str, int]] = set()
        self.branches: set[tuple[str, int, int]] = set()
        self.all: tuple[int, int] | None = None

    def take(self, report: Mapping[str, Any]) -> None:
        """Add what one worker covered, as its tracer reports it."""
        self.all = report["all"][0], report["all"][1]
        for file, (lines, branches) in report["files"].items():
            self.statements |= {(file, line) for line in lines}
            self.branches |= {(file, first, then) for first, then in branches}

    def as_json(self) -> dict[str, list[int]] | None:
        """How many were covered, and how many there are; nothing if coverage was not measured."""
        if self.all is None:
            return None
        return {"statements": [len(self.statements), self.all[0]], "branches": [len(self.branches), self.all[1]]}

    @property
    def share(self) -> float | None:
        """Of the branches; of the statements where there are no branches."""
        if self.all is None or not self.all[0]:
            return None
        return len(self.branches) / self.all[1] if self.all[1] else len(self.statements) / self.all[0]
