"""What the answers of the worker mean for the clauses, and where that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stateful.judge.beliefs import likelihood_of
from stateful.reduce.attempt import Attempt
from stateful.reduce.clauses import Clause
from stateful.reduce.known import readable
from stateful.reduce.tester import Answer, Tester
from stateful.store.undisturbed import undisturbed

__all__ = ["Verdicts"]

BELIEVED = ("certain", "likely")
CHALLENGED = """
SELECT c.id, c.kind, c.text FROM clauses c JOIN routines r ON r.id = c.routine_id
WHERE c.status IN ('kept', 'guards') AND ((c.routine_id = $1 AND c.kind <> 'invariant')
    OR (c.kind = 'invariant' AND r.class_id = (SELECT class_id FROM routines WHERE id = $1)))
ORDER BY c.id
"""
FALLEN = """
UPDATE clauses SET status = 'removed', witness = u.witness, evidence = u.evidence
FROM (SELECT unnest($1) AS id, unnest($2)::INTEGER AS witness, unnest($3) AS evidence) u WHERE clauses.id = u.id
"""
SURVIVING = """
UPDATE clauses SET status = u.status, evidence = u.evidence
FROM (SELECT unnest($1) AS id, unnest($2) AS status, unnest($3) AS evidence) u
WHERE clauses.id = u.id AND (clauses.status = 'kept' OR (clauses.status = 'guards' AND u.status = 'guards'))
"""
"""What was found to guard the caller stays so, with the reason."""
CHALLENGED_BEFORE = "SELECT clause_id, max(violating) FROM reductions GROUP BY ALL"


class Verdicts:
    """Which clauses fell in this round, by which test and why; what survived, and how."""

    def __init__(self, tester: Tester) -> None:
        self.tester = tester
        self.database = tester.database
        self.writer = tester.writer
        self.removed: set[int] = set()
        self.survived: set[int] = set()
        """Those that calls on violating operands did not remove."""
        self.fallen: list[tuple[int, int | None, str]] = []
        self.surviving: dict[int, tuple[int, str, str]] = {}
        self.answered: dict[int, int] = {}
        """How many calls said something about a clause, in the attempt that is told of it."""
        self.before: dict[int, int] = dict(self.database.rows(CHALLENGED_BEFORE))
        """How many violating operands an earlier round called."""
        self.rows: list[dict[str, Any]] = []
        self.clauses: dict[int, list[list[Any]]] = {}

    def clauses_of(self, clause: Clause) -> list[list[Any]]:
        """The clauses that a new test of the routine may refute: its own, and the invariants of its class."""
        if clause.routine_id not in self.clauses:
            rows = self.database.rows(CHALLENGED, [clause.routine_id])
            self.clauses[clause.routine_id] = [list(row) for row in rows if readable(row[2]) is not None]
        return [row for row in self.clauses[clause.routine_id] if row[0] not in self.removed]

    def weigh(self, several: Sequence[Clause], attempt: Attempt, answer: Answer) -> None:
        """Take the answer of one call into account, which was made to challenge these clauses of a routine."""
        clause = several[0]
        if not answer["violates"]:
            return
        attempt.violating += 1
        test = self.writer.tests.get(answer["test"]) if answer.get("test") else None
        for key in answer.get("falsified", ()):
            self._remove(key, test, "a passing call does not satisfy it")
        if attempt.verdict == "removed":
            attempt.after_removal += 1
            return
        outcome = answer["outcome"] or "not loaded"
        attempt.count(outcome)
        if all(one.id in self.removed for one in several):
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
            self.fallen.append((key, test, why))

    def write(self) -> None:
        """The witnesses first, then what they removed: no clause falls without its witness."""
        with undisturbed():
            self._write()

    def _write(self) -> None:
        if self.fallen:
            self.writer.flush()
            self.database.run(FALLEN, [*map(list, zip(*self.fallen, strict=True))])
        if self.surviving:
            self.database.run(SURVIVING, [*map(list, zip(*self.surviving.values(), strict=True))])
        start = self.database.next_id("reductions") if self.rows else 0
        self.database.append_rows("reductions", [{"id": start + i, **row} for i, row in enumerate(self.rows)])
        self.fallen.clear()
        self.surviving.clear()
        self.rows.clear()

    def record(self, several: Sequence[Clause], attempt: Attempt) -> None:
        """The attempt for each of the clauses that it challenged, and how those survived that did."""
        for clause in several:
            row = attempt.row(clause.id)
            self.rows.append({**row, "verdict": "removed"} if clause.id in self.removed else row)
        kept = [clause.id for clause in several if clause.id not in self.removed]
        if attempt.violating:
            self.survived.update(kept)
        elif attempt.verdict == "unfinished" and not attempt.left_out:
            return
        status = "guards" if attempt.verdict == "guards" else "kept"
        for key in kept:
            if status == "kept" and attempt.verdict == "unfinished" and attempt.violating < self.before.get(key, 0):
                continue
            says_more = attempt.answered >= self.answered.get(key, 0) if attempt.violating else key not in self.survived
            if says_more:
                self.answered[key] = attempt.answered
                self.surviving[key] = key, status, attempt.evidence(several[0])
