"""Coverage, measured afterwards: kept calls are executed again under coverage.py, so that testing itself runs untraced.

`measure` is the supervisor's side, `main` the worker's. Snapshots make the calls free of side effects on each other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stateful.sandbox import Limits, Worker
from stateful.sandbox.worker import DeadlineReached, Session
from stateful.store.database import Database
from stateful.subject.target import Target

__all__ = ["Coverage", "main", "measure"]

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
    from stateful.generate.session import targets_json

    until = time.monotonic() + seconds
    rows = database.rows(CHOSEN, [MOST_CALLS])
    with Worker("stateful.generate.covering:main", Limits()) as worker:
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
        return answer.body if answer else None


def main(session: Session) -> None:
    """The program of the worker."""
    import coverage

    from stateful.generate.engine import targets_from
    from stateful.subject.discover import discover

    message = session.channel.receive()
    if message is None:
        return
    tracer = coverage.Coverage(data_file=None, branch=True, config_file=False, messages=False)
    tracer.start()
    live = discover(targets_from(message.body))
    tracer.stop()
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        if message.kind == "report":
            session.channel.send("coverage", _report(tracer, sorted(live.files)))
            continue
        tracer.start()
        for (name, codec, operands), data in zip(message.body, message.blobs, strict=True):
            _again(session, live.routines[name], codec, data, operands)
        tracer.stop()
        session.channel.send("done")


def _again(session: Session, live: Any, codec: str, data: bytes, operands: list[int | None]) -> None:
    """Execute one call again; how it ends is known already."""
    from stateful.subject.program import invoke
    from stateful.subject.snapshots import load

    slots = operands if live.model.has_receiver else operands[1:]
    try:
        with session.calling(b"coverage"):
            objects = load(codec, data)
            invoke(live.model, live.function, [... if index is None else objects[index] for index in slots])
    except (Exception, DeadlineReached):
        return


def _report(tracer: Any, files: list[str]) -> Coverage:
    tracer.json_report(morfs=files, outfile="coverage.json")
    totals = json.loads(Path("coverage.json").read_text(encoding="utf-8"))["totals"]
    return {
        "statements": [totals["covered_lines"], totals["num_statements"]],
        "branches": [totals["covered_branches"], totals["num_branches"]],
    }
