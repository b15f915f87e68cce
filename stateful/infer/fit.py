"""Learn the integer constant of a clause from the data."""

from __future__ import annotations

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.predicate import recorded
from stateful.contracts.to_vectors import UNDEFINED, UNKNOWN, Ids
from stateful.infer.columns import RoutineColumns
from stateful.infer.templates import CONSTANT, substituted

__all__ = ["fitted"]

LOWER_BOUNDS = range(-1, 3)
LARGEST_CHANGE = 10
AT_BOUND = 3
LEAST_AT_UPPER_BOUND = 5
WIDEST_RANGE = 10


def fitted(expression: n.Expr, columns: RoutineColumns) -> n.Expr | None:
    """The clause with its constant, if one constant suits all test cases and means something."""
    if not (isinstance(expression, n.Comparison) and _constant_in(expression.right)):
        return None
    rest = _without_constant(expression.right)
    values = _integers(expression.left, False, columns)
    if values is None:
        return None
    if rest is not None:
        others = _integers(rest, False, columns)
        if others is None:
            return None
        values = values - others
    constant = _chosen(expression.operator, values, change=rest is not None)
    if constant is None:
        return None
    if constant == 0 and rest is not None:
        return n.Comparison(expression.operator, expression.left, rest)
    if constant < 0 and rest is not None:
        return n.Comparison(expression.operator, expression.left, n.Arithmetic("-", rest, n.Constant(-constant)))
    return substituted(expression, {"c": n.Constant(int(constant))})


def _constant_in(node: n.Expr) -> bool:
    return any(part == n.Slot(CONSTANT) for part in n.walk(node))


def _without_constant(node: n.Expr) -> n.Expr | None:
    """What is added to the constant."""
    return node.left if isinstance(node, n.Arithmetic) and node.right == n.Slot(CONSTANT) else None


def _integers(node: n.Expr, old: bool, columns: RoutineColumns) -> Ids | None:
    """The values of an integer expression, where they are known; none if it is undefined or no integer somewhere."""
    if isinstance(node, n.Old):
        return _integers(node.operand, True, columns)
    asked = recorded(node)
    if asked is None:
        return None
    ids = columns.ids(asked, old)
    found = []
    for value in ids.tolist():
        integer = columns.table.integers[value] if value not in (UNDEFINED, UNKNOWN) else None
        if integer is None:
            return None
        found.append(integer)
    return np.array(found, np.int64)


def _chosen(operator: str, values: Ids, *, change: bool) -> int | None:
    if not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if operator == "==":
        return low if low == high and (not change or abs(low) <= LARGEST_CHANGE) else None
    if low == high:
        return None
    if operator == ">=":
        return low if low in LOWER_BOUNDS and int((values == low).sum()) >= AT_BOUND else None
    expected = len(values) / (high - low + 1)
    often = int((values == high).sum()) >= max(LEAST_AT_UPPER_BOUND, 2 * expected)
    return high if often and high - low <= WIDEST_RANGE else None
