"""Which objects of a state hold others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.judge.law import held

__all__ = ["holders_of"]

MOST_REACHED = 300


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
