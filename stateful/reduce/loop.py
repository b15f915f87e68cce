"""The loop: reduce, make objects that the database lacks, evaluate, infer; again until a round changes nothing or the
time is over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from stateful.generate.session import RunOptions, run_session
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all, targets_of
from stateful.reduce.engine import Reduced, reduce_clauses
from stateful.reduce.scope import Limits, Scope
from stateful.store.database import Database

__all__ = ["Rounds", "reduce_to_fixpoint"]

MOST_ROUNDS = 6
REDUCING = 0.6  # of what is left of the time at most goes into one round: the next one knows more objects
FRESH = 0.4  # of what is left after it, into fresh objects
EVALUATING = 0.4  # of what is left after that
KEPT = 300  # passing examples of each routine
STATE = "SELECT count(*), max(id) FROM clauses WHERE status IN ('kept', 'guards')"


@dataclass(slots=True)
class Rounds:
    """All rounds together."""

    rounds: int = 0
    removed: int = 0
    tried: int = 0
    tests: int = 0
    faults: list[str] = field(default_factory=list)
    interrupted: bool = False
    fixpoint: bool = False

    def add(self, done: Reduced) -> None:
        self.rounds += 1
        self.removed += done.removed
        self.tried += done.tried
        self.tests += done.tests
        self.faults += done.faults
        self.interrupted = done.interrupted


class _Time:
    """What is left of the time, if there is a limit."""

    def __init__(self, seconds: float | None) -> None:
        self.until = None if seconds is None else time.monotonic() + seconds

    def share(self, part: float = 1.0) -> float | None:
        return None if self.until is None else max(0.0, part * (self.until - time.monotonic()))

    def soon(self, part: float) -> float:
        """When that share of it will be over, by the monotonic clock."""
        left = self.share(part)
        return math.inf if left is None else time.monotonic() + left

    @property
    def is_over(self) -> bool:
        return self.share() == 0.0


def reduce_to_fixpoint(
    database: Database,
    scope: Scope | None = None,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[Reduced], None] = lambda _: None,
) -> Rounds:
    """Reduce, evaluate the new tests, infer again; a round that changes no clause and tests nothing new is the last.

    What survives because no object violates it, or only such as are all alike, falls by objects that the database does
    not hold: between two rounds some are made by random testing."""
    scope, limits = scope or Scope(), limits or Limits()
    total, left = Rounds(), _Time(seconds)
    refreshes = limits.fresh > 0 and scope.routine is None and scope.clause is None
    for _ in range(MOST_ROUNDS):
        if left.is_over:
            break
        before = database.rows(STATE)
        done = reduce_clauses(
            database, scope, limits, seconds=left.share(REDUCING if refreshes else 1.0), progress=progress
        )
        total.add(done)
        if done.interrupted:
            break
        if refreshes:
            total.interrupted = _refresh(database, limits, left.share(FRESH))
        evaluate_all(database, until=left.soon(EVALUATING))
        infer(database)
        if total.interrupted:
            break
        if not done.tests and database.rows(STATE) == before:
            total.fixpoint = True
            break
    return total


def _refresh(database: Database, limits: Limits, seconds: float | None) -> bool:
    """Random testing for so many calls, or seconds if there is a limit; whether it was interrupted."""
    seed = database.next_id("sessions")
    if seconds is None:
        options = RunOptions(seed, tests=limits.fresh, kept=KEPT)
    else:
        options = RunOptions(seed, seconds=seconds, kept=KEPT)
    return run_session(database, targets_of(database), options).interrupted
