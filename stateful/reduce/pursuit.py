"""A way of violating clauses that is pursued step by step: queries are made, and operands tried, as they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from stateful.contracts import nodes as n
from stateful.reduce.attempt import Attempt
from stateful.reduce.clauses import Clause
from stateful.reduce.search import Filled, Found, Search

__all__ = ["Pursuit"]


@dataclass(eq=False)
class Pursuit:
    """One search for the sake of some clauses of a routine, and how far it got."""

    clauses: list[Clause]
    wanted: Search
    attempt: Attempt
    candidates: Iterator[Filled] = field(default_factory=lambda: iter(()))
    """The operands that are still to be tried."""
    taken: int = 0
    shared: dict[n.Expr, bool] = field(default_factory=dict)
    """What of `wanted.varied` SQL knows, and whether it was true of all objects found so far."""
    ended: bool = False

    @property
    def clause(self) -> Clause:
        """The one that its operands are to violate, or the first of those that share its calls."""
        return self.clauses[0]

    def note(self, found: Found) -> None:
        """Remember the answer of one of its queries."""
        self.attempt.note(found)
        for part, every in found.shared.items():
            self.shared[part] = self.shared.get(part, True) and every

    def all_share(self) -> list[n.Expr]:
        """In what all objects found are alike, although they should differ in it."""
        return [part for part in self.wanted.varied if self.shared.get(part, False)]
