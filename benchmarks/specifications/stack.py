"""A stack of integers in an array."""

from __future__ import annotations

from collections.abc import Iterator


class Stack:
    """The last one in is the first one out."""

    def __init__(self) -> None:
        self._items: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        """From the bottom to the top."""
        return iter(self._items)

    def __contains__(self, v: object) -> bool:
        return v in self._items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stack) and self._items == other._items

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._items

    def peek(self) -> int:
        """The item on top."""
        if not self._items:
            raise IndexError("an empty stack has no top")
        return self._items[-1]

    def push(self, v: int) -> None:
        """Put `v` on top."""
        self._items.append(v)

    def pop(self) -> int:
        """Take the item from the top."""
        if not self._items:
            raise IndexError("pop from an empty stack")
        return self._items.pop()

    def drop(self, count: int) -> None:
        """Take so many items from the top."""
        if count < 0 or count > len(self._items):
            raise ValueError("there are not so many items")
        del self._items[len(self._items) - count :]

    def swap(self) -> None:
        """Exchange the two items on top."""
        if len(self._items) < 2:
            raise IndexError("there are no two items")
        self._items[-1], self._items[-2] = self._items[-2], self._items[-1]

    def duplicate(self) -> None:
        """Put the item on top there once more."""
        if not self._items:
            raise IndexError("an empty stack has no top")
        self._items.append(self._items[-1])

    def extend(self, other: Stack) -> None:
        """Put all items of `other` on top, its lowest first."""
        self._items.extend(list(other._items))

    def clear(self) -> None:
        """Remove all items."""
        self._items = []
