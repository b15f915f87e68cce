"""What is searched for to violate a clause."""

from __future__ import annotations

from typing import cast

import pytest

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.reduce.clauses import Challenge, Clause, challenges, fitted, groups_of
from stateful.reduce.known import Known
from stateful.reduce.slots import Slots


class Required:
    """The part of `Known` that preconditions ask."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def required(self, _: int) -> list[n.Expr]:
        return [parse(text) for text in self.texts]

    def told_apart(self, _: int) -> list[n.Expr]:
        return [parse("self.full"), parse("self.closed")]

    def classes_at(self, _: int, *, understood: bool = False) -> dict[int, list[str]]:
        return {1: ["builtins:str"], 2: ["builtins:int"]}


FULL, CLOSED = parse("self.full"), parse("self.closed")


def challenged(text: str, *others: str, kind: str = "requires") -> list[Challenge]:
    clause = Clause(1, kind, parse(text), 1, "m:C.pop", "method", "m:C", ("key", "default"))
    return list(challenges(cast(Known, Required(text, *others)), [clause]))


def test_a_precondition_is_violated_where_arguments_fit_the_objects() -> None:
    fitting, free = challenged("len(self) < self.limit", "key in self", "len(self) > 0")
    assert fitting.violated == free.violated == (parse("not len(self) < self.limit"),)
    assert fitting.required == (parse("key in self"), parse("len(self) > 0"))
    assert free.required == ()
    assert fitting.varied == (FULL, CLOSED)
    assert free.varied == (parse("key in self"), parse("len(self) > 0"), FULL, CLOSED)


def test_operands_need_not_differ_in_what_they_violate() -> None:
    (only,) = challenged("not self.full")
    assert only.violated == (FULL,)
    assert only.varied == (CLOSED,)


def test_a_number_may_be_too_small_or_too_large() -> None:
    (only,) = challenged("self.count == 1")
    assert only.varied == (parse("self.count < 1"), FULL, CLOSED)
    (other,) = challenged("self.name == key")
    assert other.varied == (FULL, CLOSED)


def test_there_is_one_search_if_the_others_speak_of_the_same_objects() -> None:
    (only,) = challenged("len(self) < self.limit", "len(self) > 0")
    assert only.varied == (parse("len(self) > 0"), FULL, CLOSED)
    assert challenged("key in self", "len(self) > 0") == [
        Challenge((parse("key not in self"),), varied=(parse("len(self) > 0"), FULL, CLOSED))
    ]


def test_what_is_violated_is_not_required() -> None:
    fitting, _ = challenged("len(self) > 0", "key in self", "not len(self) > 0")
    assert not set(fitting.violated) & set(fitting.required)


def test_an_exception_is_looked_for_with_other_values_in_every_slot() -> None:
    sides = challenged("raises(ValueError) == old(default < 1)", kind="raises")
    assert [side.every for side in sides] == [False, False, True]
    assert sides[2].violated == sides[1].violated != ()


def test_a_promise_is_challenged_where_the_preconditions_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stateful.reduce.clauses.in_common", lambda *_: (parse("len(self) == 1"),))
    clause = Clause(
        1, "ensures", parse("implies(old(self.full), result == 1)"), 1, "m:C.pop", "method", "m:C", ("key",)
    )
    fitting, free = challenges(cast(Known, Required("key in self", "self.full")), [clause])
    assert fitting.required == (parse("self.full"), parse("key in self"))
    assert free.required == (parse("self.full"),)
    assert fitting.varied == free.varied == (parse("len(self) == 1"), CLOSED)


def promise(*parameters: str) -> Clause:
    return Clause(1, "ensures", parse("result == 1"), 1, "m:C.pop", "method", "m:C", parameters)


def test_an_unconditional_promise_is_challenged_where_the_preconditions_hold_too() -> None:
    fitting = fitted(cast(Known, Required("key in self", "len(self) > 0")), promise("key"), Challenge(varied=(FULL,)))
    assert fitting == Challenge(required=(parse("key in self"), parse("len(self) > 0")), varied=(FULL,))
    assert fitted(cast(Known, Required("len(self) > 0")), promise("key"), Challenge()) is None


def test_of_several_arguments_each_is_searched_for_alone() -> None:
    """Those of different calls seldom fit each other."""
    slots = Slots(cast(Known, Required()), {})
    written = (parse("default > 0"), parse("key != default"))
    found = {}
    for parameters in ((), ("key",), ("key", "default")):
        chosen = slots.wanted(promise(*parameters), Challenge(), (), objects=True)
        others = slots.others(promise(*parameters), Challenge(), chosen, written if len(parameters) > 1 else ())
        found[parameters] = [([slot.name for slot in one.slots], one.required) for one in others]
    assert found == {
        (): [],
        ("key",): [(["self", "key"], ())],
        ("key", "default"): [(["key"], ()), (["default"], written[:1])],
    }


def test_what_shares_its_calls_is_challenged_together_and_preconditions_first() -> None:
    def clause(key: int, kind: str, content: str, routine: int = 1) -> Clause:
        return Clause(key, kind, parse(content), routine, "m:C.pop", "method", "m:C", ())

    waiting = [
        clause(1, "raises", "raises(KeyError) == old(len(self) == 0)"),
        clause(2, "ensures", "implies(old(self.full), result == 1)"),
        clause(3, "ensures", "result == 2"),
        clause(4, "ensures", "implies(old(self.full), result == 3)"),
        clause(5, "ensures", "implies(old(self.closed), result == 3)"),
        clause(6, "ensures", "implies(old(self.full), result == 3)", routine=2),
        clause(7, "requires", "self.full"),
        clause(8, "ensures", "result == 4"),
        clause(9, "requires", "self.closed"),
        clause(10, "ensures", "implies(raises(KeyError), self.full)"),
    ]
    groups = [[one.id for one in several] for several in groups_of(waiting)]
    assert groups == [[7], [9], [3, 8, 10], [1], [2, 4], [5], [6]]


def test_only_a_few_slots_are_multiplied_of_which_nothing_is_said() -> None:
    names = tuple(f"option_{number}" for number in range(7))
    slots = Slots(cast(Known, Required()), {f"m:C.pop\t{slot}": ["int"] for slot in range(1, 8)})
    free = slots.wanted(promise(*names), Challenge(), (), values=True)
    assert [slot.name for slot in free.slots] == ["self", "option_0", "option_1", "option_2"]
    said = Challenge(required=tuple(parse(f"{name} > 0") for name in names))
    assert len(slots.wanted(promise(*names), said, (), values=True).slots) == 8
