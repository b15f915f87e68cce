"""Fill the holes of a template, and leave out early what cannot hold.

A template with two holes has thousands of fillings, and nearly all of them fall. Two forms are screened on whole
matrices: a disjunction or implication whose two sides have holes of their own, and an equation of integers. A screen
only saves time: what it lets pass is judged like any other filling.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeAlias

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.negate import negate
from stateful.contracts.to_vectors import UNDEFINED, UNKNOWN, Bits, Verdicts, integers_of, verdicts_of
from stateful.infer.atoms import Atoms
from stateful.infer.columns import RoutineColumns
from stateful.infer.templates import CONSTANTS, Template, choices_of, holes_of, substituted

__all__ = ["screened"]

Filling: TypeAlias = dict[str, n.Expr]
INTEGERS = frozenset("nml")


def screened(template: Template, before: Atoms, after: Atoms, columns: RoutineColumns) -> Iterator[n.Expr]:
    """The fillings of the template that may hold, but for constants, which are learned from the data."""
    choices = choices_of(template, before, after)
    sides = _sides(template.expression)
    if sides is not None and not CONSTANTS & set(template.holes):
        fillings = _pairs(sides, choices, isinstance(template.expression, n.Implies), columns)
    elif _is_sum(template.expression) and not CONSTANTS & set(template.holes):
        fillings = _sums(template.expression, choices, columns)  # type: ignore[arg-type]
    else:
        fillings = _all(template.holes, choices)
    for filling in fillings:
        if len(set(filling.values())) == len(filling):
            yield substituted(template.expression, filling)


def _all(holes: tuple[str, ...], choices: Mapping[str, list[n.Expr]]) -> Iterator[Filling]:
    names = [hole for hole in holes if hole not in CONSTANTS]
    for choice in product(*(choices[hole] for hole in names)):
        yield dict(zip(names, choice, strict=True))


# Two sides, of which one has to be true


def _sides(expression: n.Expr) -> tuple[n.Expr, n.Expr] | None:
    """The two alternatives of a disjunction, if no hole stands in both."""
    match expression:
        case n.Implies(premise=premise, conclusion=conclusion):
            sides = negate(premise) if not isinstance(premise, n.Old) else n.Not(premise), conclusion
        case n.Or(operands=(left, right)):
            sides = left, right
        case _:
            return None
    return None if holes_of(sides[0]) & holes_of(sides[1]) else sides


def _pairs(
    sides: tuple[n.Expr, n.Expr], choices: Mapping[str, list[n.Expr]], implies: bool, columns: RoutineColumns
) -> Iterator[Filling]:
    """Both sides filled, wherever one of the two is true in every test case.

    Each side has to be untrue somewhere, or the other says nothing; a premise also has to be false somewhere."""
    left, right = ([], []) if columns.rows == 0 else (_filled(side, choices, columns) for side in sides)
    left = [(filling, verdicts) for filling, verdicts in left if not implies or (verdicts == 1).any()]
    if not left or not right:
        return
    wrong = [np.stack([_untrue(verdicts) for _, verdicts in side]).astype(np.float32) for side in (left, right)]
    refuted = wrong[0] @ wrong[1].T > 0
    for i, j in np.argwhere(~refuted):
        yield {**left[i][0], **right[j][0]}


def _filled(
    side: n.Expr, choices: Mapping[str, list[n.Expr]], columns: RoutineColumns
) -> list[tuple[Filling, Verdicts]]:
    """The fillings of one side that are untrue somewhere, with their verdicts."""
    found = []
    sample = columns.sample()
    for filling in _all(tuple(sorted(holes_of(side))), choices):
        expression = substituted(side, filling)
        if len(set(filling.values())) < len(filling) or not _may_be_true(expression, sample):
            continue
        verdicts = verdicts_of(expression, columns)
        if _untrue(verdicts).any():
            found.append((filling, verdicts))
    return found


def _may_be_true(expression: n.Expr, sample: RoutineColumns) -> bool:
    """What is true in none of some test cases is hardly ever true, and no side of anything."""
    verdicts = verdicts_of(expression, sample)
    return bool(((verdicts == 1) | (verdicts == UNKNOWN)).any())


def _untrue(verdicts: Verdicts) -> Bits:
    wrong: Bits = (verdicts == 0) | (verdicts == UNDEFINED)
    return wrong


# An integer that equals a sum


def _is_sum(expression: n.Expr) -> bool:
    match expression:
        case n.Comparison(operator="==", left=n.Slot() as left, right=n.Arithmetic() as right):
            return len(holes_of(right)) == 2 and holes_of(right) <= INTEGERS - holes_of(left)
    return False


def _sums(expression: n.Comparison, choices: Mapping[str, list[n.Expr]], columns: RoutineColumns) -> Iterator[Filling]:
    """What is equal has the same values: they are looked up instead of compared one by one."""
    (own,) = holes_of(expression.left)
    known: dict[bytes, list[n.Expr]] = defaultdict(list)
    for choice in choices[own]:
        values = integers_of(choice, columns)
        if values is not None and len(np.unique(values)) > 1:
            known[values.tobytes()].append(choice)
    parts = sorted(holes_of(expression.right))
    for filling in _all(tuple(parts), choices):
        values = integers_of(substituted(expression.right, filling), columns)
        if values is not None:
            for choice in known.get(values.tobytes(), ()):
                yield {**filling, own: choice}
