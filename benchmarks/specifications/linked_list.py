"""A singly linked list of integers."""

from __future__ import annotations

from collections.abc import Iterator


class _Node:
    def __init__(self, item: int, after: _Node | None = None) -> None:
        self.item = item
        self.after = after


class LinkedList:
    """A sequence; places in it are counted from 0."""

    def __init__(self) -> None:
        self._first: _Node | None = None

    def __len__(self) -> int:
        return sum(1 for _ in self._nodes())

    def __iter__(self) -> Iterator[int]:
        return (node.item for node in self._nodes())

    def __contains__(self, v: object) -> bool:
        return any(item == v for item in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkedList) and list(self) == list(other)

    def __getitem__(self, index: int) -> int:
        return self._at(index).item

    def is_empty(self) -> bool:
        """Is there no item?"""
        return self._first is None

    def count(self, v: int) -> int:
        """How often `v` occurs."""
        return sum(1 for item in self if item == v)

    def index_of(self, v: int) -> int:
        """The first place of `v`."""
        for index, item in enumerate(self):
            if item == v:
                return index
        raise ValueError("there is no such item")

    def append(self, v: int) -> None:
        """Add `v` at the end."""
        self.insert(len(self), v)

    def insert(self, index: int, v: int) -> None:
        """Put `v` before the item at `index`, or at the end."""
        if index < 0 or index > len(self):
            raise IndexError("there is no such place")
        if index == 0:
            self._first = _Node(v, self._first)
        else:
            before = self._at(index - 1)
            before.after = _Node(v, before.after)

    def replace(self, index: int, v: int) -> None:
        """Put `v` in the place of the item at `index`."""
        self._at(index).item = v

    def remove_at(self, index: int) -> int:
        """Remove the item at `index` and return it."""
        node = self._at(index)
        if index == 0:
            self._first = node.after
        else:
            self._at(index - 1).after = node.after
        return node.item

    def remove(self, v: int) -> None:
        """Remove the first `v`."""
        if v not in self:
            raise ValueError("there is no such item")
        self.remove_at(self.index_of(v))

    def extend(self, other: LinkedList) -> None:
        """Add the items of `other` at the end."""
        for item in list(other):
            self.append(item)

    def insert_all(self, index: int, other: LinkedList) -> None:
        """Put the items of `other` before the item at `index`, or at the end."""
        if index < 0 or index > len(self):
            raise IndexError("there is no such place")
        for offset, item in enumerate(list(other)):
            self.insert(index + offset, item)

    def reverse(self) -> None:
        """Turn the order of the items round."""
        reversed_part: _Node | None = None
        node = self._first
        while node is not None:
            rest = node.after
            node.after = reversed_part
            reversed_part = node
            node = rest
        self._first = reversed_part

    def clear(self) -> None:
        """Remove all items."""
        self._first = None

    def _nodes(self) -> Iterator[_Node]:
        node = self._first
        while node is not None:
            yield node
            node = node.after

    def _at(self, index: int) -> _Node:
        if index >= 0:
            for place, node in enumerate(self._nodes()):
                if place == index:
                    return node
        raise IndexError("there is no such place")
