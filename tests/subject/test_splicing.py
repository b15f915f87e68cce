"""Splicing: what is put together is, byte for byte, what a dump would give."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stateful.subject.snapshots import distinct, dump, load
from stateful.subject.splicing import bytes_alone, spliced


class Box:
    def __init__(self, *items: Any) -> None:
        self.items = items
        self.other = {"name": items[:1], "list": list(items)}


class ByAddress:
    """Its hash is its address, so that a set of them is in another order in every copy."""


class ByHand:
    """Its hash is its address, too, but the class says so itself."""

    def __hash__(self) -> int:
        return id(self)


class ByValue:
    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByValue) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)


class Bag(set[Any]):
    pass


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
values = plain | st.lists(plain, max_size=4) | st.tuples(plain, plain) | st.sets(st.integers(), max_size=4)


@given(st.lists(values, max_size=4), st.lists(values | st.sampled_from(["name", "items", len, int]), max_size=3))
def test_spliced_bytes_are_those_of_a_dump(items: list[Any], others: list[Any]) -> None:
    first = bytes_alone(Box(*items))
    assume(first is not None)  # {7, 15} is loaded as {15, 7}, and that as {7, 15}
    assert first is not None
    objects, _ = distinct([load("pickle", first)[0], *others])
    found = spliced(first, objects[1:])
    assert found is None or ("pickle", found) == dump(objects)


@pytest.mark.parametrize("others", [[], [1, 2.5], ["a new text"], [None, True], [[1, 2]], [2**70]])
def test_plain_values_are_spliced(others: list[Any]) -> None:
    first = bytes_alone(Box(1, "x"))
    assert first is not None
    assert spliced(first, others) == dump([load("pickle", first)[0], *others])[1]


@pytest.mark.parametrize("others", [["name"], [""], [len], [ByValue(1)], [["text"]], ["x"]])
def test_what_may_be_shared_with_the_object_is_dumped(others: list[Any]) -> None:
    first = bytes_alone(Box(1, "x"))
    assert first is not None
    assert spliced(first, others) is None


@pytest.mark.parametrize("cls", [ByAddress, ByHand])
@pytest.mark.parametrize("kind", [set, frozenset, Bag])
def test_sets_that_are_ordered_by_address_have_no_bytes_of_their_own(cls: type, kind: type) -> None:
    assert bytes_alone(Box(kind(cls() for _ in range(2)))) is None


def test_sets_that_are_ordered_by_value_have() -> None:
    assert bytes_alone(Box({ByValue(1), ByValue(2)}, {3, "a"})) is not None
