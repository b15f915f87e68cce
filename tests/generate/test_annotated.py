"""Annotations are understood however they are written, and attributes wherever they are declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from tests.conftest import session

PACKAGE = "tests.subjects.annotated"
MODULE = f"{PACKAGE}.parts"
OUTCOMES = """
SELECT split_part(routine, '.', -1) AS name, count(*) FILTER (outcome = 'pass'), count(*) FROM calls
WHERE starts_with(routine, ?) GROUP BY ALL
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """For each routine of `Part` the share of its test cases that pass."""
    path = tmp_path_factory.mktemp("annotated") / "parts.db"
    with Database.create(path) as database:
        session(database, f"{MODULE}:Part", tests=3000)
        rows = database.rows(OUTCOMES, [f"{MODULE}:Part."])
    return {name: passed / every for name, passed, every in rows}


@pytest.mark.parametrize("name", [
    "bound", "same", "checked", "at", "exact", "path", "pattern", "text", "queue", "ordered", "defaults", "counted",
    "taken", "area", "modes", "kinds", "by_name", "several", "made",
])  # fmt: skip
def test_most_calls_pass_with_what_the_annotation_means(parts: dict[str, float], name: str) -> None:
    assert parts[name] > 0.5


def test_a_field_is_annotated_where_it_was_written(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{MODULE}:Child")
        rows = database.rows(OUTCOMES, [f"{MODULE}:Child.shown"])
    assert rows[0][1] == rows[0][2] > 3


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("Slotted", {"total"}),
        ("Defaulted", {"total"}),
        ("Pair", {"left", "right"}),
        ("Account", {"balance"}),
        ("Child", {"kind", "size", "label"}),
    ],
)
def test_attributes_are_read_wherever_they_are_declared(name: str, attributes: set[str]) -> None:
    live = discover([parse_target(f"{MODULE}:{name}")])
    assert {r.model.short for r in live.routines.values() if r.model.kind == "attribute"} == attributes


def test_what_happens_to_a_field_is_inferred(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{MODULE}:Account")
        evaluate_all(database)
        infer(database)
        texts = {text for (text,) in database.rows("SELECT text FROM clauses WHERE kind = 'ensures'")}
    assert "self.balance == old(self.balance) - amount" in texts


@pytest.mark.parametrize(
    ("name", "names"), [("Registered", ["name", "size"]), ("Fresh", ["one", "two", "three", "four"])]
)
def test_a_constructor_that_hands_everything_on_is_asked_what_to(name: str, names: list[str]) -> None:
    model = discover([parse_target(f"{MODULE}:{name}")]).routines[f"{MODULE}:{name}"].model
    assert [parameter.name for parameter in model.parameters] == names
    assert all(parameter.required for parameter in model.parameters)


def test_a_typed_dict_is_no_class_to_test() -> None:
    live = discover([parse_target(MODULE)])
    assert not any("Area" in name for name, routine in live.routines.items() if not routine.model.helper)
    assert "typed dict" in dict(live.left_out)[f"{MODULE}:Area"]


ASKED = """
class Version:
    def __init__(self, major, minor):
        self.major, self.minor = int(major), int(minor)

    def bump(self):
        return Version(self.major + 1, 0)


class Range:
    def start(self, version):
        self.low, self.high = version, version.bump()

    def day(self, when):
        return when.isoformat()

    def put(self, entry):
        \'\'\'Keep it.

        Args:
            entry (Version): what is kept
        \'\'\'
        return [entry.bump]
"""


def test_most_calls_pass_with_what_has_the_attributes_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "versions.py").write_text(ASKED)
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{tmp_path / 'versions.py'}", tests=1500)
        rows = database.rows(OUTCOMES, ["versions:Range."])
    shares = {name: passed / every for name, passed, every in rows}
    assert min(shares[name] for name in ("start", "day", "put")) > 0.5


CHECKED = """
class Checked:
    def __set_name__(self, owner, name):
        self.place = f"_{name}"

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.place, 0)

    def __set__(self, instance, value: int) -> None:
        if value < 0:
            raise ValueError("negative")
        setattr(instance, self.place, value)


class Box:
    weight = Checked()
"""


def test_a_descriptor_is_assigned_to_like_a_property(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text(CHECKED)
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{tmp_path / 'boxes.py'}:Box", tests=400)
        rows = database.rows("SELECT routine, outcome, count(*) FROM calls WHERE ends_with(routine, '=') GROUP BY ALL")
        found = {(routine, outcome): count for routine, outcome, count in rows}
        written = database.value("SELECT text FROM clauses WHERE status = 'written'")
    assert found["boxes:Box.weight=", "pass"] > 5
    assert found["boxes:Box.weight=", "refuse"] > 1
    assert written == "not value < 0"
