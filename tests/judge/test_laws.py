"""Each law is broken by a class made for it, and obeyed by ordinary ones."""

from __future__ import annotations

import copy
from collections import OrderedDict, UserDict, UserList, deque
from random import Random
from typing import Any

import pytest

from stateful.errors import UsageError
from stateful.judge.law import State
from stateful.judge.lawbook import FIRST_STATES, LAWS, LawBook
from stateful.judge.own import law_from, lawbook_from
from tests.subjects import lawful
from tests.subjects.bag import Bag
from tests.subjects.lawless import (
    AlwaysTrue,
    BadRepr,
    BadStr,
    BothUnequal,
    Careless,
    Clinging,
    EqualToNone,
    FirstOnly,
    Forgetful,
    Grudging,
    Hoarder,
    LateEqual,
    Ledger,
    LessThanItself,
    Mistaken,
    NeverEqual,
    Polite,
    RandomHash,
    Restless,
    Sharing,
    Skipping,
    Stranger,
    Tidy,
    Unloadable,
    WrongLength,
)


def broken(value: object) -> set[str]:
    """The names of all laws that the object breaks."""
    return {each.law for each in LawBook().check(value, all_laws=True)}


@pytest.mark.parametrize(
    ("value", "law"),
    [
        (BadRepr(), "repr"),
        (BadStr(), "str"),
        (NeverEqual(), "equality with itself"),
        (EqualToNone(), "equality with None"),
        (BothUnequal(), "inequality"),
        (RandomHash(), "hash"),
        (WrongLength([1]), "length"),
        (Stranger([1]), "membership"),
        (Restless(), "iteration"),
        (AlwaysTrue(), "truth"),
        (LessThanItself(), "order"),
        (Forgetful([1, 2]), "copy"),
        (Forgetful([1, 2]), "deepcopy"),
        (Unloadable(3), "pickle"),
        (Sharing([1, 2]), "copy independent"),
        (Careless("+"), "copy attributes"),
        (LateEqual([1, 2]), "equality of list content"),
        (FirstOnly([5, 6, 7]), "__getitem__ like list"),
        (Skipping([1, 2, 3]), "__delitem__ like list"),
        (Hoarder({1, 2}), "discard like set"),
        (Hoarder({1, 2}), "pop like set"),
        (Grudging({"a": 1}), "setdefault like dict"),
        (Clinging({"a": 1}), "popitem like dict"),
        (Mistaken([0]), "length and is_empty()"),
        (Mistaken([0]), "length and empty"),
        (Mistaken([0]), "length of to_list"),
        (Mistaken([0]), "clear"),
    ],
)
def test_each_law_is_noticed_when_it_breaks(value: object, law: str) -> None:
    assert law in broken(value)


@pytest.mark.parametrize(
    "value",
    [
        [1, 2], {"a": 1}, {1, 2, 3}, frozenset([1]), "text", (1, 2), deque([1, 2, 3]), OrderedDict(a=1, b=2),
        UserDict({1: 2}), UserList([3, 1, 2]), Bag([1, 2]), Bag([]), iter([1]), object(), 5, [], {},
        set(), Mistaken([]), Mistaken([3, 4]),
    ],
)  # fmt: skip
def test_ordinary_objects_obey(value: object) -> None:
    assert broken(value) == set()


@pytest.mark.parametrize("value", lawful.OBJECTS, ids=lambda value: type(value).__name__)
def test_correct_classes_of_many_kinds_obey(value: object) -> None:
    assert broken(value) == set()


def test_what_holds_something_unhashable_need_not_be_hashable() -> None:
    assert "hash" not in broken(([],))


def test_what_others_set_on_an_object_is_no_option_of_its_class() -> None:
    labelled = Careless()
    labelled.label = "mine"  # type: ignore[attr-defined]
    assert broken(labelled) == set()


def test_an_option_that_is_nothing_may_be_nothing_in_another_way() -> None:
    assert broken(Tidy()) == set()
    assert broken(Tidy("a")) == set()


def test_nan_breaks_no_law_of_its_container() -> None:
    assert broken(Bag([float("nan")])) == set()  # type: ignore[list-item]
    assert broken({float("nan"): 1}) == set()


def test_every_law_says_what_holds_with_an_example() -> None:
    assert len({law.name for law in LAWS}) == len(LAWS)
    for law in LAWS:
        assert law.sentence
        compile(law.example, law.name, "exec")


def test_the_code_of_a_breach_fails_for_the_object_and_holds_for_a_lawful_one() -> None:
    found = [
        each for each in LawBook().check(Skipping([1, 2, 3]), all_laws=True) if each.law == "__delitem__ like list"
    ]
    with pytest.raises(AssertionError):
        exec(found[0].code, {"x": Skipping([1, 2, 3])})
    exec(found[0].code, {"x": [1, 2, 3]})


def test_an_exception_that_the_class_raises_on_purpose_breaks_no_promise() -> None:
    refusing = FirstOnly([1, 2])
    book = LawBook(None, lambda error: "on purpose" in str(error))
    assert "insert like list" not in {each.law for each in book.check(refusing, all_laws=True)}
    assert "insert like list" in broken(refusing)


def test_the_classes_own_check_is_a_law() -> None:
    assert broken(Ledger(1)) == set()
    found = LawBook().check(Ledger(-1), all_laws=True)
    assert [(each.law, type(each.error)) for each in found] == [("own check _check", AssertionError)]
    assert "own check check_rep" in broken(Polite(7))


# The book


def test_of_several_broken_laws_each_is_told() -> None:
    book = LawBook(Random(1))
    told = {getattr(book.worst(Forgetful([1, 2, place])), "law", None) for place in range(12)}
    assert {"copy", "deepcopy"} <= told


def test_what_a_class_always_breaks_is_let_pass_after_some_witnesses() -> None:
    book = LawBook(Random(1))
    for place in range(100):
        book.worst(marked(AlwaysTrue(), place))
    assert book.worst(AlwaysTrue()) is None
    tried, times = book.as_json()["tests.subjects.lawless:AlwaysTrue\ttruth\t"]
    assert times == tried == 101


def test_a_state_that_is_met_again_is_not_asked_again_and_counts_once() -> None:
    book = LawBook(Random(1))
    said = [book.worst(marked(AlwaysTrue(), place)) for place in (1, 2, 1, 1)]
    assert all(said)
    assert book.as_json()["tests.subjects.lawless:AlwaysTrue\ttruth\t"] == (2, 2)
    assert book.worst(UserList([1])) is None
    assert book.worst(UserList([1])) is None
    assert book.states[UserList] == 1


def marked(value: AlwaysTrue, mark: int) -> AlwaysTrue:
    """In a state of its own."""
    value.mark = mark  # type: ignore[attr-defined]
    return value


def test_costly_laws_are_asked_of_all_first_objects_and_of_some_later() -> None:
    book = LawBook(Random(1))
    place = Forgetful, "copy", ""
    for _ in range(FIRST_STATES):
        book.check(Forgetful([1]))
    assert book.tried[place] == FIRST_STATES
    for _ in range(600):
        book.check(Forgetful([1]))
    assert 0 < book.tried[place] - FIRST_STATES < 100


def test_checking_leaves_the_object_alone() -> None:
    value = UserList([3, 1, 2])
    before = copy.deepcopy(value)
    LawBook().check(value, all_laws=True)
    assert value == before


def test_a_state_gives_independent_copies() -> None:
    state = State([[1]])
    state.another()[0].append(2)
    assert state.another() == [[1]]


# The laws of users


def no_debt(ledger: Ledger) -> bool:
    """A ledger is never in debt."""
    return ledger.total >= 0


def explains(value: Any) -> str | None:
    return "too long" if isinstance(value, list) and len(value) > 2 else None


def test_a_function_of_the_user_is_a_law_for_the_class_it_is_annotated_with() -> None:
    law = law_from(f"{__name__}:no_debt")
    assert (law.name, law.sentence, law.applies(Ledger), law.applies(list)) == (
        "own law no_debt", "A ledger is never in debt", True, False,
    )  # fmt: skip
    assert [breach.message for breach in law.look(State(Ledger(-1))).breaches] == ["it is false"]
    assert not law.look(State(Ledger(1))).breaches


def test_a_law_may_say_what_is_wrong() -> None:
    law = law_from(f"{__name__}:explains")
    assert [breach.message for breach in law.look(State([1, 2, 3])).breaches] == ["too long"]


def test_laws_are_switched_off_by_name() -> None:
    off = lawbook_from({"own": [], "without": ["truth"], "endless": []}, None, lambda _: False)
    assert off.check(AlwaysTrue(), all_laws=True) == []
    with pytest.raises(UsageError, match="there is no law 'thruth'"):
        lawbook_from({"without": ["thruth"]}, None, lambda _: False)


@pytest.mark.parametrize("text", ["nowhere:law", f"{__name__}:nothing", "tests.subjects.broken_import:law"])
def test_a_law_that_is_not_there_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=f"cannot take the law '{text}'"):
        law_from(text)
