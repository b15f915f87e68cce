"""The supervisor's side of a session: start the workers, write what they send, record what kills them, go on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from stateful.errors import SubjectError
from stateful.generate.clock import CALLS_PER_SECOND
from stateful.generate.covering import Covered
from stateful.generate.entries import Entries
from stateful.generate.faults import write_faults
from stateful.generate.killers import write_killer
from stateful.generate.limits import endless_law, laws_of, limits_of
from stateful.generate.plan import TRACE, Plan, targets_json
from stateful.generate.settings import DEFAULT_STRATEGY, settings_from
from stateful.judge import Experience
from stateful.sandbox import Ended, Limits, Message, Worker, WorkerFailed
from stateful.store.database import Database
from stateful.store.writer import Writer
from stateful.subject.model import ClassModel, Subject
from stateful.subject.target import Target

__all__ = ["Progress", "RunOptions", "Summary", "describe", "run_session"]

SHOWN_EVERY = 1.0  # seconds
FLUSH_SHARE = 0.1  # of the time may go into writing, which takes a core from the workers if there are not enough
LONGEST_UNWRITTEN = 1.0  # seconds that a killed supervisor loses
KILLS_BEFORE_GIVING_UP = 3
LARGEST_TRACE = 1 << 34  # bytes


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How long to test, how, and from which random seed.

    With `tests`, that many calls are made, however long they take, and the same seed gives the same tests."""

    seed: int = 0
    seconds: float = 60.0
    tests: int | None = None
    deadline: float = 1.0
    kept: int = 2000
    """Passing test cases of each routine that are kept as examples."""
    strategy: str = DEFAULT_STRATEGY
    settings: dict[str, Any] = field(default_factory=dict)
    """Those of the strategy's settings that are not its defaults."""
    workers: int = 1
    values: tuple[str, ...] = ()
    coverage: bool = True
    trace: Path | None = None
    """A folder for the traces of all calls, one file for each process that made them."""


@dataclass(slots=True)
class Summary:
    """What a session did, as far as it got."""

    seed: int
    seconds: float = 0.0
    calls: int = 0
    tests: int = 0
    states: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """How many there are of each likelihood."""
    interrupted: bool = False
    covered: Covered = field(default_factory=Covered)
    notes: list[str] = field(default_factory=list)

    def add(self, later: Summary) -> None:
        """What a later session did, too; the seed stays that of the first."""
        self.seconds += later.seconds
        self.calls += later.calls
        self.tests += later.tests
        self.states += later.states
        self.faults = later.faults
        self.interrupted = later.interrupted
        self.notes += [text for text in later.notes if text not in self.notes]


Progress = Callable[[Summary], None]


def run_session(
    database: Database,
    targets: Sequence[Target],
    options: RunOptions,
    progress: Progress = lambda _: None,
    covered: Covered | None = None,
) -> Summary:
    """One session, written into the database. Ctrl-C ends it early and keeps everything that was found."""
    return _Session(database, targets, options, progress, covered or Covered()).run()


def describe(targets: Sequence[Target], allowed: tuple[str, ...] = ()) -> Subject:
    """What a session would test; nothing is called."""
    with Worker("stateful.generate.describing:main", Limits(allowed=allowed)) as worker:
        worker.send("plan", targets_json(targets))
        answer = worker.answer()
    if answer is None:
        how = worker.ended.reason if worker.ended else "ended"
        raise SubjectError(f"cannot import {' '.join(map(str, targets))}: it {how}")
    return Subject.from_json(answer.body)


class _Life:
    """One worker, from its start to its end; `place` is its number among those that work at the same time."""

    def __init__(self, worker: Worker, place: int, tests: int | None) -> None:
        self.worker = worker
        self.place = place
        self.tests = tests
        self.calls = 0
        self.states = 0
        self.experience: dict[str, dict[str, list[int]]] = {}
        self.laws: dict[str, list[int]] = {}
        self.entries = Entries()
        self.endless: list[str] = []
        """Laws that did not return."""
        self.idle = False

    @property
    def is_over(self) -> bool:
        return self.worker.finished or self.worker.ended is not None


LEAST_REFUSED = 10
NEVER_BUILT = """
SELECT r.name, count(*), mode(t.reason) FROM routines r JOIN test_cases t ON t.routine_id = r.id
WHERE r.kind = 'constructor' AND NOT r.helper AND NOT EXISTS (
    SELECT 1 FROM test_cases p JOIN routines m ON m.id = p.routine_id
    WHERE m.class_id = r.class_id AND p.outcome IN ('pass', 'fail'))
GROUP BY r.name HAVING count(*) >= ? ORDER BY r.name
"""


class _Session:
    def __init__(
        self, database: Database, targets: Sequence[Target], options: RunOptions, progress: Progress, covered: Covered
    ) -> None:
        self.database = database
        self.targets = targets
        self.options = options
        self.progress = progress
        self.settings = {**settings_from(options.strategy, []), **options.settings}
        self.writer = Writer(database)
        self.laws = laws_of(database)
        self.id = database.next_id("sessions")
        self.summary = Summary(options.seed, covered=covered)
        self.subject: Subject | None = None
        self.lives: list[_Life] = []
        self.ended: list[_Life] = []
        self.restarts: Counter[int] = Counter()
        self.kills: Counter[str] = Counter()
        self.changed: dict[str, None] = {}
        self.iterating: set[str] = set()
        self.tests_before = len(self.writer.tests)
        self.started = time.monotonic()
        self.shown = self.next_flush = self.started
        self.digest = hashlib.blake2b(os.urandom(16), digest_size=16).hexdigest()
        self.began = datetime.now(UTC).replace(tzinfo=None)

    def run(self) -> Summary:
        try:
            for place in range(self.options.workers):
                self._start(place, self._share_of(place))
            with self.database.sparing():
                while self.lives:
                    self._listen()
                    for life in [life for life in self.lives if life.is_over]:
                        self._end(life)
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            for life in self.lives:
                life.worker.close()
            self._finish()
        return self.summary

    def _share_of(self, place: int) -> int | None:
        """The calls that this worker is to make."""
        if self.options.tests is None:
            return None
        whole, rest = divmod(self.options.tests, self.options.workers)
        return whole + (place < rest)

    def _start(self, place: int, tests: int | None) -> None:
        elapsed = time.monotonic() - self.started
        earlier = [life for life in self.ended if life.place == place]
        calls = sum(life.calls for life in earlier)
        known = earlier if tests is not None else [*self.ended, *self.lives]
        plan = Plan(
            _sub_seed(self.options.seed, place, self.restarts[place]), max(self.options.seconds - elapsed, 0.0), tests,
            self.options.kept, self.options.strategy, self.settings, list(self.options.values), self.options.coverage,
            elapsed if tests is None else calls / CALLS_PER_SECOND, calls, _known(earlier),
            self._seeds(place), self._laws(known), self.options.trace is not None,
        )  # fmt: skip
        limits = limits_of(self.database, self.options.deadline)
        if self.options.trace is not None:
            limits = replace(limits, file_size=LARGEST_TRACE)
        worker = Worker("stateful.generate.engine:main", limits)
        worker.send("plan", {
            "targets": targets_json(self.targets), "plan": asdict(plan), "folder": os.getcwd(),
            "given_up": [name for name, kills in self.kills.items() if kills >= KILLS_BEFORE_GIVING_UP],
        })  # fmt: skip
        self.lives.append(_Life(worker, place, tests))

    def _laws(self, known: Sequence[_Life]) -> dict[str, list[str]]:
        """Also those that did not return for other workers, whether that is written yet or not."""
        endless = (law for life in known for law in life.endless)
        return {**self.laws, "endless": list(dict.fromkeys((*self.laws["endless"], *endless)))}

    def _seeds(self, place: int) -> list[str]:
        """The first worker tries first what an older version of the subject was called with."""
        if place or self.restarts[place]:
            return []
        return [program for (program,) in self.database.rows("SELECT program FROM seeds ORDER BY rowid")]

    def _listen(self) -> None:
        """Take what has come from the workers within a moment."""
        ready, _, _ = select.select([life.worker.reading for life in self.lives], [], [], 0.1)
        for life in self.lives:
            try:
                for message in life.worker.messages(0.0 if ready else 0.001):
                    self._take(message, life)
            except WorkerFailed as failure:
                self._count_failure(str(failure))
        self._flush_now_and_then()

    def _say(self, text: str) -> None:
        if text not in self.summary.notes:
            self.summary.notes.append(text)

    def _count_failure(self, what: str) -> None:
        """A worker failed while none of the subject's code ran. The subject may have broken it, or it is our fault."""
        self.summary.notes.append(f"a worker failed between two calls: {what.strip()[-300:]}")
        self.kills[""] += 1
        if self.kills[""] >= KILLS_BEFORE_GIVING_UP:
            raise RuntimeError(self.summary.notes[-1])

    def _take(self, message: Message, life: _Life) -> None:
        body = message.body
        match message.kind:
            case "subject":
                self._begin(Subject.from_json(body))
            case "class":
                self.writer.add_class(ClassModel(body["name"], tuple(body["conforms"])))
            case "entry":
                life.entries.add(*body)
            case "fault":
                self.writer.add_fault(body)
                if body["kind"] == "hang" and body["law"]:
                    life.endless.append(endless_law(body))
            case "test":
                self.writer.add_test(body, message.blobs, self.id)
            case "idle":
                life.idle = True
                self._say("nothing more can be called: no objects, or no routines are left")
            case "progress":
                life.calls, life.states = body["calls"], body["states"]
                if body["experience"] is not None:
                    life.experience, life.laws = body["experience"], body["laws"]
                self.changed.update(dict.fromkeys(body["changed"]))
                self.iterating.update(body["iterating"])
                if body["covered"] is not None:
                    self.summary.covered.take(body["covered"])

    def _end(self, life: _Life) -> None:
        """A worker has ended: record what killed it, and start another one if there is something left to do."""
        self.lives.remove(life)
        self.ended.append(life)
        life.calls = max(life.calls, life.worker.watch.counted(), 0 if life.idle else 1)
        if life.worker.ended:
            self._record_end(life.worker.ended, life)
        if self.options.trace is not None:
            with contextlib.suppress(OSError):
                shutil.move(life.worker.inside / TRACE, self.options.trace / f"{len(self.ended)}")
        life.worker.close()
        life.entries = Entries()
        left = None if life.tests is None else life.tests - life.calls
        over = left <= 0 if left is not None else time.monotonic() - self.started >= self.options.seconds
        if not over and not life.idle:
            self.restarts[life.place] += 1
            self._start(life.place, left)

    def _flush_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self.shown < SHOWN_EVERY:
            return
        self.shown = now
        if now >= self.next_flush:
            self._flush()
            self.next_flush = now + min((time.monotonic() - now) / FLUSH_SHARE, LONGEST_UNWRITTEN)
        self._count()
        self.progress(self.summary)

    def _flush(self) -> None:
        self.writer.flush()
        write_faults(self.writer, _habits([*self.lives, *self.ended]))
        self._count()
        covered = self.summary.covered.as_json()
        if covered is not None and self.subject is not None:
            self.database.append_rows("coverage", [{
                "session_id": self.id, "seconds": self.summary.seconds, "calls": self.summary.calls,
                "statements": covered["statements"][0], "statements_all": covered["statements"][1],
                "branches": covered["branches"][0], "branches_all": covered["branches"][1],
            }])  # fmt: skip

    def _count(self) -> None:
        lives = [*self.lives, *self.ended]
        self.summary.seconds = time.monotonic() - self.started
        self.summary.calls = sum(life.calls for life in lives)
        self.summary.states = sum(life.states for life in lives)
        self.summary.tests = len(self.writer.tests) - self.tests_before
        rows = self.database.rows("SELECT likelihood, count(*) FROM faults GROUP BY likelihood")
        self.summary.faults = Counter(dict(rows))

    def _record_end(self, ended: Ended, life: _Life) -> None:
        """The call that was under way is the fault; without one, the worker failed while we were at work."""
        if ended.note is None:
            if self.subject is None:
                raise SubjectError(f"cannot import {' '.join(map(str, self.targets))}: it {ended.reason}")
            self._count_failure(f"{ended.reason}: {ended.stack}")
            return
        name, *notes = ended.note.decode(errors="replace").split("\x1f")
        self.kills[name] += 1
        if self.kills[name] == KILLS_BEFORE_GIVING_UP:
            self.summary.notes.append(f"{name} was given up: it killed {KILLS_BEFORE_GIVING_UP} workers")
        self._record_killer(ended, name, notes, life)

    def _record_killer(self, ended: Ended, name: str, notes: list[str], life: _Life) -> None:
        routine = next((r for r in self.subject.routines if r.name == name), None) if self.subject else None
        if routine is None or notes == ["coverage"]:
            return
        if routine.helper:  # it is not under test, and the next worker does without it
            self.kills[name] = KILLS_BEFORE_GIVING_UP
            return
        shift = 0 if routine.has_receiver else 1
        try:
            operands = [_source(life, slot, note) for slot, note in enumerate(notes, shift)]
        except LookupError:  # what the worker sent before is lost, since a call wrote to files that it had not opened
            self._say(f"{name} {ended.reason}, on operands that are not known")
            return
        write_killer(self.writer, ended, routine, operands, self.id, "run")

    def _begin(self, subject: Subject) -> None:
        """The subject could be imported: say what is tested, so that even a killed session can be ingested."""
        if self.subject is not None:
            return
        self.subject = subject
        self.writer.add_subject(subject)
        self.writer.add_targets([f"{t.module}\t{t.path or ''}\t{','.join(t.classes)}" for t in self.targets])
        self.writer.flush()
        self.database.append_rows("sessions", [{
            "id": self.id, "digest": UUID(self.digest), "target": " ".join(map(str, self.targets)),
            "strategy": self.options.strategy, "settings": json.dumps(self.settings), "workers": self.options.workers,
            "seed": self.options.seed, "started": self.began, "seconds": 0.0, "calls": 0, "states": 0,
        }])  # fmt: skip

    def _finish(self) -> None:
        self._flush()
        self.writer.learned = {place: kinds for place, kinds in _learned([*self.lives, *self.ended]).items() if kinds}
        self.writer.write_learned()
        if self.summary.calls:
            self.database.run("DELETE FROM seeds")
        self.database.run(
            "UPDATE routines SET generator = TRUE WHERE NOT generator AND list_contains(?, name)",
            [sorted(self.iterating)],
        )
        self.database.run(
            "UPDATE sessions SET seconds = ?, calls = ?, states = ? WHERE id = ?",
            [self.summary.seconds, self.summary.calls, self.summary.states, self.id],
        )
        for name, calls, why in self.database.rows(NEVER_BUILT, [LEAST_REFUSED]):
            self.summary.notes.append(
                f"no object of {name.rpartition(':')[2]} was ever built: its constructor refused {calls:,} calls; "
                f"mostly it {why}"
            )
        if self.changed:
            names = ", ".join(list(self.changed)[:5]) + (", ..." if len(self.changed) > 5 else "")
            self.summary.notes.append(f"calls changed what is shared by all, and it was put back after each: {names}")


def _source(life: _Life, slot: int, note: str) -> list[Any]:
    """Where the operand of a call came from, as the worker noted it before the call."""
    if not note.startswith("@"):
        return [slot, None, None, note]
    number, _, index = note[1:].partition(".")
    return [slot, life.entries[int(number)], int(index), None]


def _known(lives: Sequence[_Life]) -> dict[str, dict[str, list[int]]]:
    """What the last of these workers knew; it began with what those before it knew."""
    return lives[-1].experience if lives else {}


def _learned(lives: Sequence[_Life]) -> dict[str, list[str]]:
    """The kinds that mostly passed, by what the workers know together."""
    last = {life.place: life for life in sorted(lives, key=lambda life: bool(life.experience))}
    known = Experience.from_json(*(life.experience for life in last.values()))
    return {f"{routine}\t{slot}": known.learned(routine, slot) for routine, slot in known.tried}


def _habits(lives: Sequence[_Life]) -> dict[str, tuple[int, int]]:
    """For each class and law how often it was tried and broken, by all workers together."""
    found: dict[str, tuple[int, int]] = {}
    for life in lives:
        for place, (tried, broken) in life.laws.items():
            before = found.get(place, (0, 0))
            found[place] = before[0] + tried, before[1] + broken
    return found


def _sub_seed(seed: int, place: int, restarts: int) -> int:
    """Each worker its own seed, the first one the session's."""
    if not place and not restarts:
        return seed
    text = f"{seed}/{place}/{restarts}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
