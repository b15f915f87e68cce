"""A clause that may be inferred."""

from __future__ import annotations

from dataclasses import dataclass

from stateful.contracts import nodes as n
from stateful.contracts import text

__all__ = ["Candidate"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clause that no test refutes, with the number of tests that could have."""

    kind: str
    expression: n.Expr
    family: str
    support: int

    @property
    def text(self) -> str:
        return text(self.expression)
