"""Evaluate every query on every object of the database, in workers, each snapshot once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stateful.generate.limits import limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.merge import derive_transitions
from stateful.sandbox import Message, Worker
from stateful.store.database import Database
from stateful.store.values import Interned
from stateful.store.writer import Writer
from stateful.subject.model import ClassModel
from stateful.subject.target import Target

__all__ = ["Evaluated", "evaluate_all", "targets_of"]

BATCH = 100
MOST_VARIABLES = 9
CANDIDATES = """
SELECT r.id, k.name, r.name, r.kind, r.slots
FROM routines r JOIN classes k ON k.id = r.class_id
WHERE r.kind IN ('method', 'property', 'attribute') AND r.queried IS NOT FALSE
  AND NOT starts_with(split_part(r.name, '.', -1), '_')
  AND NOT EXISTS (SELECT 1 FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass' AND t.changed)
  AND (r.kind <> 'method' OR EXISTS (
         SELECT 1 FROM test_cases t
         JOIN objects o ON o.snapshot_id = t.post_snapshot AND o.index = t.post_operands[r.slots + 2]
         JOIN classes c ON c.id = o.class_id
         WHERE t.routine_id = r.id AND t.outcome = 'pass' AND c.name <> 'builtins:NoneType'))
ORDER BY r.id
"""
WAITING = """
WITH needed AS (
    SELECT pre_snapshot, post_snapshot, row_number() OVER (PARTITION BY routine_id, outcome ORDER BY id) AS place
    FROM test_cases
), first AS (
    SELECT snapshot_id, min(place) AS place
    FROM (SELECT pre_snapshot AS snapshot_id, place FROM needed UNION ALL SELECT post_snapshot, place FROM needed)
    GROUP BY snapshot_id
)
SELECT s.id, s.codec, s.bytes, s.slots
FROM snapshots s JOIN first f ON f.snapshot_id = s.id
WHERE s.id NOT IN (SELECT snapshot_id FROM snapshot_evaluations)
ORDER BY f.place, s.id
LIMIT ?
"""


@dataclass(slots=True)
class Evaluated:
    """What an evaluation did."""

    snapshots: int = 0
    evaluations: int = 0
    bounded: int = 0
    failed: int = 0
    changing: list[str] = field(default_factory=list)


def evaluate_all(
    database: Database, *, progress: Callable[[Evaluated], None] = lambda _: None, most: int | None = None
) -> Evaluated:
    """Evaluate the snapshots that were not evaluated yet, at most `most` of them: every routine gets its turn."""
    done = Evaluated()
    stale = _retire_changed(database) or not database.value("SELECT count(*) FROM transitions")
    waiting = bool(database.rows(WAITING, [1]))
    try:
        if waiting:
            _Evaluation(database, done, progress, most).run()
    finally:
        if waiting or stale:
            derive_transitions(database)
    return done


def targets_of(database: Database) -> list[Target]:
    """The targets of the sessions in the database, each once."""
    rows = database.rows("SELECT DISTINCT content FROM about WHERE name = 'target' ORDER BY content")
    return [
        Target(module, path or None, tuple(filter(None, names.split(",")))) for module, path, names in map(_split, rows)
    ]


def _split(row: tuple[Any, ...]) -> tuple[str, str, str]:
    module, path, names = str(row[0]).split("\t")
    return module, path, names


def _retire_changed(database: Database) -> bool:
    """A query that by now was seen to change its operands is none; what it said is dropped. True if there was one."""
    changed = database.rows(
        "SELECT DISTINCT r.id, r.name FROM routines r JOIN test_cases t ON t.routine_id = r.id "
        "WHERE r.queried AND t.outcome = 'pass' AND t.changed"
    )
    for routine, name in changed:
        drop_query(database, routine, name)
    return bool(changed)


def drop_query(database: Database, routine: int, name: str) -> None:
    short = name.rpartition(".")[2]
    database.run("UPDATE routines SET queried = FALSE WHERE id = ?", [routine])
    others = database.value("SELECT count(*) FROM routines WHERE queried AND split_part(name, '.', -1) = ?", [short])
    if not others:
        database.run(
            "DELETE FROM evaluations WHERE predicate_id IN (SELECT id FROM predicates WHERE text = ? OR text LIKE ?)",
            [f"$.{short}", f"$.{short}(%"],
        )


class _Evaluation:
    def __init__(
        self, database: Database, done: Evaluated, progress: Callable[[Evaluated], None], most: int | None
    ) -> None:
        self.database = database
        self.done = done
        self.progress = progress
        self.most = most
        self.interned = Interned(database)
        self.writer = Writer(database)

    def run(self) -> None:
        while self._worker_life():
            pass

    def _worker_life(self) -> bool:
        """One worker, until nothing waits or a snapshot kills it; true if there is more to do."""
        with Worker("stateful.ingest.observer:main", limits_of(self.database, 2.0)) as worker:
            queries = self._queries()
            worker.send("plan", {"targets": targets_json(targets_of(self.database)), "queries": queries})
            if worker.answer() is None:
                return False
            while batch := self._batch():
                worker.send("snapshots", [[row[0], row[1]] for row in batch], tuple(row[2] for row in batch))
                answer = worker.answer()
                if answer is None:
                    self._bury(worker.ended.note if worker.ended else None, batch)
                    return True
                self._write(answer, {row[0]: row for row in batch})
                self.progress(self.done)
        return False

    def _batch(self) -> Sequence[tuple[Any, ...]]:
        left = BATCH if self.most is None else min(BATCH, self.most - self.done.snapshots)
        return self.database.rows(WAITING, [left]) if left > 0 else []

    def _bury(self, note: bytes | None, batch: Sequence[tuple[Any, ...]]) -> None:
        """The query that killed the worker is taken off the list; without one, the snapshot is not tried again."""
        key, *query = note.decode().split("\x1f") if note else [str(batch[0][0])]
        if query:
            self._drop(*query)
            return
        self.database.run("INSERT INTO snapshot_evaluations VALUES (?, 'failed', 0)", [int(key)])
        self.done.failed += 1

    def _queries(self) -> list[list[Any]]:
        found = []
        for routine, owner, name, kind, slots in self.database.rows(CANDIDATES):
            learned = self.database.rows("SELECT learned FROM parameters WHERE routine_id = ? ORDER BY slot", [routine])
            if len(learned) >= MOST_VARIABLES:
                continue
            self.database.run("UPDATE routines SET queried = TRUE WHERE id = ?", [routine])
            wants = [kinds or [] for (kinds,) in learned]
            found.append([owner, name.rpartition(".")[2], kind == "method", wants if slots else []])
        return found

    def _write(self, answer: Message, batch: dict[int, tuple[Any, ...]]) -> None:
        body, blobs = answer.body, iter(answer.blobs)
        for name, conforms in body["classes"]:
            self.writer.add_class(ClassModel(name, tuple(conforms)))
        values = [self.interned.value(encoded, truth) for encoded, truth in body["values"]]
        rows: list[list[int | None]] = []
        states: list[tuple[int, str, int]] = []
        objects: list[tuple[Any, ...]] = []
        snapshots: list[tuple[str, bytes, int]] = []
        for seen in body["snapshots"]:
            status = seen["status"]
            states.append((seen["id"], status, len(seen.get("rows", ()))))
            self._count(status, len(seen.get("rows", ())))
            if status == "failed":
                continue
            snapshots.append((seen["codec"], next(blobs), seen["id"]))
            ways = public_paths(seen["rows"], body["values"], batch[seen["id"]][3])
            objects += [
                (seen["id"], index, self.writer.classes[name], *ways.get(index, (None, None)))
                for index, name in enumerate(seen["classes"])
            ]
            rows += [self._row(seen["id"], row, values) for row in seen["rows"]]
        self._store(states, objects, snapshots, rows)
        for owner, name in body["guilty"]:
            self._drop(owner, name)

    def _count(self, status: str, rows: int) -> None:
        self.done.snapshots += 1
        self.done.evaluations += rows
        self.done.bounded += status == "bounded"
        self.done.failed += status == "failed"

    def _row(self, snapshot: int, row: list[Any], values: list[int]) -> list[int | None]:
        predicate, indices, value = row
        variables = [*indices, *[None] * (MOST_VARIABLES - len(indices))]
        return [snapshot, self.interned.predicate(predicate), None if value is None else values[value], *variables]

    def _store(
        self,
        states: list[tuple[int, str, int]],
        objects: list[tuple[Any, ...]],
        snapshots: list[tuple[str, bytes, int]],
        rows: list[list[int | None]],
    ) -> None:
        d = self.database
        self.writer.flush()
        with d.transaction():
            self.interned.flush()
            ids = ", ".join(str(key) for _, _, key in snapshots) or "NULL"
            d.run(f"DELETE FROM objects WHERE snapshot_id IN ({ids})")
            names = ("snapshot_id", "index", "class_id", "path", "path_index")
            d.append("objects", dict(zip(names, zip(*objects, strict=True), strict=False)))
            self._replace_bytes(snapshots)
            d.append("evaluations", _columns(rows))
            d.append(
                "snapshot_evaluations",
                dict(zip(("snapshot_id", "status", "tried"), zip(*states, strict=True), strict=False)),
            )

    def _replace_bytes(self, snapshots: list[tuple[str, bytes, int]]) -> None:
        """The list of objects now holds what the operands reach, too."""
        d = self.database
        d.run("CREATE OR REPLACE TEMP TABLE extended (codec VARCHAR, bytes BLOB, id INTEGER)")
        d.append("extended", dict(zip(("codec", "bytes", "id"), zip(*snapshots, strict=True), strict=False)))
        d.run("UPDATE snapshots SET codec = e.codec, bytes = e.bytes FROM extended e WHERE e.id = snapshots.id")

    def _drop(self, owner: str, name: str) -> None:
        routine = self.writer.routines.get(f"{owner}.{name}")
        if routine is not None:
            self.done.changing.append(f"{owner}.{name}")
            drop_query(self.database, routine, name)


def public_paths(rows: list[list[Any]], values: list[list[Any]], slots: int) -> dict[int, tuple[str, int]]:
    """For each object that is no operand the shortest way to it: a query without arguments, of an object before it."""
    edges: dict[int, list[tuple[str, int]]] = {}
    for predicate, indices, value in rows:
        if value is not None and len(indices) == 1 and predicate.startswith("$.") and values[value][0][0] == "object":
            edges.setdefault(indices[0], []).append((predicate, values[value][0][1]))
    ways: dict[int, tuple[str, int]] = {}
    frontier = list(range(slots))
    for source in frontier:  # grows while it is run through, by each object once
        for predicate, index in edges.get(source, ()):
            if index >= slots and index not in ways:
                ways[index] = predicate, source
                frontier.append(index)
    return ways


def _columns(rows: list[list[int | None]]) -> dict[str, Any]:
    names = ("snapshot_id", "predicate_id", "value_id", *(f"var_{i}" for i in range(MOST_VARIABLES)))
    table = np.array([[-1 if cell is None else cell for cell in row] for row in rows], dtype=np.int64).reshape(
        -1, len(names)
    )
    return {name: np.ma.MaskedArray(table[:, i], mask=table[:, i] < 0) for i, name in enumerate(names)}
