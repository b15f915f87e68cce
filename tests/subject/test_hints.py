"""Type variables mean what the class says that an object is of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import pytest

from stateful.subject.discover import discover
from stateful.subject.hints import hints_in
from stateful.subject.target import parse_target

K, V, T = TypeVar("K"), TypeVar("V"), TypeVar("T")
P = ParamSpec("P")


class Table(Generic[K, V]):
    def put(self, key: K, value: list[V], also: V | None = None, by: Callable[[V], K] | None = None) -> None: ...

    def call(self, function: Callable[P, V]) -> None: ...


class ByName(Table[str, V]):
    """One is said."""


class Swapped(Table[V, K]):
    """The values come first here."""


class Numbers(ByName[int]):
    """Both are, in two steps."""


class Flipped(Swapped[int, str]):
    pass


class Bare(Table):  # type: ignore[type-arg]
    pass


class Nested(Table[str, "Numbers"], Generic[T]):
    pass


@pytest.mark.parametrize(
    ("cls", "key", "value"),
    [
        (Table, K, list[V]),  # type: ignore[valid-type]
        (ByName, str, list[V]),  # type: ignore[valid-type]
        (Numbers, str, list[int]),
        (Flipped, int, list[str]),
        (Bare, K, list[V]),  # type: ignore[valid-type]
    ],
)
def test_a_variable_is_what_the_bases_say(cls: type, key: Any, value: Any) -> None:
    hints = hints_in(cls, cls.put)  # type: ignore[attr-defined]
    assert (hints["key"], hints["value"]) == (key, value)


def test_it_is_found_wherever_it_stands() -> None:
    hints = hints_in(Numbers, Numbers.put)
    assert hints["also"] == (int | None)
    assert hints["by"] == (Callable[[int], str] | None)
    assert "function" in hints_in(Numbers, Numbers.call)
    assert hints_in(Nested, Nested.put)["key"] is str


def test_calls_get_what_it_means() -> None:
    live = discover([parse_target(f"{__name__}:Numbers")])
    put = live.routines[f"{__name__}:Numbers.put"]
    assert put.expected["key"] is str
