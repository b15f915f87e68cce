"""Reduction, clause by clause: search for objects that violate it, let the worker try them, record the verdict."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from stateful.contracts import nodes as n
from stateful.generate.faults import write_faults
from stateful.judge.faults import likelihood_of
from stateful.reduce.clauses import Challenge, Clause, challenges, pending, starving, written_preconditions
from stateful.reduce.search import Found, OperandSlot, Search, Tuple, search
from stateful.reduce.tester import Answer, Tester
from stateful.reduce.transitions import Transition, transitions_to
from stateful.store.database import Database
from stateful.store.writer import Writer

__all__ = ["MOST_TUPLES", "Reduced", "reduce_clauses"]

MOST_TUPLES = 45
MOST_TUPLES_OF_TRANSITION = 30
MOST_AFTER_REMOVAL = 15  # violators that are tried although the clause has fallen: they may show faults
MOST_TRIED = 120  # operands that turn out not to violate the clause count, too
FEW_TESTS = 3
BELIEVED = ("certain", "likely")


@dataclass(slots=True)
class Reduced:
    """What a round of reduction did."""

    clauses: int = 0
    removed: int = 0
    tried: int = 0
    tests: int = 0
    faults: list[str] = field(default_factory=list)
    interrupted: bool = False


@dataclass(slots=True)
class Attempt:
    """One way of violating a clause, and what came of it."""

    way: str
    found: int = 0
    tried: int = 0
    violating: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    verdict: str = "no objects"
    query: str = ""
    residual: tuple[str, ...] = ()
    milliseconds: float = 0.0
    witness: int | None = None
    after_removal: int = 0

    def is_over(self, most: int) -> bool:
        return self.violating >= most or self.tried >= MOST_TRIED or self.after_removal >= MOST_AFTER_REMOVAL


def reduce_clauses(
    database: Database,
    *,
    classes: Sequence[str] | None = None,
    seconds: float | None = None,
    progress: Callable[[Reduced], None] = lambda _: None,
) -> Reduced:
    """One round: every kept clause that was not violated yet. Ctrl-C ends it early and keeps what was found."""
    return _Round(database, classes, seconds, progress).run()


class _Round:
    def __init__(
        self,
        database: Database,
        classes: Sequence[str] | None,
        seconds: float | None,
        progress: Callable[[Reduced], None],
    ) -> None:
        self.database = database
        self.classes = classes
        self.progress = progress
        self.until = None if seconds is None else time.monotonic() + seconds
        self.started = time.monotonic()
        self.writer = Writer(database)
        self.session = database.next_id("sessions")
        self.done = Reduced()
        self.removed: set[int] = set()
        self.fallen: list[tuple[int | None, str, int]] = []
        self.clauses: dict[int, list[list[Any]]] = {}
        self.tester = Tester(database, self.writer, self.session)

    def run(self) -> Reduced:
        try:
            for clause in starving(self.database, self.classes, FEW_TESTS):
                if not self._is_over():
                    self._reach(clause)
            for clause in pending(self.database, self.classes):
                if self._is_over():
                    break
                if clause.id not in self.removed:
                    self._reduce(clause)
                    self.progress(self.done)
        except KeyboardInterrupt:
            self.done.interrupted = True
        finally:
            self.tester.close()
            self._finish()
        return self.done

    def _is_over(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def _reach(self, clause: Clause) -> None:
        attempt = Attempt(clause.kind)
        wanted = self._wanted(clause, Challenge((), written_preconditions(self.database, clause)))
        for found in search(self.database, wanted, most=MOST_TUPLES):
            self._note(attempt, found)
            self._try_all(clause, attempt, wanted, found.tuples, None, [])
        if attempt.violating < FEW_TESTS:
            self._try_transitions(clause, attempt, wanted)

    # One clause

    def _reduce(self, clause: Clause) -> None:
        """Every way in turn, until one removes the clause."""
        self.done.clauses += 1
        required = written_preconditions(self.database, clause)
        for challenge in challenges(self.database, clause):
            attempt = Attempt(clause.kind)
            wanted = self._wanted(clause, Challenge(challenge.violated, (*challenge.required, *required)))
            for found in search(self.database, wanted, most=MOST_TUPLES):
                self._note(attempt, found)
                self._try_all(clause, attempt, wanted, found.tuples, None, [])
                if attempt.is_over(MOST_TUPLES):
                    break
            if attempt.violating == 0:
                self._try_transitions(clause, attempt, wanted)
            self._record(clause, attempt)
            if attempt.verdict == "removed" or self._is_over():
                return

    def _wanted(self, clause: Clause, challenge: Challenge) -> Search:
        """The search for a challenge: the slots that it speaks of, and the receiver in any case."""
        needed = tuple(dict.fromkeys(part for part in challenge.required if part not in challenge.violated))
        named = {name for part in (*challenge.violated, *needed) for name in n.slots_of(part)} | {"self"}
        slots = tuple(self._slot(clause, name) for name in clause.slots if name in named)
        return Search(slots, challenge.violated, needed)

    def _slot(self, clause: Clause, name: str) -> OperandSlot:
        if name == "self":
            return OperandSlot(name, (clause.owner or "",))
        kinds = self.tester.learned.get(f"{clause.routine}\t{clause.parameters.index(name) + 1}", [])
        names = [kind if ":" in kind else f"builtins:{kind.partition('[')[0]}" for kind in kinds]
        return OperandSlot(name, tuple(dict.fromkeys(names)))

    def _note(self, attempt: Attempt, found: Found) -> None:
        attempt.found += len(found.tuples)
        attempt.query = ";\n".join(filter(None, (attempt.query, found.query)))
        attempt.residual = tuple(dict.fromkeys((*attempt.residual, *found.residual)))
        attempt.milliseconds += found.milliseconds

    def _try_all(
        self,
        clause: Clause,
        attempt: Attempt,
        wanted: Search,
        tuples: list[Tuple],
        transition: Transition | None,
        fixed: list[list[Any]],
    ) -> None:
        for position, item in enumerate(tuples):
            if attempt.is_over(MOST_TUPLES) or self._is_over():
                return
            operands = self._operands(clause, wanted, item, position)
            if operands is None:
                return
            first = None if transition is None else {"routine": transition.routine, "operands": fixed}
            clauses = [row for row in self._clauses_of(clause.routine_id) if row[0] not in self.removed]
            way = "transition" if transition else clause.kind
            answer = self.tester.tried(clause.routine, wanted, operands, first, clauses, way)
            attempt.tried += 1
            self.done.tried += 1
            if answer is not None:
                self._weigh(clause, attempt, answer)

    def _operands(self, clause: Clause, wanted: Search, item: Tuple, position: int) -> list[list[Any]] | None:
        """What fills each slot: the objects found, and for slots that nothing speaks of, what passed there before."""
        found = dict(zip((slot.name for slot in wanted.slots), item, strict=True))
        rest = [name for name in clause.slots if name not in found]
        examples = self._examples(clause) if rest else []
        if rest and not examples:
            return None
        filler = examples[position % len(examples)] if examples else {}
        operands = []
        for name in clause.slots:
            slot = 0 if name == "self" else clause.parameters.index(name) + 1
            operands.append(["slot", *found[name]] if name in found else filler.get(slot, ["literal", "..."]))
        return operands

    def _examples(self, clause: Clause) -> list[dict[int, list[Any]]]:
        """The arguments of some test cases of the routine that passed, or of any if none did."""
        rows = self.database.rows(
            "SELECT s.test_case_id, s.slot, s.source_snapshot, s.source_index, s.literal FROM recipes s "
            "WHERE s.test_case_id IN (SELECT id FROM test_cases WHERE routine_id = ? "
            "ORDER BY outcome <> 'pass', id LIMIT 10) ORDER BY s.test_case_id, s.slot",
            [clause.routine_id],
        )
        found: dict[int, dict[int, list[Any]]] = {}
        for test, slot, snapshot, index, literal in rows:
            operand = ["literal", literal] if snapshot is None else ["slot", snapshot, index]
            found.setdefault(test, {})[slot] = operand
        return list(found.values())

    def _try_transitions(self, clause: Clause, attempt: Attempt, wanted: Search) -> None:
        """No object violates it: drop one conjunct, find objects for the rest, and a call that brings it about."""
        for part in wanted.parts:
            rest = Search(
                wanted.slots,
                tuple(p for p in wanted.violated if p != part),
                tuple(p for p in wanted.required if p != part),
            )
            for transition in transitions_to(self.database, part):
                attempt.way = "transition"
                for found in search(self.database, rest, most=MOST_TUPLES_OF_TRANSITION):
                    self._note(attempt, found)
                    fixed = self._fixed(clause, transition)
                    if fixed is not None:
                        self._try_all(clause, attempt, wanted, found.tuples, transition, fixed)
                    if attempt.is_over(MOST_TUPLES) or self._is_over():
                        return

    def _fixed(self, clause: Clause, transition: Transition) -> list[list[Any]] | None:
        """The operands of the first call: operands of the clause's routine, and arguments from its example."""
        mapped = {
            slot: ["operand", clause.slots.index(name)] for slot, name in transition.mapping if name in clause.slots
        }
        rows = self.database.rows(
            "SELECT slot, source_snapshot, source_index, literal FROM recipes WHERE test_case_id = ?",
            [transition.example],
        )
        for slot, snapshot, index, literal in rows:
            mapped.setdefault(slot, ["literal", literal] if snapshot is None else ["slot", snapshot, index])
        return [mapped[slot] for slot in range(transition.parameters + 1)] if 0 in mapped else None

    def _clauses_of(self, routine: int) -> list[list[Any]]:
        """The clauses that a new test of the routine may refute."""
        if routine not in self.clauses:
            rows = self.database.rows(
                "SELECT id, kind, text FROM clauses WHERE routine_id = ? AND status = 'kept' AND kind <> 'invariant'",
                [routine],
            )
            self.clauses[routine] = [list(row) for row in rows]
        return self.clauses[routine]

    # Verdicts

    def _weigh(self, clause: Clause, attempt: Attempt, answer: Answer) -> None:
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
        attempt.outcomes[outcome] = attempt.outcomes.get(outcome, 0) + 1
        if attempt.verdict == "no objects":
            attempt.verdict = "kept"
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
        slots = len([place for place in self.tester.learned if place.startswith(fault["routine"] + "\t")])
        learned = [self.tester.learned.get(f"{fault['routine']}\t{slot}", []) for slot in range(1, slots + 1)]
        return likelihood_of(fault, learned)[0]

    def _remove(self, key: int, test: int | None, why: str) -> None:
        if key in self.removed:
            return
        self.removed.add(key)
        self.fallen.append((test, why, key))
        self.done.removed += 1

    def _write_fallen(self) -> None:
        """The witnesses first, then what they removed: no clause falls without its witness."""
        if not self.fallen:
            return
        self.writer.flush()
        for row in self.fallen:
            self.database.run("UPDATE clauses SET status = 'removed', witness = ?, evidence = ? WHERE id = ?", row)
        self.fallen.clear()

    def _record(self, clause: Clause, attempt: Attempt) -> None:
        self._write_fallen()
        if clause.id not in self.removed:
            status = "guards" if attempt.verdict == "guards" else "kept"
            self.database.run(
                "UPDATE clauses SET status = ?, evidence = ? WHERE id = ?", [status, evidence(attempt), clause.id]
            )
        self.database.append_rows("reductions", [{
            "id": self.database.next_id("reductions"), "clause_id": clause.id, "way": attempt.way,
            "query": attempt.query, "residual": "; ".join(attempt.residual) or None, "found": attempt.found,
            "tried": attempt.tried, "violating": attempt.violating, "verdict": attempt.verdict,
            "witness": attempt.witness, "milliseconds": attempt.milliseconds,
        }])  # fmt: skip

    def _finish(self) -> None:
        self.done.tests = self.tester.tests
        self._write_fallen()
        self.writer.flush()
        self.done.faults = write_faults(self.writer)
        self.database.append_rows("sessions", [{
            "id": self.session, "digest": UUID(bytes=os.urandom(16)), "target": "", "strategy": "reduce",
            "settings": None, "workers": 1, "seed": 0,
            "started": datetime.now(UTC).replace(tzinfo=None), "seconds": time.monotonic() - self.started,
            "calls": self.done.tried, "states": 0,
        }])  # fmt: skip


def evidence(attempt: Attempt) -> str:
    """How the clause survived, in words."""
    if attempt.violating:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(attempt.outcomes.items()))
        return f"{attempt.violating} violating operands called: {outcomes}"
    if attempt.tried:
        return f"{attempt.tried} operands tried, none of them really violating"
    return "no object violates it"
