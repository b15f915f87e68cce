"""Undo/redo history with grouping, a depth limit and a "saved" marker.

A change is a pair of callables.  The history calls them and keeps the books;
it never looks at the document itself.

    history = History(limit=100)
    history.execute(Change("append", lambda: doc.append(1), doc.pop))
    history.undo()
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Callable, Iterator, Optional, Union


class HistoryError(Exception):
    """Base class of the errors of this module."""


class NothingToUndo(HistoryError):
    pass


class NothingToRedo(HistoryError):
    pass


@dataclass(frozen=True)
class Change:
    """One reversible step."""

    label: str
    apply: Callable[[], object]
    revert: Callable[[], object]


@dataclass
class Group:
    """Several steps that are undone and redone as one.

    ``apply`` and ``revert`` are all-or-nothing: if a member raises, the
    members already processed are put back before the exception propagates.
    """

    label: str
    members: list[Step] = field(default_factory=list)

    def apply(self) -> None:
        done: list[Step] = []
        try:
            for step in self.members:
                step.apply()
                done.append(step)
        except Exception:
            for step in reversed(done):
                step.revert()
            raise

    def revert(self) -> None:
        done: list[Step] = []
        try:
            for step in reversed(self.members):
                step.revert()
                done.append(step)
        except Exception:
            for step in reversed(done):
                step.apply()
            raise


Step = Union[Change, Group]


class History:
    """The undo and redo stacks.

    Whenever a callable raises out of ``execute``, ``undo`` or ``redo``, the
    exception propagates and both stacks are as they were before the call.

    Args:
        limit: how many steps can be undone; ``None`` for no limit.
    """

    def __init__(self, limit: Optional[int] = None) -> None:
        if limit is not None and limit < 1:
            raise ValueError("limit must be positive")
        self.limit = limit
        self._undos: list[Step] = []
        self._redos: list[Step] = []
        self._open: list[Group] = []
        self._clean: Optional[int] = 0

    # -- recording ---------------------------------------------------------

    def execute(self, change: Step) -> None:
        """Apply *change* and record it; forgets what could be redone."""
        change.apply()
        if self._open:
            self._open[-1].members.append(change)
        else:
            self._record(change)

    def _record(self, step: Step) -> None:
        if self._clean is not None and self._clean > len(self._undos):
            self._clean = None
        self._redos.clear()
        self._undos.append(step)
        if self.limit is not None and len(self._undos) > self.limit:
            del self._undos[0]
            if self._clean is not None:
                self._clean = self._clean - 1 if self._clean else None

    @contextmanager
    def group(self, label: str) -> Iterator[Group]:
        """Record everything executed in the ``with`` block as one step.

        Groups nest.  An exception in the block reverts what the block did,
        and nothing is recorded.  An empty group is not recorded either.
        """
        group = Group(label)
        self._open.append(group)
        try:
            yield group
        except BaseException:
            self._open.pop()
            group.revert()
            raise
        self._open.pop()
        if not group.members:
            return
        if self._open:
            self._open[-1].members.append(group)
        else:
            self._record(group)

    # -- moving ------------------------------------------------------------

    def undo(self) -> str:
        """Revert the latest step and return its label."""
        self._require_closed()
        if not self._undos:
            raise NothingToUndo("nothing to undo")
        step = self._undos.pop()
        try:
            step.revert()
        except Exception:
            self._undos.append(step)
            raise
        self._redos.append(step)
        return step.label

    def redo(self) -> str:
        """Apply the step undone last again and return its label."""
        self._require_closed()
        if not self._redos:
            raise NothingToRedo("nothing to redo")
        step = self._redos.pop()
        try:
            step.apply()
        except Exception:
            self._redos.append(step)
            raise
        self._undos.append(step)
        return step.label

    def _require_closed(self) -> None:
        if self._open:
            raise HistoryError(f"group {self._open[-1].label!r} is still open")

    # -- state -------------------------------------------------------------

    @property
    def undo_labels(self) -> list[str]:
        """Labels of the undoable steps, the next one first."""
        return [step.label for step in reversed(self._undos)]

    @property
    def redo_labels(self) -> list[str]:
        return [step.label for step in reversed(self._redos)]

    def mark_clean(self) -> None:
        """Remember the present state as the saved one."""
        self._require_closed()
        self._clean = len(self._undos)

    @property
    def is_clean(self) -> bool:
        pending = any(group.members for group in self._open)
        return not pending and self._clean == len(self._undos)

    def clear(self) -> None:
        """Forget all steps; the document stays as it is."""
        self._require_closed()
        self._clean = 0 if self.is_clean else None
        self._undos.clear()
        self._redos.clear()
