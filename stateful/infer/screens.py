"""Fill the holes of a template, and leave out early what cannot hold.

A template with two holes has thousands of fillings, and nearly all of them fall. So a template is compiled once, and
its fillings are tried on some test cases, value by value; of disjunctions and implications both sides are filled
apart and compared on whole matrices; equal integers are looked up. A screen only saves time: what it lets pass is
judged like any other clause.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stateful.contracts import Moment, compiled, text
from stateful.contracts import nodes as n
from stateful.contracts.columns import UNDEFINED, UNKNOWN, Bits, Ids, Verdicts, untrue
from stateful.contracts.evaluate import Undefined, UnknownValue, Value
from stateful.contracts.leaves import given, leaf_of, worst
from stateful.contracts.predicate import recorded
from stateful.contracts.to_python import to_python
from stateful.contracts.to_vectors import NOTHING, integers_of, verdicts_of
from stateful.infer.atoms import Atoms
from stateful.infer.columns import RoutineColumns
from stateful.infer.tables import Filling, Fillings, unrefuted
from stateful.infer.templates import CONSTANTS, INTEGERS, Template, choices_of, exchangeable, holes_of, substituted

__all__ = ["Side", "behind", "fillings_of", "held_behind", "premises_of", "screened"]

TELLING = 3


def screened(template: Template, before: Atoms, after: Atoms, columns: RoutineColumns) -> Iterator[n.Expr]:
    """The fillings of the template that may hold, but for constants, which are learned from the data."""
    choices = choices_of(template, before, after)
    if not all(choices.values()):
        return
    sides = _sides(template.expression)
    fillings: Iterable[Filling]
    if CONSTANTS & set(template.holes):
        fillings = fillings_of(template, choices)
    elif sides is not None:
        fillings = _pairs(sides, choices, columns)
    elif _is_sum(template.expression):
        fillings = _sums(template.expression, choices, columns)  # type: ignore[arg-type]
    else:
        fillings = _held(template.expression, fillings_of(template, choices), columns)
    for filling in fillings:
        yield substituted(template.expression, filling)


def fillings_of(template: Template, choices: Mapping[str, list[n.Expr]]) -> Fillings:
    """All of them, each hole filled with another expression; those that say the same in another order once."""
    holes = [hole for hole in template.holes if hole not in CONSTANTS]
    return Fillings(holes, choices, exchangeable(template.expression))


def _held(expression: n.Expr, fillings: Fillings, columns: RoutineColumns) -> Iterator[Filling]:
    """Those that no test case of the sample refutes."""
    if _compares_objects(expression):
        yield from fillings
        return
    quick = quick_of(expression)
    for filling, judged in unrefuted(expression, fillings, columns, _untrue_somewhere):
        if judged or not any(verdict in (0, UNDEFINED) for _, verdict in quick.verdicts(filling, columns)):
            yield filling


def _compares_objects(expression: n.Expr) -> bool:
    """What was recorded of two objects is known of both together: from one of them nothing follows."""
    match expression:
        case n.Comparison(left=n.Slot(), right=n.Slot()):
            return holes_of(expression) == {"x", "y"}
    return False


def held_behind(
    premises: Side | None, expression: n.Expr, fillings: Fillings, columns: RoutineColumns
) -> Iterator[Filling]:
    """Those that no test case of the sample refutes, or only such as one of the premises excludes."""
    if premises is None:
        yield from _held(expression, fillings, columns)
        return
    quick = quick_of(expression)
    applying = premises.applying(columns.sample)
    for filling, judged in unrefuted(
        expression, fillings, columns, lambda found: ~premises.spare(found, columns.sample)
    ):
        if judged or _is_spared(quick.verdicts(filling, columns), applying, len(premises.fillings)):
            yield filling


def _is_spared(verdicts: Iterator[tuple[int, int]], applying: list[int], premises: int) -> bool:
    """Whether nothing is untrue, or one of the premises, the bits of `applying`, applies where something is true and
    nowhere where it is not."""
    everything = left = (1 << premises) - 1
    tested = 0
    for place, verdict in verdicts:
        if verdict == 1:
            tested |= applying[place]
        elif verdict != UNKNOWN:
            left &= ~applying[place]
            if not left:
                return False
    return left == everything or bool(left & tested)


def _untrue_somewhere(verdicts: Verdicts) -> Bits:
    """For each row of a matrix."""
    return np.asarray(untrue(verdicts).any(axis=1), bool)


# Some test cases, value by value


class Quick:
    """A template, compiled once. Its leaves are the holes and what is recorded of the operands that it names."""

    def __init__(self, expression: n.Expr) -> None:
        self.expression = expression
        self.leaves: dict[tuple[n.Expr, bool], int] = {}
        self.values: Sequence[Any] = ()
        self.verdict = compiled(expression, self._leaf)
        self.plain = to_python(expression, False, self.leaves, len(self.leaves))

    def _leaf(self, part: n.Expr, old: bool) -> Value | None:
        is_hole = isinstance(part, n.Slot | n.Raises) and bool(holes_of(part))
        if not is_hole and (recorded(part) is None or holes_of(part)):
            return None
        place = self.leaves.setdefault((part, old), len(self.leaves))
        return lambda _, __: given(self.values[place])

    def verdicts(self, filling: Filling, columns: RoutineColumns) -> Iterator[tuple[int, int]]:
        """Places in the sample with their verdicts, those first that take no evaluation; the first ones may decide.
        Where the records do not suffice there is none."""
        known = [_values(substituted(part, filling), old, columns) for part, old in self.leaves]
        places: Sequence[int] = range(len(columns.sample))
        if self.plain is None:
            each = zip(*(values for values, _ in known), strict=True) if known else [()] * len(places)
            yield from zip(places, map(self._slow, each), strict=True)
            return
        there = worst([known[place][1] for place in self.plain.used], len(places)).tolist()
        if self.plain.decides:
            yield from ((place, UNDEFINED) for place in places if there[place] == UNDEFINED)
            places = [place for place in places if there[place] == 1]
        rows = ([values[place] for values, _ in known] for place in places)
        yield from zip(
            places, self.plain.verdicts(None, rows, (there[place] for place in places), self._slow), strict=True
        )

    def _slow(self, values: Sequence[Any]) -> int:
        self.values = values
        moment = Moment(NOTHING)
        verdict = self.verdict(moment)
        return int(verdict) if verdict is not None else UNKNOWN if moment.unknown else UNDEFINED


def _values(node: n.Expr, old: bool, columns: RoutineColumns) -> tuple[list[Any], Verdicts]:
    """The values of what fills a hole in some test cases with a 1 for each, or why there is none."""
    key = (node, columns.at(old))
    found = columns.few.get(key)
    if found is None:
        rows = columns.sample
        if recorded(node) is None:
            verdicts = verdicts_of(node, columns, old)[rows]
            found = [TRUTHS[verdict] for verdict in verdicts.tolist()], np.where(verdicts >= 0, np.int8(1), verdicts)
        else:
            leaf = leaf_of(node, old, columns)
            numbers = leaf.numbers[rows]
            found = leaf.values[numbers].tolist(), leaf.there[numbers]
        columns.few[key] = found
    return found


TRUTHS = {1: True, 0: False, UNDEFINED: Undefined, UNKNOWN: UnknownValue}


quick_of: Callable[[n.Expr], Quick] = lru_cache(maxsize=512)(Quick)


# Two sides, of which one has to be true


@dataclass(frozen=True, slots=True)
class Side:
    """Fillings with the test cases in which they are true, false, and false or undefined."""

    fillings: list[Filling]
    true: Bits
    false: Bits
    untrue: Bits

    @classmethod
    def of(cls, judged: list[tuple[Filling, Verdicts]]) -> Side | None:
        if not judged:
            return None
        table = np.stack([verdicts for _, verdicts in judged])
        false = table == 0
        return cls([filling for filling, _ in judged], table == 1, false, false | (table == UNDEFINED))

    def spare(self, verdicts: Verdicts, rows: Ids) -> Bits:
        """The same as `_is_spared` for each row of a matrix."""
        applying, refuting = self.untrue[:, rows].astype(np.float32), untrue(verdicts)
        spared, tested = (
            applying @ refuting.astype(np.float32).T == 0,
            applying @ (verdicts == 1).astype(np.float32).T > 0,
        )
        return np.asarray((spared & tested).any(axis=0) | ~refuting.any(axis=1), bool)

    def applying(self, rows: Ids) -> list[int]:
        """For each of these test cases a bit for each of them that is not true there."""
        packed = np.packbits(self.untrue[:, rows], axis=0, bitorder="little")
        return [int.from_bytes(column.tobytes(), "little") for column in packed.T]

    def telling(self) -> Ids:
        """Some test cases in which each of them is not true."""
        return np.unique(np.concatenate([np.flatnonzero(row)[:TELLING] for row in self.untrue]))


def _sides(expression: n.Expr) -> tuple[n.Expr, n.Expr] | None:
    """The two alternatives of a disjunction, if no hole stands in both."""
    match expression:
        case n.Implies(premise=premise, conclusion=conclusion):
            sides: tuple[n.Expr, n.Expr] = n.Not(premise), conclusion
        case n.Or(operands=(left, right)):
            sides = left, right
        case _:
            return None
    return None if holes_of(sides[0]) & holes_of(sides[1]) else sides


def _pairs(
    sides: tuple[n.Expr, n.Expr], choices: Mapping[str, list[n.Expr]], columns: RoutineColumns
) -> Iterator[Filling]:
    left, right = (Side.of(list(_judged(side, choices, columns))) for side in sides)
    if left is not None and right is not None:
        yield from _paired(left, right)


def _paired(left: Side, right: Side) -> Iterator[Filling]:
    """Both sides filled, wherever one of the two is true in every test case."""
    for i, j in _unrefuted(left, right):
        yield {**left.fillings[i], **right.fillings[j]}


def _unrefuted(left: Side, right: Side) -> list[tuple[int, int]]:
    refuted = left.untrue.astype(np.float32) @ right.untrue.astype(np.float32).T > 0
    return [(i, j) for i, j in np.argwhere(~refuted).tolist()]


def _judged(
    side: n.Expr, choices: Mapping[str, list[n.Expr]], columns: RoutineColumns
) -> Iterator[tuple[Filling, Verdicts]]:
    """The fillings of one side that are true somewhere and untrue somewhere: else it or the other says nothing."""
    for filling in Fillings(sorted(holes_of(side)), choices):
        verdicts = verdicts_of(substituted(side, filling), columns)
        if (verdicts == 1).any() and untrue(verdicts).any():
            yield filling, verdicts


PREMISES = [
    n.Old(n.Slot("hole_p")),
    *(n.Old(n.Comparison(operator, n.Slot("hole_x"), n.Slot("hole_y"))) for operator in ("is", "is not", "==", "!=")),
]  # fmt: skip


def premises_of(before: Atoms, columns: RoutineColumns) -> Side | None:
    """Everything that can be a premise, as the side `not old(...)`."""
    judged = []
    for premise in PREMISES:
        choices = choices_of(Template("", (), "", premise, tuple(sorted(holes_of(premise)))), before, before)
        for filling, verdicts in _judged(n.Not(premise), choices, columns):
            judged.append(({"p": substituted(premise, filling)}, verdicts))
    return Side.of(judged)


def behind(premises: Side | None, conclusions: list[tuple[n.Expr, Verdicts]]) -> Iterator[tuple[n.Implies, int]]:
    """The implications from a premise to one of the conclusions that no test case refutes, and in how many of them both
    are true; those in which they never are say nothing."""
    right = Side.of([({"q": conclusion}, verdicts) for conclusion, verdicts in conclusions])
    if premises is not None and right is not None:
        tested = premises.false.astype(np.float32) @ right.true.astype(np.float32).T
        for i, j in _unrefuted(premises, right):
            if tested[i, j]:
                yield n.Implies(premises.fillings[i]["p"], right.fillings[j]["q"]), int(tested[i, j])


# An integer that equals a sum


def _is_sum(expression: n.Expr) -> bool:
    match expression:
        case n.Comparison(operator="==", left=n.Slot() as left, right=n.Arithmetic() as right):
            own = holes_of(left)
            return len(own) == 1 and len(holes_of(right)) == 2 and holes_of(right) <= INTEGERS - own
    return False


def _sums(expression: n.Comparison, choices: Mapping[str, list[n.Expr]], columns: RoutineColumns) -> Iterator[Filling]:
    """What is equal has the same values: they are looked up instead of compared one by one."""
    (own,) = holes_of(expression.left)
    known: dict[bytes, list[n.Expr]] = defaultdict(list)
    for choice in choices[own]:
        values = integers_of(choice, columns)
        if values is not None and len(np.unique(values)) > 1:
            known[values.tobytes()].append(choice)
    as_written = sorted(holes_of(expression.right), key=lambda hole: text(expression.right).index(f"hole_{hole}"))
    for filling in Fillings(as_written, choices, exchangeable(expression.right)):
        values = integers_of(substituted(expression.right, filling), columns)
        for choice in known.get(values.tobytes(), ()) if values is not None else ():
            if choice not in filling.values():
                yield {**filling, own: choice}
