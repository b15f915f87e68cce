"""What is reduced, and how far each clause is pursued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Limits", "Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The clauses of these classes, of this routine, or this clause only; None means all."""

    classes: Sequence[str] | None = None
    routine: str | None = None
    clause: str | None = None
    again: bool = False
    """Also what was challenged before: there are other objects by now."""

    @property
    def asked_for(self) -> bool:
        """Whatever was tried before is tried again, as is a clause that somebody names."""
        return self.again or self.clause is not None

    def holds(self, owner: str | None, routine: str, text: str | None = None) -> bool:
        """Whether a routine, or a clause of it, is among them."""
        short = routine.partition(":")[2]
        names = (routine, short, short.rpartition(".")[2])
        if self.classes is not None and owner not in self.classes:
            return False
        if self.routine is not None and self.routine not in names:
            return False
        return self.clause is None or text is None or self.clause == text


@dataclass(frozen=True, slots=True)
class Limits:
    """The paper's cut-off and time-out; how many conjuncts are given up for calls that establish them, and how long a
    chain of calls may get, the routine itself included (the paper: one, and two); and how many random calls make fresh
    objects between two rounds (the paper: none)."""

    most: int = 45
    timeout: float = 60.0
    drop: int = 2
    chain: int = 3
    fresh: int = 5000
