"""What is remembered of objects in the same states is what they would answer if they were asked again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stateful.ingest.ledger import Ledger
from stateful.ingest.memory import Memory
from stateful.ingest.observe import Observation
from stateful.ingest.questions import Condition, Query, Questions
from stateful.subject.snapshots import dump, dump_apart, load
from tests.subjects.bag import Bag

ANY = frozenset(("int", "str", "bool", "float", "NoneType", "list", "builtins:int", "tests.subjects.bag:Bag"))
ATOMS = st.one_of(st.integers(-2, 2), st.booleans(), st.sampled_from(["", "a", 0.0, -0.0, None]))
LISTS = st.lists(st.integers(0, 2), max_size=3)
OPERANDS = st.lists(st.one_of(ATOMS, LISTS, LISTS.map(Bag)), min_size=1, max_size=4)


def questions() -> Questions:
    queries = [Query(name, True) for name in ("first", "copy")]
    asked = [*queries, Query("has", True, (ANY,)), Query("partner", False)]
    return Questions({Bag: asked}, [Condition("x0 is x1", {"x0": ANY, "x1": ANY})])


def rows(ledger: Ledger, objects: list[Any], observation: Observation, *, remembering: bool) -> list[Any]:
    ledger.start()
    observation.start(objects, len(objects), observation.memory.states(objects) if remembering else None)
    observation.finish()
    observation.memory.keep()
    return list(ledger.rows())


@given(st.lists(OPERANDS, min_size=2, max_size=8), st.booleans())
def test_what_is_remembered_is_what_would_be_answered(snapshots: list[list[Any]], linked: bool) -> None:
    ledger = Ledger()
    observation = Observation(ledger, questions())
    for operands in snapshots:
        if linked:
            for bag, other in pairwise(operands):
                if isinstance(bag, Bag):
                    bag.partner = other
        data = dump(operands)[1]
        remembered = rows(ledger, load("pickle", data), observation, remembering=True)
        fresh = Ledger()
        assert remembered == rows(fresh, load("pickle", data), Observation(fresh, questions()), remembering=False)


def test_a_query_is_asked_once_of_objects_in_the_same_state() -> None:
    asked: list[Any] = []

    class Asked(Query):
        def ask(self, value: Any, *arguments: Any) -> Any:
            asked.append(value)
            return 1

    observation = Observation(Ledger(), Questions({Bag: [Asked("first", True)]}))
    for _ in range(3):
        rows(observation.ledger, [Bag([1]), 5], observation, remembering=True)
    rows(observation.ledger, [Bag([2]), 5], observation, remembering=True)
    assert len(asked) == 2


def test_objects_that_share_a_part_are_not_taken_for_themselves() -> None:
    part = [1]
    one, other = Bag([]), Bag([])
    one.partner = other.partner = part
    assert dump_apart([one, other]) is None
    assert dump_apart([one, part]) is None
    assert dump_apart([one, 1]) is not None
    assert Memory().states([one, Bag([])]) is not None


def test_what_has_a_name_may_be_shown_by_anybody() -> None:
    assert dump_apart([NotImplemented]) is None
    assert dump_apart([len, int]) is not None
    assert dump_apart([questions, [1]]) is None


def test_a_changed_object_is_seen() -> None:
    bag = Bag([1])
    states = Memory().states([bag, 7])
    assert states is not None
    assert not states.are_changed()
    bag.partner = 1
    assert states.are_changed()


def test_two_objects_in_one_state_are_told_apart() -> None:
    memory = Memory()
    one, same = Bag([1]), Bag([1])
    both = memory.states([one, same])
    alone = memory.states([Bag([1])])
    assert both is not None
    assert alone is not None
    assert len(set(both.numbers)) == 2
    assert alone.numbers[0] in both.numbers
