"""The worker's side of measuring coverage: import the subject and execute calls again, with the tracer on."""

from __future__ import annotations

import json
from pathlib import Path

import coverage

from stateful.generate.plan import targets_from
from stateful.sandbox.worker import Session
from stateful.subject.discover import LiveRoutine, discover
from stateful.subject.program import invoke
from stateful.subject.snapshots import load

__all__ = ["main"]


def main(session: Session) -> None:
    """The program of the worker."""
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
            if name in live.routines:  # the database may hold other targets, too
                _again(session, live.routines[name], codec, data, operands)
        tracer.stop()
        session.channel.send("done")


def _again(session: Session, live: LiveRoutine, codec: str, data: bytes, operands: list[int | None]) -> None:
    """Execute one call again; how it ends is known already."""
    slots = operands if live.model.has_receiver else operands[1:]
    try:
        with session.calling(b"coverage"):
            objects = load(codec, data)
            invoke(live.model, live.function, [... if index is None else objects[index] for index in slots])
    except BaseException:
        return


def _report(tracer: coverage.Coverage, files: list[str]) -> dict[str, list[int]]:
    tracer.json_report(morfs=files, outfile="coverage.json")
    totals = json.loads(Path("coverage.json").read_text(encoding="utf-8"))["totals"]
    return {
        "statements": [totals["covered_lines"], totals["num_statements"]],
        "branches": [totals["covered_branches"], totals["num_branches"]],
    }
