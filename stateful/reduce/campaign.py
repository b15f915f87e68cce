"""`stateful test`: random sessions and rounds of reduction by turns, until the time is over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from stateful.generate.confirm import confirm_faults
from stateful.generate.session import RunOptions, Summary, run_session
from stateful.infer.engine import infer
from stateful.ingest.evaluation import Evaluated, evaluate_all, targets_of
from stateful.reduce.engine import Reduced, reduce_clauses
from stateful.store.database import Database
from stateful.subject.target import Target

__all__ = ["Campaign", "Observer", "run_campaign"]

RANDOM_SHARE = 0.4  # of each cycle
SHARE_FOR_FAULTS = 0.12  # of the whole time, to confirm and shrink
MOST_SNAPSHOTS_PER_SECOND = 150
CYCLES = 2
KEPT = 300


class Observer(Protocol):
    """Who wants to know how it goes."""

    def session(self, summary: Summary) -> None: ...

    def evaluation(self, done: Evaluated) -> None: ...

    def reduction(self, done: Reduced) -> None: ...


@dataclass(slots=True)
class Campaign:
    """All that a campaign did."""

    summary: Summary
    inferred: int = 0
    removed: int = 0
    kept: int = 0


def run_campaign(database: Database, targets: Sequence[Target], options: RunOptions, line: Observer) -> Campaign:
    """Test until the time is over. Ctrl-C ends it early and keeps everything that was found."""
    done = Campaign(Summary(options.seed))
    seconds = options.seconds
    started = time.monotonic()
    testing = seconds * (1 - SHARE_FOR_FAULTS)
    try:
        for cycle in range(CYCLES):
            left = testing - (time.monotonic() - started)
            if left <= 0 or done.summary.interrupted:
                break
            share = left / (CYCLES - cycle)
            one = replace(options, seed=options.seed + cycle, seconds=share * RANDOM_SHARE, kept=KEPT)
            _cycle(database, targets, done, one, share, line)
    except KeyboardInterrupt:
        done.summary.interrupted = True
    try:
        left = 5.0 if done.summary.interrupted else max(2.0, started + seconds - time.monotonic())
        confirm_faults(database, targets_of(database), seconds=left)
    except KeyboardInterrupt:
        done.summary.interrupted = True
    _count(database, done)
    done.summary.seconds = time.monotonic() - started
    return done


def _cycle(
    database: Database,
    targets: Sequence[Target],
    done: Campaign,
    options: RunOptions,
    seconds: float,
    line: Observer,
) -> None:
    """One session, then evaluation, inference and reduction for the rest of the time."""
    until = time.monotonic() + seconds
    _add(done.summary, run_session(database, targets, options, line.session, done.summary.covered))
    while not done.summary.interrupted and time.monotonic() < until:
        left = until - time.monotonic()
        evaluate_all(database, progress=line.evaluation, most=int(left * MOST_SNAPSHOTS_PER_SECOND) + 50)
        inferred = infer(database)
        reduced = reduce_clauses(database, seconds=max(0.5, until - time.monotonic()), progress=line.reduction)
        done.summary.calls += reduced.tried
        done.summary.tests += reduced.tests
        done.summary.interrupted = reduced.interrupted
        if not (inferred.new or reduced.tests):
            break


def _add(total: Summary, session: Summary) -> None:
    total.calls += session.calls
    total.tests += session.tests
    total.states += session.states
    total.interrupted = session.interrupted
    total.notes += session.notes


def _count(database: Database, done: Campaign) -> None:
    done.inferred, done.removed = database.rows(
        "SELECT count(*), count(*) FILTER (status = 'removed') FROM clauses WHERE status <> 'written'"
    )[0]
    done.kept = done.inferred - done.removed
