"""Ingest: merging is by content, evaluations are the values on loaded objects, queries that change are found out."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

from stateful.contracts import Moment, compiled
from stateful.contracts.predicate import bound
from stateful.contracts.values import encode
from stateful.ingest.evaluation import evaluate_all
from stateful.ingest.ledger import Ledger
from stateful.ingest.observe import Observation
from stateful.ingest.observer import public_paths
from stateful.ingest.questions import Query, Questions
from stateful.ingest.reach import reached
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.snapshots import load
from stateful.subject.target import parse_target
from tests.conftest import EXAMPLES, session
from tests.subjects.bag import Bag


def test_every_evaluation_is_the_value_on_the_loaded_object(linked_list: Path) -> None:
    discover([parse_target(str(EXAMPLES / "linked_list.py"))])
    checked = 0
    with Database.open(linked_list) as database:
        for snapshot, codec, data in database.rows("SELECT id, codec, bytes FROM snapshots ORDER BY id")[::5]:
            rows = database.rows(
                "SELECT predicate, var_0, var_1, truth, kind, text FROM readings WHERE snapshot_id = ? AND arity <= 2",
                [snapshot],
            )
            for predicate, first, second, truth, kind, text in rows:
                objects = load(codec, data)
                operands = {"a": objects[first], "b": None if second is None else objects[second]}
                check(predicate, operands, truth, kind, text)
                checked += 1
    assert checked > 200


def check(predicate: str, operands: dict[str, Any], truth: bool | None, kind: str | None, text: str | None) -> None:
    expression = bound(predicate, ("a", "b")[: predicate.count("$")])
    assert compiled(expression)(Moment(operands)) == truth
    if kind == "int":
        assert encode(valued(predicate, operands["a"]))[1] == text


def valued(predicate: str, operand: Any) -> Any:
    """The value of a predicate of one object: itself, its length, or an attribute."""
    if predicate == "len($)":
        return len(operand)
    return operand if predicate == "$" else getattr(operand, predicate.removeprefix("$."))


def test_transitions_say_what_a_command_changes(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        changed_by = database.rows(
            "SELECT DISTINCT changed_by FROM changes "
            "WHERE ends_with(routine, '.extend') AND predicate = 'len($)' AND slots = [0]"
        )
        emptied = database.value(
            "SELECT sum(tests) FROM changes WHERE ends_with(routine, '.wipe_out') AND predicate = '$.is_empty()'"
        )
    assert changed_by == [(1,)]
    assert emptied > 0


def test_a_query_that_changes_its_object_is_found_out(tmp_path: Path) -> None:
    """It is taken off the list, and so is one that kills the worker or does not return; the snapshots are not lost."""
    with Database.create(tmp_path / "sly.db") as database:
        session(database, "tests.subjects.sly:Sly", tests=200, deadline=0.2)
        done = evaluate_all(database)
        predicates = {text for (text,) in database.rows("SELECT DISTINCT predicate FROM readings")}
        failed = database.value("SELECT count(*) FROM snapshot_evaluations WHERE status = 'failed'")
    assert "$.honest()" in predicates
    assert not predicates & {"$.counts()", "$.sly()", "$.leaves()", "$.loops()"}
    assert {f"tests.subjects.sly:Sly.{name}" for name in ("leaves", "loops")} <= set(done.changing)
    assert failed == 0


class Stack:
    """What it holds may be something that only the calls that build it can keep."""

    def __init__(self) -> None:
        self.items: list[object] = []

    def push(self, item: object) -> None:
        self.items.append(iter([item]) if len(self.items) % 2 else (one for one in (item,)))

    def is_empty(self) -> bool:
        return not self.items


def test_what_cannot_be_compared_does_not_make_a_query_a_command(tmp_path: Path) -> None:
    """A state that is kept as calls has one more after any call, also after a question."""
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{__name__}:Stack", tests=300)
        evaluate_all(database)
        assert changed_by(database, "is_empty", "recipe") == {None}
        assert is_queried(database, "is_empty")


class Hooks:
    """Only dill keeps what it holds: a function that was made in a call."""

    def __init__(self, first: int) -> None:
        self.items = [first]
        self.hook = lambda value: value + first

    def push(self, item: int) -> None:
        self.items.append(item)

    def is_empty(self) -> bool:
        return not self.items

    def hooked(self, value: int) -> int:
        result: int = self.hook(value)
        return result


def test_what_dill_keeps_is_compared_without_the_result(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{__name__}:Hooks", tests=300)
        evaluate_all(database)
        assert changed_by(database, "is_empty", "dill") == {False}
        assert changed_by(database, "hooked", "dill") == {False}
        assert changed_by(database, "push", "dill") == {True}
        assert is_queried(database, "is_empty")


class Lazy:
    """Its state is plain; what it gives is not."""

    def __init__(self) -> None:
        self.count = 0

    def later(self) -> object:
        return lambda: self

    def next(self) -> object:
        self.count += 1
        return lambda: self.count

    def gone(self) -> object:
        return (each for each in [self.count])


def test_a_result_that_pickle_cannot_keep_changes_no_operand(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{__name__}:Lazy", tests=100)
        assert changed_by(database, "later", "pickle") == {False}
        assert changed_by(database, "next", "pickle") == {True}
        assert changed_by(database, "gone", "pickle") == {False}


class Lamp:
    """It has no attribute before it is switched on."""

    lit = False

    def switch(self) -> None:
        self.lit = True

    def is_lit(self) -> bool:
        return self.lit


class Socket:
    __slots__ = ("lamp",)

    def put(self, lamp: int) -> None:
        self.lamp = lamp

    def is_used(self) -> bool:
        return hasattr(self, "lamp")


class Filler:
    @staticmethod
    def fill(items: list[int], item: int) -> None:
        """The bytes of an empty list go on when it is filled."""
        items.append(item)


def test_what_is_empty_changes_when_it_comes_to_hold_something(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{__name__}:Lamp", tests=30)
        session(database, f"{__name__}:Socket", tests=30)
        session(database, f"{__name__}:Filler", tests=30)
        assert changed_by(database, "switch", "pickle") == {True, False}
        assert changed_by(database, "put", "pickle") >= {True}
        assert changed_by(database, "is_lit", "pickle") == changed_by(database, "is_used", "pickle") == {False}
        assert changed_by(database, "fill", "pickle") == {True}


def changed_by(database: Database, method: str, codec: str) -> set[bool | None]:
    """Did calls on what this codec keeps change it?"""
    return {changed for (changed,) in database.rows(
        "SELECT DISTINCT t.changed FROM test_cases t JOIN routines r ON r.id = t.routine_id JOIN snapshots s "
        "ON s.id = t.pre_snapshot WHERE ends_with(r.name, ?) AND s.codec = ? AND t.outcome = 'pass'",
        [f".{method}", codec],
    )}  # fmt: skip


def is_queried(database: Database, method: str) -> bool:
    return bool(database.value("SELECT queried FROM routines WHERE ends_with(name, ?)", [f".{method}"]))


def test_a_query_that_raises_is_undefined() -> None:
    empty = Bag([])
    ledger = Ledger()
    Observation(ledger, Questions({Bag: [Query("first", True)]}))([empty], 1)
    (row,) = [row for row in ledger.rows() if row.predicate == "$.first()"]
    assert row.value is None


def test_what_operands_reach_is_found_without_asking_them() -> None:
    inner, outer = Bag([1]), Bag([2])
    outer.partner = inner
    objects, bounded = reached([outer], {Bag: []})
    assert objects == [outer, inner]
    assert objects[1] is inner
    assert not bounded


def test_public_paths_lead_from_operands_to_what_they_reach() -> None:
    assert public_paths([(0, 7, 1), (1, 8, 2), (0, 9, 0), (2, 7, 1)], 1) == {1: (7, 0), 2: (8, 1)}


def test_evaluating_again_changes_nothing(linked_list: Path, fresh: Any) -> None:
    database = fresh(linked_list)
    before = database.value("SELECT count(*) FROM evaluations")
    assert evaluate_all(database).snapshots == 0
    assert database.value("SELECT count(*) FROM evaluations") == before


SLOW = """
import time

class Slow:
    def __init__(self) -> None:
        self.steps = 0

    def step(self) -> None:
        self.steps += 1

    def told(self) -> int:
        time.sleep(0.1)
        return self.steps
"""


def test_what_is_not_evaluated_in_time_is_left_for_the_next_time(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    with Database.create(tmp_path / "slow.db") as database:
        session(database, str(tmp_path / "slow.py"), tests=100)
        waiting = database.value("SELECT count(*) FROM snapshots")
        began = time.monotonic()
        first = evaluate_all(database, workers=1, until=began + 3).snapshots
        took = time.monotonic() - began
        assert 0 < first < waiting
        assert took < 7
        assert first + evaluate_all(database).snapshots == waiting


def test_nobody_is_blamed_where_copies_differ_by_themselves(tmp_path: Path) -> None:
    """A set of objects without a hash of their own is ordered by address, differently in each copy; and what one query
    writes is not blamed on others."""
    (tmp_path / "crowd.py").write_text(CROWD)
    with Database.create(tmp_path / "crowd.db") as database:
        session(database, str(tmp_path / "crowd.py"), tests=150)
        done = evaluate_all(database)
        predicates = {text for (text,) in database.rows("SELECT DISTINCT predicate FROM readings")}
    assert {"$.size()", "$.steady()", "len($)"} <= predicates
    assert "$.drifts()" in predicates  # it writes, but nobody sees it
    assert done.changing == []


CROWD = '''
class Member:
    def __init__(self, name: str = "x") -> None:
        self.name = name


class Crowd:
    """Holds members by identity."""

    def __init__(self) -> None:
        self._members = {Member(c) for c in "abcdefgh"}

    def size(self) -> int:
        return len(self._members)


class Drifting:
    """One of its queries is none."""

    def __init__(self, items: list[int]) -> None:
        self._items = list(items)
        self._asked = 0

    def steady(self) -> int:
        return len(self._items)

    def drifts(self) -> int:
        self._asked += len(self._items) > 1
        return 1
'''


def test_a_query_that_fills_a_cache_is_a_query(tmp_path: Path) -> None:
    """Although random testing saw that it changes its object. What changes an answer, its own or another, is none."""
    (tmp_path / "lazy.py").write_text(LAZY)
    with Database.create(tmp_path / "lazy.db") as database:
        session(database, str(tmp_path / "lazy.py"), tests=400)
        changed = {
            name.rpartition(".")[2]
            for (name,) in database.rows(
                "SELECT DISTINCT r.name FROM test_cases t JOIN routines r ON r.id = t.routine_id "
                "WHERE t.changed AND t.outcome = 'pass'"
            )
        }
        done = evaluate_all(database)
        texts = {text for (text,) in database.rows("SELECT DISTINCT predicate FROM readings")}
        totals = database.rows("SELECT DISTINCT truth = (text <> '0') FROM readings WHERE predicate = '$.total()'")
        again = evaluate_all(database, again=True)
    assert {"total", "mean", "take", "next_one"} <= changed
    assert {"$.total()", "$.mean", "$.size()"} <= texts
    assert not texts & {"$.take()", "$.next_one()", "$.add($)"}
    assert done.changing == []
    assert totals == [(True,)]
    assert again.snapshots == 0


LAZY = """
from functools import cached_property


class Lazy:
    def __init__(self, items: list[int]) -> None:
        self._items = list(items)
        self._total = None
        self._place = 0

    def size(self) -> int:
        return len(self._items)

    def total(self) -> int:
        if self._total is None:
            self._total = sum(self._items)
        return self._total

    @cached_property
    def mean(self) -> float:
        return self.total() / max(1, self.size())

    def add(self, item: int) -> int:
        self._items.append(item)
        self._total = None
        self.__dict__.pop("mean", None)
        return item

    def take(self) -> int:
        self._total = None
        return self._items.pop()

    def next_one(self) -> int:
        self._place += 1
        return self._place
"""


def test_what_kills_the_worker_beside_queries_blames_no_query(tmp_path: Path) -> None:
    """A view of a class that is not under test, an equality, a condition with a dollar: ingest comes to its end."""
    (tmp_path / "deadly.py").write_text(DEADLY)
    with Database.create(tmp_path / "deadly.db") as database:
        session(database, f"{tmp_path / 'deadly.py'}:Box,Touchy", tests=60)
        done = evaluate_all(database)
        texts = {text for (text,) in database.rows("SELECT DISTINCT predicate FROM readings")}
    assert "$.size()" in texts
    assert not any("'$'" in text for text in texts)
    assert {name.rpartition(":")[2] for name in done.changing} <= {"Helper", "Helper.__iter__"}


DEADLY = """
import os
import sys


class Helper:
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self):
        if sys._getframe(1).f_code.co_name == "_viewed":
            os._exit(1)
        return iter([])


class Box:
    sign = "#"

    def __init__(self, helper: Helper) -> None:
        self._helper = helper

    def size(self) -> int:
        return 1 if self.sign == "$" else 2


class Touchy:
    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        if sys._getframe(1).f_code.co_name == "_are_equal":
            os._exit(1)
        return self is other

    def size(self) -> int:
        return 1
"""


class Belt:
    """Its conditions call a command, and a query whose name begins like it."""

    def __init__(self) -> None:
        self.parts: list[int] = []

    def pop(self) -> int:
        return self.parts.pop()

    def put(self, part: int) -> None:
        self.parts.append(part)

    def popular(self) -> int:
        return len(self.parts)

    def drain(self) -> None:
        while self.pop() > 0:
            pass

    def trim(self) -> None:
        while self.parts.pop() > 0:
            pass

    def crowd(self) -> None:
        if self.popular() > 2 and self.popular() > 1:
            self.parts.clear()


def test_a_condition_that_calls_a_command_is_not_asked(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, f"{__name__}:Belt", tests=200)
        evaluate_all(database)
        asked = {content for (content,) in database.rows("SELECT text FROM predicates WHERE contains(text, ' ')")}
        assert evaluate_all(database).snapshots == 0
    assert "$.popular() > 2" in asked
    assert not any(".pop()" in content for content in asked), asked


class Ring:
    __slots__ = ("__next", "waiting")

    def __init__(self, following: object, waiting: object) -> None:
        self.__next = following
        self.waiting = waiting


class Tagged(deque[object]):
    """A container of one's own."""


def test_private_slots_and_every_container_are_reached() -> None:
    first, second, third = Bag([1]), Bag([2]), Bag([3])
    ring = Ring(first, deque([second]))
    objects, _ = reached([ring, Tagged([third])], {Bag: []})
    assert set(map(id, objects[2:])) == {*map(id, (first, second, third))}
