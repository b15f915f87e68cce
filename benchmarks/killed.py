#!/usr/bin/env python3
"""Kill `stateful ingest` at random moments, and ingest again: is the database what it would have been?

    python benchmarks/killed.py                      fifty times
    python benchmarks/killed.py --times 6 --tests 150

Every kill is SIGKILL to the supervisor. After each the database has to open, and running ingest again has to complete
it to the content of a database that was never disturbed. Prints how far each got; exit code 1 if one of them differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need
sys.path.insert(0, str(Path(__file__).parents[1]))

import argparse
import random
import subprocess
import tempfile
import time

from stateful.errors import DatabaseError
from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.subject.target import parse_target
from tests.ingest.content import content_of, difference

ROOT = Path(__file__).parents[1]
COUNTED = "SELECT (SELECT count(*) FROM test_cases), (SELECT count(*) FROM snapshot_evaluations)"
SUBJECT = ROOT / "examples" / "linked_list.py"


def recorded(path: Path, tests: int) -> Path:
    with Database.create(path) as database:
        run_session(database, [parse_target(str(SUBJECT))], RunOptions(seed=1, tests=tests))
    return path


def ingest(run: Path, into: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "stateful", "ingest", str(run), "--db", str(into), "-q"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def killed_after(seconds: float, run: Path, into: Path) -> bool:
    """Whether the process was still at it."""
    process = ingest(run, into)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def state_of(path: Path) -> str:
    """What is in it now; a database that was not yet made is no damage."""
    if not path.exists():
        return "not made yet"
    try:
        with Database.open(path) as database:
            tests, done = (
                database.value(f"SELECT count(*) FROM {table}") for table in ("test_cases", "snapshot_evaluations")
            )
        return f"{tests} tests, {done} snapshots evaluated"
    except DatabaseError as error:
        return f"DOES NOT OPEN: {error}"


def trial(number: int, run: Path, after: float, wanted: dict[str, list[str]]) -> bool:
    """Kill one, ingest again, compare, tell; true if all is as it should be."""
    path = run.with_name(f"{number}.db")
    was = "killed" if killed_after(after, run, path) else "ended"
    got = state_of(path)
    again = ingest(run, path)
    _, said = again.communicate()
    differs = ["its end"]
    if again.returncode == 0:
        with Database.open(path) as database:
            differs = list(difference(wanted, content_of(database)))
    verdict = f"DIFFERS in {', '.join(differs)} {said.decode().strip()}" if differs else "complete"
    print(f"{number:3}  {was} after {after:.2f} s: {got}; again: {verdict}", flush=True)
    path.unlink(missing_ok=True)
    return not differs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--tests", type=int, default=3000, help="calls of the session that is ingested")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        run = recorded(Path(folder) / "run.db", options.tests)
        whole = Path(folder) / "whole.db"
        started = time.monotonic()
        ingest(run, whole).wait()
        lasts = time.monotonic() - started
        with Database.open(whole) as database:
            wanted = content_of(database)
        numbers = range(1, options.times + 1)
        good = sum(trial(number, run, moments.uniform(0.2, 1.0) * lasts, wanted) for number in numbers)
    print(f"{good} of {options.times} complete")
    sys.exit(0 if good == options.times else 1)


if __name__ == "__main__":
    main()
