"""Trees whose nodes know their parent and both neighbours, with a cursor over the children of each node.

`merge_tree_after` needs a cursor that is not off. It goes wrong if the two nodes are siblings, and random
testing hardly ever has siblings of which one has a cursor that stands on a child: it takes a tree of three
levels, two steps through it, and `start`.
"""

from __future__ import annotations


class TwoWayTree:
    """A node of a tree, and the tree below it."""

    def __init__(self, item: int) -> None:
        self.item = item
        self._parent: TwoWayTree | None = None
        self._first: TwoWayTree | None = None
        self._left: TwoWayTree | None = None
        self._right: TwoWayTree | None = None
        self._cursor: TwoWayTree | None = None

    @classmethod
    def complete(cls, levels: int, width: int) -> TwoWayTree:
        """A tree of so many levels in which every inner node has `width` children."""
        if not 1 <= levels <= 3 or not 0 <= width <= 3:
            raise ValueError("a complete tree has 1 to 3 levels and a width of 0 to 3")
        root = cls(0)
        for _ in range(width if levels > 1 else 0):
            root._attach(cls.complete(levels - 1, width))
        return root

    @property
    def parent(self) -> TwoWayTree | None:
        return self._parent

    @property
    def first_child(self) -> TwoWayTree | None:
        return self._first

    @property
    def left_sibling(self) -> TwoWayTree | None:
        return self._left

    @property
    def right_sibling(self) -> TwoWayTree | None:
        return self._right

    @property
    def off(self) -> bool:
        """Does the cursor stand on no child?"""
        return self._cursor is None

    def arity(self) -> int:
        """The number of children."""
        return len(self._children())

    def is_root(self) -> bool:
        return self._parent is None

    def is_leaf(self) -> bool:
        return self._first is None

    def is_sibling(self, other: TwoWayTree) -> bool:
        """Are this node and `other` two children of one node?"""
        return self is not other and self._parent is not None and self._parent is other._parent

    def start(self) -> None:
        """Move the cursor to the first child; without children it is off."""
        self._cursor = self._first

    def forth(self) -> None:
        """Move the cursor to the next child, and off behind the last one."""
        if self._cursor is not None:
            self._cursor = self._cursor._right

    def put_child(self, item: int) -> None:
        """Add a child behind the others."""
        self._attach(TwoWayTree(item))

    def merge_tree_after(self, other: TwoWayTree) -> None:
        """Move the children of `other` behind the cursor; `other` becomes a root without children."""
        if self.off:
            raise ValueError("the cursor is off")
        if other is self or other._holds(self) or self._holds(other):
            raise ValueError("one of the trees is part of the other")
        for child in reversed(other._children()):
            child._detach()
            self._insert_after_cursor(child)
        if other.is_sibling(self):  # they stand side by side
            self._right = other._right
            other._right._left = self
            other._parent = other._left = other._right = None
        elif other._parent is not None:
            other._detach()

    def _holds(self, other: TwoWayTree) -> bool:
        node = other._parent
        while node is not None and node is not self:
            node = node._parent
        return node is not None

    def _children(self) -> list[TwoWayTree]:
        children = []
        child = self._first
        while child is not None:
            children.append(child)
            child = child._right
        return children

    def _attach(self, child: TwoWayTree) -> None:
        children = self._children()
        child._parent = self
        if children:
            children[-1]._right, child._left = child, children[-1]
        else:
            self._first = child

    def _insert_after_cursor(self, child: TwoWayTree) -> None:
        cursor = self._cursor
        child._parent, child._left, child._right = self, cursor, cursor._right
        if cursor._right is not None:
            cursor._right._left = child
        cursor._right = child

    def _detach(self) -> None:
        parent = self._parent
        if parent._cursor is self:
            parent._cursor = None
        if parent._first is self:
            parent._first = self._right
        if self._left is not None:
            self._left._right = self._right
        if self._right is not None:
            self._right._left = self._left
        self._parent = self._left = self._right = None
