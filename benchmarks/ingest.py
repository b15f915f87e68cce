#!/usr/bin/env python3
"""Evaluations per second and core of `stateful ingest`, beside a bare loop that asks the same queries.

    python benchmarks/ingest.py                          three published packages, if they are there
    python benchmarks/ingest.py examples/linked_list.py --seconds 5

`bare` loads each snapshot, asks every query that ingest asked, guarded, appends the values, and dumps each object
once, plain values apart: nothing is encoded, nothing is written. Seconds are those that processors worked, of all
processes together, so that several workers at once gain nothing here. Only the ratio counts; the bar is 0.4. The calls
of `bare` are made in this process: name no target that you do not trust.
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
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.generate.session import RunOptions, run_session
from stateful.ingest.evaluation import Evaluated, evaluate_all
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.snapshots import dump, load
from stateful.subject.target import parse_target

PUBLISHED = ("sortedcontainers:SortedList", "boltons.setutils:IndexedSet", "intervaltree:IntervalTree")
Asked = Callable[..., Any]
Work = list[tuple[str, bytes, list[tuple[Asked, tuple[int, ...]]]]]


def seconds_worked() -> float:
    """Of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def ingested(database: Database) -> tuple[Evaluated, float]:
    """Evaluate everything; what was done, and the seconds that it took on all processors."""
    before = seconds_worked()
    done = evaluate_all(database)
    return done, seconds_worked() - before


def work_of(database: Database) -> Work:
    """For each snapshot the queries that were asked, as functions of its objects."""
    variables = ", ".join(f"e.var_{place}" for place in range(9))
    rows = database.rows(
        f"SELECT e.snapshot_id, p.text, {variables} FROM evaluations e JOIN predicates p ON p.id = e.predicate_id "
        "ORDER BY e.snapshot_id"
    )
    asked = {
        key: [(function(text), taken(places)) for _, text, *places in items] for key, items in groupby(rows, _first)
    }
    stored = database.rows("SELECT id, codec, bytes FROM snapshots WHERE codec <> 'recipe' ORDER BY id")
    return [(codec, data, asked[key]) for key, codec, data in stored if key in asked]


def _first(row: tuple[Any, ...]) -> Any:
    return row[0]


def taken(places: list[int | None]) -> tuple[int, ...]:
    return tuple(place for place in places if place is not None)


FUNCTIONS: dict[str, Asked] = {}


def function(predicate: str) -> Asked:
    """A predicate's text as a function of the objects that stand for its `$`."""
    if predicate not in FUNCTIONS:
        names = [f"x{place}" for place in range(predicate.count("$"))]
        parts = predicate.split("$")
        text = "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
        FUNCTIONS[predicate] = eval(f"lambda {', '.join(names)}: {text}")
    return FUNCTIONS[predicate]


def bare(work: Work) -> float:
    """The seconds that the bare loop works."""
    before = time.process_time()
    for codec, data, queries in work:
        objects = load(codec, data)
        values: list[Any] = []
        for ask, places in queries:
            try:
                values.append(ask(*[objects[place] for place in places]))
            except Exception:
                values.append(None)
        for value in objects:
            if not is_atom(value):
                dump([value])
    return time.process_time() - before


def report(target: str, seconds: float) -> str:
    with tempfile.TemporaryDirectory() as folder, Database.create(Path(folder) / "run.db") as database:
        run_session(database, [parse_target(target)], RunOptions(seed=1, seconds=seconds))
        done, worked = ingested(database)
        discover([parse_target(target)])
        work = work_of(database)
        rows = sum(len(queries) for _, _, queries in work)
        with contextlib.redirect_stdout(io.StringIO()):
            plain = min(bare(work) for _ in range(3))
    mine, theirs = rows / worked, rows / plain  # what was asked of queries that were then dropped counts for neither
    return (
        f"{target:32} {done.snapshots:7,} snapshots {rows:9,} evaluations   "
        f"ingest {mine:9,.0f}   bare {theirs:9,.0f} a second   ratio {mine / theirs:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=list(PUBLISHED))
    parser.add_argument("--seconds", type=float, default=10.0, help="of random testing before")
    options = parser.parse_args()
    for target in options.targets:
        print(report(target, options.seconds), flush=True)


if __name__ == "__main__":
    main()
