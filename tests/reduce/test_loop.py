"""What survives for want of other objects falls by fresh ones, which random testing makes between two rounds."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.reduce.loop import reduce_to_fixpoint
from stateful.reduce.scope import Limits, Scope
from stateful.store.database import Database
from tests.conftest import session

DOORS = "tests.subjects.doors:Doors"
KEPT = "SELECT r.name, c.kind, c.text FROM clauses c JOIN routines r ON r.id = c.routine_id WHERE c.status = 'kept'"
SESSIONS = "SELECT count(*) FROM sessions WHERE strategy = 'controlled'"


@pytest.fixture
def doors(tmp_path: Path) -> Path:
    """What thirty calls know: the lists are short, and no codes are odd."""
    path = tmp_path / "doors.db"
    with Database.create(path) as database:
        session(database, DOORS, tests=30, seed=2)
        evaluate_all(database)
        infer(database)
    return path


def reduced(path: Path, limits: Limits, scope: Scope | None = None) -> tuple[set[Any], int]:
    """The clauses that are kept, and how many sessions of random testing there were."""
    with Database.open(path, read_only=False) as database:
        reduce_to_fixpoint(database, scope, limits)
        return set(database.rows(KEPT)), database.value(SESSIONS)


def test_fresh_objects_fell_what_no_object_of_the_database_does(doors: Path, tmp_path: Path) -> None:
    with Database.open(doors) as database:
        inferred = set(database.rows(KEPT))
    without, sessions = reduced(Path(shutil.copy(doors, tmp_path / "other.db")), Limits(fresh=0))
    assert sessions == 1
    fresh, sessions = reduced(doors, Limits(fresh=3000))
    assert sessions > 1
    assert fresh & inferred < without & inferred


def test_who_asks_for_one_routine_gets_no_random_calls(doors: Path) -> None:
    assert reduced(doors, Limits(fresh=3000), Scope(routine="remember"))[1] == 1


def test_the_same_database_gives_the_same_rounds_again(doors: Path, tmp_path: Path) -> None:
    told = []
    for path in (doors, Path(shutil.copy(doors, tmp_path / "other.db"))):
        reduced(path, Limits(fresh=400))
        with Database.open(path) as database:
            clauses = database.rows("SELECT routine_id, kind, text, status FROM clauses ORDER BY ALL")
            tests = database.rows("SELECT digest FROM test_cases ORDER BY ALL")
            tried = database.rows("SELECT clause_id, way, found, tried, violating, verdict FROM reductions ORDER BY id")
        told.append((clauses, tests, tried))
    assert told[0] == told[1]
    assert len(told[0][1]) > 100


SLOW = """
import time

class Slow:
    def __init__(self) -> None:
        self._number = 0

    def add(self, number: int) -> None:
        self._number += number

    def value(self) -> int:
        time.sleep(0.1)
        return self._number

    def both(self, other: "Slow") -> int:
        time.sleep(0.1)
        return self._number + other._number
"""


def test_slow_queries_do_not_make_it_late(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    with Database.create(tmp_path / "slow.db") as database:
        session(database, str(tmp_path / "slow.py"), tests=60)
        evaluate_all(database, until=time.monotonic() + 8)
        infer(database)
        assert database.value("SELECT count(*) FROM clauses") > 3
        started = time.monotonic()
        reduce_to_fixpoint(database, seconds=3.0)
        assert time.monotonic() - started < 12
