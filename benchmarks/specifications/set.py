"""A set of integers in an array without order."""

from __future__ import annotations

from collections.abc import Iterator


class Set:
    """No item is in it twice."""

    def __init__(self) -> None:
        self._items: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[int]:
        """In no order."""
        return iter(self._items)

    def __contains__(self, v: object) -> bool:
        return v in self._items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and self.is_subset(other) and other.is_subset(self)

    def is_empty(self) -> bool:
        """Is there no item?"""
        return not self._items

    def is_subset(self, other: Set) -> bool:
        """Is every item in `other`, too?"""
        return all(item in other for item in self)

    def is_disjoint(self, other: Set) -> bool:
        """Is no item in `other`?"""
        return not any(item in other for item in self)

    def add(self, v: int) -> None:
        """Put `v` into the set, if it is not there."""
        if v not in self._items:
            self._items.append(v)

    def remove(self, v: int) -> None:
        """Take `v` out."""
        if v not in self._items:
            raise KeyError("there is no such item")
        self._items.remove(v)

    def discard(self, v: int) -> bool:
        """Take `v` out, if it is there; says whether it was."""
        if v not in self._items:
            return False
        self._items.remove(v)
        return True

    def toggle(self, v: int) -> None:
        """Take `v` out if it is there, and put it in if it is not."""
        if v in self._items:
            self._items.remove(v)
        else:
            self._items.append(v)

    def unite(self, other: Set) -> None:
        """Add the items of `other`."""
        for item in list(other):
            self.add(item)

    def intersect(self, other: Set) -> None:
        """Keep only what is in `other`, too."""
        self._items = [item for item in self._items if item in other]

    def subtract(self, other: Set) -> None:
        """Remove what is in `other`."""
        self._items = [item for item in self._items if item not in other]

    def copied(self) -> Set:
        """Another set of the same items."""
        result = Set()
        result._items = list(self._items)
        return result

    def clear(self) -> None:
        """Remove all items."""
        self._items = []
