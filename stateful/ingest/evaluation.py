"""Evaluate every query on every object of the database, in workers on all cores, each snapshot once."""

from __future__ import annotations

import math
import select
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from stateful.generate.limits import limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.asking import asking_of, clean_dropped, drop_query, note_quiet, retire_changed
from stateful.ingest.merge import derive_transitions
from stateful.ingest.storing import Storing
from stateful.sandbox import Message, Worker
from stateful.sandbox.spread import cores
from stateful.store.database import Database
from stateful.subject.target import Target

__all__ = ["Evaluated", "evaluate_all", "targets_of"]

BATCH = 100
SMALL_BATCH = 20  # what is under way when the time is over is lost
FETCHED = 1000  # snapshots at once
WORTH_IT = 4.0  # times the start of a worker
DEADLINE = 2.0  # seconds for one snapshot
WAITING = """
WITH needed AS (
    SELECT pre_snapshot, post_snapshot,
           row_number() OVER (PARTITION BY routine_id, outcome, changed ORDER BY id) AS place
    FROM test_cases
), first AS (
    SELECT snapshot_id, min(place) AS place
    FROM (SELECT pre_snapshot AS snapshot_id, place FROM needed UNION ALL SELECT post_snapshot, place FROM needed)
    GROUP BY snapshot_id
)
SELECT s.id, s.codec, s.slots
FROM snapshots s JOIN first f ON f.snapshot_id = s.id
LEFT JOIN snapshot_evaluations e ON e.snapshot_id = s.id
WHERE e.snapshot_id IS NULL OR ($1 AND e.asked IS DISTINCT FROM $2)
ORDER BY e.snapshot_id IS NOT NULL, f.place, s.id
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
    database: Database,
    *,
    progress: Callable[[Evaluated], None] = lambda _: None,
    most: int | None = None,
    again: bool = False,
    workers: int | None = None,
    until: float = math.inf,
) -> Evaluated:
    """Evaluate the snapshots that were not evaluated yet, at most `most` of them: every routine gets its turn.

    What is not done `until` then, by the monotonic clock, is left for the next time. With `again`, snapshots are
    evaluated anew if by now there are other queries than there were then."""
    evaluation = _Evaluation(database, progress, until)
    stale = not database.value("SELECT count(*) FROM transitions")
    waiting = evaluation.waiting(most, again)
    try:
        if waiting:
            evaluation.run(workers or cores())
    finally:
        if retire_changed(database) or waiting or stale:
            clean_dropped(database)
            evaluation.settle()
            derive_transitions(database)
    return evaluation.done


def targets_of(database: Database, *, gone: bool = False) -> list[Target]:
    """The targets of the sessions in the database, each once; or those that are `gone`."""
    name = GONE if gone else HERE
    rows = database.rows("SELECT DISTINCT content FROM about WHERE name = ? ORDER BY content", [name])
    return [
        Target(module, path or None, tuple(filter(None, names.split(",")))) for module, path, names in map(_split, rows)
    ]


HERE, GONE = "target", "target that is gone"


def leave_out(database: Database, gone: Iterable[Target], here: Iterable[Target]) -> None:
    """Remember which targets cannot be imported now, so that nobody tries, and which can."""
    for name, targets in ((GONE, gone), (HERE, here)):
        texts = ["\t".join((t.module, t.path or "", ",".join(t.classes))) for t in targets]
        sentence = "UPDATE about SET name = ? WHERE name IN (?, ?) AND name <> ? AND list_contains(?, content)"
        if texts:
            database.run(sentence, [name, HERE, GONE, name, texts])


def _split(row: tuple[Any, ...]) -> tuple[str, str, str]:
    module, path, names = str(row[0]).split("\t")
    return module, path, names


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A snapshot to be evaluated. One that killed a worker is tried again carefully: each query is announced."""

    id: int
    codec: str
    slots: int
    careful: bool = False


class _Life:
    """One worker, and the snapshots that it was given and has not answered."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.given: list[_Waiting] = []
        self.ready = False
        self.began = time.monotonic()
        self.starting = 0.0

    def begin(self) -> None:
        """It has imported the subject."""
        if not self.ready:
            self.ready, self.starting = True, time.monotonic() - self.began

    @property
    def worked(self) -> float:
        """The seconds since it was ready."""
        return time.monotonic() - self.began - self.starting if self.ready else 0.0


class _Evaluation:
    def __init__(self, database: Database, progress: Callable[[Evaluated], None], until: float) -> None:
        self.database = database
        self.progress = progress
        self.until = until
        self.batch = BATCH if until == math.inf else SMALL_BATCH
        self.done = Evaluated()
        self.queue: deque[_Waiting] = deque()
        self.lives: list[_Life] = []
        self.fetched: dict[int, bytes] = {}

    def waiting(self, most: int | None, again: bool) -> int:
        """How many snapshots are to be evaluated."""
        self.asking = asking_of(self.database)
        rows = self.database.rows(WAITING, [again, self.asking.digest])
        self.queue.extend(_Waiting(*row) for row in rows[: len(rows) if most is None else max(0, most)])
        return len(self.queue)

    def settle(self) -> None:
        """What was dropped meanwhile is as if it had never been asked."""
        left = asking_of(self.database).digest
        if left != self.asking.digest:
            self.database.run("UPDATE snapshot_evaluations SET asked = ? WHERE asked = ?", [left, self.asking.digest])

    def run(self, workers: int) -> None:
        self.storing = Storing(self.database, self.asking.digest, self.done)
        try:
            self._start()
            while time.monotonic() < self.until and (self.queue or any(life.given for life in self.lives)):
                for _ in range(self._more(workers)):
                    self._start()
                for life in list(self.lives):
                    self._give(life)
                self._listen()
        finally:
            for life in self.lives:
                life.worker.close()
            self.storing.flush()

    def _more(self, workers: int) -> int:
        """How many workers to start. A small ingest is over before a second one has imported the subject: so those that
        are there are doubled when they would still work for several times as long as they took to start."""
        here = len(self.lives)
        if not self.done.snapshots or not all(life.ready for life in self.lives):
            return 0
        left = len(self.queue) * sum(life.worked for life in self.lives) / self.done.snapshots
        if left < WORTH_IT * sum(life.starting for life in self.lives):
            return 0
        return min(here, workers - here, len(self.queue) // self.batch)

    def _start(self) -> None:
        life = _Life(Worker("stateful.ingest.observer:main", limits_of(self.database, DEADLINE)))
        self.lives.append(life)
        self.storing.begin(life.worker)
        targets = targets_json(targets_of(self.database))
        asked = {"queries": self.asking.queries, "conditions": self.asking.conditions}
        life.worker.send("plan", {"targets": targets, **asked})
        for owner, predicate in self.storing.guilty:
            life.worker.send("drop", [owner, predicate])

    def _give(self, life: _Life) -> None:
        """One batch at a time: a worker that is still answering does not listen. A careful one is alone."""
        if not self.queue or not life.ready or life.given:
            return
        careful = self.queue[0].careful
        life.given = [self.queue.popleft()]
        while not careful and self.queue and len(life.given) < self.batch and not self.queue[0].careful:
            life.given.append(self.queue.popleft())
        blobs = self._bytes(life.given)
        items = [[one.id, one.codec, one.slots] for one in life.given]
        life.worker.send("snapshots", {"snapshots": items, "careful": careful}, blobs)

    def _bytes(self, batch: list[_Waiting]) -> tuple[bytes, ...]:
        """Of this batch; those that follow are fetched with it."""
        if any(one.id not in self.fetched for one in batch):
            ids = [one.id for one in (*batch, *islice(self.queue, FETCHED))]
            rows = self.database.rows("SELECT id, bytes FROM snapshots WHERE id IN (SELECT unnest(?))", [ids])
            self.fetched = dict(rows)
        return tuple(self.fetched[one.id] for one in batch)

    def _listen(self) -> None:
        """Take what has come from the workers; one that ended is replaced."""
        ready, _, _ = select.select([life.worker.reading for life in self.lives], [], [], 0.1)
        for life in list(self.lives):
            for message in life.worker.messages(0.0 if ready else 0.001):
                self._take(life, message)
            if life.worker.ended or life.worker.finished:
                self._bury(life)

    def _take(self, life: _Life, message: Message) -> None:
        life.begin()
        if message.kind != "observed":
            return
        life.given = []
        self._give(life)  # before we look at what it said, so that it need not wait
        self._tell(self.storing.add(life.worker, message))
        for owner, predicate in message.body["quiet"]:
            note_quiet(self.database, owner, predicate)
        self.progress(self.done)

    def _tell(self, guilty: list[tuple[str, str]]) -> None:
        """Nobody asks a query any more that was found guilty."""
        for owner, predicate in guilty:
            drop_query(self.database, owner, predicate)
            for life in self.lives:
                life.worker.send("drop", [owner, predicate])

    def _bury(self, life: _Life) -> None:
        """The query that killed the worker is taken off the list; what it had not answered is done by another."""
        self.lives.remove(life)
        life.worker.close()
        note = life.worker.ended.note if life.worker.ended else None
        key, *query = note.decode().split("\x1f") if note else [""]
        left = list(life.given)
        culprit = next((one for one in left if str(one.id) == key), left[0] if left else None)
        if culprit is not None:
            left.remove(culprit)
            if query and (blamed := self.storing.blame((query[0], query[1]))):
                self._tell(blamed)
                self.queue.appendleft(culprit)
            elif culprit.careful:
                self.storing.fail(culprit.id)
            else:
                self.queue.appendleft(_Waiting(culprit.id, culprit.codec, culprit.slots, careful=True))
        self.queue.extend(left)
        if self.queue and life.ready:
            self._start()
        elif not life.ready and not self.lives:
            self.queue.clear()  # the subject cannot even be imported
