"""The supervisor's side of a session: start the worker, write what it sends, record what kills it, start it again."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from stateful.generate.killers import write_killer
from stateful.generate.limits import limits_of
from stateful.generate.plan import Plan, targets_json
from stateful.judge.faults import likelihood_of
from stateful.sandbox import Ended, Message, Worker
from stateful.store.database import Database
from stateful.store.writer import Writer, clean
from stateful.subject.model import ClassModel, Subject
from stateful.subject.target import Target

__all__ = ["Progress", "RunOptions", "Summary", "run_session", "write_faults"]

FLUSH_EVERY = 1.0
KILLS_BEFORE_GIVING_UP = 3


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How long to test and from which random seed. With `tests`, that many calls are made, however long they take."""

    seed: int = 0
    seconds: float = 60.0
    tests: int | None = None
    deadline: float = 1.0
    kept: int = 2000
    """Passing test cases of each routine that are kept as examples."""


@dataclass(slots=True)
class Summary:
    """What a session did, as far as it got."""

    seed: int
    seconds: float = 0.0
    calls: int = 0
    tests: int = 0
    states: int = 0
    faults: int = 0
    interrupted: bool = False
    coverage: dict[str, list[int]] | None = None
    """Statements and branches of the targets' modules: how many were covered, and how many there are."""
    notes: list[str] = field(default_factory=list)


Progress = Callable[[Summary], None]


def run_session(
    database: Database, targets: Sequence[Target], options: RunOptions, progress: Progress = lambda _: None
) -> Summary:
    """One session, written into the database. Ctrl-C ends it early and keeps everything that was found."""
    return _Session(database, targets, options, progress).run()


class _Session:
    def __init__(self, database: Database, targets: Sequence[Target], options: RunOptions, progress: Progress) -> None:
        self.database = database
        self.targets = targets
        self.options = options
        self.progress = progress
        self.writer = Writer(database)
        self.id = database.next_id("sessions")
        self.summary = Summary(options.seed)
        self.subject: Subject | None = None
        self.entries: dict[int, str] = {}
        self.kills: Counter[str] = Counter()
        self.tests_before = len(self.writer.tests)
        self.done_calls = 0
        self.done_states = 0
        self.started = time.monotonic()
        self.flushed = self.started
        self.digest = hashlib.blake2b(os.urandom(16), digest_size=16).hexdigest()
        self.began = datetime.now(UTC).replace(tzinfo=None)

    def run(self) -> Summary:
        restarts = 0
        try:
            while self._remaining():
                self._run_worker(restarts)
                restarts += 1
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            self._finish()
        return self.summary

    def _remaining(self) -> bool:
        if self.options.tests is not None:
            return self.done_calls < self.options.tests
        return time.monotonic() - self.started < self.options.seconds

    def _run_worker(self, restarts: int) -> None:
        """One worker's life: until it has finished, or was killed by a call."""
        left = self.options.seconds - (time.monotonic() - self.started)
        tests = None if self.options.tests is None else self.options.tests - self.done_calls
        plan = Plan(_sub_seed(self.options.seed, restarts), max(left, 0.0), tests, self.options.kept)
        self.entries.clear()
        calls = 0
        with Worker("stateful.generate.engine:main", limits_of(self.database, self.options.deadline)) as worker:
            worker.send("plan", {
                "targets": targets_json(self.targets), "plan": asdict(plan), "folder": os.getcwd(),
                "given_up": [name for name, kills in self.kills.items() if kills >= KILLS_BEFORE_GIVING_UP],
            })  # fmt: skip
            try:
                while not (worker.finished or worker.ended):
                    for message in worker.messages():
                        calls = self._take(message, calls)
                    self._flush_now_and_then()
            finally:
                self.done_calls += max(calls, worker.watch.counted(), 1)
                self.done_states = self.summary.states
            if worker.ended:
                self._record_end(worker.ended)

    def _take(self, message: Message, calls: int) -> int:
        body = message.body
        match message.kind:
            case "subject":
                self._begin(Subject.from_json(body))
            case "class":
                self.writer.add_class(_class_model(body))
            case "entry":
                self.entries[body[0]] = body[1]
            case "fault":
                self.writer.add_fault(body)
            case "test":
                self.writer.add_test(body, message.blobs, self.id)
            case "progress":
                calls = body["calls"]
                self.summary.calls = self.done_calls + calls
                self.summary.states = self.done_states + body["states"]
                self.writer.learned.update(body["learned"])
        return calls

    def _flush_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self.flushed < FLUSH_EVERY:
            return
        self.flushed = now
        self.writer.flush()
        write_faults(self.writer)
        self._count()
        self.progress(self.summary)

    def _count(self) -> None:
        self.summary.seconds = time.monotonic() - self.started
        self.summary.tests = len(self.writer.tests) - self.tests_before
        self.summary.faults = len(self.writer.faults)

    def _record_end(self, ended: Ended) -> None:
        """The call that was under way is the fault; without one, the worker failed while we were at work."""
        if ended.note is None:
            self.summary.notes.append(f"a worker {ended.reason} between two calls: {ended.stack.strip()[-300:]}")
            self.kills[""] += 1
            if self.kills[""] >= KILLS_BEFORE_GIVING_UP:
                raise RuntimeError(self.summary.notes[-1])
            return
        name, *notes = ended.note.decode(errors="replace").split("\x1f")
        self.kills[name] += 1
        if self.kills[name] == KILLS_BEFORE_GIVING_UP:
            self.summary.notes.append(f"{name} was given up: it killed {KILLS_BEFORE_GIVING_UP} workers")
        self._record_killer(ended, name, notes)

    def _record_killer(self, ended: Ended, name: str, notes: list[str]) -> None:
        routine = next((r for r in self.subject.routines if r.name == name), None) if self.subject else None
        if routine is None:
            return
        shift = 0 if routine.has_receiver else 1
        operands = [self._source(slot, note) for slot, note in enumerate(notes, shift)]
        write_killer(self.writer, ended, routine, operands, self.id, "run")

    def _source(self, slot: int, note: str) -> list[Any]:
        if not note.startswith("@"):
            return [slot, None, None, note]
        number, _, index = note[1:].partition(".")
        return [slot, self.entries[int(number)], int(index), None]

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
            "strategy": "random", "seed": self.options.seed, "started": self.began, "seconds": 0.0,
            "calls": 0, "states": 0,
        }])  # fmt: skip

    def _finish(self) -> None:
        self.writer.flush()
        self._count()
        self.writer.write_learned()
        self.database.run(
            "UPDATE sessions SET seconds = ?, calls = ?, states = ? WHERE id = ?",
            [self.summary.seconds, self.summary.calls, self.summary.states, self.id],
        )
        write_faults(self.writer)


COUNT_TESTS = "UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest)"


def write_faults(writer: Writer) -> list[str]:
    """Write the faults that the writer collected so far, and what is known of them now. Gives those that are new."""
    known = {digest.hex for (digest,) in writer.database.rows("SELECT digest FROM faults")}
    rows = [_fault_row(writer, fault) for digest, fault in writer.faults.items() if digest not in known - writer.new]
    with writer.database.transaction():
        for row in rows:
            writer.database.run("DELETE FROM faults WHERE digest = ?", [row["digest"]])
        writer.database.append_rows("faults", rows)
        writer.database.run(COUNT_TESTS)
    writer.new |= {row["digest"].hex for row in rows}
    return sorted(writer.new)


def _fault_row(writer: Writer, fault: dict[str, Any]) -> dict[str, Any]:
    routine = writer.routines[fault["routine"]]
    file, line = writer.database.rows("SELECT file, line FROM routines WHERE id = ?", [routine])[0]
    learned = writer.database.rows("SELECT learned FROM parameters WHERE routine_id = ? ORDER BY slot", [routine])
    likelihood, reason = likelihood_of(fault, [kinds or [] for (kinds,) in learned])
    return {
        "digest": UUID(fault["digest"]), "likelihood": likelihood, "kind": fault["kind"], "reason": reason,
        "routine_id": routine, "exception": fault["exception"], "message": clean(fault["message"]),
        "file": fault["file"] or shown_file(file), "line": fault["line"] or line, "law": fault["law"],
        "trace": json.dumps(fault["trace"]), "found_by": fault["found_by"], "tests": 0,
        "calls": fault["calls"], "reproducer": None, "confirmed": None,
    }  # fmt: skip


def shown_file(path: str) -> str:
    """A file relative to the working directory, or else to its own folder's place on the search path."""
    bases = [os.getcwd(), *sorted(filter(None, sys.path), key=len, reverse=True)]
    base = next((base for base in bases if path.startswith(base.rstrip(os.sep) + os.sep)), None)
    return os.path.relpath(path, base) if base else os.path.basename(path)


def _class_model(body: dict[str, Any]) -> ClassModel:
    return ClassModel(body["name"], tuple(body["conforms"]))


def _sub_seed(seed: int, restarts: int) -> int:
    """Each worker its own seed, the first one the session's."""
    text = f"{seed}/{restarts}"
    return seed if not restarts else int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
