"""A singly linked list. Nothing is wrong with it: what falls here is a contract, not the code.

A short random test of `merge_left` meets equal lists only when both are empty, so that it seems to
promise `implies(old(self == other), self.is_empty())`. Reduction finds two equal lists with items.
"""

from __future__ import annotations

from collections.abc import Iterator


class _Cell:
    def __init__(self, item: int, next_cell: _Cell | None = None) -> None:
        self.item = item
        self.next_cell = next_cell


class LinkedList:
    """A list of numbers."""

    def __init__(self) -> None:
        self._first: _Cell | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        cell = self._first
        while cell is not None:
            yield cell.item
            cell = cell.next_cell

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkedList) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LinkedList({list(self)})"

    def is_empty(self) -> bool:
        """Is there no item?"""
        return self._count == 0

    def has(self, v: int) -> bool:
        """Is `v` among the items?"""
        return any(item == v for item in self)

    def extend(self, v: int) -> None:
        """Add `v` at the end."""
        if self._first is None:
            self._first = _Cell(v)
        else:
            self._last().next_cell = _Cell(v)
        self._count += 1

    def append(self, other: LinkedList) -> None:
        """Add a copy of the items of `other` at the end."""
        for item in list(other):
            self.extend(item)

    def pop(self) -> int:
        """Remove the first item and return it; raises IndexError if there is none."""
        if self._first is None:
            raise IndexError("pop from an empty list")
        item = self._first.item
        self._first = self._first.next_cell
        self._count -= 1
        return item

    def wipe_out(self) -> None:
        """Remove all items."""
        self._first = None
        self._count = 0

    def merge_left(self, other: LinkedList) -> None:
        """Move the items of `other` before those of this list; `other` is empty then."""
        if other is self:
            raise ValueError("a list cannot be merged into itself")
        if other._first is not None:
            other._last().next_cell = self._first
            self._first = other._first
            self._count += other._count
        other.wipe_out()

    def _last(self) -> _Cell:
        cell = self._first
        assert cell is not None
        while cell.next_cell is not None:
            cell = cell.next_cell
        return cell
