"""Values that make a relation true: `key in self` says itself which keys to try, they need not be in the database.
Where it does not, as in `self.has(key)`, what the object holds is worth a try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stateful.contracts import nodes as n
from stateful.contracts.negate import OPPOSITE_ORDER
from stateful.reduce.search import Search

__all__ = ["Equation", "equations"]

ONE = n.Constant(1)
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Equation:
    """A relation is true if a slot holds the value of the term; or, if it is `each`, one of its items, or of what an
    object holds.

    The term is looked up on the `others`: objects for the other slots. Where it is one of these and not `each`, the
    value is the very object that stands there."""

    wanted: Search
    slot: str
    term: n.Expr
    each: bool

    @property
    def place(self) -> int:
        return self.wanted.names.index(self.slot)

    @property
    def others(self) -> Search:
        return self.wanted.apart_from(self.slot)


def equations(wanted: Search) -> Iterator[Equation]:
    """For every part of a search that relates an argument to something else."""
    for part in wanted.parts:
        for slot, term, each in list(_solved(part)) or _guessed(part):
            if slot in wanted.names and set(n.slots_of(term)) <= {*wanted.names} - {slot}:
                yield Equation(wanted, slot, term, each)


def _guessed(part: n.Expr) -> Iterator[tuple[str, n.Expr, bool]]:
    """Whatever relates an argument to the receiver may be true of something that the receiver holds."""
    slots = dict.fromkeys(n.slots_of(part))
    if "self" in slots:
        yield from ((name, n.Slot("self"), True) for name in slots if name not in ("self", "result"))


def _solved(part: n.Expr) -> Iterator[tuple[str, n.Expr, bool]]:
    match part:
        case n.Comparison(operator="in", left=n.Slot(name=name), right=term) if name != "self":
            yield name, term, True
        case n.Comparison(operator="is" | "==", left=left, right=right) if of := _operands(left, right):
            yield from _compared("==", *of)
        case n.Comparison(operator="is", left=n.Slot(name=name), right=n.Constant() as constant) if name != "self":
            yield name, constant, False
        case n.Comparison(operator=operator, left=left, right=right):
            yield from _compared(operator, left, right)
        case n.Not(operand=n.Comparison(operator=operator, left=left, right=right)) if operator in OPPOSITE_ORDER:
            yield from _compared(OPPOSITE_ORDER[operator], left, right)


def _operands(left: n.Expr, right: n.Expr) -> tuple[n.Slot, n.Slot] | None:
    """The operands that are to be the same, or of the same type: one object is both."""
    match left, right:
        case n.Slot(), n.Slot():
            return left, right
        case n.Builtin(name="type", arguments=(n.Slot() as one,)), n.Builtin(
            name="type", arguments=(n.Slot() as other,)
        ):
            return one, other
    return None


def _compared(operator: str, left: n.Expr, right: n.Expr) -> Iterator[tuple[str, n.Expr, bool]]:
    for one, other, order in ((left, right, operator), (right, left, MIRRORED.get(operator, operator))):
        if isinstance(one, n.Slot) and one.name != "self":
            match order:
                case "==" | "<=" | ">=":
                    yield one.name, other, False
                case "<":
                    yield one.name, n.Arithmetic("-", other, ONE), False
                case ">":
                    yield one.name, n.Arithmetic("+", other, ONE), False
