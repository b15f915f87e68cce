"""The loop: reduce, make objects that the database lacks, evaluate, infer; again until a round changes nothing or the
time is over."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from stateful.generate.session import RunOptions, Summary, run_session
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all, targets_of
from stateful.reduce.engine import Reduced, reduce_clauses
from stateful.reduce.observer import Nobody, Observer
from stateful.reduce.scope import Limits, Scope
from stateful.store.database import Database

__all__ = ["Rounds", "reduce_to_fixpoint"]

MOST_ROUNDS = 6
MOST_FRESH_ROUNDS, MOST_IN_TIME = 3, 1000  # with fresh objects, without and with a limit of time
FRESH = 0.25  # of the time that is left after a round goes into fresh objects
CHAINS = 0.5  # of the time that is left after all objects were tried, into chains of calls
LEAST = 1.0  # seconds without which random testing is not begun
SETTLING = 0.1  # of the time, until it is known how long evaluating and inferring take after a round
LATE = 0.2  # of the time: evaluating and inferring may end so much later; what is not done then waits
KEPT = 150  # passing examples of each routine
STATE = "SELECT count(*), max(id) FROM clauses WHERE status IN ('kept', 'guards')"


@dataclass(slots=True)
class Rounds:
    """All rounds together; the tests are also those of random testing between them."""

    rounds: int = 0
    removed: int = 0
    tried: int = 0
    tests: int = 0
    interrupted: bool = False
    fixpoint: bool = False
    notes: list[str] = field(default_factory=list)
    """What random testing has to say beside its results."""

    def add(self, done: Reduced) -> None:
        self.rounds += 1
        self.removed += done.removed
        self.tried += done.tried
        self.tests += done.tests
        self.interrupted = done.interrupted


def reduce_to_fixpoint(
    database: Database,
    scope: Scope | None = None,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    line: Observer | None = None,
) -> Rounds:
    """Reduce, evaluate the new tests, infer again; a round that changes nothing is the last.

    What survives because no object violates it, or only such as are all alike, falls by objects that the database does
    not hold: between two rounds some are made by random testing, and the next one tries them first. Chains of calls,
    which take longest, are for what no object violates even then."""
    scope, limits = scope or Scope(), limits or Limits()
    total, line = Rounds(), line or Nobody()
    until = None if seconds is None else time.monotonic() + seconds
    settling = 0.0 if seconds is None else SETTLING * seconds

    def left() -> float | None:
        return None if until is None else until - settling - time.monotonic()

    refreshes = limits.fresh > 0 and scope.routine is None and scope.clause is None
    since = 0
    most = MOST_ROUNDS if not refreshes else MOST_FRESH_ROUNDS if until is None else MOST_IN_TIME
    for number in range(most):
        if (over := left()) is not None and over <= 0:
            break
        before = database.rows(STATE)
        chains = 1.0 if not refreshes else CHAINS if number else 0.0
        done = reduce_clauses(
            database, scope, limits, seconds=left(), progress=line.reduction, since=since, chains=chains
        )
        total.add(done)
        if done.interrupted:
            break
        if refreshes:
            since = database.next_id("snapshots")
            scope = replace(scope, again=True)
            made = _refresh(database, limits, left(), line)
            total.interrupted = made.interrupted
            total.tests += made.tests
            total.notes += made.notes
            if made.interrupted:
                break
        settles = time.monotonic()
        latest = math.inf if until is None or seconds is None else max(settles, until) + max(LEAST, LATE * seconds)
        evaluate_all(database, progress=line.evaluation, until=latest)
        infer(database, progress=line.inference, until=latest)
        settling = time.monotonic() - settles
        if chains and database.rows(STATE) == before and (refreshes or not done.tests):
            total.fixpoint = True
            break
    return total


def _refresh(database: Database, limits: Limits, left: float | None, line: Observer) -> Summary:
    """Random testing for so many calls; for a part of what is left, if time is limited."""
    seed = database.next_id("sessions")
    if left is not None and left < LEAST:
        return Summary(seed)
    options = RunOptions(seed, tests=limits.fresh, kept=KEPT)
    if left is not None:
        options = replace(options, tests=None, seconds=FRESH * left)
    return run_session(database, targets_of(database), options, line.session)
