"""A priority queue of integers in a binary heap."""

from __future__ import annotations

from collections.abc import Iterator


class PriorityQueue:
    """The least item leaves first."""

    def __init__(self) -> None:
        self._heap: list[int] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[int]:
        """In no order."""
        return iter(self._heap)

    def __contains__(self, v: object) -> bool:
        return v in self._heap

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PriorityQueue) and sorted(self._heap) == sorted(other._heap)

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._heap

    def peek(self) -> int:
        """The item that leaves next."""
        if not self._heap:
            raise IndexError("an empty queue has no least item")
        return self._heap[0]

    def count(self, v: int) -> int:
        """How often `v` waits."""
        return self._heap.count(v)

    def push(self, v: int) -> None:
        """Add `v`."""
        self._heap.append(v)
        child = len(self._heap) - 1
        while child > 0 and self._heap[child] < self._heap[(child - 1) // 2]:
            self._swap(child, (child - 1) // 2)
            child = (child - 1) // 2

    def pop(self) -> int:
        """Remove the least item and return it."""
        if not self._heap:
            raise IndexError("pop from an empty queue")
        self._swap(0, len(self._heap) - 1)
        least = self._heap.pop()
        self._sink()
        return least

    def replace(self, v: int) -> int:
        """Put `v` in the place of the least item, and return that."""
        if not self._heap:
            raise IndexError("an empty queue has no least item")
        least, self._heap[0] = self._heap[0], v
        self._sink()
        return least

    def merge(self, other: PriorityQueue) -> None:
        """Add the items of `other`."""
        for item in list(other):
            self.push(item)

    def drain(self, other: PriorityQueue) -> None:
        """Move the items of `other` into this queue."""
        if other is self:
            raise ValueError("a queue cannot be drained into itself")
        while not other.is_empty():
            self.push(other.pop())

    def clear(self) -> None:
        """Remove all items."""
        self._heap = []

    def _sink(self) -> None:
        parent = 0
        while 2 * parent + 1 < len(self._heap):
            child = 2 * parent + 1
            if child + 1 < len(self._heap) and self._heap[child + 1] < self._heap[child]:
                child += 1
            if self._heap[parent] <= self._heap[child]:
                break
            self._swap(parent, child)
            parent = child

    def _swap(self, i: int, j: int) -> None:
        self._heap[i], self._heap[j] = self._heap[j], self._heap[i]
