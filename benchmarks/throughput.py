#!/usr/bin/env python3
"""Calls per second of a session, beside a bare loop that loads, calls and dumps the session's own calls again.

    python benchmarks/throughput.py                              the example list
    python benchmarks/throughput.py sortedcontainers:SortedList --seconds 10

A session is one worker with recording, laws and coverage on, supervisor and database included; it keeps the trace of
all its calls. `bare` loads the operands of each of these calls from their snapshot, dumps them, calls, and dumps again:
no choice, no judging, no laws, no recording. Then the same without coverage. What is measured is processor time, so
that other work on the machine counts on neither side. `speed` is the calls per second of a session on two free cores,
where supervisor and worker work at the same time, as a part of those of the bare loop; `work` is the same for what both
of them work. Calls that were ended by the deadline are in the session's time, not in the bare loop's. Only the ratios
count. The calls are made in this process, under a bound on memory: name no target that you do not trust.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import contextlib
import io
import resource
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stateful.generate.session import RunOptions, run_session
from stateful.generate.trace import Traced, read_trace
from stateful.store.database import Database
from stateful.subject.discover import LiveRoutine, discover
from stateful.subject.program import invoke
from stateful.subject.snapshots import distinct, dump, load
from stateful.subject.target import parse_target

LIST = str(Path(__file__).parents[1] / "examples" / "linked_list.py")


def processor_time() -> tuple[float, float]:
    """Of this process, and of those that it started and that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, others = (usage.ru_utime + usage.ru_stime for usage in usages)
    return own, others


def session_times(target: str, seconds: float, covering: bool, folder: Path) -> tuple[int, float, float]:
    """The calls of a session, and what supervisor and worker spent on each; the trace is in `folder`."""
    began = processor_time()
    with Database.create(folder / "run.db") as database:
        options = RunOptions(seed=1, seconds=seconds, coverage=covering, trace=folder / "trace")
        calls = run_session(database, [parse_target(target)], options).calls
    ended = processor_time()
    return calls, (ended[0] - began[0]) / calls, (ended[1] - began[1]) / calls


def bare_time(calls: Iterable[Traced], routines: dict[str, LiveRoutine]) -> float:
    """What the bare loop spends on a call."""
    trace = [(routines[each.routine], each.data, each.slots) for each in calls if each.codec == "pickle"]
    started = time.process_time()
    for live, data, slots in trace:
        objects = load("pickle", data)
        operands: list[Any] = [... if index is None else objects[index] for index in slots]
        present = [operand for operand in operands if operand is not ...]
        dump(distinct(present)[0])
        try:
            result = invoke(live.model, live.function, operands)
            dump(distinct([*present, result])[0])
        except Exception:
            continue
    return (time.process_time() - started) / len(trace)


def measured(target: str, seconds: float, covering: bool, routines: dict[str, LiveRoutine]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "trace").mkdir()
        calls, supervisor, worker = session_times(target, seconds, covering, folder)
        traced = (call for file in sorted((folder / "trace").iterdir()) for call in read_trace(file))
        with contextlib.redirect_stdout(io.StringIO()):
            bare = bare_time(traced, routines)
    spent = f"{calls:8,} {1e6 * worker:8.0f} {1e6 * supervisor:8.0f} {1e6 * bare:8.0f}"
    ratios = f"{bare / max(worker, supervisor):6.2f} {bare / (worker + supervisor):6.2f}"
    print(f"{target[-36:]:36} {'on' if covering else 'off':8} {spent} {ratios}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=[LIST])
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    spent = f"{'calls':>8} {'worker':>8} {'superv.':>8} {'bare':>8}"
    print(f"{'microseconds for a call':36} {'coverage':8} {spent}  speed   work")
    for target in options.targets:
        routines = discover([parse_target(target)]).routines
        for covering in (True, False):
            measured(target, options.seconds, covering, routines)


if __name__ == "__main__":
    main()
