"""The recorded values of a routine's test cases, as the vector reading asks for them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, UNDEFINED, UNKNOWN, Columns, Ids, Verdicts
from stateful.contracts.predicate import ITSELF, Predicate
from stateful.contracts.values import SCALARS, decode, is_opaque
from stateful.store.database import Database

__all__ = ["MOST_VARIABLES", "Evaluations", "RoutineColumns", "Shape", "ValueTable", "columns_of"]

MOST_VARIABLES = 4
SAMPLE = 30
BITS_OF_INDEX = 9


class ValueTable:
    """The values of a database, decoded when they are asked for."""

    def __init__(self, database: Database) -> None:
        rows = database.rows("SELECT kind, integer, record, equality FROM values ORDER BY id")
        self.kinds: list[str] = ["", *(kind for kind, *_ in rows)]
        self.integers: list[int | None] = [None, *(integer for _, integer, _, _ in rows)]
        self.records = ["", *(record for _, _, record, _ in rows)]
        self.equalities: list[int | None] = [None, *(equality for *_, equality in rows)]
        self.class_names: dict[int, str] = dict(database.rows("SELECT id, name FROM classes"))
        self.names = _names_of_classes(database)
        self.decoded: dict[int, Any] = {}
        self.with_objects: dict[tuple[int, bool], Any] = {}

    def names_of(self, class_id: int) -> frozenset[str]:
        return self.names[class_id]

    def value(self, value_id: int, old: bool) -> Any:
        """Objects are others before the call than after it, plain values are not."""
        if value_id in self.decoded:
            return self.decoded[value_id]
        key = (value_id, old)
        if key not in self.with_objects:
            record = json.loads(self.records[value_id])
            value = decode(record, old=old)
            if not is_opaque(record):
                self.decoded[value_id] = value
                return value
            self.with_objects[key] = value
        return self.with_objects[key]


def _names_of_classes(database: Database) -> dict[int, frozenset[str]]:
    """For each class the names of it and of its bases, as `isinstance` in the contract language takes them."""
    found: dict[int, set[str]] = defaultdict(set)
    for key, name in database.rows(
        "SELECT c.class_id, k.name FROM conformances c JOIN classes k ON k.id = c.base_id ORDER BY ALL"
    ):
        module, _, qualified = name.partition(":")
        found[key] |= {qualified, qualified.rpartition(".")[2], f"{module}.{qualified}"}
    return defaultdict(frozenset, {key: frozenset(names) for key, names in found.items()})


EVALUATED = """
WITH states AS (
    SELECT pre_snapshot AS id FROM test_cases WHERE list_contains($1, routine_id)
    UNION
    SELECT post_snapshot FROM test_cases WHERE list_contains($1, routine_id))
SELECT {key} AS key, e.predicate_id::INTEGER AS predicate, coalesce(e.value_id, $2)::INTEGER AS value
FROM evaluations e JOIN snapshots s ON s.id = e.snapshot_id
WHERE e.var_4 IS NULL AND e.var_0 < s.slots AND e.snapshot_id IN (SELECT id FROM states)
UNION ALL
SELECT (o.snapshot_id::BIGINT << {state}) | ((o.index + 1)::BIGINT << {first}), 0, o.class_id::INTEGER
FROM objects o JOIN snapshots s ON s.id = o.snapshot_id
WHERE o.index < s.slots AND o.snapshot_id IN (SELECT id FROM states)
"""
CLASS_OF = 0  # the number of the predicate that is answered from the table of objects
SHIFTS = [BITS_OF_INDEX * place for place in reversed(range(MOST_VARIABLES))]
"""By how many bits the index of each operand is shifted in a key; the snapshot is before the first one."""
IN_SQL = {
    "key": " | ".join((
        f"(e.snapshot_id::BIGINT << {BITS_OF_INDEX * MOST_VARIABLES})",
        *(f"((coalesce(e.var_{number}, -1) + 1)::BIGINT << {shift})" for number, shift in enumerate(SHIFTS)),
    )),
    "state": BITS_OF_INDEX * MOST_VARIABLES,
    "first": SHIFTS[0],
}  # fmt: skip


class Evaluations:
    """All that is known of the operands of some routines' test cases, sorted by snapshot and operands.

    There may be tens of millions: DuckDB makes one number of a snapshot and its operands, and nothing else is kept."""

    def __init__(self, database: Database, routines: Sequence[int]) -> None:
        self.texts = {CLASS_OF: CLASS, **dict(database.rows("SELECT id, text FROM predicates"))}
        found = database.columns(EVALUATED.format(**IN_SQL), [list(routines), UNDEFINED])
        keys = np.asarray(found.pop("key"), np.int64)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        self.starts = np.flatnonzero(np.diff(keys, prepend=-1))
        self.lengths = np.diff(self.starts, append=len(keys))
        self.keys = keys[self.starts]
        self.predicates = np.asarray(found.pop("predicate"))[order]
        self.values = np.asarray(found.pop("value"))[order]
        self.known = frozenset(self.texts[key] for key in np.unique(self.predicates).tolist())
        self.counts = frozenset(text.count("$") for text in self.known)
        """How many operands the known predicates have."""

    def told(self, states: Ids, places: list[Ids]) -> dict[str, Ids]:
        """For every predicate of these operands, one or more in each snapshot, the ids of its values."""
        unused = [np.full(len(states), -1, np.int64)] * (MOST_VARIABLES - len(places))
        keys = _packed(states, np.stack([*places, *unused]))
        missing = np.logical_or.reduce([place < 0 for place in places])
        if not len(self.keys):
            return {}
        place = np.searchsorted(self.keys, keys).clip(0, len(self.keys) - 1)
        count = np.where(missing | (self.keys[place] != keys), 0, self.lengths[place])
        rows = np.repeat(np.arange(len(states)), count)
        at = np.arange(len(rows)) + np.repeat(self.starts[place] - (np.cumsum(count) - count), count)
        asked = self.predicates[at]
        predicates = np.flatnonzero(np.bincount(asked))
        table = np.full((len(predicates), len(states)), UNKNOWN, np.int64)
        table[np.searchsorted(predicates, asked), rows] = self.values[at]
        return {self.texts[key]: table[number] for number, key in enumerate(predicates.tolist())}


def _packed(states: Ids, places: Ids) -> Ids:
    """A snapshot and the indices of up to four objects in it as one number."""
    key = states.astype(np.int64)
    for place in places:
        key = (key << BITS_OF_INDEX) | (place + 1)
    return key


class RoutineColumns(Columns):
    """Test cases of a routine: for each the two states, and the indices of its operands in them."""

    def __init__(
        self,
        slots: Sequence[str],
        tests: Ids,
        states: tuple[Ids, Ids],
        places: tuple[dict[str, Ids], dict[str, Ids]],
        exceptions: list[tuple[str, ...]],
        evaluations: Evaluations,
        table: ValueTable,
    ) -> None:
        """`states` and `places` are those after the call and those before it."""
        super().__init__()
        self.slots = slots
        self.tests = tests
        self.states = states
        self.places = places
        self.exceptions = exceptions
        self.evaluations = evaluations
        self.table = table
        self.only_before = False
        self.sample: Ids = np.arange(0, len(tests), max(1, len(tests) // SAMPLE))
        """Some of the test cases, spread over all of them."""
        self.few: dict[tuple[n.Expr, bool], tuple[list[Any], Verdicts]] = {}
        """The values of parts of expressions in the sample, each with a 1, or why there is none."""
        self.tables: dict[tuple[tuple[str, ...], bool], dict[str, Ids]] = {}
        self.whole: tuple[RoutineColumns, Ids] | None = None
        """The columns of which these are some rows."""
        self.names = list(dict.fromkeys(exceptions))
        numbers = {name: number for number, name in enumerate(self.names)}
        self.raising = np.array([numbers[name] for name in exceptions], np.int64)
        self.unknown = np.full(len(tests), UNKNOWN, np.int64)

    def at(self, old: bool) -> bool:
        return old or self.only_before

    @property
    def rows(self) -> int:
        return len(self.tests)

    def ids(self, asked: Predicate, old: bool) -> Ids:
        return self.of(asked.slots, old).get(asked.text, self.unknown)

    def of(self, names: tuple[str, ...], old: bool) -> dict[str, Ids]:
        """Every predicate that is known of these operands, with the ids of its values."""
        key = (names, self.at(old))
        if key not in self.tables:
            self.tables[key] = self._told(*key)
        return self.tables[key]

    def _told(self, names: tuple[str, ...], old: bool) -> dict[str, Ids]:
        if self.whole is not None:
            columns, rows = self.whole
            return {text: ids[rows] for text, ids in columns.of(names, old).items()}
        places = self.places[old]
        if len(names) not in self.evaluations.counts or not all(name in places for name in names):
            return {}
        return self.evaluations.told(self.states[old], [places[name] for name in names])

    def knows(self, text: str) -> bool:
        return text in self.evaluations.known

    def place(self, slot: str, old: bool) -> Ids | None:
        return self.places[self.at(old)].get(slot)

    def value(self, value_id: int, old: bool) -> Any:
        return self.table.value(value_id, old)

    def integer(self, value_id: int) -> int | None:
        return self.table.integers[value_id]

    def equality(self, value_id: int) -> int | None:
        return self.table.equalities[value_id]

    def names_of(self, class_id: int) -> frozenset[str]:
        return self.table.names_of(class_id)

    def raised(self) -> tuple[Ids, list[tuple[str, ...]]]:
        return self.raising, self.names

    def chosen(self, rows: Sequence[int] | Ids) -> RoutineColumns:
        """The same for some of the test cases only."""
        picked = np.asarray(rows, np.int64)
        after, before = ({name: place[picked] for name, place in places.items()} for places in self.places)
        made = RoutineColumns(
            self.slots, self.tests[picked], (self.states[0][picked], self.states[1][picked]), (after, before),
            [self.exceptions[row] for row in picked], self.evaluations, self.table,
        )  # fmt: skip
        made.only_before = self.only_before
        made.whole = self, picked
        return made

    def sampled_at(self, rows: Ids) -> RoutineColumns:
        """The same with these test cases in the sample, too. What is known is shared."""
        made = copy(self)
        made.sample, made.few = np.union1d(self.sample, rows), {}
        return made

    def plain_slots(self) -> frozenset[str]:
        """The parameters that held neither objects nor containers in any test case."""
        found = []
        for name in self.slots:
            keys = np.unique(self.ids(Predicate(ITSELF, (name,)), False)).tolist()
            if name not in ("self", "result") and all(self.table.kinds[key] in SCALARS for key in keys if key >= 0):
                found.append(name)
        return frozenset(found)

    def before_only(self) -> RoutineColumns:
        """The same, looked at before the call only: that is what a precondition does. What is known is shared."""
        made = copy(self)
        made.only_before = True
        return made

    def without(self, slot: str) -> RoutineColumns:
        """The same without one of the slots. What is known is shared."""
        made = copy(self)
        made.slots = [name for name in self.slots if name != slot]
        return made

    def of_receiver(self) -> RoutineColumns:
        """Only the receiver after the call: what an invariant looks at."""
        places = {"self": self.places[0].get("self", np.full(self.rows, -1, np.int64))}
        states = (self.states[0], self.states[0])
        return RoutineColumns(
            ("self",), self.tests, states, (places, places), self.exceptions, self.evaluations, self.table
        )

    @staticmethod
    def joined(several: Sequence[RoutineColumns]) -> RoutineColumns:
        """The test cases of all, which have the same slots."""
        first = several[0]
        places = tuple(
            {name: np.concatenate([one.places[old][name] for one in several]) for name in first.places[old]}
            for old in (0, 1)
        )
        states = tuple(np.concatenate([one.states[old] for one in several]) for old in (0, 1))
        return RoutineColumns(
            first.slots, np.concatenate([one.tests for one in several]), (states[0], states[1]),
            (places[0], places[1]), [name for one in several for name in one.exceptions],
            first.evaluations, first.table,
        )  # fmt: skip


EXECUTED = """
SELECT t.routine_id, t.id, t.pre_snapshot, t.pre_operands, t.post_snapshot, t.post_operands, t.raised
FROM test_cases t
JOIN snapshot_evaluations b ON b.snapshot_id = t.pre_snapshot AND b.status <> 'failed'
JOIN snapshot_evaluations a ON a.snapshot_id = t.post_snapshot AND a.status <> 'failed'
WHERE list_contains(?, t.routine_id) AND (t.outcome = 'pass' OR (t.outcome = 'refuse' AND t.raised IS NOT NULL))
ORDER BY t.routine_id, t.id
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """What has to be known of a routine: the names of its slots, is it a constructor, annotations of its parameters."""

    slots: tuple[str, ...]
    constructor: bool
    annotations: Mapping[str, str]
    further: frozenset[str] = frozenset()
    """The second and further arguments of `*args`. No clause speaks of them: what is true of every argument is said of
    the first."""


ANNOTATED = {
    "int": {"int", "bool"}, "bool": {"bool"}, "float": {"float", "int", "bool"}, "str": {"str"}, "bytes": {"bytes"},
}  # fmt: skip
"""The kinds of values that fit a plain annotation."""


def columns_of(database: Database, routines: Mapping[int, Shape], table: ValueTable) -> dict[int, RoutineColumns]:
    """The executed test cases of some routines that passed or were refused by an exception, oldest first.

    Without those whose arguments contradict a plain annotation: a contract is about calls that its author allows."""
    evaluations = Evaluations(database, list(routines))
    rows = database.rows(EXECUTED, [list(routines)])
    owners = np.array([row[0] for row in rows], np.int64)
    bounds = {key: np.searchsorted(owners, [key, key + 1]) for key in routines}
    return {
        key: _well_typed(_columns(rows[slice(*bounds[key])], shape, evaluations, table), shape)
        for key, shape in routines.items()
    }


def _well_typed(columns: RoutineColumns, shape: Shape) -> RoutineColumns:
    fits = np.ones(columns.rows, bool)
    for name, annotation in shape.annotations.items():
        ids = columns.ids(Predicate(ITSELF, (name,)), True)
        for key in np.unique(ids).tolist() if annotation in ANNOTATED else ():
            if key >= 0 and columns.table.kinds[key] not in ANNOTATED[annotation]:
                fits &= ids != key
    return columns if fits.all() else columns.chosen(np.flatnonzero(fits))


def _columns(rows: list[tuple[Any, ...]], shape: Shape, evaluations: Evaluations, table: ValueTable) -> RoutineColumns:
    names = [*shape.slots, "result"]
    _, tests, before, operands, after, results, raised = zip(*rows, strict=True) if rows else ((),) * 7
    states = [np.array(snapshots, np.int64) for snapshots in (after, before)]
    places = [_places(names, results), _places(names[:-1], operands)]
    if shape.constructor and len(rows):
        made = places[0].pop("result")
        places[0]["self"] = made
    told = [name for name in names if name not in shape.further]
    return RoutineColumns(
        told, np.array(tests, np.int64), (states[0], states[1]), (places[0], places[1]),
        [tuple(one or ()) for one in raised], evaluations, table,
    )  # fmt: skip


def _places(names: Sequence[str], operands: Sequence[Sequence[int | None]]) -> dict[str, Ids]:
    """For each slot its index in every test case, -1 where there is none."""
    found = np.full((len(names), len(operands)), -1, np.int64)
    for row, indices in enumerate(operands):
        for slot, index in enumerate(indices[: len(names)]):
            if index is not None:
                found[slot, row] = index
    return dict(zip(names, found, strict=True))
