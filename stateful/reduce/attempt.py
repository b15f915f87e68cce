"""One way of violating a clause, what came of it, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stateful.reduce.clauses import Clause
from stateful.reduce.search import Found
from stateful.words import counted

__all__ = ["Attempt"]

MOST_AFTER_REMOVAL = 15  # violators that are tried although the clause has fallen: they may show faults
MOST_TRIED = 120  # operands that turn out not to violate the clause count, too
MOST_LEFT_OUT = 20  # operands that are not tried because of what the calls cost
SEPARATOR = ";\n"
TUPLES = {1: "object", 2: "pair", 3: "triple"}


@dataclass(slots=True)
class Attempt:
    """Counts what is found, tried, and really violating on the live objects. `way` is how the objects were come by."""

    way: str
    slots: int = 1
    found: int = 0
    tried: int = 0
    violating: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    verdict: str = "no objects"
    query: str = ""
    residual: tuple[str, ...] = ()
    milliseconds: float = 0.0
    witness: int | None = None
    after_removal: int = 0
    chains: int = 0
    timed_out: bool = False
    left_out: int = 0
    """Operands that were not tried, because the routine too often hangs or kills its process."""

    def is_over(self, most: int) -> bool:
        return (
            self.violating >= most
            or self.tried >= max(MOST_TRIED, 2 * most)
            or self.after_removal >= MOST_AFTER_REMOVAL
            or self.left_out >= MOST_LEFT_OUT
        )

    def note(self, found: Found) -> None:
        """Remember a query and its answer."""
        self._note(len(found.tuples), found.query, found.residual, found.milliseconds, found.timed_out)

    def take(self, part: Attempt) -> None:
        """What was found and tried for another of the routines that are called for its sake."""
        self._note(part.found, part.query, part.residual, part.milliseconds, part.timed_out)
        self.tried += part.tried
        self.violating += part.violating
        self.left_out += part.left_out
        for outcome, count in part.outcomes.items():
            self.count(outcome, count)

    def _note(self, found: int, query: str, residual: tuple[str, ...], milliseconds: float, timed_out: bool) -> None:
        self.found += found
        several = (*self.query.split(SEPARATOR), *query.split(SEPARATOR))
        self.query = SEPARATOR.join(dict.fromkeys(filter(None, several)))
        self.residual = tuple(dict.fromkeys((*self.residual, *residual)))
        self.milliseconds += milliseconds
        self.timed_out |= timed_out

    def count(self, outcome: str, times: int = 1) -> None:
        """A call on operands that really violate the clause."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + times
        if self.verdict == "no objects":
            self.verdict = "kept"

    @property
    def answered(self) -> int:
        """Calls that were made and not refused: these say something."""
        return sum(count for outcome, count in self.outcomes.items() if outcome not in ("refuse", "not loaded"))

    def end(self) -> None:
        """No more is tried."""
        if self.left_out > self.tried:
            self.interrupt()
        if self.verdict == "no objects" and self.timed_out:
            self.verdict = "timed out"

    def interrupt(self) -> None:
        """The time is over before all was tried that could have been."""
        if self.verdict in ("no objects", "kept"):
            self.verdict = "unfinished"

    def evidence(self, clause: Clause) -> str:
        """How the clause survived, in words."""
        if self.verdict == "implied":
            return "the written precondition implies it; nothing was searched"
        if self.violating:
            return self._called(clause)
        chains = f"; {counted(self.chains, 'transition')} tried" if self.chains else ""
        if self.timed_out:
            return f"query timed out{chains}"
        if self.left_out:
            return f"{counted(self.left_out, 'object')} not tried: too many calls hang or kill their process{chains}"
        if self.tried and not self.chains:
            return f"no object violates it: {self.tried} looked like it and did not"
        return f"no object violates it{chains}"

    def _called(self, clause: Clause) -> str:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.outcomes.items()))
        what = TUPLES.get(self.slots, "tuple")
        if clause.kind == "requires":
            return f"{counted(self.violating, f'violating {what}')} called, none passed: {outcomes}"
        if clause.kind == "raises":
            return f"{counted(self.violating, what)} called, on either side, none refuted it: {outcomes}"
        return f"{counted(self.violating, what)} called, other than before, none refuted it: {outcomes}"

    def row(self, clause: int) -> dict[str, Any]:
        """The row of `reductions`, but for its id."""
        return {
            "clause_id": clause, "way": self.way, "query": self.query,
            "residual": "; ".join(self.residual) or None, "found": self.found, "tried": self.tried,
            "violating": self.violating, "verdict": self.verdict, "witness": self.witness,
            "milliseconds": self.milliseconds,
        }  # fmt: skip
