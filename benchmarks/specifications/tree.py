"""A binary search tree of integers."""

from __future__ import annotations

from collections.abc import Iterator


class _Node:
    def __init__(self, key: int) -> None:
        self.key = key
        self.left: _Node | None = None
        self.right: _Node | None = None


class Tree:
    """A set of keys; on the left of each are the lesser ones, on its right the greater ones."""

    def __init__(self) -> None:
        self._root: _Node | None = None

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[int]:
        """In ascending order."""
        above: list[_Node] = []
        node = self._root
        while above or node is not None:
            while node is not None:
                above.append(node)
                node = node.left
            node = above.pop()
            yield node.key
            node = node.right

    def __contains__(self, v: int) -> bool:
        node = self._root
        while node is not None and node.key != v:
            node = node.left if v < node.key else node.right
        return node is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and list(self) == list(other)

    def is_empty(self) -> bool:
        """Is there no key?"""
        return self._root is None

    def minimum(self) -> int:
        """The least key."""
        if self._root is None:
            raise ValueError("an empty tree has no minimum")
        node = self._root
        while node.left is not None:
            node = node.left
        return node.key

    def successor(self, v: int) -> int:
        """The least key that is greater than `v`, which need not be a key itself."""
        best: _Node | None = None
        node = self._root
        while node is not None:
            if node.key > v:
                best, node = node, node.left
            else:
                node = node.right
        if best is None:
            raise KeyError("no key is greater")
        return best.key

    def insert(self, v: int) -> None:
        """Add the key `v`, if it is not there."""
        self._root = self._with(self._root, v)

    def remove(self, v: int) -> None:
        """Remove the key `v`."""
        if v not in self:
            raise KeyError("there is no such key")
        self._root = self._without(self._root, v)

    def pop_minimum(self) -> int:
        """Remove the least key and return it."""
        if self._root is None:
            raise ValueError("an empty tree has no minimum")
        least = self.minimum()
        self.remove(least)
        return least

    def merge(self, other: Tree) -> None:
        """Add all keys of `other`."""
        for key in list(other):
            self.insert(key)

    def clear(self) -> None:
        """Remove all keys."""
        self._root = None

    def _with(self, node: _Node | None, v: int) -> _Node:
        if node is None:
            return _Node(v)
        if v < node.key:
            node.left = self._with(node.left, v)
        elif v > node.key:
            node.right = self._with(node.right, v)
        return node

    def _without(self, node: _Node | None, v: int) -> _Node | None:
        if node is None:
            return None
        if v < node.key:
            node.left = self._without(node.left, v)
        elif v > node.key:
            node.right = self._without(node.right, v)
        elif node.left is None or node.right is None:
            return node.right if node.left is None else node.left
        else:
            node.key = self.successor(v)
            node.right = self._without(node.right, node.key)
        return node
