"""What a relation says itself is tried, though no object of the database is it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.contracts import conjuncts, negate, parse, text
from stateful.ingest.evaluation import evaluate_all
from stateful.reduce.engine import reduce_clauses
from stateful.reduce.scope import Scope
from stateful.reduce.search import OperandSlot, Search
from stateful.reduce.solving import equations
from stateful.store.database import Database
from tests.conftest import session

DOORS = "tests.subjects.doors:Doors"


def wanted(violated: str, *required: str) -> Search:
    slots = (OperandSlot("self", (DOORS,)), OperandSlot("key", ("builtins:str",)))
    return Search(slots, conjuncts(negate(parse(violated))), tuple(map(parse, required)))


@pytest.mark.parametrize(
    ("clause", "term", "each"),
    [
        ("key not in self.codes", "self.codes", True),
        ("key != len(self)", "len(self)", False),
        ("len(self) != key", "len(self)", False),
        ("key < self.floor", "self.floor", False),
        ("key <= self.floor", "self.floor + 1", False),
        ("self.floor > key", "self.floor", False),
        ("self.floor >= key", "self.floor + 1", False),
        ("key > self.floor", "self.floor", False),
        ("key >= self.floor", "self.floor - 1", False),
        ("self is not key", "self", False),
        ("key != self", "self", False),
        ("type(key) is not type(self)", "self", False),
        ("key is not None", "None", False),
    ],
)
def test_a_relation_names_what_violates_it(clause: str, term: str, each: bool) -> None:
    (equation,) = equations(wanted(clause))
    assert (equation.slot, text(equation.term), equation.each) == ("key", term, each)


def test_any_objects_stand_in_the_other_slots() -> None:
    search = wanted("key not in self.codes", "len(key) > 2")
    (equation,) = equations(search)
    assert equation.wanted == search
    assert equation.others == Search(search.slots[:1], ())


@pytest.mark.parametrize("clause", ["not self.has(key)", "self not in key.rooms", "len(key) < len(self)"])
def test_other_relations_may_be_true_of_what_the_receiver_holds(clause: str) -> None:
    (equation,) = equations(wanted(clause))
    assert (equation.slot, text(equation.term), equation.each) == ("key", "self", True)


@pytest.mark.parametrize("clause", ["not self.is_full()", "self.floor > 3", "len(key) > 2"])
def test_what_no_argument_can_make_true_is_not_solved(clause: str) -> None:
    assert list(equations(wanted(clause))) == []


UNSOUND = (
    "code not in self.codes",
    "floor != self.floor + 77_777",
    "self is not code",
    "type(code) is not type(self)",
    "code is not None",
)


def test_a_precondition_falls_by_a_value_that_was_never_passed(tmp_path: Path) -> None:
    with Database.create(tmp_path / "doors.db") as database:
        session(database, DOORS, tests=300)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.open')")
        passed = database.value(
            "SELECT count(*) FROM readings WHERE predicate = '$.is_known($)' AND truth AND snapshot_id IN "
            "(SELECT pre_snapshot FROM test_cases WHERE routine_id = ?)",
            [routine],
        )
        clauses = [
            {"id": key, "routine_id": routine, "kind": "requires", "status": "kept", "template": "", "support": 9,
             "evidence": "", "rank": key, "text": content}
            for key, content in enumerate(UNSOUND, 1)
        ]  # fmt: skip
        database.append_rows("clauses", clauses)
        reduce_clauses(database, Scope(classes=(DOORS,)))
        told = database.rows("SELECT status, witness IS NOT NULL FROM clauses WHERE kind = 'requires' ORDER BY id")
    assert passed == 0
    assert told == [("removed", True)] * len(UNSOUND)


SAFE = """
class Safe:
    def __init__(self) -> None:
        self._codes = ["7" * 9]

    def __iter__(self):
        return iter(self._codes)

    def open(self, code: str) -> bool:
        return code in self._codes
"""


def test_a_promise_falls_by_a_value_that_no_call_had_for_its_object(tmp_path: Path) -> None:
    """Nothing in a promise has to be violated by the operands; but what all of them have in common is."""
    (tmp_path / "safe.py").write_text(SAFE)
    with Database.create(tmp_path / "safe.db") as database:
        session(database, str(tmp_path / "safe.py"), tests=100)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.open')")
        row = {"id": 1, "routine_id": routine, "kind": "ensures", "status": "kept", "template": "", "support": 9}
        database.append_rows("clauses", [{**row, "evidence": "", "rank": 1, "text": "code not in list(self)"}])
        reduce_clauses(database, Scope(classes=("safe:Safe",)))
        assert database.value("SELECT status FROM clauses WHERE id = 1") == "removed"


VAULT = """
class Vault:
    def __init__(self) -> None:
        self._codes = ["7" * 30]

    def __iter__(self):
        return iter(self._codes)

    def has(self, code: str) -> bool:
        return code in self._codes

    def open(self, code: str) -> bool:
        return len(code) == 30
"""


@pytest.mark.parametrize("clause", ["code not in self", "not self.has(code)"])
def test_the_items_of_the_receiver_itself_are_tried(tmp_path: Path, clause: str) -> None:
    """They are too long to be known to random testing; `has` does not say that it speaks of items."""
    (tmp_path / "vault.py").write_text(VAULT)
    with Database.create(tmp_path / "vault.db") as database:
        session(database, str(tmp_path / "vault.py"), tests=100)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.open')")
        row = {"id": 1, "routine_id": routine, "kind": "requires", "status": "kept", "template": "", "support": 9}
        database.append_rows("clauses", [{**row, "evidence": "", "rank": 1, "text": clause}])
        reduce_clauses(database, Scope(classes=("vault:Vault",)))
        assert database.value("SELECT status FROM clauses WHERE id = 1") == "removed"
