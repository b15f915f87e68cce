#!/usr/bin/env python3
"""Branches of a module that a session covers, and how much the objects held that routines were called on.

    python benchmarks/coverage.py                          the modules below, two seeds, 60 seconds each
    python benchmarks/coverage.py boltons.setutils --seconds 20 --seeds 1

Only the module's own file counts. `length` is len() of the receivers of the kept calls: the median, and the largest.
The bars are what Pynguin 0.48 with DynaMOSA reached in 60 seconds on the machine where this was first measured; the
containers that it called routines on had lengths from 0 to 2. The packages have to be importable (PYTHONPATH).
"""

from __future__ import annotations

import argparse
import importlib
import signal
import statistics
import tempfile
from pathlib import Path

from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.subject.snapshots import load
from stateful.subject.target import parse_target

BARS = {
    "sortedcontainers.sortedlist": 57, "intervaltree.intervaltree": 67, "boltons.setutils": 84,
    "boltons.dictutils": 75, "boltons.cacheutils": 89, "treelib.tree": 50, "bintrees.rbtree": 27,
}  # fmt: skip
RECEIVERS = """
SELECT s.codec, s.bytes, t.pre_operands[1] FROM test_cases t JOIN snapshots s ON s.id = t.pre_snapshot
JOIN routines r ON r.id = t.routine_id
WHERE r.kind = 'method' AND NOT r.helper AND t.pre_operands[1] IS NOT NULL AND s.codec = 'pickle'
"""


def lengths(database: Database, target: str) -> list[int]:
    importlib.import_module(target)
    found = []
    for codec, data, index in database.rows(RECEIVERS):
        signal.setitimer(signal.ITIMER_REAL, 0.2)  # a broken container may count for ever
        try:
            found.append(len(load(codec, data)[index]))
        except Exception:
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def give_up(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=list(BARS))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--strategy", default="controlled")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, give_up)
    print(f"{'module':30} {'seed':>4} {'branches':>12} {'share':>6} {'bar':>4} {'median length':>14} {'largest':>8}")
    for target in options.targets:
        for seed in map(int, options.seeds.split(",")):
            with tempfile.TemporaryDirectory() as folder, Database.create(Path(folder) / "run.db") as database:
                run = RunOptions(seed, options.seconds, workers=options.workers, strategy=options.strategy)
                covered = run_session(database, [parse_target(target)], run).covered.as_json() or {"branches": [0, 1]}
                sizes = lengths(database, target) or [0]
            done, of = covered["branches"]
            size = f"{statistics.median(sizes):14.0f} {max(sizes):8}"
            bar = BARS.get(target, 0)
            print(f"{target:30} {seed:4} {done:6}/{of:<5} {100 * done / of:5.0f}% {bar:3}% {size}", flush=True)


if __name__ == "__main__":
    main()
