"""Write what the workers observed: their numbers become ours, by columns, many snapshots at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from stateful.sandbox import Message, Worker
from stateful.store.database import Database
from stateful.store.values import Interned
from stateful.store.writer import Writer
from stateful.subject.model import ClassModel

if TYPE_CHECKING:
    from stateful.ingest.evaluation import Evaluated

__all__ = ["MOST_VARIABLES", "Storing"]

MOST_VARIABLES = 9
ROWS_AT_ONCE = 150_000
NOWHERE = 255
Ints = NDArray[np.int64]
COMMANDS = """
SELECT DISTINCT r.name FROM routines r JOIN test_cases t ON t.routine_id = r.id WHERE t.outcome = 'pass' AND t.changed
"""


@dataclass(slots=True)
class _Numbers:
    """What the numbers of one worker mean here: the ids of its predicates, their arities, its values, its classes."""

    predicates: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    arities: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    texts: list[str] = field(default_factory=list)
    values: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    classes: Ints = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(slots=True)
class _Pending:
    """What is written with the next flush."""

    states: list[tuple[int, str, int]] = field(default_factory=list)
    grown: list[tuple[str, bytes, int]] = field(default_factory=list)
    evaluations: list[Ints] = field(default_factory=list)
    objects: list[tuple[Ints, list[str | None]]] = field(default_factory=list)
    rows: int = 0


class Storing:
    def __init__(self, database: Database, asked: UUID, done: Evaluated) -> None:
        self.database = database
        self.asked = asked
        self.done = done
        self.interned = Interned(database)
        self.writer = Writer(database)
        self.numbers: dict[int, _Numbers] = {}
        self.pending = _Pending()
        self.guilty: list[tuple[str, str]] = []
        self.commands = {name for (name,) in database.rows(COMMANDS)}

    def begin(self, worker: Worker) -> None:
        """A new worker numbers everything anew."""
        self.numbers[id(worker)] = _Numbers()

    def add(self, worker: Worker, message: Message) -> list[tuple[str, str]]:
        """Take an answer; the queries that it found guilty and nobody knew of."""
        numbers, body = self._learned(self.numbers[id(worker)], message.body), message.body
        which, found, places, classes, paths, sources, *kept = message.blobs
        counts = np.array([rows for *_, rows, _ in body["snapshots"]], np.int64)
        sizes = np.array([objects for *_, objects in body["snapshots"]], np.int64)
        ids = np.array([key for key, *_ in body["snapshots"]], np.int64)
        self.pending.evaluations.append(_evaluations(numbers, np.repeat(ids, counts), which, found, places))
        self.pending.objects.append(_objects(numbers, ids, sizes, classes, paths, sources))
        blobs = iter(kept)
        for key, status, codec, rows, _ in body["snapshots"]:
            self._count(key, status, rows)
            if codec is not None:
                self.pending.grown.append((codec, next(blobs), key))
        self.pending.rows += int(counts.sum())
        if self.pending.rows > ROWS_AT_ONCE:
            self.flush()
        return [one for owner, predicate in body["guilty"] for one in self.blame((owner, predicate))]

    def blame(self, query: tuple[str, str]) -> list[tuple[str, str]]:
        """The query, if it was not blamed before. It is told, unless tests have shown already that it is a command."""
        if query in self.guilty:
            return []
        self.guilty.append(query)
        owner, predicate = query
        name = f"{owner}.{predicate[2:].partition('(')[0]}" if predicate.startswith("$.") else f"{predicate} of {owner}"
        if name not in self.commands:
            self.done.changing.append(name)
        return [query]

    def fail(self, snapshot: int) -> None:
        """It could not be looked at at all."""
        self._count(snapshot, "failed", 0)

    def _learned(self, numbers: _Numbers, body: dict[str, Any]) -> _Numbers:
        if body["forgotten"]:
            numbers.values = np.empty(0, np.int64)
        for name, conforms in body["classes"]:
            numbers.classes = np.append(numbers.classes, self.writer.add_class(ClassModel(name, tuple(conforms))))
        new = [self.interned.value(encoded, truth) for encoded, truth in body["values"]]
        numbers.values = np.append(numbers.values, np.array(new, np.int64))
        texts = body["predicates"]
        numbers.texts += texts
        known = np.array([self.interned.predicate(text) for text in texts], np.int64)
        numbers.predicates = np.append(numbers.predicates, known)
        numbers.arities = np.append(numbers.arities, np.array([text.count("$") for text in texts], np.int64))
        return numbers

    def _count(self, snapshot: int, status: str, rows: int) -> None:
        self.pending.states.append((snapshot, status, rows))
        self.done.snapshots += 1
        self.done.evaluations += rows
        self.done.bounded += status == "bounded"
        self.done.failed += status == "failed"

    def flush(self) -> None:
        """Everything in one transaction: a snapshot is evaluated, or it is not."""
        pending, self.pending = self.pending, _Pending()
        if not pending.states:
            return
        d = self.database
        self.writer.flush()
        with d.transaction():
            self.interned.flush()
            self._forget_former([key for key, _, _ in pending.states])
            self._write_objects(pending)
            self._replace_bytes(pending.grown)
            _append_evaluations(d, pending.evaluations)
            keys, states, tried = zip(*pending.states, strict=True)
            d.append(
                "snapshot_evaluations",
                {"snapshot_id": keys, "status": states, "tried": tried, "asked": [self.asked] * len(keys)},
            )

    def _forget_former(self, keys: list[int]) -> None:
        """What was evaluated before, with other queries; and the objects, which are told again."""
        d = self.database
        d.run("CREATE OR REPLACE TEMP TABLE evaluated AS SELECT unnest(?) AS id", [keys])
        if d.value("SELECT count(*) FROM snapshot_evaluations WHERE snapshot_id IN (SELECT id FROM evaluated)"):
            for table in ("snapshot_evaluations", "evaluations"):
                d.run(f"DELETE FROM {table} WHERE snapshot_id IN (SELECT id FROM evaluated)")

    def _write_objects(self, pending: _Pending) -> None:
        """The operands are there already; what they reach stands behind them."""
        d = self.database
        d.run(
            "DELETE FROM objects USING snapshots s "
            "WHERE s.id = objects.snapshot_id AND s.id IN (SELECT id FROM evaluated) AND objects.index >= s.slots"
        )
        slots = dict(d.rows("SELECT id, slots FROM snapshots WHERE id IN (SELECT id FROM evaluated)"))
        table = np.concatenate([rows for rows, _ in pending.objects]) if pending.objects else np.empty((0, 4), np.int64)
        paths = [path for _, some in pending.objects for path in some]
        behind = np.array([index >= slots[key] for key, index in table[:, :2].tolist()], bool)
        chosen = table[behind]
        d.append("objects", {
            "snapshot_id": chosen[:, 0], "index": chosen[:, 1], "class_id": chosen[:, 2],
            "path": [path for path, is_behind in zip(paths, behind.tolist(), strict=True) if is_behind],
            "path_index": np.ma.MaskedArray(chosen[:, 3], mask=chosen[:, 3] == NOWHERE),
        })  # fmt: skip

    def _replace_bytes(self, grown: list[tuple[str, bytes, int]]) -> None:
        """The list of objects now holds what the operands reach, too."""
        if grown:
            d = self.database
            d.run("CREATE OR REPLACE TEMP TABLE extended (codec VARCHAR, bytes BLOB, id INTEGER)")
            d.append("extended", dict(zip(("codec", "bytes", "id"), zip(*grown, strict=True), strict=False)))
            d.run("UPDATE snapshots SET codec = e.codec, bytes = e.bytes FROM extended e WHERE e.id = snapshots.id")


def _evaluations(numbers: _Numbers, snapshots: Ints, which: bytes, found: bytes, places: bytes) -> Ints:
    """Rows of snapshot, predicate, value and the places of the objects; -1 where there is nothing."""
    predicates = np.frombuffer(which, np.int32)
    values = np.frombuffer(found, np.int32)
    given = np.frombuffer(places, np.uint8)
    table = np.full((len(predicates), 3 + MOST_VARIABLES), -1, np.int64)
    table[:, 0] = snapshots
    table[:, 1] = numbers.predicates[predicates]
    known = values >= 0
    table[known, 2] = numbers.values[values[known]]
    arities = numbers.arities[predicates]
    starts = np.cumsum(arities) - arities
    for variable in range(int(arities.max(initial=0))):
        taken = arities > variable
        table[taken, 3 + variable] = given[starts[taken] + variable]
    return table


def _objects(
    numbers: _Numbers, ids: Ints, sizes: Ints, classes: bytes, paths: bytes, sources: bytes
) -> tuple[Ints, list[str | None]]:
    """Rows of snapshot, index, class and the index that the path starts from; and the paths."""
    total = int(sizes.sum())
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.empty((total, 4), np.int64)
    table[:, 0] = np.repeat(ids, sizes)
    table[:, 1] = np.arange(total) - starts
    table[:, 2] = numbers.classes[np.frombuffer(classes, np.int32)]
    table[:, 3] = np.frombuffer(sources, np.uint8)
    ways = np.frombuffer(paths, np.int32).tolist()
    return table, [None if way < 0 else numbers.texts[way] for way in ways]


def _append_evaluations(database: Database, tables: list[Ints]) -> None:
    """Ordered by predicate: a search reads those of one predicate, and then finds them together."""
    rows = np.concatenate(tables) if tables else np.empty((0, 3 + MOST_VARIABLES), np.int64)
    rows = rows[np.lexsort((rows[:, 0], rows[:, 1]))]
    names = ("snapshot_id", "predicate_id", "value_id", *(f"var_{place}" for place in range(MOST_VARIABLES)))
    database.append(
        "evaluations", {name: np.ma.MaskedArray(rows[:, i], mask=rows[:, i] < 0) for i, name in enumerate(names)}
    )
