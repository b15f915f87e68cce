"""Learn the constants of a clause from the data: a bound, what is added, a factor, the values that occur, a class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, UNKNOWN, Ids
from stateful.contracts.predicate import Predicate, recorded
from stateful.contracts.to_vectors import integers_of, verdicts_of
from stateful.infer.columns import RoutineColumns
from stateful.infer.templates import CONSTANTS, holes_of, substituted

__all__ = ["fitted"]

HUGE = 1 << 40
LOWER_BOUNDS = range(-1, 3)
LARGEST_CHANGE = 10
LARGEST_FACTOR = 10
AT_BOUND = 3
LEAST_AT_UPPER_BOUND = 5
WIDEST_RANGE = 10
MOST_VALUES = 3
LEAST_OF_EACH = 5
LEAST_POINTS = 3  # that a line with a factor has to go through


def fitted(expression: n.Expr, columns: RoutineColumns) -> n.Expr | None:
    """The clause with its constants, if some suit all test cases and mean something."""
    match expression:
        case n.IsInstance(operand=n.Slot(name=slot)):
            name = _class_of(slot, columns)
            return None if name is None else n.IsInstance(expression.operand, name)
        case n.Comparison(right=n.And()):
            name = _class_of("self", columns)
            return None if name is None else substituted(expression, {"T": n.IsInstance(n.Slot("self"), name)})
        case n.Comparison(left=n.Raises(), right=n.Old(operand=n.Comparison(operator="<", left=term))):
            limit = _limit(expression.left, n.Old(term), columns)
            return None if limit is None else substituted(expression, {"c": n.Constant(limit)})
        case n.Comparison(operator="in"):
            return _one_of(expression.left, columns)
    return _fitted_integers(expression, columns)


def _class_of(slot: str, columns: RoutineColumns) -> str | None:
    """The name of the class that all objects in the slot are of; of plain values it says little."""
    found = np.unique(columns.ids(Predicate(CLASS, (slot,)), False)).tolist()
    if len(found) != 1 or found[0] == UNKNOWN:
        return None
    module, _, name = columns.table.class_names.get(found[0], "").partition(":")
    return name if module != "builtins" and all(map(str.isidentifier, name.split("."))) else None


def _limit(raises: n.Expr, term: n.Expr, columns: RoutineColumns) -> int | None:
    """The number below which the term is whenever the exception is raised, and only then."""
    values = integers_of(term, columns)
    raised = verdicts_of(raises, columns) == 1
    if values is None or not raised.any() or raised.all():
        return None
    limit = int(values[raised].max()) + 1
    return limit if limit == values[~raised].min() and abs(limit) <= LARGEST_CHANGE else None


def _one_of(term: n.Expr, columns: RoutineColumns) -> n.Expr | None:
    """`term in (...)`: two or three strings or numbers, each seen several times."""
    asked, old = (recorded(term.operand), True) if isinstance(term, n.Old) else (recorded(term), False)
    if asked is None:
        return None
    ids, counts = np.unique(columns.ids(asked, old), return_counts=True)
    if not 2 <= len(ids) <= MOST_VALUES or ids.min() < 0 or counts.min() < LEAST_OF_EACH:
        return None
    values = [columns.value(key, old) for key in ids.tolist()]
    if any(type(value) not in (str, int) for value in values) or len({type(value) for value in values}) > 1:
        return None
    return n.Comparison("in", term, n.Display("tuple", tuple(n.Constant(value) for value in sorted(values))))


def _fitted_integers(expression: n.Expr, columns: RoutineColumns) -> n.Expr | None:
    if not isinstance(expression, n.Comparison) or holes_of(expression.left) or not columns.rows:
        return None
    values = integers_of(expression.left, columns)
    if values is None:
        values = _rounded(expression.left, columns) if isinstance(expression.right, n.Slot) else None
    if values is None:
        return None
    match expression.right:
        case n.Slot():
            constant = _bound(expression.operator, values)
            return None if constant is None else substituted(expression, {"c": n.Constant(constant)})
        case n.Arithmetic(operator="+", left=n.Arithmetic(operator="*", right=term), right=_):
            return _line(expression.left, term, values, columns)
        case n.Arithmetic(operator="+", left=rest) if not holes_of(rest) & CONSTANTS:
            others = integers_of(rest, columns)
            constant = None if others is None else _bound("==", values - others)
            close = constant is not None and abs(constant) <= LARGEST_CHANGE
            return n.Comparison(expression.operator, expression.left, _plus(rest, constant)) if close else None  # type: ignore[arg-type]
    return None


def _rounded(term: n.Expr, columns: RoutineColumns) -> Ids | None:
    """The values of a term that is a number in all test cases, fractions rounded down and huge ones cut off: enough to
    learn a bound from, which is then judged as any clause is."""
    asked, old = (recorded(term.operand), True) if isinstance(term, n.Old) else (recorded(term), False)
    if asked is None:
        return None
    spread, _ = columns.coded(asked, old)
    found, there = columns.values(asked, old)
    numbers = [value for value, known in zip(found, there.tolist(), strict=True) if known == 1 and _is_number(value)]
    if len(numbers) < len(found):
        return None
    return np.array([math.floor(max(-HUGE, min(HUGE, number))) for number in numbers], np.int64)[spread]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _line(left: n.Expr, term: n.Expr, values: Ids, columns: RoutineColumns) -> n.Expr | None:
    """`left == factor * term + constant`, with another factor than 1: that is a change and has its own template."""
    others = integers_of(term, columns)
    if others is None or len(np.unique(others)) < LEAST_POINTS:
        return None
    low, high = int(others.argmin()), int(others.argmax())
    factor, rest = divmod(int(values[high] - values[low]), int(others[high] - others[low]))
    constant = int(values[low]) - factor * int(others[low])
    if rest or factor in (0, 1) or abs(factor) > LARGEST_FACTOR or abs(constant) > LARGEST_CHANGE:
        return None
    if not (values == factor * others + constant).all():
        return None
    product = n.Arithmetic("*", n.Constant(factor), term)
    return n.Comparison("==", left, _plus(n.Negative(term) if factor == -1 else product, constant))


def _plus(term: n.Expr, constant: int) -> n.Expr:
    if constant == 0:
        return term
    return n.Arithmetic("+" if constant > 0 else "-", term, n.Constant(abs(constant)))


def _bound(operator: str, values: Ids) -> int | None:
    low, high = int(values.min()), int(values.max())
    if operator == "==":
        return low if low == high else None
    if low == high:
        return None
    if operator == ">=":
        return low if low in LOWER_BOUNDS and int((values == low).sum()) >= AT_BOUND else None
    expected = len(values) / (high - low + 1)
    often = int((values == high).sum()) >= max(LEAST_AT_UPPER_BOUND, 2 * expected)
    return high if often and high - low <= WIDEST_RANGE else None
