"""The parts of an expression whose values are recorded, or follow from what is recorded of what is inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, Columns, Ids, Values, Verdicts
from stateful.contracts.evaluate import Undefined, UnknownValue, identified
from stateful.contracts.predicate import Predicate, predicate_of, recorded
from stateful.contracts.to_python import UNDEFINED, UNKNOWN, Plain, to_python

__all__ = ["Leaf", "Part", "asked_of", "combinations", "given", "leaf_of", "leaves_of", "parts_of", "worst"]

Part: TypeAlias = tuple[n.Expr, bool]
"""A part of an expression, and whether it is looked up before the call."""
LARGEST_CODE = 1 << 40


@dataclass(frozen=True, slots=True)
class Leaf:
    """For each test case the number of a value; for each number the value and a 1, or the reason why there is none as
    an exception and as UNDEFINED or UNKNOWN."""

    numbers: Ids
    values: Values
    there: Verdicts


def asked_of(node: n.Expr, columns: Columns) -> Predicate | None:
    """The predicate that may be recorded for a node: a query, or the condition of a branch as a whole."""
    if isinstance(node, n.IsInstance):
        return Predicate(CLASS, (node.operand.name,)) if isinstance(node.operand, n.Slot) else None
    asked = recorded(node)
    if asked is None and isinstance(node, n.Comparison):
        whole = predicate_of(node)
        return whole if columns.knows(whole.text) else None
    return asked


def leaves_of(node: n.Expr, old: bool, columns: Columns) -> Iterator[Part]:
    """The outermost parts that may be recorded."""
    if asked_of(node, columns) is not None:
        yield node, old
    else:
        yield from _below(node, old, columns)


def _below(node: n.Expr, old: bool, columns: Columns) -> Iterator[Part]:
    for part in parts_of(node, old):
        yield from leaves_of(*part, columns)


def parts_of(node: n.Expr, old: bool) -> Iterator[Part]:
    """The direct parts, each with the moment at which it is looked up."""
    if isinstance(node, n.Comparison) and node.operator in ("is", "is not"):
        yield from (identified(side, old) for side in (node.left, node.right))
    else:
        yield from ((child, old or isinstance(node, n.Old)) for child in n.children(node))


def given(value: Any) -> Any:
    """The value of a leaf; where there is none, the reason is raised."""
    if value is UnknownValue or value is Undefined:
        raise value
    return value


def leaf_of(node: n.Expr, old: bool, columns: Columns) -> Leaf:
    """The values of such a part. Where none was recorded it is computed from what is inside: `len(v)` of a list."""
    key = (node, columns.at(old))
    found = columns.leaves.get(key)
    if found is None:
        asked = asked_of(node, columns)
        assert asked is not None
        numbers, _ = columns.coded(asked, old)
        found = Leaf(numbers, *columns.values(asked, old))
        if not isinstance(node, n.Slot | n.IsInstance) and (found.there == UNKNOWN).any():
            found = _completed(node, old, found, columns)
        columns.leaves[key] = found
    return found


def _completed(node: n.Expr, old: bool, leaf: Leaf, columns: Columns) -> Leaf:
    rows = np.flatnonzero(leaf.there[leaf.numbers] == UNKNOWN)
    parts = list(dict.fromkeys(_below(node, old, columns)))
    inner = [leaf_of(*part, columns) for part in parts]
    if any((one.there[one.numbers[rows]] == UNKNOWN).all() for one in inner):
        return leaf
    plain = to_python(node, old, {part: place for place, part in enumerate(parts)}, len(parts))
    if plain is None or not plain.decides:
        return leaf
    first, spread = combinations([(one.numbers[rows], len(one.values)) for one in inner], len(rows))
    known = [one.values[one.numbers[rows[first]]].tolist() for one in inner]
    there = worst([one.there[one.numbers[rows[first]]] for one in inner], len(first))
    values = np.empty(len(first), object)
    for place, row in enumerate(zip(*known, strict=True)):
        if there[place] == 1:
            values[place], there[place] = _computed(plain, columns, row)
        else:
            values[place] = Undefined if there[place] == UNDEFINED else UnknownValue
    numbers = leaf.numbers.copy()
    numbers[rows] = len(leaf.values) + spread
    return Leaf(numbers, np.concatenate([leaf.values, values]), np.concatenate([leaf.there, there]))


def _computed(plain: Plain, columns: Columns, row: tuple[Any, ...]) -> tuple[Any, int]:
    try:
        return plain.function(columns.names_of, *row), 1
    except UnknownValue:
        return UnknownValue, UNKNOWN
    except Exception:
        return Undefined, UNDEFINED


def combinations(numbered: Sequence[tuple[Ids, int]], rows: int) -> tuple[Ids, Ids]:
    """A row for each combination of numbers that occurs, and which of them each row shows; with the numbers of each
    column goes how many there are."""
    code, size = np.zeros(rows, np.int64), 1
    for numbers, count in numbered:
        code, size = code * count + numbers, size * count
        if size > LARGEST_CODE:
            code = np.unique(code, return_inverse=True)[1].reshape(-1)
            size = rows
    _, first, spread = np.unique(code, return_index=True, return_inverse=True)
    return first, spread.reshape(-1)


def worst(several: Sequence[Verdicts], rows: int) -> Verdicts:
    """1 where all are 1; what needs something undefined is undefined, whatever else is unknown."""
    several = [one for one in several if (one != 1).any()]
    if len(several) < 2:
        return several[0] if several else np.ones(rows, np.int8)
    undefined = reduce(np.logical_or, (one == UNDEFINED for one in several))
    return np.where(undefined, np.int8(UNDEFINED), reduce(np.minimum, several))
