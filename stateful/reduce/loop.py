"""The loop: evaluate new tests, infer, reduce, again until a round changes nothing or the time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.reduce.engine import Reduced, reduce_clauses
from stateful.reduce.scope import Limits, Scope
from stateful.store.database import Database

__all__ = ["Rounds", "reduce_to_fixpoint"]

MOST_ROUNDS = 6


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


def reduce_to_fixpoint(
    database: Database,
    scope: Scope | None = None,
    limits: Limits | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[Reduced], None] = lambda _: None,
) -> Rounds:
    """Reduce, evaluate the new tests, infer again; a round that removes nothing and tests nothing new is the last."""
    total = Rounds()
    until = None if seconds is None else time.monotonic() + seconds
    for _ in range(MOST_ROUNDS):
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            break
        done = reduce_clauses(database, scope, limits, seconds=left, progress=progress)
        total.add(done)
        if done.interrupted:
            break
        evaluate_all(database)
        inferred = infer(database)
        if not (done.removed or done.tests or inferred.new):
            total.fixpoint = True
            break
    return total
