"""Classes of unusual makes, for discovery and generation."""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterator
from typing import Generic, Literal, Protocol, TypeVar

T = TypeVar("T")
MISSING = object()
REGISTRY: list[str] = []


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Sized(Protocol):
    def size(self) -> int: ...


class Gate:
    """Built by a function only; examples show how it is used.

    >>> gate = open_gate('secret')
    >>> gate.unlock('secret')
    True
    >>> gate.level = 3
    """

    count = 0

    def __init__(self, *, token: object) -> None:
        if token is not MISSING:
            raise ValueError("use open_gate")
        self.word = ""
        self._level = 0
        self.open = False

    def unlock(self, word: str) -> bool:
        """Open it with the right word."""
        self.open = word == self.word
        return self.open

    @property
    def level(self) -> int:
        return self._level

    @level.setter
    def level(self, value: int) -> None:
        if value < 0:
            raise ValueError("level")
        self._level = value

    def __call__(self, times: int = 1) -> int:
        return times * self._level

    def __enter__(self) -> Gate:
        self.open = True
        return self

    def __exit__(self, *_: object) -> None:
        self.open = False

    def __next__(self) -> int:
        if not self.open:
            raise StopIteration
        return self._level

    async def knock(self, times: int) -> int:
        return times

    async def knocks(self) -> AsyncIterator[int]:
        for number in range(3):
            yield number

    def steps(self) -> Iterator[int]:
        yield from range(self._level)

    def paint(self, color: Color, side: Literal["in", "out"] = "in") -> str:
        return f"{color.name} {side}"

    def join(self, gates: list[Gate]) -> int:
        return len(gates)

    def note(self, *words: str, **options: int) -> int:
        return len(words) + len(options)

    def counted(self) -> int:
        Gate.count += 1
        REGISTRY.append("counted")
        return Gate.count

    def is_missing(self, value: object = MISSING) -> bool:
        return value is MISSING


def open_gate(word: str) -> Gate:
    gate = Gate(token=MISSING)
    gate.word = word
    return gate


class Box(Generic[T]):
    __slots__ = ("items",)

    def __init__(self, items: list[T]) -> None:
        self.items = list(items)

    def put(self, item: T) -> None:
        self.items.append(item)

    def size(self) -> int:
        return len(self.items)


def measure(thing: Sized) -> int:
    return thing.size()


class Untyped:
    """Nothing is annotated."""

    def __init__(self, values=()):  # type: ignore[no-untyped-def]
        self.values = sorted(values)

    def fill(self, amount):  # type: ignore[no-untyped-def]
        for number in range(amount):
            self.values.append(number)

    def apply(self, what):  # type: ignore[no-untyped-def]
        return [what(value) for value in self.values]

    def merge(self, other):  # type: ignore[no-untyped-def]
        self.values.extend(other.values)

    def lookup(self, table):  # type: ignore[no-untyped-def]
        return [table.get(value) for value, _ in table.items()]
