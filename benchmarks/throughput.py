#!/usr/bin/env python3
"""Calls per second of a session, beside a bare loop that loads, calls and dumps the session's own calls again.

    python benchmarks/throughput.py                              the example list
    python benchmarks/throughput.py sortedcontainers:SortedList --seconds 10

`session` is one worker with recording, laws and coverage on, supervisor and database included; then without
coverage. `bare` loads the operands of each
of its calls from their snapshot, dumps them, calls, and dumps again: no choice, no judging, no laws, no recording. Only
the ratio counts. The calls are made in this process, under a bound on memory: name no target that you do not trust.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import contextlib
import io
import os
import resource
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from stateful.generate.calls import Called
from stateful.generate.drawing import Drawn
from stateful.generate.engine import Engine
from stateful.generate.plan import Plan
from stateful.generate.session import RunOptions, run_session
from stateful.generate.settings import DEFAULT_STRATEGY, settings_from
from stateful.sandbox.watch import Watch
from stateful.sandbox.worker import Session
from stateful.store.database import Database
from stateful.subject.discover import LiveRoutine, discover
from stateful.subject.program import invoke
from stateful.subject.snapshots import distinct, dump, load
from stateful.subject.target import parse_target

LIST = str(Path(__file__).parents[1] / "examples" / "linked_list.py")
Trace = list[tuple[LiveRoutine, str, bytes, tuple[int | None, ...]]]


class Silent:
    """A channel that nobody listens to."""

    def send(self, *_: object) -> None: ...


class Tracing(Engine):
    """An engine that remembers its calls."""

    trace: Trace = []

    def call(self, live: LiveRoutine, drawn: Drawn) -> Called | None:
        called = super().call(live, drawn)
        if called is not None and called.verdict.outcome not in ("hang", "crash"):
            before = called.before
            slots = before.operands if live.model.has_receiver else before.operands[1:]
            if before.codec == "pickle":
                self.trace.append((live, before.codec, before.data, slots))
        return called


def session_rate(target: str, seconds: float, covering: bool) -> float:
    with tempfile.TemporaryDirectory() as folder, Database.create(Path(folder) / "run.db") as database:
        summary = run_session(database, [parse_target(target)], RunOptions(seed=1, seconds=seconds, coverage=covering))
        return summary.calls / seconds


def traced(target: str, seconds: float) -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Silent(), Watch(Path(folder) / "watch", create=True), 1.0)  # type: ignore[arg-type]
        signal.signal(signal.SIGALRM, session.limit.on_tick)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        settings = settings_from(DEFAULT_STRATEGY, [])
        plan = Plan(1, seconds, None, 2000, DEFAULT_STRATEGY, settings, coverage=False)
        Tracing.trace = []
        Tracing(session, discover([parse_target(target)]), plan, os.getcwd(), []).run()
        signal.setitimer(signal.ITIMER_REAL, 0)
    return Tracing.trace


def bare_rate(trace: Trace) -> float:
    started = time.perf_counter()
    for live, codec, data, slots in trace:
        objects = load(codec, data)
        operands: list[Any] = [... if index is None else objects[index] for index in slots]
        present = [operand for operand in operands if operand is not ...]
        dump(distinct(present)[0])
        try:
            result = invoke(live.model, live.function, operands)
            dump(distinct([*present, result])[0])
        except Exception:
            continue
    return len(trace) / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=[LIST])
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    print(f"{'target':44} {'session':>10} {'bare':>10} {'ratio':>6} {'no coverage':>12} {'ratio':>6}")
    for target in options.targets:
        session = session_rate(target, options.seconds, True)
        without = session_rate(target, options.seconds, False)
        with contextlib.redirect_stdout(io.StringIO()):
            bare = bare_rate(traced(target, options.seconds))
        rates = f"{session:8,.0f}/s {bare:8,.0f}/s {session / bare:6.2f} {without:10,.0f}/s {without / bare:6.2f}"
        print(f"{target[-44:]:44} {rates}", flush=True)


if __name__ == "__main__":
    main()
