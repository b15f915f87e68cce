"""What agrees with an annotation, what contradicts it, and of what nobody can tell."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from stateful.subject.asked import agrees

Bound = typing.TypeVar("Bound", bound=int)
Either = typing.TypeVar("Either", int, str)
Free = typing.TypeVar("Free")
Name = typing.NewType("Name", str)


class Side(enum.Enum):
    LEFT = 1


class Shelf(list[Any]):
    pass


class Sized(typing.Protocol):
    def size(self) -> int: ...


@pytest.mark.parametrize(
    ("hint", "value", "answer"),
    [
        (int, 1, True),
        (int, "1", False),
        (int, True, True),
        (float, 1, True),
        (complex, 1.5, True),
        (float | None, None, True),
        (str, Name("a"), True),
        (Name, 1, False),
        (Side, Side.LEFT, True),
        (Any, 1, None),
        (object, 1, None),
        (list, [1], None),
        (list, (1,), False),
        (list[int], [1, 2], True),
        (list[int], [], True),
        (list[int], [1, None], False),
        (list[int], Shelf([1]), None),
        (list[Any], [1], None),
        (list[list[str]], [["a"], [1]], False),
        (set[int], {1}, True),
        (tuple[int, str], (1, "a"), True),
        (tuple[int, str], ("a", 1), False),
        (tuple[int, ...], (1, 2, 3), True),
        (tuple[int], (1, 2, 3), None),
        (dict[str, int], {"a": 1}, True),
        (dict[str, int], {"a": "b"}, False),
        (dict[str, list[int]], {"a": [1]}, True),
        (Mapping[str, int], {1: 1}, False),
        (Iterable[str], {"a": 1}, True),
        (Iterable[int], {"a": 1}, False),
        (Iterable[int], iter([1]), None),
        (Iterator[int], [1], False),
        (Sequence[str], "abc", None),
        (deque[int], deque([1]), True),
        (Counter[str], Counter("ab"), True),
        (Counter[str], Counter([1]), False),
        (int | list[str], ["a"], True),
        (int | list[str], [1], False),
        (int | Hashable, "a", None),
        (Callable[[int], int], len, None),
        (Callable[[int], int], 3, False),
        (typing.Literal["a", 1], "a", True),
        (typing.Literal["a", 1], True, False),
        (type[int], bool, True),
        (type[int], str, False),
        (type[int], 3, False),
        (Bound, "a", False),
        (Bound, 1, True),
        (Either, "a", True),
        (Either, None, False),
        (Free, 1, None),
        (typing.Annotated[int, "of apples"], "a", False),
        (dataclasses.InitVar[int], "a", False),
        (Sized, 1, None),
        ([int], [1], None),
    ],
)
def test_a_value_agrees(hint: Any, value: Any, answer: bool | None) -> None:
    assert agrees(hint, value) is answer


def test_long_containers_are_not_read_to_their_end() -> None:
    assert agrees(list[int], [0] * 10**6 + ["a"])
