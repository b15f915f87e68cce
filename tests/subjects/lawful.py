"""Correct classes of many kinds: no law may cry wolf on them."""

from __future__ import annotations

from collections import OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Iterator, MutableSet, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Node:
    """Known by its identity alone."""


@dataclass
class Holder:
    items: list[Any] = field(default_factory=list)


class Slots:
    __slots__ = ("left", "right")

    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slots) and (self.left, self.right) == (other.left, other.right)

    __hash__ = None  # type: ignore[assignment]


class Frozen:
    """Immutable, and it says so."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "value", value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("frozen")

    def __reduce__(self) -> Any:
        return Frozen, (self.value,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class Point(NamedTuple):
    x: int
    y: int


class Window(deque):  # type: ignore[type-arg]
    def __init__(self, items: Any = (), maxlen: int | None = 2) -> None:
        super().__init__(items, maxlen)


class Cache(OrderedDict):  # type: ignore[type-arg]
    """The least recently used item makes room."""

    def __init__(self, items: Any = (), maxsize: int = 2) -> None:
        self.maxsize = maxsize
        super().__init__(items)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if len(self) > self.maxsize:
            del self[next(iter(self))]

    def copy(self) -> Cache:
        return Cache(list(OrderedDict.items(self)), self.maxsize)


class Caseless(UserDict):  # type: ignore[type-arg]
    def __setitem__(self, key: str, value: Any) -> None:
        self.data[key.lower()] = value

    def __getitem__(self, key: str) -> Any:
        return self.data[key.lower()]

    def __delitem__(self, key: str) -> None:
        del self.data[key.lower()]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self.data


class Bits(MutableSet):  # type: ignore[type-arg]
    """Small natural numbers, as bits of one."""

    def __init__(self, items: Any = ()) -> None:
        self.bits = 0
        for item in items:
            self.add(item)

    def __contains__(self, item: object) -> bool:
        return isinstance(item, int) and item >= 0 and bool(self.bits >> item & 1)

    def __iter__(self) -> Iterator[int]:
        return (place for place in range(self.bits.bit_length()) if place in self)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def add(self, item: int) -> None:
        self.bits |= 1 << item

    def discard(self, item: int) -> None:
        self.bits &= ~(1 << item)


class Row(Sequence):  # type: ignore[type-arg]
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return Row(*self.items[index]) if isinstance(index, slice) else self.items[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)


class Column:
    """Its comparisons are expressions."""

    def __eq__(self, other: object) -> Any:
        return ("equal", self, other)

    def __ne__(self, other: object) -> Any:
        return ("unequal", self, other)

    __hash__ = object.__hash__


class ByIdentity:
    """Writes down that it is known by its identity, as decorators of invariants do."""

    def __eq__(self, other: object) -> bool:
        return object.__eq__(self, other) is True

    __hash__ = object.__hash__


class Token:
    """A public query that may say no, and a check of values that is no check of itself."""

    def __init__(self, text: str, signature: str) -> None:
        self.text = text
        self.signature = signature

    def verify(self) -> bool:
        return self.text == self.signature

    @staticmethod
    def _check(value: Any) -> None:
        assert isinstance(value, str)


OBJECTS: tuple[Any, ...] = (
    Holder([Node()]), Holder([1]), Slots(1, [Node()]), Slots(1, float("nan")), Frozen(3), Point(1, 2), Window([1, 2]),
    Cache({1: 2, 3: 4}), Caseless(Key=1), Bits([0, 3]), Bits([2, 5]), Row(1, 2, 3), Column(), ByIdentity(),
    Token("a", "b"), defaultdict(list, {1: [2]}), UserList([1, 2]), Holder([float("nan")]),
)  # fmt: skip
