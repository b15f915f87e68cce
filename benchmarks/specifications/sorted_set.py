"""A sorted set of integers in an array that is searched by halves."""

from __future__ import annotations

from collections.abc import Iterator


class SortedSet:
    """No item is in it twice, and they are in ascending order."""

    def __init__(self) -> None:
        self._items: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __contains__(self, v: int) -> bool:
        place = self._place(v)
        return place < len(self._items) and self._items[place] == v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SortedSet) and self._items == other._items

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._items

    def first(self) -> int:
        """The least item."""
        if not self._items:
            raise IndexError("an empty set has no first item")
        return self._items[0]

    def last(self) -> int:
        """The greatest item."""
        if not self._items:
            raise IndexError("an empty set has no last item")
        return self._items[-1]

    def floor(self, v: int) -> int:
        """The greatest item that is not greater than `v`."""
        place = self._place(v + 1)
        if place == 0:
            raise KeyError("all items are greater")
        return self._items[place - 1]

    def ceiling(self, v: int) -> int:
        """The least item that is not less than `v`."""
        place = self._place(v)
        if place == len(self._items):
            raise KeyError("all items are less")
        return self._items[place]

    def index_of(self, v: int) -> int:
        """The place of `v` in the order."""
        if v not in self:
            raise KeyError("there is no such item")
        return self._place(v)

    def add(self, v: int) -> bool:
        """Put `v` into the set, if it is not there; says whether it is new."""
        if v in self:
            return False
        self._items.insert(self._place(v), v)
        return True

    def remove(self, v: int) -> None:
        """Take `v` out."""
        if v not in self:
            raise KeyError("there is no such item")
        del self._items[self._place(v)]

    def pop_last(self) -> int:
        """Take the greatest item out and return it."""
        if not self._items:
            raise IndexError("an empty set has no last item")
        return self._items.pop()

    def discard_between(self, low: int, high: int) -> None:
        """Take out all items from `low` to `high`, both included."""
        if low > high:
            raise ValueError("the limits are the wrong way round")
        del self._items[self._place(low) : self._place(high + 1)]

    def unite(self, other: SortedSet) -> None:
        """Add the items of `other`."""
        for item in list(other):
            self.add(item)

    def intersect(self, other: SortedSet) -> None:
        """Keep only what is in `other`, too."""
        self._items = [item for item in self._items if item in other]

    def clear(self) -> None:
        """Remove all items."""
        self._items = []

    def _place(self, v: int) -> int:
        low, high = 0, len(self._items)
        while low < high:
            middle = (low + high) // 2
            if self._items[middle] < v:
                low = middle + 1
            else:
                high = middle
        return low
