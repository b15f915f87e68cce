"""A sorted list of integers in an array."""

from __future__ import annotations

from collections.abc import Iterator


class SortedList:
    """The items are in ascending order, equal ones side by side."""

    def __init__(self) -> None:
        self._items: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __contains__(self, v: int) -> bool:
        place = self.rank(v)
        return place < len(self._items) and self._items[place] == v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SortedList) and self._items == other._items

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < len(self._items):
            raise IndexError("there is no such place")
        return self._items[index]

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._items

    def rank(self, v: int) -> int:
        """How many items are less than `v`: the place where it belongs."""
        low, high = 0, len(self._items)
        while low < high:
            middle = (low + high) // 2
            if self._items[middle] < v:
                low = middle + 1
            else:
                high = middle
        return low

    def count(self, v: int) -> int:
        """How often `v` occurs."""
        return self.rank(v + 1) - self.rank(v)

    def minimum(self) -> int:
        """The least item."""
        if not self._items:
            raise ValueError("an empty list has no minimum")
        return self._items[0]

    def maximum(self) -> int:
        """The greatest item."""
        if not self._items:
            raise ValueError("an empty list has no maximum")
        return self._items[-1]

    def add(self, v: int) -> None:
        """Put `v` where it belongs."""
        self._items.insert(self.rank(v), v)

    def remove(self, v: int) -> None:
        """Remove one `v`."""
        if v not in self:
            raise ValueError("there is no such item")
        del self._items[self.rank(v)]

    def remove_all(self, v: int) -> None:
        """Remove every `v`."""
        del self._items[self.rank(v) : self.rank(v + 1)]

    def pop_minimum(self) -> int:
        """Remove the least item and return it."""
        if not self._items:
            raise ValueError("an empty list has no minimum")
        return self._items.pop(0)

    def drop_below(self, limit: int) -> None:
        """Remove the items that are less than `limit`."""
        del self._items[: self.rank(limit)]

    def merge(self, other: SortedList) -> None:
        """Add the items of `other`."""
        for item in list(other):
            self.add(item)

    def clear(self) -> None:
        """Remove all items."""
        self._items = []
