"""A mutable mapping from strings to values with prefix queries.

``PrefixMap`` behaves like a ``dict`` whose iteration order is lexicographic,
and adds ``longest_prefix``, ``iter_prefix`` and ``pop_prefix``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Generic, TypeVar

V = TypeVar("V")

_MISSING: Any = object()


class _Node(Generic[V]):
    __slots__ = ("children", "value")

    def __init__(self) -> None:
        self.children: dict[str, _Node[V]] = {}
        self.value: V = _MISSING

    def walk(self, prefix: str) -> Iterator[tuple[str, V]]:
        """Yield the ``(key, value)`` pairs at and below this node, sorted."""
        stack: list[tuple[str, _Node[V]]] = [(prefix, self)]
        while stack:
            key, node = stack.pop()
            if node.value is not _MISSING:
                yield key, node.value
            for char in sorted(node.children, reverse=True):
                stack.append((key + char, node.children[char]))


class PrefixMap(MutableMapping[str, V]):
    """Trie-backed mapping with ``str`` keys (the empty string included)."""

    def __init__(self, source: Mapping[str, V] | Iterable[tuple[str, V]] = ()) -> None:
        self._root: _Node[V] = _Node()
        self._size: int = 0
        self.update(source)

    # -- helpers -----------------------------------------------------------

    def _find(self, key: str) -> _Node[V] | None:
        node = self._root
        for char in key:
            following = node.children.get(char)
            if following is None:
                return None
            node = following
        return node

    def _trail(self, key: str) -> tuple[_Node[V] | None, list[tuple[_Node[V], str]]]:
        """Return the node of *key* and the (parent, edge) steps towards it."""
        trail: list[tuple[_Node[V], str]] = []
        node = self._root
        for char in key:
            trail.append((node, char))
            following = node.children.get(char)
            if following is None:
                return None, trail
            node = following
        return node, trail

    # -- mapping protocol --------------------------------------------------

    def __getitem__(self, key: str) -> V:
        node = self._find(key)
        if node is None or node.value is _MISSING:
            raise KeyError(key)
        return node.value

    def __setitem__(self, key: str, value: V) -> None:
        if not isinstance(key, str):
            raise TypeError(f"keys must be str, not {type(key).__name__}")
        node = self._root
        for char in key:
            following = node.children.get(char)
            if following is None:
                following = node.children[char] = _Node()
            node = following
        if node.value is _MISSING:
            self._size += 1
        node.value = value

    def __delitem__(self, key: str) -> None:
        node, trail = self._trail(key)
        if node is None or node.value is _MISSING:
            raise KeyError(key)
        node.value = _MISSING
        self._size -= 1
        while trail and not node.children and node.value is _MISSING:
            node, edge = trail.pop()
            del node.children[edge]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        node = self._find(key)
        return node is not None and node.value is not _MISSING

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._root.walk(""))

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        body = ", ".join(f"{k!r}: {v!r}" for k, v in self._root.walk(""))
        return f"{type(self).__name__}({{{body}}})"

    def clear(self) -> None:
        self._root = _Node()
        self._size = 0

    def copy(self) -> PrefixMap[V]:
        """Return a shallow copy: new structure, same values."""
        return PrefixMap(self._root.walk(""))

    # -- prefix queries ----------------------------------------------------

    def has_prefix(self, prefix: str) -> bool:
        """True if at least one key starts with *prefix*."""
        node = self._find(prefix)
        return node is not None and next(node.walk(prefix), None) is not None

    def iter_prefix(self, prefix: str) -> Iterator[tuple[str, V]]:
        """Yield the sorted ``(key, value)`` pairs whose key starts with *prefix*."""
        node = self._find(prefix)
        return iter(()) if node is None else node.walk(prefix)

    def longest_prefix(self, text: str) -> tuple[str, V]:
        """Return the item whose key is the longest prefix of *text*.

        Raises:
            KeyError: no key of the map is a prefix of *text*.
        """
        best, value, node = -1, self._root.value, self._root
        if value is not _MISSING:
            best = 0
        for depth, char in enumerate(text, 1):
            following = node.children.get(char)
            if following is None:
                break
            node = following
            if node.value is not _MISSING:
                best, value = depth, node.value
        if best < 0:
            raise KeyError(text)
        return text[:best], value

    def pop_prefix(self, prefix: str) -> dict[str, V]:
        """Remove every key that starts with *prefix*; return what was removed."""
        node, trail = self._trail(prefix)
        if node is None:
            return {}
        removed = dict(node.walk(prefix))
        self._size -= len(removed)
        node.children = {}
        node.value = _MISSING
        while trail and not node.children and node.value is _MISSING:
            node, edge = trail.pop()
            del node.children[edge]
        return removed
