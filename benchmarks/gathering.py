#!/usr/bin/env python3
"""What a round of reduction gets through with gathered facts, and with joins, on copies of one database.

    python benchmarks/gathering.py .stateful/stateful.db --seconds 30

The database has clauses that were not reduced yet: `stateful run`, `ingest`, `infer`. Both rounds have the same time,
one after the other; then the searches of the first are asked again in both ways, one beside the other.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from stateful.reduce.engine import Reduced, reduce_clauses
from stateful.reduce.gathering import gathering
from stateful.reduce.search import Found, Search, Words, search
from stateful.store.database import Database

MOST_ASKED = 300


@contextmanager
def nothing(_: Database) -> Iterator[None]:
    yield None


def round_of(path: Path, seconds: float, *, gathered: bool, asked: list[Search]) -> Reduced:
    """One round on a copy of the database; what it searches for is added to `asked`."""

    def noted(database: Database, wanted: Search, **options: Any) -> Iterator[Found]:
        asked.append(wanted)
        return search(database, wanted, **options)

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, Path(folder) / "copy.db"))
        way = gathering if gathered else nothing
        with (
            Database.open(copy, read_only=False, accept=True) as database,
            mock.patch("stateful.reduce.searches.gathering", way),
            mock.patch("stateful.reduce.searches.search", noted),
        ):
            return reduce_clauses(database, seconds=seconds)


def side_by_side(path: Path, asked: list[Search]) -> tuple[list[float], list[float]]:
    """Milliseconds of each search: with facts, and with joins."""
    times: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, Path(folder) / "copy.db"))
        with Database.open(copy, read_only=False, accept=True) as database, gathering(database) as made:
            if made is None:
                sys.exit("the database is too large to gather its facts: its rounds join them")
            plain = Words.of(database)
            with database.beside(made[0]) as beside:
                for wanted in list(dict.fromkeys(asked))[:MOST_ASKED]:
                    for found, words in zip(times, (replace(plain, gathered=made[1]), plain), strict=True):
                        started = time.perf_counter()
                        list(search(beside, wanted, words=words))
                        found.append(1000 * (time.perf_counter() - started))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    asked: list[Search] = []
    print(f"{'':8} {'clauses':>8} {'tried':>8} {'new tests':>10} {'removed':>8}")
    for name, gathered in (("facts", True), ("joins", False)):
        done = round_of(options.database, options.seconds, gathered=gathered, asked=asked)
        print(f"{name:8} {done.clauses:8} {done.tried:8} {done.tests:10} {done.removed:8}", flush=True)
    facts, joins = side_by_side(options.database, asked)
    for name, times in (("facts", facts), ("joins", joins)):
        print(f"{name}: a search takes {statistics.mean(times):.0f} ms, at the median {statistics.median(times):.0f}")
    print(f"joins : facts = {sum(joins) / sum(facts):.1f}")


if __name__ == "__main__":
    main()
