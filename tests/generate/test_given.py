"""Objects that calls give are judged, too, also those of classes that nobody named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.generate.given import Own
from stateful.ingest.evaluation import targets_of
from stateful.report.faults import faults_of
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from tests.conftest import session
from tests.subjects.walks import Walk

WALK = "tests.subjects.walks:Walk"
STEP = Walk._Step("home", None)


@pytest.mark.parametrize(
    ("result", "given"),
    [
        (STEP, [("", STEP)]),
        ([1, STEP, "x", STEP], [("[1]", STEP), ("[3]", STEP)]),
        ((STEP,), [("[0]", STEP)]),
        ([STEP] * 9, [(f"[{place}]", STEP) for place in range(4)]),
        ([1] * 50 + [STEP], []),
        ({STEP: 1}, []),
        ("text", []),
        (None, []),
        (Path("."), []),
    ],
)
def test_what_a_call_gives(result: Any, given: list[tuple[str, Any]]) -> None:
    assert Own(discover([parse_target(WALK)])).given(result) == given


def test_objects_of_the_subject_are_judged_by_all_laws_and_not_again_as_given() -> None:
    own, walk = Own(discover([parse_target(WALK)])), Walk()
    assert own.has(walk)
    assert own.given(walk) == []
    assert own.given([walk]) == [("[0]", walk)]
    assert not own.has(STEP)


def test_a_step_that_cannot_be_shown_is_a_fault_with_a_reproducer(tmp_path: Path) -> None:
    with Database.create(tmp_path / "walk.db") as database:
        session(database, WALK, tests=200)
        confirm_faults(database, targets_of(database), seconds=20.0)
        (fault,) = faults_of(database)
    assert (fault.routine, fault.law, fault.confirmed) == (f"{WALK}.steps", "repr", True)
    with pytest.raises(AttributeError, match="upper"):
        exec(fault.reproducer, {})
