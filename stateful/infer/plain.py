"""What was passed by value is the same after the call: `amount`, where a clause was made about `old(amount)`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from stateful.contracts import nodes as n
from stateful.infer.candidate import Candidate

__all__ = ["plainly", "plainly_said"]


def plainly(candidates: Iterable[Candidate], plain: Collection[str]) -> list[Candidate]:
    """The clauses as a person would write them, each once; `plain` are the slots that hold plain values."""
    found: dict[tuple[str, n.Expr], Candidate] = {}
    for one in candidates:
        said = plainly_said(one.expression, plain)
        found.setdefault((one.kind, said), replace(one, expression=said))
    return list(found.values())


def plainly_said(expression: n.Expr, plain: Collection[str]) -> n.Expr:
    """The same without `old` around slots that no call can change, but for what stands before an `implies` and on the
    side of an exceptional clause that speaks of the state before: there it says of when the clause speaks."""
    if isinstance(expression, n.Implies):
        return replace(expression, conclusion=plainly_said(expression.conclusion, plain))
    if any(isinstance(part, n.Raises) for part in n.walk(expression)):
        return expression
    return _without_old(expression, plain)


def _without_old(node: n.Expr, plain: Collection[str]) -> n.Expr:
    match node:
        case n.Old(operand=n.Slot(name=name)) if name in plain:
            return n.Slot(name)
    return n.rebuilt(node, lambda part: _without_old(part, plain))
