"""What the answers of the worker mean for the clauses, and where that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stateful.judge.faults import likelihood_of
from stateful.reduce.attempt import Attempt
from stateful.reduce.clauses import Clause
from stateful.reduce.tester import Answer, Tester

__all__ = ["Verdicts"]

BELIEVED = ("certain", "likely")
CHALLENGED = """
SELECT c.id, c.kind, c.text FROM clauses c JOIN routines r ON r.id = c.routine_id
WHERE c.status = 'kept' AND ((c.routine_id = $1 AND c.kind <> 'invariant')
    OR (c.kind = 'invariant' AND r.class_id = (SELECT class_id FROM routines WHERE id = $1)))
ORDER BY c.id
"""


class Verdicts:
    """Which clauses fell in this round, by which test and why; what survived, and how."""

    def __init__(self, tester: Tester) -> None:
        self.tester = tester
        self.database = tester.database
        self.writer = tester.writer
        self.removed: set[int] = set()
        self.survived: set[int] = set()
        """Those that calls on violating operands did not remove."""
        self.fallen: list[tuple[int | None, str, int]] = []
        self.clauses: dict[int, list[list[Any]]] = {}

    def clauses_of(self, clause: Clause) -> list[list[Any]]:
        """The clauses that a new test of the routine may refute: its own, and the invariants of its class."""
        if clause.routine_id not in self.clauses:
            rows = self.database.rows(CHALLENGED, [clause.routine_id])
            self.clauses[clause.routine_id] = [list(row) for row in rows]
        return [row for row in self.clauses[clause.routine_id] if row[0] not in self.removed]

    def weigh(self, clause: Clause, attempt: Attempt, answer: Answer) -> None:
        """Take the answer of one attempt into account."""
        if not answer["violates"]:
            return
        attempt.violating += 1
        test = self.writer.tests.get(answer.get("test") or "")
        for key in answer.get("falsified", ()):
            self._remove(key, test, "a passing call does not satisfy it")
        if attempt.verdict == "removed":
            attempt.after_removal += 1
            return
        outcome = answer["outcome"] or "not loaded"
        attempt.count(outcome)
        if clause.id in self.removed:
            attempt.verdict, attempt.witness = "removed", test
        elif clause.id and clause.kind == "requires" and outcome in ("fail", "hang", "crash"):
            self._blame(clause, attempt, test, answer.get("fault"))

    def _blame(self, clause: Clause, attempt: Attempt, test: int | None, digest: str | None) -> None:
        """Violating the clause shows a fault: a believable one removes it, a doubtful one makes it a guard."""
        fault = self.writer.faults.get(digest or "")
        if fault is None:
            return
        if self._likelihood(fault) in BELIEVED:
            self._remove(clause.id, test, "violating it shows a fault, not a wrong call")
            attempt.verdict, attempt.witness = "removed", test
        else:
            attempt.verdict = "guards"

    def _likelihood(self, fault: dict[str, Any]) -> str:
        learned = self.tester.learned
        slots = len([place for place in learned if place.startswith(fault["routine"] + "\t")])
        return likelihood_of(fault, [learned.get(f"{fault['routine']}\t{slot}", []) for slot in range(1, slots + 1)])[0]

    def _remove(self, key: int, test: int | None, why: str) -> None:
        if key not in self.removed:
            self.removed.add(key)
            self.fallen.append((test, why, key))

    def write(self) -> None:
        """The witnesses first, then what they removed: no clause falls without its witness."""
        if not self.fallen:
            return
        self.writer.flush()
        for row in self.fallen:
            self.database.run("UPDATE clauses SET status = 'removed', witness = ?, evidence = ? WHERE id = ?", row)
        self.fallen.clear()

    def record(self, several: Sequence[Clause], attempt: Attempt) -> None:
        """The attempt for each of the clauses that it challenged, and how those survived that did."""
        self.write()
        start = self.database.next_id("reductions")
        rows = []
        for position, clause in enumerate(several):
            row = attempt.row(start + position, clause.id)
            if clause.id in self.removed:
                row["verdict"] = "removed"
            rows.append(row)
        kept = [clause.id for clause in several if clause.id not in self.removed]
        if attempt.violating:
            self.survived.update(kept)
        else:
            kept = [key for key in kept if key not in self.survived]  # what was said of it says more
        if kept:
            status = "guards" if attempt.verdict == "guards" else "kept"
            evidence = attempt.evidence(several[0])
            self.database.run(
                "UPDATE clauses SET status = ?, evidence = ? WHERE list_contains(?, id)", [status, evidence, kept]
            )
        self.database.append_rows("reductions", rows)
