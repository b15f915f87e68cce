"""A double-ended queue of integers in doubly linked nodes."""

from __future__ import annotations

from collections.abc import Iterator


class _Node:
    def __init__(self, item: int) -> None:
        self.item = item
        self.left = self
        self.right = self


class Deque:
    """Items come and go at both ends; the nodes are a ring around one that holds no item."""

    def __init__(self) -> None:
        self._ring = _Node(0)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        """From left to right."""
        node = self._ring.right
        while node is not self._ring:
            yield node.item
            node = node.right

    def __contains__(self, v: object) -> bool:
        return any(item == v for item in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deque) and list(self) == list(other)

    def is_empty(self) -> bool:
        """Is there no item?"""
        return self._count == 0

    def first(self) -> int:
        """The leftmost item."""
        if self._count == 0:
            raise IndexError("an empty deque has no first item")
        return self._ring.right.item

    def last(self) -> int:
        """The rightmost item."""
        if self._count == 0:
            raise IndexError("an empty deque has no last item")
        return self._ring.left.item

    def push_left(self, v: int) -> None:
        """Add `v` at the left end."""
        self._link(v, self._ring.right)

    def push_right(self, v: int) -> None:
        """Add `v` at the right end."""
        self._link(v, self._ring)

    def pop_left(self) -> int:
        """Remove the leftmost item and return it."""
        if self._count == 0:
            raise IndexError("pop from an empty deque")
        return self._unlink(self._ring.right)

    def pop_right(self) -> int:
        """Remove the rightmost item and return it."""
        if self._count == 0:
            raise IndexError("pop from an empty deque")
        return self._unlink(self._ring.left)

    def extend_right(self, other: Deque) -> None:
        """Add the items of `other` at the right end, one after the other."""
        for item in list(other):
            self.push_right(item)

    def extend_left(self, other: Deque) -> None:
        """Add the items of `other` at the left end, one after the other."""
        for item in list(other):
            self.push_left(item)

    def rotate(self, steps: int) -> None:
        """Move so many items from the right end to the left end; a negative number moves them back."""
        for _ in range(steps % self._count if self._count else 0):
            self.push_left(self.pop_right())

    def reverse(self) -> None:
        """Turn the order of the items round."""
        node = self._ring
        for _ in range(self._count + 1):
            node.left, node.right = node.right, node.left
            node = node.left

    def clear(self) -> None:
        """Remove all items."""
        self._ring = _Node(0)
        self._count = 0

    def _link(self, v: int, right: _Node) -> None:
        node = _Node(v)
        node.left, node.right = right.left, right
        right.left.right = node
        right.left = node
        self._count += 1

    def _unlink(self, node: _Node) -> int:
        node.left.right = node.right
        node.right.left = node.left
        self._count -= 1
        return node.item
