"""Coverage, measured afterwards: kept calls are executed again under coverage.py, so that testing itself runs untraced.

This is the supervisor's side, `tracing` the worker's. Snapshots make the calls free of side effects on each other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from stateful.generate.limits import limits_of
from stateful.generate.plan import targets_json
from stateful.sandbox import Worker
from stateful.store.database import Database
from stateful.subject.target import Target

__all__ = ["Coverage", "measure"]

MOST_CALLS = 4000
BATCH = 200
CHOSEN = """
SELECT r.name, s.codec, s.bytes, t.pre_operands[1 : r.slots + 1], r.kind
FROM test_cases t JOIN routines r ON r.id = t.routine_id JOIN snapshots s ON s.id = t.pre_snapshot
WHERE s.codec <> 'recipe'
QUALIFY row_number() OVER (PARTITION BY r.id ORDER BY t.outcome <> 'fail', hash(t.id)) <= 400
ORDER BY hash(t.id) LIMIT ?
"""
Coverage = dict[str, list[int]]


def measure(database: Database, targets: Sequence[Target], seconds: float) -> Coverage | None:
    """Statements and branches of the targets' modules that the kept calls cover, as far as the time reaches."""
    until = time.monotonic() + seconds
    rows = database.rows(CHOSEN, [MOST_CALLS])
    with Worker("stateful.generate.tracing:main", limits_of(database)) as worker:
        worker.send("plan", targets_json(targets))
        if worker.answer() is None:
            return None
        for start in range(0, len(rows), BATCH):
            if time.monotonic() > until:
                break
            batch = rows[start : start + BATCH]
            worker.send("calls", [[row[0], row[1], row[3]] for row in batch], tuple(row[2] for row in batch))
            if worker.answer() is None:
                return None
        worker.send("report")
        answer = worker.answer()
        return _written(database, answer.body) if answer else None


def _written(database: Database, covered: Coverage) -> Coverage:
    """Remember it as what the sessions so far covered."""
    if not database.read_only:
        session, seconds, calls = database.rows("SELECT max(id), sum(seconds), sum(calls) FROM sessions")[0]
        (statements, statements_all), (branches, branches_all) = covered["statements"], covered["branches"]
        database.append_rows("coverage", [{
            "session_id": session, "seconds": seconds, "calls": calls, "statements": statements,
            "statements_all": statements_all, "branches": branches, "branches_all": branches_all,
        }])  # fmt: skip
    return covered
