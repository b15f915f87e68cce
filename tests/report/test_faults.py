"""What users see of a fault: its place in the list, its explanation, and what was ranked away."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.generate.session import RunOptions, run_session
from stateful.ingest.evaluation import evaluate_all
from stateful.report.explaining import explained
from stateful.report.faults import ListedFault, faults_of, shown_list
from stateful.store.database import Database
from stateful.subject.target import parse_target

SUBJECT = '''
import time


class Shelf:
    """Books on a shelf."""

    def __init__(self) -> None:
        self.books: list[str] = []

    def add(self, book: str) -> None:
        self.books.append(book)

    def is_empty(self) -> bool:
        return not self.books

    def take(self) -> str:
        return self.books.pop()

    def label(self) -> str:
        return self.lable

    def weigh(self) -> int:
        return [1][time.time_ns() % 3]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shelf) and bool(self.books) and self.books == other.books
'''


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    folder = tmp_path_factory.mktemp("shelf")
    subject = folder / "shelf.py"
    subject.write_text(SUBJECT)
    with Database.create(folder / "run.db") as database:
        target = parse_target(str(subject))
        run_session(database, [target], RunOptions(seed=1, tests=600))
        evaluate_all(database)
        confirm_faults(database, [target])
    return Database.open(folder / "run.db")


@pytest.fixture
def faults(database: Database) -> dict[str, ListedFault]:
    return {fault.routine.rpartition(".")[2]: fault for fault in faults_of(database)}


def test_believable_faults_come_first_and_flaky_ones_last(database: Database) -> None:
    found = faults_of(database)
    order = [("certain", "likely", "suspicious").index(fault.likelihood) + 3 * fault.flaky for fault in found]
    assert order == sorted(order)
    assert [fault.id for fault in found] == [f"F{place}" for place in range(1, len(found) + 1)]


def test_a_precondition_that_nobody_wrote_is_told_as_one(faults: dict[str, ListedFault]) -> None:
    fault = faults["take"]
    assert fault.likelihood == "suspicious"
    needed = ("requires not self.is_empty(), else IndexError", "requires len(self.books) != 0, else IndexError")
    assert fault.reason.startswith("an undocumented precondition: take ")
    assert fault.reason.removeprefix("an undocumented precondition: take ") in needed


def test_an_exception_without_an_argument_to_blame_is_likely(faults: dict[str, ListedFault]) -> None:
    assert (faults["label"].likelihood, faults["label"].exception) == ("likely", "AttributeError")
    assert faults["label"].confirmed


def test_a_broken_law_names_its_method_and_fails_when_pasted(faults: dict[str, ListedFault]) -> None:
    fault = faults["__eq__"]
    assert (fault.kind, fault.law) == ("law", "equality with itself")
    assert fault.reproducer is not None
    assert fault.reproducer.endswith("assert shelf == shelf")


TWO_WAYS = """
class Lamp:
    def __init__(self) -> None:
        self.volts = 230

    def _glow(self) -> int:
        return self.watts

    def light(self) -> int:
        return self._glow()

    def blink(self) -> int:
        return self._glow()
"""


def test_a_fault_is_told_of_what_its_reproducer_calls(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text(TWO_WAYS)
    target = parse_target(str(tmp_path / "lamp.py"))
    with Database.create(tmp_path / "run.db") as database:
        run_session(database, [target], RunOptions(seed=1, tests=60))
        database.run("UPDATE faults SET routine_id = (SELECT id FROM routines WHERE kind = 'constructor')")
        confirm_faults(database, [target])
        (fault,) = faults_of(database)
    assert fault.reproducer is not None
    assert fault.reproducer.endswith(f"lamp.{fault.routine.rpartition('.')[2]}()")


def test_what_does_not_happen_again_is_flaky(database: Database, faults: dict[str, ListedFault]) -> None:
    fault = faults["weigh"]
    if fault.flaky:  # its clock may show the same again
        assert "did not happen again" in fault.reason
        outcomes = database.rows(
            "SELECT DISTINCT outcome FROM test_cases WHERE fault::VARCHAR = ?::UUID::VARCHAR", [fault.digest]
        )
        assert outcomes == [("flaky",)]


def test_less_believable_faults_get_a_line_each(database: Database) -> None:
    found = faults_of(database)
    brief, full = list(shown_list(found, every=False)), list(shown_list(found))
    assert not any("shelf.take()" in line for line in brief)
    assert any("Shelf.take  IndexError" in line for line in brief)
    assert any(line.strip() == "shelf.take()" for line in full)
    assert list(shown_list([])) == ["no faults found"]


def test_a_fault_is_explained(database: Database, faults: dict[str, ListedFault]) -> None:
    text = "\n".join(explained(faults["take"], database))
    assert "return self.books.pop()" in text  # the line of the source
    assert "why              suspicious: an undocumented precondition" in text
    assert "a false alarm if the routine must not be called like this" in text
    shows, passes = text.split("while these pass:")
    assert "shelf.take()" in shows
    assert "shelf.add(" not in shows
    assert "shelf.add(" in passes
    assert "shelf.take()" in passes


def test_a_reproducer_that_passes_confirms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shelf.py").write_text(SUBJECT)
    monkeypatch.setattr("stateful.generate.confirm._Confirming.executed", lambda *_: None)
    with Database.create(tmp_path / "run.db") as database:
        target = parse_target(str(tmp_path / "shelf.py"))
        run_session(database, [target], RunOptions(seed=1, tests=200))
        confirm_faults(database, [target])
        found = faults_of(database)
    assert {fault.kind for fault in found} == {"exception", "law"}
    assert not any(fault.confirmed for fault in found)
