"""What objects reach: found without asking any of their own methods."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from stateful.contracts.evaluate import ATOMS, is_atom

__all__ = ["reached"]

MOST_REACHED = 24


def reached(objects: list[Any], known: Mapping[type, object]) -> tuple[list[Any], bool]:
    """The objects, and behind them those of the `known` classes that they reach, breadth first."""
    found = list(objects)
    visited = {id(value) for value in found}
    frontier = list(objects)
    while frontier:
        following = []
        for value in frontier:
            for part in _parts(value):
                if type(part) in ATOMS or id(part) in visited or is_atom(part):
                    continue
                visited.add(id(part))
                following.append(part)
                if type(part) in known:
                    if len(found) >= len(objects) + MOST_REACHED:
                        return found, True
                    found.append(part)
        frontier = following
    return found, False


def _parts(value: Any) -> Iterator[Any]:
    """What an object holds directly, without asking its own methods."""
    cls = type(value)
    if cls is list or cls is tuple or cls is set or cls is frozenset:
        yield from _composed(value)
        return
    if cls is dict:
        yield from _composed(value.keys())
        yield from _composed(value.values())
        return
    yield from getattr(value, "__dict__", NOTHING).values()
    for name in _slot_names(cls):
        if hasattr(value, name):
            yield getattr(value, name)
    if isinstance(value, list):
        yield from list.__iter__(value)
    elif isinstance(value, tuple):
        yield from tuple.__iter__(value)
    elif isinstance(value, dict):
        yield from dict.keys(value)
        yield from dict.values(value)
    else:
        base = next((one for one in HOLDING if isinstance(value, one)), None)
        yield from () if base is None else base.__iter__(value)


def _composed(items: Collection[Any]) -> Iterable[Any]:
    """The items, unless all are atoms: most containers hold nothing else, and are not worth a loop."""
    return () if ATOMS.issuperset(map(type, items)) else items


NOTHING: dict[str, Any] = {}
HOLDING: tuple[Any, ...] = (set, frozenset, deque)
SLOTS: dict[type, tuple[str, ...]] = {}


def _mangled(cls: type, name: str) -> str:
    """The name of an attribute that its class calls so: two underscores at its beginning make it private.

    >>> _mangled(type("_Node", (), {}), "__next"), _mangled(list, "key")
    ('_Node__next', 'key')
    """
    private = name.startswith("__") and not name.endswith("__")
    return f"_{cls.__name__.lstrip('_')}{name}" if private else name


def _slot_names(cls: type) -> tuple[str, ...]:
    """The names in the `__slots__` of a class and its bases."""
    if cls not in SLOTS:
        found = []
        for base in cls.__mro__:
            slots = vars(base).get("__slots__", ())
            found += [_mangled(base, name) for name in ([slots] if isinstance(slots, str) else slots)]
        SLOTS[cls] = tuple(name for name in found if not name.endswith("__"))
    return SLOTS[cls]
