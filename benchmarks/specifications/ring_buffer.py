"""A ring buffer of integers: an array of fixed size, the place of the oldest item, and a count."""

from __future__ import annotations

from collections.abc import Iterator

LARGEST = 1000


class RingBuffer:
    """Holds at most `capacity` items, the oldest first."""

    def __init__(self, capacity: int) -> None:
        if not 0 < capacity <= LARGEST:
            raise ValueError("there is no buffer of this capacity")
        self._places = [0] * capacity
        self._head = 0
        self._count = 0

    @property
    def capacity(self) -> int:
        """How many items there can be."""
        return len(self._places)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        """From the oldest to the newest."""
        for index in range(self._count):
            yield self._places[(self._head + index) % len(self._places)]

    def __contains__(self, v: object) -> bool:
        return any(item == v for item in self)

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self._count:
            raise IndexError("there is no such item")
        return self._places[(self._head + index) % len(self._places)]

    def is_empty(self) -> bool:
        """Is there no item?"""
        return self._count == 0

    def is_full(self) -> bool:
        """Is there no place for another item?"""
        return self._count == len(self._places)

    def oldest(self) -> int:
        """The item that was there first."""
        if self._count == 0:
            raise IndexError("the buffer is empty")
        return self._places[self._head]

    def push(self, v: int) -> None:
        """Add `v`, if there is a place."""
        if self.is_full():
            raise ValueError("the buffer is full")
        self._places[(self._head + self._count) % len(self._places)] = v
        self._count += 1

    def overwrite(self, v: int) -> bool:
        """Add `v`, in the place of the oldest item if there is no other; says whether that was so."""
        was_full = self.is_full()
        if was_full:
            self.pop()
        self.push(v)
        return was_full

    def pop(self) -> int:
        """Remove the oldest item and return it."""
        if self._count == 0:
            raise IndexError("the buffer is empty")
        item = self._places[self._head]
        self._head = (self._head + 1) % len(self._places)
        self._count -= 1
        return item

    def skip(self, count: int) -> None:
        """Remove so many of the oldest items."""
        if not 0 <= count <= self._count:
            raise ValueError("there are not so many items")
        self._head = (self._head + count) % len(self._places)
        self._count -= count

    def resize(self, capacity: int) -> None:
        """Change the capacity, and keep all items."""
        if not 0 < capacity <= LARGEST or capacity < self._count:
            raise ValueError("the items need more places, or there are too many")
        self._places = list(self) + [0] * (capacity - self._count)
        self._head = 0

    def clear(self) -> None:
        """Remove all items."""
        self._count = 0
