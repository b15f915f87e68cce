"""Faults of classes whose calls are awkward to write down are found, and their code shows them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.report.faults import ListedFault, faults_of
from stateful.store.database import Database
from stateful.subject.target import parse_target
from tests.conftest import session

MODULE = "tests.subjects.awkward"


def faults_in(path: Path, name: str, tests: int) -> list[ListedFault]:
    with Database.create(path) as database:
        session(database, f"{MODULE}:{name}", tests=tests)
        confirm_faults(database, [parse_target(f"{MODULE}:{name}")])
        return list(faults_of(database))


@pytest.mark.parametrize(
    ("name", "exception", "line"),
    [
        ("Color", "ZeroDivisionError", "Color.BLACK.share()"),
        ("Ratios", "ZeroDivisionError", "list(ratios.lazily())"),
        ("Shown", "ZeroDivisionError", "shown.show(False)"),
        ("Scaled", "ZeroDivisionError", "scaled * (1+2j)"),
        ("Entered", "TypeError", "with entered as enter: pass"),
        ("Later", "KeyError", "asyncio.run(later.get())"),
        ("Volt", "ZeroDivisionError", "volt = Volt(0)"),
        ("Locked", "ZeroDivisionError", "with locked.held(): pass"),
    ],
)
def test_the_code_of_a_fault_shows_it_again(tmp_path: Path, name: str, exception: str, line: str) -> None:
    found = [fault for fault in faults_in(tmp_path / "run.db", name, 400) if fault.exception == exception]
    assert found
    assert all(fault.confirmed for fault in found)
    assert any(line in (fault.reproducer or "").splitlines() for fault in found), found[0].reproducer


def test_an_assert_about_a_new_object_is_about_the_arguments(tmp_path: Path) -> None:
    (fault,) = faults_in(tmp_path / "run.db", "Span", 100)
    assert (fault.exception, fault.likelihood) == ("AssertionError", "suspicious")
