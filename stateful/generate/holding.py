"""What the objects of a state hold: others, and plain values."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.judge.law import attributes_of, held

__all__ = ["holders_of", "values_in"]

MOST_REACHED = 300
MOST_ITEMS = 6  # of a container
LONGEST = 16  # texts that are longer may be made anew each time, ...
LARGEST = 10**6  # ... and such numbers, too


def holders_of(objects: Sequence[Any], classes: Collection[type]) -> Mapping[int, tuple[int, ...]]:
    """For the objects of these classes the places of those that hold them, from near or far.

    >>> class Item: ...
    >>> class Shelf: ...
    >>> item, shelf = Item(), Shelf()
    >>> shelf.items = {"a": [item]}
    >>> holders_of([item, shelf, 3, [item]], {Item, Shelf})
    {0: (1,)}
    """
    places = {id(one): place for place, one in enumerate(objects) if type(one) in classes}
    if len(places) < 2:
        return {}
    found: dict[int, tuple[int, ...]] = {}
    for place in places.values():
        for inner in _reached(objects[place]) & places.keys():
            found[places[inner]] = (*found.get(places[inner], ()), place)
    return found


def _reached(holder: Any) -> set[int]:
    """The objects that it holds, without itself."""
    seen, frontier = {id(holder)}, [holder]
    while frontier and len(seen) < MOST_REACHED:
        for several in held(frontier.pop()):
            for part in several:
                if not is_atom(part) and id(part) not in seen:
                    seen.add(id(part))
                    frontier.append(part)
    return seen - {id(holder)}


def values_in(one: Any, classes: Collection[type]) -> Iterator[int | str | bytes]:
    """Short plain values: the object itself, the first items and keys of a container, and those of the attributes of an
    object of these classes.

    >>> class Shelf: ...
    >>> shelf = Shelf()
    >>> shelf.size, shelf.items, shelf.id = 2, {"a": [1], ("b", 3): 5}, 7 * 10**9
    >>> list(values_in(shelf, {Shelf})), list(values_in([4, "x"], {Shelf})), list(values_in(True, {Shelf}))
    ([2, 'a', 'b', 3], [4, 'x'], [])
    """
    if type(one) in classes:
        for several in attributes_of(one):
            for part in several:
                if type(part) not in classes:
                    yield from values_in(part, classes)
        return
    items = [one] if type(one) not in CONTAINERS else islice(one, MOST_ITEMS)
    for item in items:
        for part in item if type(item) is tuple else (item,):
            if (type(part) is int and abs(part) < LARGEST) or (type(part) in (str, bytes) and len(part) <= LONGEST):
                yield part


CONTAINERS = (list, tuple, set, frozenset, dict, deque)
