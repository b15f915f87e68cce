"""The recorded values of one routine's test cases, as the vector reading asks for them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stateful.contracts.predicate import Predicate
from stateful.contracts.to_vectors import UNDEFINED, UNKNOWN, Ids
from stateful.contracts.values import decode
from stateful.store.database import Database

__all__ = ["RoutineColumns", "ValueTable", "columns_of"]

State = dict[str, dict[tuple[int, ...], int]]
"""For each predicate, the indices it was asked of and the id of its value."""


class ValueTable:
    """The values of a database, decoded when they are asked for."""

    def __init__(self, database: Database) -> None:
        rows = database.rows("SELECT id, kind, integer, record FROM values ORDER BY id")
        self.kinds = ["", *(kind for _, kind, _, _ in rows)]
        self.integers = [None, *(integer for _, _, integer, _ in rows)]
        self.records = ["", *(record for _, _, _, record in rows)]
        self.decoded: dict[tuple[int, bool], Any] = {}

    def value(self, value_id: int, old: bool) -> Any:
        key = (value_id, old)
        if key not in self.decoded:
            self.decoded[key] = decode(json.loads(self.records[value_id]), old=old)
        return self.decoded[key]


@dataclass
class RoutineColumns:
    """Test cases of a routine: for each the two states, and the indices of its operands in them."""

    slots: Sequence[str]
    tests: list[int]
    before: list[State]
    after: list[State]
    before_places: list[dict[str, int | None]]
    after_places: list[dict[str, int | None]]
    exceptions: list[tuple[str, ...]]
    table: ValueTable
    cache: dict[tuple[Predicate, bool], Ids] = field(default_factory=dict)
    texts: frozenset[str] | None = None
    """The predicates that were evaluated; none if nobody asked yet."""

    @property
    def rows(self) -> int:
        return len(self.tests)

    def ids(self, asked: Predicate, old: bool) -> Ids:
        key = (asked, old)
        if key not in self.cache:
            self.cache[key] = self._looked_up(asked, old)
        return self.cache[key]

    def knows(self, text: str) -> bool:
        if self.texts is None:
            self.texts = frozenset(text for state in (*self.before, *self.after) for text in state)
        return text in self.texts

    def _looked_up(self, asked: Predicate, old: bool) -> Ids:
        states, places = (self.before, self.before_places) if old else (self.after, self.after_places)
        found = np.full(self.rows, UNKNOWN, np.int64)
        for row, (state, place) in enumerate(zip(states, places, strict=True)):
            known = state.get(asked.text)
            indices = tuple(-1 if (index := place.get(name)) is None else index for name in asked.slots)
            found[row] = known.get(indices, UNKNOWN) if known is not None else UNKNOWN
        return found

    def value(self, value_id: int, old: bool) -> Any:
        return self.table.value(value_id, old)

    def raised(self) -> tuple[Ids, list[tuple[str, ...]]]:
        names = list(dict.fromkeys(self.exceptions))
        numbers = {name: number for number, name in enumerate(names)}
        return np.array([numbers[name] for name in self.exceptions], np.int64), names

    def chosen(self, rows: Sequence[int]) -> RoutineColumns:
        """The same for some of the test cases only."""
        picked = replace(
            self,
            tests=[self.tests[row] for row in rows],
            before=[self.before[row] for row in rows],
            after=[self.after[row] for row in rows],
            before_places=[self.before_places[row] for row in rows],
            after_places=[self.after_places[row] for row in rows],
            exceptions=[self.exceptions[row] for row in rows],
            cache={},
        )
        picked.cache = {key: ids[list(rows)] for key, ids in self.cache.items()}
        return picked

    def states(self) -> RoutineColumns:
        """The same with the state before the call in both places: what a precondition looks at."""
        return replace(self, after=self.before, after_places=self.before_places, cache={})

    def of_receiver(self) -> RoutineColumns:
        """Only the receiver after the call: what an invariant looks at."""
        places = [{"self": place.get("self")} for place in self.after_places]
        return replace(self, slots=("self",), before=self.after, before_places=places, after_places=places, cache={})

    def joined(self, other: RoutineColumns) -> RoutineColumns:
        """The test cases of both."""
        return replace(
            self,
            tests=self.tests + other.tests,
            before=self.before + other.before,
            after=self.after + other.after,
            before_places=self.before_places + other.before_places,
            after_places=self.after_places + other.after_places,
            exceptions=self.exceptions + other.exceptions,
            cache={},
        )

    def predicates(self, old: bool) -> dict[str, set[tuple[int, ...]]]:
        """Every predicate that was evaluated in some state."""
        found: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        for state in self.before if old else self.after:
            for text in state:
                found[text] = set()
        return found


EXECUTED = """
SELECT t.id, t.pre_snapshot, t.pre_operands, t.post_snapshot, t.post_operands, t.raised
FROM test_cases t
JOIN snapshot_evaluations b ON b.snapshot_id = t.pre_snapshot AND b.status <> 'failed'
JOIN snapshot_evaluations a ON a.snapshot_id = t.post_snapshot AND a.status <> 'failed'
WHERE t.routine_id = ? AND (t.outcome = 'pass' OR (t.outcome = 'refuse' AND t.raised IS NOT NULL))
ORDER BY t.id
"""
EVALUATED = """
SELECT e.snapshot_id, p.text, p.arity, e.var_0, e.var_1, e.var_2, e.var_3, e.value_id
FROM evaluations e JOIN predicates p ON p.id = e.predicate_id
WHERE p.arity <= 4 AND e.snapshot_id IN (
    SELECT pre_snapshot FROM test_cases WHERE routine_id = $1
    UNION
    SELECT post_snapshot FROM test_cases WHERE routine_id = $1)
"""


def columns_of(
    database: Database, routine: int, slots: Sequence[str], constructor: bool, table: ValueTable
) -> RoutineColumns:
    """The executed test cases of a routine that passed or were refused by an exception, oldest first."""
    tests = database.rows(EXECUTED, [routine])
    states = _states(database, routine)
    empty: State = {}
    names = [*slots, "result"]
    return RoutineColumns(
        names,
        [test for test, *_ in tests],
        [states.get(row[1], empty) for row in tests],
        [states.get(row[3], empty) for row in tests],
        [_places(names[:-1], row[2], False) for row in tests],
        [_places(names, row[4], constructor) for row in tests],
        [tuple(row[5] or ()) for row in tests],
        table,
    )


def _places(names: Sequence[str], operands: Sequence[int | None], constructor: bool) -> dict[str, int | None]:
    """The index of each slot; in a constructor `self` is the result."""
    places: dict[str, int | None] = dict(zip(names, operands, strict=False))
    if constructor and places.get("result") is not None:
        places["self"] = places.pop("result")
    return places


def _states(database: Database, routine: int) -> dict[int, State]:
    """The evaluations of all snapshots of the routine's test cases."""
    rows = database.rows(EVALUATED, [routine])
    states: dict[int, State] = {}
    for snapshot, text, arity, a, b, c, d, value in rows:
        indices = (a, b, c, d)[:arity]
        states.setdefault(snapshot, {}).setdefault(text, {})[indices] = UNDEFINED if value is None else value
    return states
