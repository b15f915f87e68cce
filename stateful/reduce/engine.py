"""Reduction, clause by clause: search for objects that violate it, let the worker try them, record the verdict."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from stateful.contracts import conjuncts, negate
from stateful.contracts import nodes as n
from stateful.generate.faults import write_faults
from stateful.reduce.attempt import Attempt
from stateful.reduce.chains import Chain, Luck, chains
from stateful.reduce.clauses import (
    Challenge,
    Clause,
    border,
    challenges,
    commands_on,
    is_implied,
    pending,
    starving,
    written_preconditions,
)
from stateful.reduce.known import Known
from stateful.reduce.scope import Limits, Scope
from stateful.reduce.search import Found, OperandSlot, Search, Tuple, search
from stateful.reduce.tester import Tester
from stateful.reduce.transitions import Transition
from stateful.reduce.unlike import in_common
from stateful.reduce.verdicts import Verdicts
from stateful.store.database import Database
from stateful.store.writer import Writer

__all__ = ["Reduced", "reduce_clauses"]

MOST_TUPLES_OF_CHAIN = 30
MOST_IN_VAIN = 60  # chains that led to no violation: most such clauses cannot be violated at all
MOST_AT_BORDER = 8  # calls of each command of a class, for each of its invariants
FEW_TESTS = 3
MOST_UNTOLD = 3  # differences that SQL does not know, and among how many objects they are looked for
MOST_CHOICES = 150
FEW_UNLIKE = 12
MOST_SHARED = 2


@dataclass(slots=True)
class Reduced:
    """What a round of reduction did."""

    clauses: int = 0
    removed: int = 0
    tried: int = 0
    tests: int = 0
    faults: list[str] = field(default_factory=list)
    interrupted: bool = False


def reduce_clauses(
    database: Database,
    scope: Scope | None = None,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[Reduced], None] = lambda _: None,
) -> Reduced:
    """One round: every kept clause that was not violated yet. Ctrl-C ends it early and keeps what was found."""
    return _Round(database, scope or Scope(), limits or Limits(), seconds, progress).run()


class _Round:
    def __init__(
        self,
        database: Database,
        scope: Scope,
        limits: Limits,
        seconds: float | None,
        progress: Callable[[Reduced], None],
    ) -> None:
        self.database = database
        self.scope = scope
        self.limits = limits
        self.progress = progress
        self.until = None if seconds is None else time.monotonic() + seconds
        self.started = time.monotonic()
        self.session = database.next_id("sessions")
        self.done = Reduced()
        self.luck = Luck()
        self.later: list[tuple[Clause, Attempt, Search]] = []
        self.known = Known(database)
        self.tester = Tester(database, Writer(database), self.session)
        self.verdicts = Verdicts(self.tester)

    def run(self) -> Reduced:
        try:
            self._run()
        except KeyboardInterrupt:
            self.done.interrupted = True
        finally:
            self.tester.close()
            self._finish()
        return self.done

    def _run(self) -> None:
        """Each clause by itself; postconditions and invariants that name no objects together for each routine."""
        for clause in starving(self.database, self.scope, FEW_TESTS):
            if not self._is_over():
                self._reach(clause)
        together: list[Clause] = []
        for clause in pending(self.database, self.scope):
            if self._is_over():
                break
            if clause.id in self.verdicts.removed:
                continue
            if clause.kind == "invariant" or (clause.kind == "ensures" and not _is_conditional(clause)):
                together.append(clause)
            else:
                self._reduce(clause)
                self._tell()
        for (_, kind), several in groupby(together, lambda clause: (clause.routine_id, clause.kind)):
            if not self._is_over():
                (self._guard if kind == "invariant" else self._explore)(list(several))
                self._tell()
        self._pursue()

    def _is_over(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def _tell(self) -> None:
        self.done.removed = len(self.verdicts.removed)
        self.progress(self.done)

    # What is challenged

    def _reach(self, clause: Clause) -> None:
        """Objects that satisfy the written precondition of a routine that hardly ever passed."""
        attempt = Attempt(clause.kind)
        wanted = self._wanted(clause, Challenge((), ()), written_preconditions(self.database, clause))
        self._search(clause, attempt, wanted)
        if attempt.violating < FEW_TESTS:
            self._try_chains(clause, attempt, wanted)

    def _reduce(self, clause: Clause) -> None:
        """Every way in turn, until one removes the clause."""
        self.done.clauses += 1
        required = written_preconditions(self.database, clause)
        if clause.kind == "requires" and is_implied(clause, required):
            self.verdicts.record([clause], Attempt(clause.kind, verdict="implied"))
            return
        for challenge in challenges(self.known, clause):
            wanted = self._wanted(clause, challenge, required, every=clause.kind == "ensures")
            attempt = Attempt(clause.kind, len(wanted.slots))
            shared = self._search(clause, attempt, wanted)
            if attempt.violating == 0:
                self.later.append((clause, attempt, wanted))
            else:
                self.verdicts.record([clause], attempt)
            if attempt.verdict == "removed" or self._is_over():
                return
            self._want_without(clause, wanted, shared)

    def _pursue(self) -> None:
        """Chains of calls for what no object violates, after everything else was searched: they take longer."""
        for clause, attempt, wanted in self.later:
            if clause.id not in self.verdicts.removed:
                if not self._is_over():
                    self._try_chains(clause, attempt, wanted)
                    self._tell()
                attempt.end()
                self.verdicts.record([clause], attempt)

    def _explore(self, several: list[Clause]) -> None:
        """Postconditions that hold whatever was before: the routine is called on objects that it was not called on."""
        clause = several[0]
        self.done.clauses += len(several)
        said = in_common(self.known, clause.routine_id, [one.expression for one in several], n.Constant(True))
        wanted = self._wanted(clause, Challenge((), (), said), written_preconditions(self.database, clause), every=True)
        attempt = Attempt("ensures", len(wanted.slots))
        shared = self._search(clause, attempt, wanted)
        attempt.end()
        self.verdicts.record(several, attempt)
        self._want_without(clause, wanted, shared)

    def _guard(self, invariants: list[Clause]) -> None:
        """Invariants of a class: its commands are called on objects for which they nearly are broken."""
        owner = invariants[0].owner
        self.done.clauses += len(invariants)
        borders = dict.fromkeys(border(clause.expression) for clause in invariants)
        attempt = Attempt("invariant")
        for command in commands_on(self.database, owner) if owner else ():
            required = written_preconditions(self.database, command)
            for near in borders:
                wanted = self._wanted(command, Challenge((), near), required, every=True)
                limit = attempt.tried + MOST_AT_BORDER
                for found in search(self.database, wanted, most=MOST_AT_BORDER, seconds=self.limits.timeout):
                    attempt.note(found)
                    self._try_all(command, attempt, wanted, found.tuples[: limit - attempt.tried], None)
                if self._is_over():
                    break
        attempt.end()
        self.verdicts.record(invariants, attempt)

    # How it is challenged

    def _search(self, clause: Clause, attempt: Attempt, wanted: Search) -> set[n.Expr]:
        """Try the objects found; what of `wanted.varied` is true of all of them is given back."""
        shared: dict[n.Expr, bool] = {}
        for found in search(self.database, wanted, most=self.limits.most, seconds=self.limits.timeout):
            attempt.note(found)
            shared.update((part, shared.get(part, True) and every) for part, every in found.shared.items())
            tuples = found.tuples
            if len(tuples) > self.limits.most:
                tuples = self.tester.satisfying(wanted, tuples)
            elif not found.residual:
                tuples = [*self._unlike(wanted, found), *tuples]
            self._try_all(clause, attempt, wanted, list(dict.fromkeys(tuples)), None)
            if attempt.is_over(self.limits.most):
                break
        return {part for part, every in shared.items() if every}

    def _unlike(self, wanted: Search, found: Found) -> list[Tuple]:
        """Objects without what those of other calls had in common, where only they themselves can tell."""
        chosen: list[Tuple] = []
        for part in found.untold[:MOST_UNTOLD]:
            without = Search(wanted.slots, conjuncts(negate(part)), wanted.required)
            chosen += self.tester.satisfying(without, found.choices[:MOST_CHOICES])[:FEW_UNLIKE]
        return chosen

    def _want_without(self, clause: Clause, wanted: Search, shared: set[n.Expr]) -> None:
        """Where all objects are alike, chains of calls may make some that are not."""
        for part in [part for part in wanted.varied if part in shared][:MOST_SHARED]:
            without = Search(wanted.slots, conjuncts(negate(part)), wanted.required)
            self.later.append((clause, Attempt(clause.kind, len(wanted.slots)), without))

    def _try_chains(self, clause: Clause, attempt: Attempt, wanted: Search) -> None:
        """No object violates it: calls before the routine may bring it about."""
        starts: dict[Search, list[Found]] = {}
        started = attempt.tried
        for chain in chains(self.database, clause, wanted, self.limits, self.luck):
            attempt.chains += 1
            before = attempt.tried, attempt.violating
            if chain.rest not in starts:
                starts[chain.rest] = self._starts(chain.rest)
                for found in starts[chain.rest]:
                    attempt.note(found)
            for found in starts[chain.rest]:
                self._try_all(clause, attempt, wanted, found.tuples, chain)
            self.luck.learn(chain, attempt.tried - before[0], attempt.violating - before[1])
            if attempt.violating:
                attempt.way = "transition"
            in_vain = attempt.violating == 0 and attempt.tried - started >= MOST_IN_VAIN
            if in_vain or attempt.is_over(self.limits.most) or self._is_over():
                return

    def _starts(self, rest: Search) -> list[Found]:
        """Where a chain can begin; many chains begin with the same objects."""
        return list(search(self.database, rest, most=MOST_TUPLES_OF_CHAIN, seconds=self.limits.timeout))

    def _try_all(
        self, clause: Clause, attempt: Attempt, wanted: Search, tuples: list[Tuple], chain: Chain | None
    ) -> None:
        first = [] if chain is None else [self._first(clause, move) for move in chain.moves]
        if None in first:
            return
        for position, item in enumerate(tuples):
            if attempt.is_over(self.limits.most) or self._is_over():
                return
            operands = self._operands(clause, wanted, item, position)
            if operands is None:
                return
            way = "transition" if chain else clause.kind
            challenged = self.verdicts.clauses_of(clause)
            answer = self.tester.tried(clause.routine, wanted, operands, first, challenged, way)  # type: ignore[arg-type]
            attempt.tried += 1
            self.done.tried += 1
            if answer is not None:
                self.verdicts.weigh(clause, attempt, answer)

    # Operands

    def _wanted(
        self, clause: Clause, challenge: Challenge, written: Sequence[n.Expr], *, every: bool = False
    ) -> Search:
        """The search for a challenge: the slots that it speaks of, and the receiver in any case.

        With `every`, also all slots that hold objects of subjects."""
        required = (*challenge.required, *written)
        needed = tuple(dict.fromkeys(part for part in required if part not in challenge.violated))
        named = {name for part in (*challenge.violated, *needed) for name in n.slots_of(part)} | {"self"}
        slots = [self._slot(clause, name, *_extra(challenge, name)) for name in clause.slots]
        subjects = {slot.name for slot in slots if every and any(":" in one for one in slot.classes)}
        chosen = tuple(slot for slot in slots if slot.name in named or (slot.name in subjects and _holds(slot)))
        spoken = {slot.name for slot in chosen}
        varied = tuple(part for part in challenge.varied if set(n.slots_of(part)) <= spoken)
        return Search(chosen, challenge.violated, needed, varied)

    def _slot(self, clause: Clause, name: str, *extra: str) -> OperandSlot:
        """The classes of what passed there, and others that a challenge asks for."""
        if name == "self":
            return OperandSlot(name, (clause.owner or "",))
        place = clause.parameters.index(name) + 1
        kinds = self.tester.learned.get(f"{clause.routine}\t{place}", [])
        names = [kind if ":" in kind else f"builtins:{kind.partition('[')[0]}" for kind in kinds]
        seen = self.known.classes_at(clause.routine_id).get(place, []) if clause.routine_id else []
        return OperandSlot(name, tuple(dict.fromkeys((*names, *seen, *extra))))

    def _operands(self, clause: Clause, wanted: Search, item: Tuple, position: int) -> list[list[Any]] | None:
        """What fills each slot: the objects found, and for slots that nothing speaks of, what passed there before."""
        found = dict(zip((slot.name for slot in wanted.slots), item, strict=True))
        rest = [name for name in clause.slots if name not in found]
        examples = self.known.examples_of(clause.routine_id) if rest else []
        if rest and not examples:
            return None
        filler = examples[position % len(examples)] if examples else {}
        operands = []
        for name in clause.slots:
            slot = 0 if name == "self" else clause.parameters.index(name) + 1
            operands.append(["slot", *found[name]] if name in found else filler.get(slot, ["literal", "..."]))
        return operands

    def _first(self, clause: Clause, move: Transition) -> dict[str, Any] | None:
        """A call before: operands of the clause's routine, and arguments from its own example."""
        mapped = {slot: ["operand", clause.slots.index(name)] for slot, name in move.mapping if name in clause.slots}
        for slot, operand in self.known.operands_of(move.example).items():
            mapped.setdefault(slot, operand)
        if 0 not in mapped or any(slot not in mapped for slot in range(move.parameters + 1)):
            return None
        return {"routine": move.routine, "operands": [mapped[slot] for slot in range(move.parameters + 1)]}

    def _finish(self) -> None:
        self.done.tests = self.tester.tests
        self.done.removed = len(self.verdicts.removed)
        self.verdicts.write()
        self.tester.writer.flush()
        self.done.faults = write_faults(self.tester.writer)
        self.database.append_rows("sessions", [{
            "id": self.session, "digest": UUID(bytes=os.urandom(16)), "target": "", "strategy": "reduce",
            "settings": None, "workers": 1, "seed": 0,
            "started": datetime.now(UTC).replace(tzinfo=None), "seconds": time.monotonic() - self.started,
            "calls": self.done.tried, "states": 0,
        }])  # fmt: skip


def _is_conditional(clause: Clause) -> bool:
    return isinstance(clause.expression, n.Implies) and isinstance(clause.expression.premise, n.Old)


def _extra(challenge: Challenge, name: str) -> tuple[str, ...]:
    """`value is None` can only be true of None, whatever mostly passes."""
    wanted = n.Comparison("is", n.Slot(name), n.Constant(None))
    return ("builtins:NoneType",) if wanted in (*challenge.violated, *challenge.required) else ()


def _holds(slot: OperandSlot) -> bool:
    """Whether objects of a subject may stand there: built-in values are better drawn from examples."""
    return all(not name.startswith("builtins:") for name in slot.classes)
