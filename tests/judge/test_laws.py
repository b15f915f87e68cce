"""Each law is broken by a class made for it, and obeyed by ordinary ones."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

import pytest

from stateful.judge.laws import LAWS, broken_law, law_named
from tests.subjects.bag import Bag


class BadRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class NeverEqual:
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class BothUnequal:
    def __ne__(self, other: object) -> bool:
        return True


class RandomHash:
    def __init__(self) -> None:
        self.n = 0

    def __hash__(self) -> int:
        self.n += 1
        return self.n


class WrongLength(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 7


class Stranger(list):  # type: ignore[type-arg]
    def __contains__(self, item: object) -> bool:
        return False


class Restless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        self.append(len(self))
        yield from range(list.__len__(self) % 2 + 1)

    def __len__(self) -> int:
        return list.__len__(self) % 2 + 1


class AlwaysTrue:
    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("value", "law"),
    [
        (BadRepr(), "representable"),
        (NeverEqual(), "reflexive"),
        (BothUnequal(), "unequal"),
        (RandomHash(), "hashes_alike"),
        (WrongLength([1]), "length_counts_items"),
        (Stranger([1]), "items_are_members"),
        (AlwaysTrue(), "truth_follows_length"),
    ],
)
def test_each_law_is_noticed_when_it_breaks(value: object, law: str) -> None:
    broken = broken_law(value)
    assert broken is not None
    assert broken.law == law


def test_iterating_twice_differently_is_noticed() -> None:
    check = law_named("iterates_alike").check
    assert check(Restless()) is not None


@pytest.mark.parametrize(
    "value", [[1, 2], {"a": 1}, "text", deque([1]), OrderedDict(a=1), Bag([1, 2]), Bag([]), iter([1]), object(), 5]
)
def test_ordinary_objects_obey(value: object) -> None:
    assert broken_law(value) is None


def test_what_holds_something_unhashable_need_not_be_hashable() -> None:
    assert law_named("hashes_alike").check(([],)) is None


def test_nan_breaks_no_law_of_its_container() -> None:
    assert broken_law(Bag([float("nan")])) is None  # type: ignore[list-item]


def test_every_law_has_a_sentence_and_code_for_reproducers() -> None:
    assert len({law.name for law in LAWS}) == len(LAWS)
    for law in LAWS:
        assert law.sentence
        if not law.name.startswith("own check"):  # those need the method that they call
            assert eval(law.code, {"x": [1, 2]} if law.name != "hashes_alike" else {"x": (1, 2)})


class Ledger:
    def __init__(self, total: int) -> None:
        self.total = total

    def _check(self) -> None:
        assert self.total >= 0, "a debt"


class Polite(Ledger):
    def check_rep(self) -> bool:
        return self.total < 5

    def _check(self) -> None: ...


def test_the_classes_own_check_is_a_law() -> None:
    assert broken_law(Ledger(1)) is None
    broken = broken_law(Ledger(-1))
    assert broken is not None
    assert (broken.law, type(broken.error)) == ("own check _check", AssertionError)
    assert getattr(broken_law(Polite(7)), "law", None) == "own check check_rep"
