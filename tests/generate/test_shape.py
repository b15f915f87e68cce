"""What few objects are like is drawn, too."""

from __future__ import annotations

from random import Random

import pytest

from stateful.generate.operands import Stored
from stateful.generate.pool import Pool
from stateful.generate.shape import shape_of
from stateful.generate.swarm import Swarm


class Shelf:
    def __init__(self, items: object, key: object = None) -> None:
        self.items = items
        self.key = key


class Slotted:
    __slots__ = ("flag", "left")

    def __init__(self, flag: bool) -> None:
        self.flag = flag


class Stack(list[int]):
    pass


class Closed:
    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (Shelf([1, 2]), Shelf(["a", "b", "c"]), True),
        (Shelf([]), Shelf([1]), False),
        (Shelf([1]), Shelf((1,)), False),
        (Shelf([1]), Shelf([1], len), False),
        (Shelf(3), Shelf(17), True),
        (Shelf(3), Shelf(-3), False),
        (Slotted(True), Slotted(True), True),
        (Slotted(True), Slotted(False), False),
        (Stack([1, 2]), Stack([3, 4, 5]), True),
        (Stack(), Stack([3]), False),
    ],
)
def test_a_shape_is_what_the_attributes_are(one: object, other: object, alike: bool) -> None:
    assert (shape_of(one) == shape_of(other)) is alike


def test_who_hides_everything_has_a_shape() -> None:
    assert shape_of(Closed()) == shape_of(Closed())


def drawn(pool: Pool, times: int = 400) -> int:
    """How often the one shelf with a key is drawn."""
    found = [pool.draw(Shelf) for _ in range(times)]
    return sum(ref is not None and ref.stored.number == 99 for ref in found)


def pool_of(shaped: float) -> Pool:
    pool = Pool(Random(1), Swarm(shaped=shaped))
    for number in range(100):
        shelf = Shelf([1, 2], len if number == 99 else None)
        digest = bytes([number])
        pool.add(Stored(number, digest, "pickle", b"", (Shelf,), None, 1, shapes={0: shape_of(shelf)}))
    return pool


def test_the_one_object_of_its_shape_is_drawn_as_often_as_the_many() -> None:
    assert drawn(pool_of(0.0)) < 20
    assert 60 < drawn(pool_of(0.5)) < 140


def test_what_is_forgotten_is_drawn_no_more() -> None:
    pool = pool_of(1.0)
    first = pool.by_class[Shelf][0]
    pool.forget(first)
    assert all(pool.draw(Shelf) != first for _ in range(400))
