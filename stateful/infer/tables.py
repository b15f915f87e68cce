"""Many fillings of a template at once: what only compares columns is compared for all of them, as matrices.

A row of a matrix is a filling, a column of it one of some test cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stateful.contracts import nodes as n
from stateful.contracts.columns import Bits, Verdicts
from stateful.contracts.to_vectors import (
    ORDERS,
    SUMS,
    conjunction,
    disjunction,
    equalities_of,
    integers_of,
    negation,
    verdicts_of,
)
from stateful.infer.columns import RoutineColumns
from stateful.infer.templates import holes_of

__all__ = ["Filling", "Fillings", "unrefuted"]

Filling: TypeAlias = dict[str, n.Expr]
Cells: TypeAlias = tuple[Bits, NDArray[Any]]
"""Which fillings have a value in all these test cases, and the values, one row for each filling."""
MOST_CELLS = 1 << 21


class Fillings:
    """All fillings of some holes, each hole with another expression, in the order of the choices; of two that differ by
    an exchange of `alike` holes the first."""

    def __init__(
        self, holes: Sequence[str], choices: Mapping[str, Sequence[n.Expr]], alike: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.holes = tuple(holes)
        self.choices = [choices[hole] for hole in holes]
        sizes = [len(several) for several in self.choices]
        picks = np.indices(sizes, np.int32).reshape(len(sizes), -1).T if sizes else np.zeros((1, 0), np.int32)
        numbers: dict[n.Expr, int] = {}
        named = [np.array([numbers.setdefault(one, len(numbers)) for one in several]) for several in self.choices]
        for left, right in combinations(range(len(sizes)) if len(picks) else (), 2):
            picks = picks[named[left][picks[:, left]] != named[right][picks[:, right]]]
        for left, right in (sorted(map(self.holes.index, pair)) for pair in alike):
            if self.choices[left] == self.choices[right]:
                picks = picks[picks[:, left] < picks[:, right]]
        self.picks: NDArray[np.int32] = picks
        """For each filling and each hole the place of its choice."""

    def __len__(self) -> int:
        return len(self.picks)

    def __getitem__(self, number: int) -> Filling:
        picked = self.picks[number].tolist()
        return {hole: several[place] for hole, several, place in zip(self.holes, self.choices, picked, strict=True)}

    def __iter__(self) -> Iterator[Filling]:
        return map(self.__getitem__, range(len(self)))


def unrefuted(
    expression: n.Expr, fillings: Fillings, columns: RoutineColumns, refuted: Callable[[Verdicts], Bits]
) -> Iterator[tuple[Filling, bool]]:
    """The fillings without those that are `refuted` by their verdicts in the sample; with each, whether it was judged:
    what does more than compare columns is not."""
    step = max(1, MOST_CELLS // max(1, len(columns.sample)))
    for start in range(0, len(fillings), step):
        part = fillings.picks[start : start + step]
        found = _Table(fillings, part, columns).verdicts(expression, False)
        judged, verdicts = found or (np.zeros(len(part), bool), np.zeros((len(part), 0), np.int8))
        for place in np.flatnonzero(~(judged & refuted(verdicts)) if found else ~judged).tolist():
            yield fillings[start + place], bool(judged[place])


class _Table:
    def __init__(self, fillings: Fillings, picks: NDArray[np.int32], columns: RoutineColumns) -> None:
        self.fillings = fillings
        self.picks = picks
        self.columns = columns
        self.rows = columns.sample

    def verdicts(self, node: n.Expr, old: bool) -> Cells | None:
        match node:
            case n.Old(operand=operand):
                return self.verdicts(operand, True)
            case n.Slot() if holes_of(node):
                return self._filled(node, lambda one: verdicts_of(one, self.columns, old))
            case n.Not(operand=operand):
                return self._joined([operand], old, lambda parts: negation(parts[0]))
            case n.And(operands=operands):
                return self._joined(operands, old, conjunction)
            case n.Or(operands=operands):
                return self._joined(operands, old, disjunction)
            case n.Implies(premise=premise, conclusion=conclusion):
                return self._joined(
                    [premise, conclusion], old, lambda parts: disjunction([negation(parts[0]), parts[1]])
                )
            case n.Comparison(operator=operator) if operator in ORDERS:
                return self._compared(node, old)
        return None

    def _joined(self, nodes: Sequence[n.Expr], old: bool, join: Callable[[list[Verdicts]], Verdicts]) -> Cells | None:
        parts = [self.verdicts(node, old) for node in nodes]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return np.logical_and.reduce([there for there, _ in known]), join([cells for _, cells in known])

    def _compared(self, node: n.Comparison, old: bool) -> Cells | None:
        found = self._both(node, old, self._integers)
        equal = self._both(node, old, self._equalities) if node.operator in ("==", "!=") else None
        if found is None or equal is None:
            return found or equal
        return found[0] | equal[0], np.where(found[0][:, None], found[1], equal[1])

    def _both(self, node: n.Comparison, old: bool, read: Callable[[n.Expr, bool], Cells | None]) -> Cells | None:
        left, right = read(node.left, old), read(node.right, old)
        if left is None or right is None:
            return None
        return left[0] & right[0], ORDERS[node.operator](left[1], right[1]).astype(np.int8)

    def _integers(self, node: n.Expr, old: bool) -> Cells | None:
        match node:
            case n.Old(operand=operand):
                return self._integers(operand, True)
            case n.Comparison():
                truths = self.verdicts(node, old)
                return None if truths is None else (truths[0] & (truths[1] >= 0).all(axis=1), truths[1])
            case n.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
                parts = self._integers(left, old), self._integers(right, old)
                if parts[0] is None or parts[1] is None:
                    return None
                return parts[0][0] & parts[1][0], SUMS[operator](parts[0][1], parts[1][1])
        return self._filled(node, lambda one: integers_of(one, self.columns, old))

    def _equalities(self, node: n.Expr, old: bool) -> Cells | None:
        if isinstance(node, n.Old):
            return self._equalities(node.operand, True)
        return self._filled(node, lambda one: equalities_of(one, self.columns, old))

    def _filled(self, node: n.Expr, read: Callable[[n.Expr], NDArray[Any] | None]) -> Cells | None:
        """The cells of a hole, or of what has none; no form between them can be read."""
        if not holes_of(node):
            found = read(node)
            return None if found is None else self._same_for_all(found[self.rows])
        if not isinstance(node, n.Slot):
            return None
        (hole,) = holes_of(node)
        place = self.fillings.holes.index(hole)
        columns = [read(one) for one in self.fillings.choices[place]]
        cells = np.zeros((len(columns), len(self.rows)), np.int64)
        for row, column in enumerate(columns):
            if column is not None:
                cells[row] = column[self.rows]
        picked = self.picks[:, place]
        return np.array([column is not None for column in columns], bool)[picked], cells[picked]

    def _same_for_all(self, cells: NDArray[Any]) -> Cells:
        return np.ones(len(self.picks), bool), np.broadcast_to(cells, (len(self.picks), len(cells)))
