"""LinkedHashMap as MutableMapping, multiset, and a config tree."""

from collections.abc import Iterator, Mapping, MutableMapping, MutableSet
from typing import Any, Generic, Iterable, Optional, TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class _Link:
    __slots__ = ("key", "value", "before", "after")

    def __init__(self, key: Any = None, value: Any = None) -> None:
        self.key = key
        self.value = value
        self.before: "_Link" = self
        self.after: "_Link" = self


class LinkedHashMap(MutableMapping[K, V]):
    """A mapping in order of insertion, or of access."""

    def __init__(self, items: Optional[Mapping[K, V]] = None, access_order: bool = False) -> None:
        self._links: dict[K, _Link] = {}
        self._root = _Link()
        self.access_order = access_order
        if items is not None:
            self.update(items)

    def _unlink(self, link: _Link) -> None:
        link.before.after = link.after
        link.after.before = link.before

    def _append(self, link: _Link) -> None:
        last = self._root.before
        link.before, link.after = last, self._root
        last.after = self._root.before = link

    def __getitem__(self, key: K) -> V:
        link = self._links[key]
        if self.access_order:
            self._unlink(link)
            self._append(link)
        return link.value

    def __setitem__(self, key: K, value: V) -> None:
        link = self._links.get(key)
        if link is None:
            link = self._links[key] = _Link(key, value)
            self._append(link)
            return
        link.value = value
        if self.access_order:
            self._unlink(link)
            self._append(link)

    def __delitem__(self, key: K) -> None:
        self._unlink(self._links.pop(key))

    def __len__(self) -> int:
        return len(self._links)

    def __contains__(self, key: object) -> bool:
        return key in self._links

    def __iter__(self) -> Iterator[K]:
        link = self._root.after
        while link is not self._root:
            yield link.key
            link = link.after

    def __reversed__(self) -> Iterator[K]:
        link = self._root.before
        while link is not self._root:
            yield link.key
            link = link.before

    def first(self) -> K:
        """The oldest key.

        Raises:
            KeyError: if it is empty
        """
        if not self._links:
            raise KeyError("empty")
        return self._root.after.key

    def move_to_front(self, key: K) -> None:
        """Make a key the oldest one.

        Raises:
            KeyError: if it is not there
        """
        link = self._links[key]
        self._unlink(link)
        first = self._root.after
        link.before, link.after = self._root, first
        first.before = self._root.after = link

    def clear(self) -> None:
        self._links.clear()
        self._root.before = self._root.after = self._root

    def copy(self) -> "LinkedHashMap[K, V]":
        new: LinkedHashMap[K, V] = LinkedHashMap(access_order=self.access_order)
        for link_key in self:
            new[link_key] = self._links[link_key].value
        return new

    def __repr__(self) -> str:
        return f"LinkedHashMap({[(k, self._links[k].value) for k in self]!r})"


class Multiset(MutableSet[T]):
    """A set that counts; len() counts repetitions, iterating gives them."""

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._counts: dict[T, int] = {}
        self._size = 0
        for item in items:
            self.add(item)

    def add(self, value: T, times: int = 1) -> None:
        if times < 0:
            raise ValueError("times must not be negative")
        if times:
            self._counts[value] = self._counts.get(value, 0) + times
            self._size += times

    def discard(self, value: T, times: int = 1) -> None:
        """Remove some of the value, as many as there are."""
        if times < 0:
            raise ValueError("times must not be negative")
        have = self._counts.get(value, 0)
        removed = min(have, times)
        if not removed:
            return
        self._size -= removed
        if have == removed:
            del self._counts[value]
        else:
            self._counts[value] = have - removed

    def count(self, value: T) -> int:
        return self._counts.get(value, 0)

    def most_common(self, n: Optional[int] = None) -> list[tuple[T, int]]:
        ordered = sorted(self._counts.items(), key=lambda pair: -pair[1])
        return ordered if n is None else ordered[: max(n, 0)]

    def distinct(self) -> int:
        return len(self._counts)

    def __contains__(self, value: object) -> bool:
        return value in self._counts

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        for value, count in self._counts.items():
            for _ in range(count):
                yield value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Multiset):
            return self._counts == other._counts
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        if not isinstance(other, Multiset):
            return NotImplemented
        return all(other.count(v) >= n for v, n in self._counts.items())

    def __add__(self, other: "Multiset[T]") -> "Multiset[T]":
        new: Multiset[T] = Multiset(self)
        for value, count in other._counts.items():
            new.add(value, count)
        return new
