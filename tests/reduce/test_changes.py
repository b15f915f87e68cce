"""The subject changes: what the old version said goes, its calls are tried again, its faults are fixed or not."""

from __future__ import annotations

from pathlib import Path

from stateful.generate.confirm import confirm_faults
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all, targets_of
from stateful.ingest.merge import merge
from stateful.reduce.changes import meet_changes
from stateful.report.faults import faults_of
from stateful.store.database import Database
from tests.conftest import session

BROKEN = '''
class Tally:
    """Counts, up to a limit."""

    def __init__(self) -> None:
        self.count = 0
        self.last = None

    def add(self) -> None:
        self.count += 1

    def is_empty(self) -> bool:
        return self.count == 0

    def mean(self) -> float:
        return self.last.mean / self.count
'''
FIXED = BROKEN.replace("self.last.mean / self.count", "1.0 / (self.count or 1)")
TOUCHED = BROKEN.replace("up to a limit", "without a limit")
DATA = ("test_cases", "snapshots", "objects", "evaluations", "recipes", "transitions", "faults", "clauses")


def made(tmp_path: Path, name: str, source: str) -> Path:
    """A database of a session on this version, with inferred clauses."""
    (tmp_path / "tally.py").write_text(source)
    path = tmp_path / name
    with Database.create(path) as database:
        session(database, str(tmp_path / "tally.py"), tests=60)
        confirm_faults(database, targets_of(database))
        evaluate_all(database)
        infer(database)
    return path


def test_a_fixed_fault_is_told_and_no_version_is_mixed(tmp_path: Path) -> None:
    path = made(tmp_path, "run.db", BROKEN)
    (tmp_path / "tally.py").write_text(FIXED)
    with Database.open(path, read_only=False) as database:
        assert faults_of(database)
        told = meet_changes(database)
        assert told[0].startswith("changed: tally:Tally; ")
        assert told[1:] == ["fixed: Tally.mean  AttributeError"]
        assert {table: database.value(f"SELECT count(*) FROM {table}") for table in DATA} == dict.fromkeys(DATA, 0)
        assert database.value("SELECT count(*) FROM seeds") > 0
        session(database, str(tmp_path / "tally.py"), tests=60)
        evaluate_all(database)
        assert database.value("SELECT count(*) FROM seeds") == 0
        assert faults_of(database) == []
        assert database.value("SELECT count(*) FROM calls WHERE routine = 'tally:Tally.mean' AND outcome = 'pass'") > 0
        assert meet_changes(database) == []


def test_a_fault_that_is_still_there_is_found_by_the_first_calls(tmp_path: Path) -> None:
    path = made(tmp_path, "run.db", BROKEN)
    (tmp_path / "tally.py").write_text(TOUCHED)
    with Database.open(path, read_only=False) as database:
        assert meet_changes(database)[1:] == ["still there: Tally.mean  AttributeError"]
        session(database, str(tmp_path / "tally.py"), tests=4)
        assert [fault.routine for fault in faults_of(database)] == ["tally:Tally.mean"]


def test_of_two_versions_the_later_one_is_merged(tmp_path: Path) -> None:
    old, new = made(tmp_path, "old.db", BROKEN), made(tmp_path, "new.db", FIXED)
    counts = []
    for order in ((old, new), (new, old)):
        with Database.create(tmp_path / f"{order[0].stem}_first.db") as database:
            notes = [merge(database, run).note for run in order]
            assert "older" in notes[1]
            counts.append({
                table: database.value(f"SELECT count(*) FROM {table}") for table in ("test_cases", "faults", "seeds")
            })  # fmt: skip
            assert database.value("SELECT count(*) FROM calls WHERE outcome = 'fail'") == 0
    assert counts[0] == counts[1]
