"""A queue of integers in two arrays: one to enqueue, one to dequeue."""

from __future__ import annotations

from collections.abc import Iterator


class Queue:
    """The first one in is the first one out."""

    def __init__(self) -> None:
        self._back: list[int] = []
        self._front: list[int] = []  # reversed: its first item leaves last

    def __len__(self) -> int:
        return len(self._front) + len(self._back)

    def __iter__(self) -> Iterator[int]:
        """From the front to the back."""
        yield from reversed(self._front)
        yield from self._back

    def __contains__(self, v: object) -> bool:
        return v in self._front or v in self._back

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queue) and list(self) == list(other)

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._front and not self._back

    def front(self) -> int:
        """The item that leaves next."""
        if self.is_empty():
            raise IndexError("an empty queue has no front")
        return self._front[-1] if self._front else self._back[0]

    def count(self, v: int) -> int:
        """How often `v` waits."""
        return self._front.count(v) + self._back.count(v)

    def enqueue(self, v: int) -> None:
        """Add `v` at the back."""
        self._back.append(v)

    def dequeue(self) -> int:
        """Remove the item at the front and return it."""
        if self.is_empty():
            raise IndexError("dequeue from an empty queue")
        if not self._front:
            self._front = self._back[::-1]
            self._back = []
        return self._front.pop()

    def requeue(self) -> None:
        """Move the item at the front to the back."""
        if self.is_empty():
            raise IndexError("an empty queue has no front")
        self.enqueue(self.dequeue())

    def extend(self, other: Queue) -> None:
        """Add the items of `other` at the back."""
        self._back.extend(list(other))

    def absorb(self, other: Queue) -> None:
        """Move all items of `other` to the back of this queue."""
        if other is self:
            raise ValueError("a queue cannot absorb itself")
        self._back.extend(other)
        other.clear()

    def clear(self) -> None:
        """Remove all items."""
        self._back = []
        self._front = []
