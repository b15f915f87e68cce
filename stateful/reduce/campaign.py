"""`stateful test`: random sessions and rounds of reduction by turns, until the time is over."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stateful.generate.confirm import confirm_faults
from stateful.generate.session import RunOptions, Summary, run_session
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all, targets_of
from stateful.reduce.engine import reduce_clauses
from stateful.reduce.observer import Observer
from stateful.store.database import Database
from stateful.subject.target import Target

__all__ = ["Campaign", "run_campaign", "share_for_faults", "share_of"]

RANDOM_SHARE = 0.4  # of the first cycle
LEAST_SHARE, MOST_SHARE = 0.25, 0.7  # of any later one
WORTH = {"certain": 5, "likely": 5}  # of a fault; the others count once
SHARE_FOR_FAULTS, SHARE_FOR_EACH = 0.12, 0.02  # of the whole time, to confirm and shrink: at most, and for each fault
MOST_SNAPSHOTS_PER_SECOND = 150
EVALUATING = 0.5  # of what is left of a cycle at most: there are objects that take long to look at
INFERRING = 0.5  # of what is left of a cycle at most: of routines with many parameters it can take long
SECONDS_OF_CYCLE = 20
LEAST_CYCLES, MOST_CYCLES = 2, 8
KEPT = 300


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
    cycles = min(MOST_CYCLES, max(LEAST_CYCLES, round(seconds / SECONDS_OF_CYCLE)))
    share = RANDOM_SHARE
    try:
        for cycle in range(cycles):
            faults = int(database.value("SELECT count(*) FROM faults"))
            left = seconds * (1 - share_for_faults(faults)) - (time.monotonic() - started)
            if left <= 0 or done.summary.interrupted:
                break
            span = left / (cycles - cycle)
            one = replace(options, seed=options.seed + cycle, seconds=span * share, kept=KEPT)
            _cycle(database, targets, done, one, span, line)
            share = share_of(_found(database), share)
    except KeyboardInterrupt:
        done.summary.interrupted = True
    try:
        left = 5.0 if done.summary.interrupted else max(2.0, started + seconds - time.monotonic())
        confirm_faults(database, targets_of(database), seconds=left)
    except KeyboardInterrupt:
        done.summary.interrupted = True
    _count(database, done, targets)
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
    done.summary.add(run_session(database, targets, options, line.session, done.summary.covered))
    while not done.summary.interrupted and time.monotonic() < until:
        left = until - time.monotonic()
        most, soon = int(left * MOST_SNAPSHOTS_PER_SECOND) + 50, time.monotonic() + EVALUATING * left
        evaluate_all(database, progress=line.evaluation, most=most, until=soon)
        soon = time.monotonic() + INFERRING * max(0.0, until - time.monotonic())
        inferred = infer(database, until=soon, progress=line.inference)
        reduced = reduce_clauses(database, seconds=max(0.5, until - time.monotonic()), progress=line.reduction)
        done.summary.calls += reduced.tried
        done.summary.tests += reduced.tests
        done.summary.interrupted = reduced.interrupted
        if not (inferred.new or reduced.tests):
            break


def share_for_faults(faults: int) -> float:
    """The share of the time for confirming them: more if there are many; those still to be found count as one."""
    return min(SHARE_FOR_FAULTS, SHARE_FOR_EACH * (1 + faults))


def share_of(found: Mapping[bool, float], share: float) -> float:
    """The share of random testing in the next cycle: what it found so far for its time, beside what reduction found.

    `found` says what the faults are worth that random testing found (True), and reduction (False)."""
    per_second = {True: found.get(True, 0) / share, False: found.get(False, 0) / (1 - share)}
    total = sum(per_second.values())
    wanted = per_second[True] / total if total else RANDOM_SHARE
    return min(MOST_SHARE, max(LEAST_SHARE, (RANDOM_SHARE + wanted) / 2))


def _found(database: Database) -> dict[bool, float]:
    rows = database.rows("SELECT found_by = 'run', likelihood, count(*) FROM faults GROUP BY ALL ORDER BY ALL")
    found: dict[bool, float] = defaultdict(float)
    for by_run, likelihood, count in rows:
        found[by_run] += WORTH.get(likelihood, 1) * count
    return found


OF_TARGETS = """
SELECT count(*), count(*) FILTER (status = 'removed') FROM clauses
WHERE status <> 'written' AND routine_id IN (
    SELECT t.routine_id FROM test_cases t JOIN sessions s ON s.id = t.session_id
    WHERE s.target = ? AND s.strategy <> 'reduce')
"""


def _count(database: Database, done: Campaign, targets: Sequence[Target]) -> None:
    done.inferred, done.removed = database.rows(OF_TARGETS, [" ".join(map(str, targets))])[0]
    done.kept = done.inferred - done.removed
