"""What a base from elsewhere or Python's library raises is told, and is not believed like a fault of the subject."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from tests.conftest import session

MODULE = "tests.subjects.strangers"
FAULTS = """
SELECT split_part(r.name, '.', -1), coalesce(f.exception, f.law), f.likelihood FROM faults f
JOIN routines r ON r.id = f.routine_id ORDER BY ALL
"""


def faults_in(path: Path, name: str, tests: int = 300) -> list[tuple[str, str, str]]:
    with Database.create(path) as database:
        session(database, f"{MODULE}:{name}", tests=tests)
        return database.rows(FAULTS)


@pytest.mark.parametrize("name", ["Parser", "Settings", "Worker"])
def test_what_a_class_inherits_from_elsewhere_is_not_its_fault(tmp_path: Path, name: str) -> None:
    found = faults_in(tmp_path / "run.db", name)
    assert found
    assert {likelihood for *_, likelihood in found} == {"suspicious"}


def test_what_the_library_refuses_may_be_a_precondition(tmp_path: Path) -> None:
    assert faults_in(tmp_path / "run.db", "Statistics") == [
        ("best", "ValueError", "suspicious"),
        ("leave", "SystemExit", "suspicious"),
        ("mean", "StatisticsError", "suspicious"),
        ("next", "Empty", "suspicious"),
        ("table", "ModuleNotFoundError", "suspicious"),
    ]


def test_hooks_are_not_called_and_that_is_said(tmp_path: Path) -> None:
    live = discover([parse_target(f"{MODULE}:Price")])
    assert {name for name in live.routines if "__" in name} == {f"{MODULE}:Price.__eq__"}
    told = dict(live.left_out)
    assert "hook" in told[f"{MODULE}:Price.__post_init__"]
    assert "hook" in told[f"{MODULE}:Price.__rich_repr__"]
    assert faults_in(tmp_path / "run.db", "Price") == []


def test_an_annotation_that_is_no_type_is_read_as_what_it_means(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{MODULE}:Noted")
        learned = dict(database.rows("SELECT name, learned[1] FROM parameters"))
        assert database.rows(FAULTS) == []
    assert learned["sizes"] in ("list[int]", "list[]")
    assert learned["either"] in ("int", "str")
    assert learned["table"].startswith("dict[")


def test_lazy_objects_and_classes_without_a_hash_end_nothing() -> None:
    live = discover([parse_target(MODULE)])
    assert f"{MODULE}:Statistics.mean" in live.routines
    assert not any("Nameless" in name for name in live.routines)
    told = dict(live.left_out)
    assert "no hash" in told[f"{MODULE}:Nameless"]
    assert "metaclass" in told[f"{MODULE}:Untold"]
