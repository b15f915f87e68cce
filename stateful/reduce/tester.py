"""The supervisor's side of trying: a worker that gets operands and clauses, and tells what happened."""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.errors import NoRecipe, StatefulError
from stateful.generate.killers import write_killer
from stateful.generate.limits import laws_of, limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.evaluation import targets_of
from stateful.reduce.search import Filled, Search, Tuple
from stateful.reduce.solving import Equation
from stateful.sandbox import Ended, Message, Worker, WorkerFailed
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.store.writer import Writer
from stateful.subject.model import ClassModel
from stateful.subject.program import argument_json

__all__ = ["Answer", "Tester"]

Answer = dict[str, Any]
MOST_FAILURES = 3
LOOKING, UNLIMITED = 5.0, 60.0  # seconds, with and without a limit of time, after which no more operands are looked at
STORED = "SELECT id, digest, codec, bytes, recipe_calls FROM snapshots WHERE list_contains(?, id)"


class Tester:
    """Tries operands in a worker, one call after the other; a worker that dies of a call is replaced for the next one.

    `learned` are the kinds of values that passed for each parameter, `session` is what new test cases belong to.
    Looking at many operands at once ends `until` then, by the monotonic clock."""

    def __init__(self, database: Database, writer: Writer, session: int, until: float = math.inf) -> None:
        self.database = database
        self.until = until
        self.writer = writer
        self.session = session
        self.recipes = Recipes(database)
        self.learned = self._learned()
        self.worker: Worker | None = None
        self.ready = False
        self.sent: set[int] = set()
        self.built: set[str] = set()
        """Routines that leave behind what can only be kept as the calls that build it."""
        self.stored: dict[int, tuple[Any, ...]] = {}
        """Snapshots that will be sent soon."""
        self.relations: dict[tuple[str, Tuple], bool] = {}
        self.tests = 0
        self.failures = 0
        self.routines = routines_of(database)

    def _learned(self) -> dict[str, list[str]]:
        rows = self.database.rows(
            "SELECT r.name, p.slot, p.learned FROM parameters p JOIN routines r ON r.id = p.routine_id"
        )
        return {f"{name}\t{slot}": learned or [] for name, slot, learned in rows}

    def tried(
        self,
        routine: str,
        wanted: Search,
        operands: list[list[Any]],
        first: list[dict[str, Any]],
        clauses: list[list[Any]],
        found_by: str,
    ) -> Answer | None:
        """Check that the operands satisfy what is wanted, perhaps after `first` calls, and call the routine.

        The answer names the outcome and which of the `clauses` the call falsified."""
        asked = {
            "routine": routine, "operands": operands, "first": first, "found_by": found_by,
            "clauses": clauses, **_said(wanted),
        }  # fmt: skip
        answer = self._asked(asked)
        if answer is not None and answer.get("lacks") and routine not in self.built:
            self.built.add(routine)
            answer = self._asked(asked)
        return answer

    def _asked(self, asked: dict[str, Any]) -> Answer | None:
        worker = self._running()
        objects = [item for call in (asked, *asked["first"]) for item in call["operands"] if item[0] == "slot"]
        for _, snapshot, _ in objects:
            self._send_snapshot(worker, snapshot)
        if asked["routine"] in self.built:
            self._send_recipes(worker, objects)
        worker.send("try", asked)
        with self._failing():
            while not (worker.ended or worker.finished):
                for message in worker.messages(1.0):
                    if message.kind == "tried":
                        answer: Answer = message.body
                        return answer
                    self._take(message)
        ended = worker.ended
        self.close()
        return self._killed(ended, asked) if ended else None

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """A worker may fail while none of the subject's code runs, which may have broken it: the next one goes on, but
        not for ever."""
        try:
            yield
        except WorkerFailed:
            self.failures += 1
            if self.failures >= MOST_FAILURES:
                raise

    def satisfying(self, wanted: Search, tuples: list[Tuple]) -> list[Tuple]:
        """Those of the tuples that satisfy what is wanted on the live objects; what is known already is not asked.

        Relations between objects of different snapshots were never evaluated: this does it, where it is needed."""
        asked = {"names": wanted.names, **_said(wanted)}
        key = repr(asked)
        fresh = [item for item in tuples if (key, item) not in self.relations]
        answers = self._looked_at("relate", fresh, asked)
        if answers is None:
            return tuples
        self.relations.update(zip(((key, item) for item in fresh), answers, strict=True))
        return [item for item in tuples if self.relations[key, item]]

    def solutions(self, routine: str, equation: Equation, tuples: Sequence[Tuple]) -> list[Filled]:
        """Objects for the other slots, each with some values for the slot of the equation with which they are what is
        wanted."""
        wanted, place = equation.wanted, equation.place
        names = equation.others.names
        if isinstance(equation.term, n.Slot) and not equation.each:
            source = names.index(equation.term.name)
            return [(*item[:place], item[source], *item[place:]) for item in tuples]
        asked = {
            "names": names, "term": text(equation.term), "each": equation.each, "routine": routine,
            "slot": equation.slot, **_said(wanted),
        }  # fmt: skip
        answers = self._looked_at("solve", tuples, asked) or [[] for _ in tuples]
        several = zip(tuples, answers, strict=True)
        return [(*item[:place], value, *item[place:]) for item, values in several for value in values]

    def _looked_at(self, kind: str, tuples: Sequence[Tuple], asked: dict[str, Any]) -> list[Any] | None:
        """The worker's answer for each tuple of objects; none if it died of looking at them."""
        worker = self._running()
        self.prepare(tuples)
        for snapshot in dict.fromkeys(snapshot for item in tuples for snapshot, _ in item):
            self._send_snapshot(worker, snapshot)
        left = self.until - time.monotonic()
        seconds = UNLIMITED if left == math.inf else max(0.0, min(LOOKING, left))
        worker.send(kind, {**asked, "tuples": tuples, "seconds": seconds})
        answer = None
        with self._failing():
            answer = worker.answer()
        if answer is None:
            self.close()
            return None
        found: list[Any] = answer.body
        return found

    def _killed(self, ended: Ended, asked: dict[str, Any]) -> Answer | None:
        """The worker died: of the call itself, or else of what was done before it, and then nothing was tried.

        After a first call the state of the operands is gone with the worker: the fault is lost, but not mistaken."""
        routine = asked["routine"]
        if ended.note is None or ended.note.split(b"\x1f")[0] != routine.encode() or asked["first"]:
            return None
        model = self.routines[routine]
        shift = 0 if model.has_receiver else 1
        sources = [self._source(slot, operand) for slot, operand in enumerate(asked["operands"], shift)]
        before = len(self.writer.tests)
        fault, test = write_killer(self.writer, ended, model, sources, self.session, asked["found_by"])
        self.tests += len(self.writer.tests) - before
        return {"violates": True, "outcome": ended.outcome, "falsified": [], "test": test, "fault": fault}

    def _source(self, slot: int, operand: list[Any]) -> list[Any]:
        if operand[0] == "literal":
            return [slot, None, None, operand[1]]
        digest = self.database.value("SELECT digest FROM snapshots WHERE id = ?", [operand[1]])
        return [slot, digest.hex, operand[2], None]

    def begin(self) -> None:
        """Start a worker; it imports the subject while others work."""
        self.worker = Worker("stateful.reduce.trying:main", limits_of(self.database))
        self.ready = False
        self.sent.clear()
        self.worker.send("plan", {
            "targets": targets_json(targets_of(self.database)), "folder": os.getcwd(), "learned": self.learned,
            "laws": laws_of(self.database),
        })  # fmt: skip

    def _running(self) -> Worker:
        if self.worker is None:
            self.begin()
        assert self.worker is not None
        if not self.ready and self.worker.answer() is None:
            ended = self.worker.ended
            self.close()
            raise StatefulError(f"a worker {ended.reason if ended else 'ended'} while it imported the subject")
        self.ready = True
        return self.worker

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def prepare(self, tuples: Sequence[Tuple]) -> None:
        """Read the snapshots of these operands, all at once."""
        wanted = sorted({snapshot for item in tuples for snapshot, _ in item} - self.sent - self.stored.keys())
        for key, *rest in self.database.rows(STORED, [wanted]) if wanted else ():
            self.stored[key] = tuple(rest)

    def _send_snapshot(self, worker: Worker, key: int) -> None:
        if key in self.sent:
            return
        self.prepare([((key, 0),)])
        self.sent.add(key)
        digest, codec, data, calls = self.stored.pop(key)
        worker.send("snapshot", {"id": key, "digest": digest.hex, "codec": codec, "calls": calls}, (data,))

    def _send_recipes(self, worker: Worker, objects: Sequence[list[Any]]) -> None:
        """How these objects are built, those of one snapshot together."""
        wanted: dict[int, set[int]] = defaultdict(set)
        for _, snapshot, index in objects:
            wanted[snapshot].add(index)
        for snapshot, indices in wanted.items():
            several = sorted(indices)
            with suppress(NoRecipe):
                program, places = self.recipes.of_objects([(snapshot, index) for index in several])
                told = [[index, argument_json(place)] for index, place in zip(several, places, strict=True)]
                worker.send("recipe", {"id": snapshot, "steps": program.as_json(), "places": told})

    def _take(self, message: Message) -> None:
        match message.kind:
            case "class":
                self.writer.add_class(ClassModel(message.body["name"], tuple(message.body["conforms"])))
            case "fault":
                self.writer.add_fault(message.body)
            case "test":
                self.tests += message.body["digest"] not in self.writer.tests
                self.writer.add_test(message.body, message.blobs, self.session)


def _said(wanted: Search) -> dict[str, list[str]]:
    return {"violated": list(map(text, wanted.violated)), "required": list(map(text, wanted.required))}
