"""A set kept as a sorted list. `merge` was written with disjoint sets in mind, and goes wrong on others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator


class SortedSet:
    """A set of numbers in ascending order."""

    def __init__(self, items: Iterable[int] = ()) -> None:
        self._items = sorted(set(items))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __repr__(self) -> str:
        return f"SortedSet({self._items})"

    def add(self, item: int) -> None:
        """Put `item` into the set, if it is not there."""
        place = bisect_left(self._items, item)
        if place == len(self._items) or self._items[place] != item:
            self._items.insert(place, item)

    def discard(self, item: int) -> None:
        """Take `item` out of the set, if it is there."""
        if item in self._items:
            self._items.remove(item)

    def smallest(self) -> int:
        """The smallest item; raises ValueError if there is none."""
        if not self._items:
            raise ValueError("an empty set has no smallest item")
        return self._items[0]

    def disjoint(self, other: SortedSet) -> bool:
        """Have the two sets no item in common?"""
        return not set(self._items) & set(other._items)

    def merge(self, other: SortedSet) -> None:
        """Add all items of `other`, in one pass over both."""
        merged: list[int] = []
        mine, theirs = 0, 0
        while mine < len(self._items) and theirs < len(other._items):
            while self._items[mine] == other._items[theirs]:  # what both have is taken once
                merged.append(self._items[mine])
                mine, theirs = mine + 1, theirs + 1
            if self._items[mine] < other._items[theirs]:
                merged.append(self._items[mine])
                mine += 1
            else:
                merged.append(other._items[theirs])
                theirs += 1
        self._items = merged + self._items[mine:] + other._items[theirs:]
