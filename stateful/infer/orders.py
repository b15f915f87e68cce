"""Of clauses about the order of two terms, those that say most.

Guards in the source often suggest the opposite of what a template says: `not amount > self.balance` follows from
`amount <= self.balance`, and `not amount <= 0` from `amount >= 1`.

>>> from stateful.contracts import parse, text
>>> candidates = [Candidate("requires", parse(said), "", 9) for said in ("not a > b", "a <= b", "not a < 1", "a >= 2")]
>>> [candidate.text for candidate in without_weaker_orders(candidates)]
['a <= b', 'a >= 2']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stateful.contracts import nodes as n
from stateful.contracts.negate import OPPOSITE_ORDER
from stateful.infer.candidate import Candidate

__all__ = ["other_way_said", "without_weaker_orders"]

Place: TypeAlias = tuple[str, n.Expr | None]
"""Where something is said: in clauses of this kind, always or behind this premise."""


@dataclass(frozen=True, slots=True)
class _Order:
    """`small < large`, or `<=`, or `==`; `denied` if the opposite is said to be false."""

    operator: str
    small: n.Expr
    large: n.Expr
    denied: bool = False


def without_weaker_orders(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without an order between two terms that is said more strictly, or more directly, by another clause."""
    stated: dict[Place, set[_Order]] = defaultdict(set)
    for candidate in candidates:
        place, order = _read(candidate)
        if order is not None and not order.denied:
            stated[place].add(order)
    return [candidate for candidate in candidates if not _is_implied(candidate, stated)]


def other_way_said(node: n.Expr) -> n.Expr:
    """`a <= b` for `not a > b`; anything else as it is."""
    match node:
        case n.Not(operand=n.Comparison(operator=operator, left=left, right=right)) if operator in OPPOSITE_ORDER:
            return n.Comparison(OPPOSITE_ORDER[operator], left, right)
    return node


def _is_implied(candidate: Candidate, stated: dict[Place, set[_Order]]) -> bool:
    place, order = _read(candidate)
    if order is None or order.operator == "==":
        return False
    return any(_implies(other, order) for other in stated.get(place, ()))


def _read(candidate: Candidate) -> tuple[Place, _Order | None]:
    match candidate.expression:
        case n.Implies(premise=premise, conclusion=conclusion):
            return (candidate.kind, premise), _order_of(conclusion)
    return (candidate.kind, None), _order_of(candidate.expression)


def _order_of(node: n.Expr) -> _Order | None:
    said = other_way_said(node)
    match said:
        case n.Comparison(operator="<" | "<=" | "==", left=left, right=right):
            return _Order(said.operator, left, right, said is not node)
        case n.Comparison(operator=">" | ">=", left=left, right=right):
            return _Order(said.operator.replace(">", "<"), right, left, said is not node)
    return None


def _implies(one: _Order, other: _Order) -> bool:
    """The one says more than the other; of what says the same, the one is not denied and the other is."""
    if one.operator == "==":
        return other.operator == "<=" and {one.small, one.large} == {other.small, other.large}
    same_way = one.small == other.small and one.large == other.large
    if same_way and one.operator == "<" and other.operator == "<=":
        return True
    if same_way or not other.denied:
        return other.denied and one.operator == other.operator
    if one.large == other.large:
        return _is_less(other.small, one.small)
    return one.small == other.small and _is_less(one.large, other.large)


def _is_less(low: n.Expr, high: n.Expr) -> bool:
    match low, high:
        case n.Constant(value=int() | float() as one), n.Constant(value=int() | float() as other):
            return one < other
    return False
