#!/usr/bin/env python3
"""How long inference takes on a real database of some 150,000 test cases of 900 routines, and how much memory.

    python benchmarks/infer_scale.py                            the published packages below, as far as they are there
    python benchmarks/infer_scale.py --tests 20000 examples/linked_list.py

The database is made by `stateful run` and `stateful ingest`. Clauses are inferred from half of its test cases, from all
of them, and again after new tests of every fiftieth routine, each in a process of its own. Bars: all under a minute on
this machine's cores, under 2 GiB, and at most 2.2 times as long as half of them. How fast the machine is just now is
printed, too: the seconds that ten million turns of a loop take.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import importlib.util
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from stateful.generate.session import RunOptions, run_session
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.target import parse_target

PUBLISHED = (
    "sortedcontainers", "boltons.setutils", "boltons.dictutils", "boltons.cacheutils", "boltons.listutils",
    "intervaltree", "disjoint_set",
)  # fmt: skip
CALLS_PER_TEST = 1.5
MOST_SECONDS, MOST_MEGABYTES, MOST_RATIO = 60, 2048, 2.2


def made(path: Path, targets: list[str], tests: int) -> None:
    """A database of about this many test cases."""
    with Database.create(path) as database:
        options = RunOptions(seed=1, tests=round(tests * CALLS_PER_TEST), deadline=1.0, workers=2)
        run_session(database, [parse_target(target) for target in targets], options)
        evaluate_all(database)


def part_of(source: Path, path: Path, keep: str) -> None:
    """A copy that holds only some of the test cases, and no clauses."""
    shutil.copy(source, path)
    with Database.open(path, read_only=False) as database:
        database.run(f"DELETE FROM test_cases WHERE NOT ({keep})")


def measured(path: Path) -> tuple[int, int, int, float, float]:
    """Test cases, routines, clauses; seconds and megabytes of a process that infers."""
    done = subprocess.run([sys.executable, __file__, "--infer", str(path)], capture_output=True, text=True, check=True)
    tests, routines, clauses, seconds, megabytes = done.stdout.split()
    return int(tests), int(routines), int(clauses), float(seconds), float(megabytes)


def infer_one(path: Path) -> None:
    """What `measured` runs."""
    with Database.open(path, read_only=False) as database:
        began = time.perf_counter()
        done = infer(database)
        seconds = time.perf_counter() - began
        tests, routines = database.rows("SELECT count(*), count(DISTINCT routine_id) FROM test_cases")[0]
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(tests, routines, done.clauses, seconds, used / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="what is tested")
    parser.add_argument("--tests", type=int, default=150_000, help="test cases, more or less")
    parser.add_argument("--database", type=Path, help="keep the database here, or use the one that is here")
    parser.add_argument("--infer", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.infer:
        infer_one(chosen.infer)
        return
    targets = chosen.targets or [name for name in PUBLISHED if importlib.util.find_spec(name.partition(".")[0])]
    with tempfile.TemporaryDirectory() as folder:
        source = chosen.database or Path(folder) / "all.db"
        if not source.exists():
            made(source, targets, chosen.tests)
        report(source, Path(folder))


def report(source: Path, folder: Path) -> None:
    print(f"{'':26} {'tests':>8} {'routines':>9} {'clauses':>8} {'seconds':>8} {'MB':>6}")
    seconds = []
    for name, keep in (("half of the test cases", "id % 2 = 0"), ("all of them", "TRUE")):
        part_of(source, folder / "part.db", keep)
        line = measured(folder / "part.db")
        seconds.append(line[3])
        print(f"{name:26} {line[0]:8,} {line[1]:9,} {line[2]:8,} {line[3]:8.1f} {line[4]:6.0f}", flush=True)
    megabytes = line[4]
    part_of(source, folder / "part.db", "id % 100 > 0")
    measured(folder / "part.db")
    with Database.open(folder / "part.db", read_only=False) as database:
        database.run(f"ATTACH '{source}' AS source (READ_ONLY)")
        database.run(
            "INSERT INTO test_cases SELECT * FROM source.test_cases WHERE id % 100 = 0 AND routine_id % 10 = 0"
        )
        database.run("DETACH source")
    line = measured(folder / "part.db")
    print(f"{'some new ones':26} {'':8} {'':9} {line[2]:8,} {line[3]:8.1f} {line[4]:6.0f}")
    print(f"all: {seconds[1]:.0f} s (bar {MOST_SECONDS}), {megabytes:.0f} MB (bar {MOST_MEGABYTES}), ", end="")
    print(f"{seconds[1] / seconds[0]:.2f} times half of them (bar {MOST_RATIO})")
    print(f"ten million turns of a loop: {yardstick():.1f} s")


def yardstick() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(10_000_000):
        total += number * number
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
