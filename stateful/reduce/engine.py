"""Reduction, clause by clause: search for objects that violate it, let the worker try them, record the verdict.

A round has three steps: a few operands for every clause, since most unsound clauses fall by the first that violate
them; then the other operands that were found; then chains of calls for what no object violates, which take longest.
"""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice, product
from random import Random
from typing import Any
from uuid import UUID

from stateful.contracts import conjuncts, negate
from stateful.generate.faults import write_faults
from stateful.generate.patience import Patience
from stateful.reduce.attempt import Attempt
from stateful.reduce.chains import Chain, Luck, chains
from stateful.reduce.clauses import (
    Challenge,
    Clause,
    border,
    commands_on,
    groups_of,
    is_implied,
    is_unconditional,
    pending,
    starving,
)
from stateful.reduce.known import Known
from stateful.reduce.pursuit import Pursuit
from stateful.reduce.scope import Limits, Scope
from stateful.reduce.search import Filled, Found, Search, Tuple
from stateful.reduce.searches import RoundOver, Searches
from stateful.reduce.slots import Slots
from stateful.reduce.solving import equations
from stateful.reduce.tester import Tester
from stateful.reduce.verdicts import Verdicts
from stateful.reduce.ways import Ways
from stateful.store.database import Database
from stateful.store.writer import Writer

__all__ = ["Reduced", "reduce_clauses"]

FEW_VIOLATING = 6  # operands that violate a clause, before any clause gets more
FEW_TOGETHER = 20  # operands for several postconditions of a routine together
MOST_TUPLES_OF_CHAIN = 30
MOST_IN_VAIN = 60  # chains that led to no violation: most such clauses cannot be violated at all
MOST_AT_BORDER = 8  # calls of each command of a class, for each of its invariants
FEW_TESTS = 3
MOST_UNTOLD = 3  # differences that SQL does not know, and among how many objects they are looked for
MOST_CHOICES = 150
MOST_SOLVED = 60  # objects on which a relation is solved for a value, ...
MOST_SOLUTIONS = 36  # ... and how many of those are tried
FEW_UNLIKE = 12
MOST_SHARED = 2
AHEAD = 2  # clauses, or groups of them, for which a query is under way
SAVED_EACH = 20  # clauses: what was found out about them is written together


@dataclass(slots=True)
class Reduced:
    """What a round of reduction did."""

    clauses: int = 0
    removed: int = 0
    tried: int = 0
    tests: int = 0
    interrupted: bool = False


def reduce_clauses(
    database: Database,
    scope: Scope | None = None,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[Reduced], None] = lambda _: None,
    since: int = 0,
    chains: float = 1.0,
) -> Reduced:
    """One round: every kept clause that was not violated yet. Ctrl-C ends it early and keeps what was found.

    Objects of snapshots from `since` on come first. Chains of calls get that part of the time which is left for them;
    without any, what needs them waits for the next round."""
    return _Round(database, scope or Scope(), limits or Limits(), seconds, progress).run(since, chains)


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
        self.begun: list[Pursuit] = []
        self.later: list[Pursuit] = []
        self.known = Known(database)
        self.tester = Tester(database, Writer(database), self.session, math.inf if self.until is None else self.until)
        self.patience = Patience(Random(self.session), len(self.tester.routines))
        self.slots = Slots(self.known, self.tester.learned)
        self.ways = Ways(self.known, self.slots)
        self.verdicts = Verdicts(self.tester)
        self.searches: Searches

    def run(self, since: int, part: float) -> Reduced:
        try:
            self.tester.begin()
            until = math.inf if self.until is None else self.until
            with suppress(RoundOver), Searches.of(self.database, self.limits, until, since) as self.searches:
                self._reach()
                self._glance()
                self._go_on()
                self._try_chains(part)
        except KeyboardInterrupt:
            self.done.interrupted = True
        finally:
            self.tester.close()
            self._finish()
        return self.done

    def _is_over(self) -> bool:
        return self.until is not None and time.monotonic() > self.until

    def _tell(self, position: int) -> None:
        self.done.removed = len(self.verdicts.removed)
        self.progress(self.done)
        if position % SAVED_EACH == 0:
            self.verdicts.write()

    # The steps

    def _reach(self) -> None:
        """Objects that satisfy the written precondition of a routine that hardly ever passed."""
        for clause in starving(self.database, self.scope, FEW_TESTS):
            required = self.known.written(clause.routine_id)
            pursuit = self._pursuit([clause], self.slots.wanted(clause, Challenge(), required))
            self._try_until(pursuit, self.limits.most)
            if pursuit.attempt.violating < FEW_TESTS and not self._is_over():
                self._chain(pursuit)

    def _glance(self) -> None:
        """A few operands for everything. Preconditions come first: violating them shows the faults."""
        for position, (several, ways) in enumerate(
            self._looking_ahead(groups_of(pending(self.database, self.scope))), 1
        ):
            if self._is_over():
                return
            self._begin(several, ways)
            self._tell(position)

    def _go_on(self) -> None:
        """The other operands of what was begun, also where a clause fell: they may show a fault."""
        for position, pursuit in enumerate(self.begun, 1):
            self._try_until(pursuit, self.limits.most)
            if self._is_over():
                return
            if pursuit.attempt.violating == 0 and not is_unconditional(pursuit.clause):
                self.later.append(pursuit)
            else:
                self._end(pursuit)
            self._want_without(pursuit)
            self._tell(position)

    def _try_chains(self, part: float) -> None:
        """Chains of calls for what no object violates, for a part of the time that is left."""
        if self.until is not None:
            self.until -= (1 - part) * max(0.0, self.until - time.monotonic())
        for position, pursuit in enumerate(self.later, 1):
            if self._is_over() or not part:
                return
            if any(clause.id not in self.verdicts.removed for clause in pursuit.clauses):
                self._chain(pursuit)
            self._end(pursuit)
            self._tell(position)

    # What is challenged

    def _looking_ahead(self, groups: Iterable[list[Clause]]) -> Iterator[tuple[list[Clause], Iterator[Search]]]:
        """Each group with what is searched for its sake; the first queries for the next ones are under way by then."""
        upcoming: deque[tuple[list[Clause], Iterator[Search]]] = deque()
        for several in groups:
            ways = self.ways.of(several)
            first = list(islice(ways, 1))
            for wanted in first:
                self.searches.begin(wanted)
            upcoming.append((several, chain(first, ways)))
            if len(upcoming) > AHEAD:
                yield upcoming.popleft()
        yield from upcoming

    def _begin(self, several: list[Clause], ways: Iterator[Search]) -> None:
        """Every way in turn, until nothing is left of the clauses."""
        several = [clause for clause in several if clause.id not in self.verdicts.removed]
        self.done.clauses += len(several)
        if not several:
            return
        if several[0].kind == "invariant":
            self._guard(several)
            return
        attempt = None
        for wanted in ways:
            pursuit = self._pursuit(several, wanted)
            attempt = pursuit.attempt
            self.begun.append(pursuit)
            self._try_until(pursuit, FEW_VIOLATING if several[0].kind in ("requires", "raises") else FEW_TOGETHER)
            if self._is_over() or attempt.verdict == "removed":
                break
        if attempt is None:  # it needs no violating, or nothing about the call can be other than it was
            implied = is_implied(several[0], self.known.written(several[0].routine_id))
            verdict = "implied" if implied else "no objects"
            self.verdicts.record(several, Attempt(several[0].kind, verdict=verdict))

    def _guard(self, invariants: list[Clause]) -> None:
        """Invariants of a class: its commands are called on objects for which they nearly are broken."""
        owner = invariants[0].owner
        borders = dict.fromkeys(border(clause.expression) for clause in invariants)
        attempt = Attempt("invariant")
        for command, near in product(commands_on(self.database, owner) if owner else (), borders):
            if self._is_over():
                attempt.interrupt()
                break
            required = self.known.written(command.routine_id)
            wanted = self.slots.wanted(command, Challenge(required=near), required, objects=True)
            part = Attempt("invariant")
            for found in self.searches.found(wanted, most=MOST_AT_BORDER):
                part.note(found)
                self._try_all([command], part, wanted, found.tuples[: MOST_AT_BORDER - part.tried], None)
            attempt.take(part)
        attempt.end()
        self.verdicts.record(invariants, attempt)

    # How it is challenged

    def _pursuit(self, clauses: list[Clause], wanted: Search) -> Pursuit:
        pursuit = Pursuit(clauses, wanted, Attempt(clauses[0].kind, len(wanted.slots)))
        pursuit.candidates = self._candidates(pursuit)
        return pursuit

    def _candidates(self, pursuit: Pursuit) -> Iterator[Filled]:
        """The operands for a search, one query after the other, each when it is needed. Where related objects do not
        violate the clause, values that follow from what it says come before objects from anywhere."""
        wanted, given = pursuit.wanted, set()
        for number, found in enumerate(self.searches.found(wanted)):
            pursuit.note(found)
            tuples = self.tester.satisfying(wanted, found.tuples) if found.relates else found.tuples
            self.tester.prepare(tuples)
            unlike = chain(self._unlike(wanted, found), self._related(pursuit.clause.routine, wanted, found))
            for several in (tuples[:FEW_VIOLATING], unlike, tuples[FEW_VIOLATING:]):
                for item in several:
                    if item not in given:
                        given.add(item)
                        yield item
            if number == 0 and not pursuit.attempt.violating:
                yield from self._solutions(pursuit.clause.routine, wanted)

    def _solutions(self, routine: str, wanted: Search) -> Iterator[Filled]:
        """Objects, each with values of an argument that stand in a wanted relation to them."""
        for equation in equations(wanted):
            others = equation.others
            starts = self.searches.remembered(others, MOST_SOLVED)[:1]
            tuples = [item for found in starts for item in found.tuples] if others.slots else [()]
            yield from self.tester.solutions(routine, equation, tuples)[:MOST_SOLUTIONS]

    def _unlike(self, wanted: Search, found: Found) -> Iterator[Filled]:
        """Objects without what those of other calls had in common, where only they themselves can tell."""
        for part in found.untold[:MOST_UNTOLD] if not found.residual else ():
            without = Search(wanted.slots, conjuncts(negate(part)), wanted.required)
            yield from self.tester.satisfying(without, found.choices[:MOST_CHOICES])[:FEW_UNLIKE]

    def _related(self, routine: str, wanted: Search, found: Found) -> Iterator[Filled]:
        """Values that stand in another relation to the objects found than all that were found with them."""
        alike = [*(part for part, every in found.shared.items() if every), *found.untold]
        others = [Search(wanted.slots, conjuncts(negate(part)), wanted.required) for part in alike]
        for other in [one for one in others if any(equations(one))][:MOST_UNTOLD]:
            yield from islice(self._solutions(routine, other), FEW_UNLIKE)

    def _try_until(self, pursuit: Pursuit, violating: int) -> None:
        """Until so many operands violate it, also if it falls before: the next call may show a fault."""
        attempt = pursuit.attempt
        while attempt.violating < violating and not (attempt.is_over(self.limits.most) or self._is_over()):
            item = next(pursuit.candidates, None)
            if item is None or not self._try(pursuit.clauses, attempt, pursuit.wanted, item, pursuit.taken, []):
                return
            pursuit.taken += 1

    def _want_without(self, pursuit: Pursuit) -> None:
        """A promise is not challenged if all objects are alike: chains of calls may make some that are not."""
        wanted = pursuit.wanted
        for part in pursuit.all_share()[:MOST_SHARED] if pursuit.clause.kind == "ensures" else ():
            without = Search(wanted.slots, conjuncts(negate(part)), wanted.required)
            self.later.append(Pursuit(pursuit.clauses, without, Attempt(pursuit.attempt.way, len(wanted.slots))))

    def _chain(self, pursuit: Pursuit) -> None:
        """No object violates it: calls before the routine may bring it about."""
        clause, attempt, wanted = pursuit.clause, pursuit.attempt, pursuit.wanted
        starts: set[Search] = set()
        started = attempt.tried
        for calls in chains(self.database, clause, wanted, self.limits, self.luck):
            attempt.chains += 1
            before = attempt.tried, attempt.violating
            answers = self.searches.remembered(calls.rest, MOST_TUPLES_OF_CHAIN)
            for found in answers if calls.rest not in starts else ():
                attempt.note(found)
            starts.add(calls.rest)
            for found in answers:
                self._try_all(pursuit.clauses, attempt, wanted, found.tuples, calls)
            self.luck.learn(calls, attempt.tried - before[0], attempt.violating - before[1])
            if attempt.violating:
                attempt.way = "transition"
            in_vain = attempt.violating == 0 and attempt.tried - started >= MOST_IN_VAIN
            if in_vain or attempt.is_over(self.limits.most) or self._is_over():
                return

    def _try_all(
        self, several: list[Clause], attempt: Attempt, wanted: Search, tuples: list[Tuple], calls: Chain | None
    ) -> None:
        first = [] if calls is None else [self.slots.first(several[0], move) for move in calls.moves]
        if None in first:
            return
        self.tester.prepare(tuples)
        for position, item in enumerate(tuples):
            if attempt.is_over(self.limits.most) or self._is_over():
                return
            if not self._try(several, attempt, wanted, item, position, [call for call in first if call]):
                return

    def _try(
        self,
        several: list[Clause],
        attempt: Attempt,
        wanted: Search,
        item: Filled,
        position: int,
        first: list[dict[str, Any]],
    ) -> bool:
        """One call, after the `first` ones; false if nothing is known to fill the other slots with."""
        clause = several[0]
        operands = self.slots.operands(clause, wanted, item, position)
        if operands is None:
            return False
        if self.patience.hangs_often(clause.routine):
            attempt.left_out += 1
            return True
        way = "transition" if first else clause.kind
        challenged = self.verdicts.clauses_of(clause)
        answer = self.tester.tried(clause.routine, wanted, operands, first, challenged, way)
        attempt.tried += 1
        self.done.tried += 1
        hung = answer is not None and answer["outcome"] in ("hang", "crash")
        self.patience.note(clause.routine, 0.0, hung=hung)
        if answer is not None:
            self.verdicts.weigh(several, attempt, answer)
        return True

    # How it ends

    def _end(self, pursuit: Pursuit) -> None:
        pursuit.ended = True
        pursuit.attempt.end()
        self.verdicts.record(pursuit.clauses, pursuit.attempt)

    def _finish(self) -> None:
        """What was begun and not ended is recorded, too, but it will be tried again."""
        for pursuit in dict.fromkeys((*self.begun, *self.later)):
            if not pursuit.ended and pursuit.attempt.query:
                pursuit.attempt.interrupt()
                self.verdicts.record(pursuit.clauses, pursuit.attempt)
        self.verdicts.write()
        self.done.tests = self.tester.tests
        self.done.removed = len(self.verdicts.removed)
        self.tester.writer.flush()
        write_faults(self.tester.writer)
        self.database.append_rows("sessions", [{
            "id": self.session, "digest": UUID(bytes=os.urandom(16)), "target": "", "strategy": "reduce",
            "settings": None, "workers": 1, "seed": 0,
            "started": datetime.now(UTC).replace(tzinfo=None), "seconds": time.monotonic() - self.started,
            "calls": self.done.tried, "states": 0,
        }])  # fmt: skip
