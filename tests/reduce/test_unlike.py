"""Postconditions are tried on objects that are unlike those that they are known from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import stateful.reduce.ways as ways
from stateful.contracts import nodes as n
from stateful.contracts import parse, text
from stateful.infer.engine import infer
from stateful.reduce.engine import reduce_clauses
from stateful.reduce.known import Known
from stateful.reduce.scope import Limits, Scope
from stateful.reduce.search import OperandSlot, Search, Words, search
from stateful.reduce.unlike import in_common
from stateful.store.database import Database

LIST = "linked_list:LinkedList"
Fresh = Callable[[Path], Database]
ALWAYS = n.Constant(True)


def routine_of(database: Database, name: str) -> int:
    found: int = database.value("SELECT id FROM routines WHERE ends_with(name, ?)", [f".{name}"])
    return found


def is_empty(database: Database, snapshot: int, index: int) -> bool:
    rows = database.rows(
        "SELECT truth FROM readings WHERE snapshot_id = ? AND predicate = '$.is_empty()' AND var_0 = ?",
        [snapshot, index],
    )
    return bool(rows[0][0])


def test_the_first_objects_found_differ_in_what_should_vary(linked_list: Path) -> None:
    slot = (OperandSlot("self", (LIST,)),)
    with Database.open(linked_list) as database:
        (found,) = search(database, Search(slot, (), (), (parse("self.is_empty()"),)), most=2)
        seen = {is_empty(database, *item[0]) for item in found.tuples}
    assert seen == {True, False}
    assert found.shared == {parse("self.is_empty()"): False}


def test_another_turn_gives_other_objects(linked_list: Path) -> None:
    slot = (OperandSlot("self", (LIST,)),)
    with Database.open(linked_list) as database:
        turns = [next(search(database, Search(slot, (), (), (), turn), most=10)).tuples for turn in (0, 1, 1)]
    assert len({*turns[0], *turns[1]}) > 12
    assert turns[1] == turns[2]


def test_what_all_objects_found_share_is_said(linked_list: Path) -> None:
    slot, part = (OperandSlot("self", (LIST,)),), parse("self.is_empty()")
    with Database.open(linked_list) as database:
        (found,) = search(database, Search(slot, (), (parse("len(self) == 0"),), (part,)))
    assert found.tuples
    assert found.shared == {part: True}


def test_pairs_from_different_snapshots_use_many_objects(linked_list: Path) -> None:
    slots = (OperandSlot("self", (LIST,)), OperandSlot("other", (LIST,)))
    with Database.open(linked_list) as database:
        _, across = search(database, Search(slots, (), ()), most=20)
    for place in (0, 1):
        assert len({item[place] for item in across.tuples}) == len(across.tuples) == 20


def test_what_the_calls_had_in_common_is_known(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    routine = routine_of(database, "pop")
    said = {text(part) for part in in_common(Known(database), routine, [parse("result in old(list(self))")], ALWAYS)}
    assert "not self.is_empty()" in said
    assert "len(self) == 0" not in said


def test_what_a_conclusion_says_of_the_state_before_is_in_common_if_it_held(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    routine = routine_of(database, "has")
    premise = parse("self.is_empty()")
    said = in_common(Known(database), routine, [parse("len(self) <= 0")], premise)
    assert parse("len(self) <= 0") in said
    assert premise not in said


@pytest.mark.parametrize("varies", [True, False])
def test_a_promise_known_from_similar_objects_falls_on_one_that_is_not(
    linked_list: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch, varies: bool
) -> None:
    """Two calls are enough to refute it, if they are made on different objects."""
    database = fresh(linked_list)
    infer(database)
    routine = routine_of(database, "is_empty")
    database.run(
        "DELETE FROM test_cases WHERE routine_id = ? AND pre_snapshot IN "
        "(SELECT snapshot_id FROM readings WHERE predicate = '$.is_empty()' AND truth)",
        [routine],
    )
    row = {"id": 9999, "routine_id": routine, "kind": "ensures", "text": "not result", "status": "kept"}
    database.append_rows("clauses", [{**row, "template": "t", "support": 9, "evidence": "", "rank": 0}])
    database.run(
        "DELETE FROM objects WHERE (snapshot_id, index) IN "
        "(SELECT (snapshot_id, var_0) FROM readings WHERE predicate = '$.is_empty()' AND truth) "
        "AND snapshot_id % 7 > 0"
    )  # empty lists are rare
    if not varies:
        monkeypatch.setattr(ways, "in_common", lambda *_: ())
    reduce_clauses(database, Scope(clause="not result"), Limits(most=2, chain=1))
    status = database.value("SELECT status FROM clauses WHERE id = 9999")
    assert status == ("removed" if varies else "kept")


def test_operands_are_told_apart_by_their_boolean_queries(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        told = {text(part) for part in Known(database).told_apart(routine_of(database, "append"))}
    assert {"self.is_empty()", "other.is_empty()"} <= told


def test_objects_of_several_classes_are_tried_in_turns() -> None:
    words = Words({}, {"m:Shape": (3, 5), "builtins:int": (1, 2)})
    shape, number = OperandSlot("self", ("m:Shape",)), OperandSlot("v", ("builtins:int",))
    assert shape.ids(words) == [3, 5]
    assert shape.has_subclasses(words)
    assert not number.has_subclasses(words)
    assert not shape.has_subclasses(Words({}, {"m:Shape": (3,)}))
