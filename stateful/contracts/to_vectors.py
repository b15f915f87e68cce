"""Truth over all test cases of a routine at once, from what the database recorded.

Each atom that the database may know is a column of value ids. Logic is computed on whole columns, with Kleene's
tables, and so is the order of integers. Everything else is evaluated once for every distinct combination of values
that occurs, by the same compiled function that runs on live objects, and the verdicts are spread over the rows. So
the reading agrees with `evaluate`, and its cost is the number of distinct combinations, not of test cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.columns import LARGEST_INTEGER, Bits, Columns, Ids, Verdicts, untrue
from stateful.contracts.evaluate import Moment, UnknownValue, Value, compiled, identified
from stateful.contracts.leaves import Leaf, Part, asked_of, combinations, given, leaf_of, leaves_of, parts_of, worst
from stateful.contracts.negate import negate
from stateful.contracts.predicate import Predicate, recorded
from stateful.contracts.to_python import UNDEFINED, UNKNOWN, to_python

__all__ = [
    "NOTHING",
    "ORDERS",
    "SUMS",
    "Atom",
    "Truths",
    "atoms_in",
    "conjunction",
    "disjunction",
    "equalities_of",
    "integers_of",
    "is_refuted",
    "negation",
    "to_vectors",
    "verdicts_of",
]


@dataclass(frozen=True, slots=True)
class Truths:
    """One verdict for each test case: `true`, `false`, or neither, and then `unknown` if the records do not suffice."""

    true: Bits
    false: Bits
    unknown: Bits

    @property
    def undefined(self) -> Bits:
        return ~(self.true | self.false | self.unknown)


class _Nothing(dict[str, Any]):
    """Operands that are not loaded."""

    def __missing__(self, name: str) -> Any:
        raise UnknownValue


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True)
class Atom:
    """One column: a predicate, before or after the call; or the exception, where there is no predicate."""

    predicate: Predicate | None
    old: bool


def to_vectors(node: n.Expr, columns: Columns) -> Truths:
    """The truth of `node` on every test case of `columns`."""
    verdicts = verdicts_of(node, columns)
    return Truths(verdicts == 1, verdicts == 0, verdicts == UNKNOWN)


def is_refuted(node: n.Expr, columns: Columns) -> bool:
    """False or undefined on some test case."""
    return bool(untrue(verdicts_of(node, columns)).any())


def _compared(node: n.Expr, old: bool, columns: Columns) -> Verdicts | None:
    if isinstance(node, n.Comparison) and node.operator in ("is", "is not"):
        return _identified(node, old, columns)
    quick = _numeric(node, old, columns)
    return _equated(node, old, columns) if quick is None else quick


def _identified(node: n.Comparison, old: bool, columns: Columns) -> Verdicts | None:
    """Whether two slots hold the same object of a state. What was recorded does not tell it: equal lists share it."""
    (one, then), (other, later) = identified(node.left, old), identified(node.right, old)
    if not (isinstance(one, n.Slot) and isinstance(other, n.Slot)) or columns.at(then) != columns.at(later):
        return None
    first, second = columns.place(one.name, then), columns.place(other.name, later)
    if first is None or second is None:
        return None
    same = (first == second) == (node.operator == "is")
    return np.where((first < 0) | (second < 0), UNKNOWN, same).astype(np.int8)


def verdicts_of(node: n.Expr, columns: Columns, old: bool = False) -> Verdicts:
    """The same as one number for each test case; what is no logic is remembered, for it may be a part of more."""
    match node:
        case n.Not(operand=operand):
            return negation(verdicts_of(operand, columns, old))
        case n.And(operands=operands):
            return conjunction([verdicts_of(operand, columns, old) for operand in operands])
        case n.Or(operands=operands):
            return disjunction([verdicts_of(operand, columns, old) for operand in operands])
        case n.Implies(premise=premise, conclusion=conclusion):
            return disjunction([negation(verdicts_of(premise, columns, old)), verdicts_of(conclusion, columns, old)])
        case n.Old(operand=operand):
            return verdicts_of(operand, columns, True)
        case n.Comparison(operator="!=" | "not in", left=n.Slot(), right=n.Slot()) if asked_of(node, columns) is None:
            return negation(verdicts_of(negate(node), columns, old))  # what is recorded of two objects is `==` and `in`
    key = (node, columns.at(old))
    found = columns.verdicts.get(key)
    if found is None:
        quick = _compared(node, old, columns)
        found = columns.verdicts[key] = _combined(node, old, columns) if quick is None else quick
    return found


# Logic: UNKNOWN is less than UNDEFINED is less than false is less than true, which makes Kleene's tables short


def negation(verdicts: Verdicts) -> Verdicts:
    return np.where(verdicts >= 0, 1 - verdicts, verdicts)


def disjunction(parts: list[Verdicts]) -> Verdicts:
    decided = reduce(np.maximum, parts) == 1
    return np.where(decided, np.int8(1), reduce(np.minimum, parts))


def conjunction(parts: list[Verdicts]) -> Verdicts:
    decided = reduce(np.logical_or, (part == 0 for part in parts))
    return np.where(decided, np.int8(0), reduce(np.minimum, parts))


# Integers

ORDERS: dict[str, Callable[[Ids, Ids], Bits]] = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
SUMS: dict[str, Callable[[Ids, Ids], Ids]] = {"+": np.add, "-": np.subtract}


def _numeric(node: n.Expr, old: bool, columns: Columns) -> Verdicts | None:
    """The comparison of two terms that are integers in every test case."""
    if not (isinstance(node, n.Comparison) and node.operator in ORDERS):
        return None
    left = integers_of(node.left, columns, old)
    right = None if left is None else integers_of(node.right, columns, old)
    if left is None or right is None:
        return None
    asked = asked_of(node, columns)
    if asked is not None and (columns.ids(asked, old) != UNKNOWN).any():
        return None
    return np.broadcast_to(ORDERS[node.operator](left, right), (columns.rows,)).astype(np.int8)


def _equated(node: n.Expr, old: bool, columns: Columns) -> Verdicts | None:
    """Whether two recorded values are equal, which the database knows of plain ones."""
    if not (isinstance(node, n.Comparison) and node.operator in ("==", "!=")) or asked_of(node, columns) is not None:
        return None
    left = equalities_of(node.left, columns, old)
    right = None if left is None else equalities_of(node.right, columns, old)
    return None if left is None or right is None else ORDERS[node.operator](left, right).astype(np.int8)


def equalities_of(node: n.Expr, columns: Columns, old: bool = False) -> Ids | None:
    """For each test case a number that equal values have in common, if that is known of the term in all of them."""
    if isinstance(node, n.Old):
        return equalities_of(node.operand, columns, True)
    asked = recorded(node)
    return None if asked is None else columns.equalities(asked, old)


def integers_of(node: n.Expr, columns: Columns, old: bool = False) -> Ids | None:
    """The values of a term in each test case, if it is known to be an integer, and a small one, in all of them."""
    match node:
        case n.Constant(value=int(value)) if abs(value) < LARGEST_INTEGER:
            return np.full(columns.rows, int(value), np.int64)
        case n.Old(operand=operand):
            return integers_of(operand, columns, True)
        case n.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
            parts = integers_of(left, columns, old), integers_of(right, columns, old)
            return None if parts[0] is None or parts[1] is None else SUMS[operator](parts[0], parts[1])
        case n.Arithmetic(operator="*", left=n.Constant(value=int(factor)), right=right) if abs(factor) < 1000:
            values = integers_of(right, columns, old)
            return None if values is None else factor * values
    asked = recorded(node)
    return None if asked is None else columns.integers(asked, old)


# Everything else


def _combined(node: n.Expr, old: bool, columns: Columns) -> Verdicts:
    """One verdict for each combination of values that occurs."""
    if not n.is_logic(node) and recorded(node) is not None:
        leaf = leaf_of(node, old, columns)
        return _truths(leaf)[leaf.numbers]
    parts = list(dict.fromkeys(leaves_of(node, old, columns)))
    leaves = [leaf_of(*part, columns) for part in parts]
    places = {part: place for place, part in enumerate(parts)}
    plain = to_python(node, old, places, len(parts))
    numbered = [(leaf.numbers, len(leaf.values)) for leaf in leaves]
    raised, names = columns.raised()
    if plain is None:  # perhaps it speaks of exceptions
        numbered.append((raised, len(names)))
    rows, spread = combinations(numbered, columns.rows)
    numbers = [leaf.numbers[rows] for leaf in leaves]
    known = [leaf.values[chosen].tolist() for leaf, chosen in zip(leaves, numbers, strict=True)]
    several = list(zip(*known, strict=True)) if known else [()] * len(rows)
    slow = _Slow(node, old, places, columns)
    if plain is None:
        found = [slow(values, number) for values, number in zip(several, raised[rows].tolist(), strict=True)]
    else:
        there = worst([leaves[place].there[numbers[place]] for place in plain.used], len(rows))
        found = list(plain.verdicts(columns.names_of, several, there.tolist(), slow))
    return np.array(found, np.int8)[spread]


def _truths(leaf: Leaf) -> Verdicts:
    """What the values of a leaf are where a truth is wanted."""
    found = leaf.there.copy()
    for place in np.flatnonzero(found == 1).tolist():
        try:
            found[place] = bool(leaf.values[place])
        except UnknownValue:
            found[place] = UNKNOWN
        except Exception:
            found[place] = UNDEFINED
    return found


class _Slow:
    """The verdict on one row at a time. It is compiled when it is first needed."""

    def __init__(self, node: n.Expr, old: bool, places: Mapping[Part, int], columns: Columns) -> None:
        self.node = n.Old(node) if old else node
        self.places = places
        self.columns = columns
        self.values: tuple[Any, ...] = ()
        self.verdict: Callable[[Moment], bool | None] | None = None

    def __call__(self, values: tuple[Any, ...], raised: int = 0) -> int:
        if self.verdict is None:
            self.verdict = compiled(self.node, self._leaf)
        self.values = values
        moment = Moment(NOTHING, NOTHING, self.columns.raised()[1][raised])
        truth = self.verdict(moment)
        return int(truth) if truth is not None else UNKNOWN if moment.unknown else UNDEFINED

    def _leaf(self, part: n.Expr, old: bool) -> Value | None:
        place = self.places.get((part, old))
        if place is None:
            return None
        if isinstance(part, n.IsInstance):
            return lambda _, __: part.name in self.columns.names_of(given(self.values[place]))
        return lambda _, __: given(self.values[place])


# What is asked of the database at all


def atoms_in(node: n.Expr, columns: Columns) -> list[Atom]:
    """The atoms of an expression, each once."""
    return list(dict.fromkeys(_atoms(node, False, columns)))


def _atoms(node: n.Expr, old: bool, columns: Columns) -> Iterator[Atom]:
    """The recorded atoms below `node`, the atoms inside a recorded one too: its record may be missing."""
    asked = asked_of(node, columns)
    if asked is not None:
        yield Atom(asked, old)
    if isinstance(node, n.Raises):
        yield Atom(None, False)
    for part in parts_of(node, old):
        yield from _atoms(*part, columns)
