"""The supervisor's side of trying: a worker that gets operands and clauses, and tells what happened."""

from __future__ import annotations

import os
from typing import Any

from stateful.contracts import text
from stateful.generate.limits import limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.evaluation import targets_of
from stateful.reduce.search import Search
from stateful.sandbox import Message, Worker
from stateful.store.database import Database
from stateful.store.recipes import Recipes
from stateful.store.writer import Writer
from stateful.subject.model import ClassModel

__all__ = ["Answer", "Tester"]

Answer = dict[str, Any]


class Tester:
    """Tries operands in a worker, one call after the other; a worker that dies of a call is replaced for the next one.

    `learned` are the kinds of values that passed for each parameter, `session` is what new test cases belong to."""

    def __init__(self, database: Database, writer: Writer, session: int) -> None:
        self.database = database
        self.writer = writer
        self.session = session
        self.recipes = Recipes(database)
        self.learned = self._learned()
        self.worker: Worker | None = None
        self.sent: set[int] = set()
        self.tests = 0

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
        first: dict[str, Any] | None,
        clauses: list[list[Any]],
        found_by: str,
    ) -> Answer | None:
        """Check that the operands satisfy what is wanted, perhaps after a `first` call, and call the routine.

        The answer names the outcome and which of the `clauses` the call falsified."""
        worker = self._running()
        for item in [*operands, *(first["operands"] if first else [])]:
            if item[0] == "slot":
                self._send_snapshot(worker, item[1])
        worker.send("try", {
            "routine": routine, "operands": operands, "first": first, "found_by": found_by,
            "violated": [text(part) for part in wanted.violated], "required": [text(part) for part in wanted.required],
            "clauses": clauses,
        })  # fmt: skip
        while not (worker.ended or worker.finished):
            for message in worker.messages(1.0):
                if message.kind == "tried":
                    answer: Answer = message.body
                    return answer
                self._take(message)
        ended = worker.ended
        self.close()
        return {"violates": True, "outcome": ended.outcome, "falsified": [], "test": None} if ended else None

    def _running(self) -> Worker:
        if self.worker is None:
            self.worker = Worker("stateful.reduce.trying:main", limits_of(self.database))
            self.sent.clear()
            self.worker.send("plan", {
                "targets": targets_json(targets_of(self.database)), "folder": os.getcwd(), "learned": self.learned,
            })  # fmt: skip
            self.worker.answer()
        return self.worker

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def _send_snapshot(self, worker: Worker, key: int) -> None:
        if key in self.sent:
            return
        self.sent.add(key)
        digest, codec, data = self.database.rows("SELECT digest, codec, bytes FROM snapshots WHERE id = ?", [key])[0]
        calls = self.recipes.length(key)
        worker.send("snapshot", {"id": key, "digest": digest.hex, "codec": codec, "calls": calls}, (data,))

    def _take(self, message: Message) -> None:
        match message.kind:
            case "class":
                self.writer.add_class(ClassModel(message.body["name"], tuple(message.body["conforms"])))
            case "fault":
                self.writer.add_fault(message.body)
            case "test":
                self.writer.add_test(message.body, message.blobs, self.session)
                self.tests += 1
