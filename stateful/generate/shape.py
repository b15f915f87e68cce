"""The shape of an object: what its attributes are, and not which values they have. A pool that draws among shapes calls
routines on the few sets with a key function as often as on the many without one."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from itertools import islice
from typing import Any

from stateful.judge.law import attributes_of

__all__ = ["shape_of"]

MOST_ATTRIBUTES = 12
SIZED = (list, tuple, dict, set, frozenset, deque, str, bytes, bytearray)
MANY = 2


def shape_of(one: Any) -> Hashable:
    """Equal for objects whose attributes are of the same classes; of truths, signs and the sizes 0, 1 and more, too.

    >>> class Shelf:
    ...     def __init__(self, items, key=None): self.items, self.key = items, key
    >>> shape_of(Shelf([1, 2])) == shape_of(Shelf(["a", "b", "c"])), shape_of(Shelf([])) == shape_of(Shelf([], len))
    (True, False)
    """
    base: Any = next((base for base in SIZED if issubclass(type(one), base)), None)
    own = base.__len__(one) if base else None
    try:
        parts = [part for several in attributes_of(one) for part in islice(several, MOST_ATTRIBUTES)]
    except Exception:  # an object whose attributes cannot be read
        parts = []
    return (type(one), own and min(own, MANY), *map(_kind, parts))


def _kind(part: Any) -> Hashable:
    kind = type(part)
    if part is None or kind is bool:
        return kind, part
    if kind in (int, float):
        return kind, (part > 0) - (part < 0)
    return (kind, min(len(part), MANY)) if kind in SIZED else (kind, None)
