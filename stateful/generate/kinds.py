"""Which kinds of values a parameter wants: from its annotation, or else from experience."""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Mapping
from typing import Any

from stateful.generate.values import ORDINARY
from stateful.judge import Experience

__all__ = ["Wish", "weights", "wishes_of"]

ATOMS = {int: "int", float: "float", str: "str", bytes: "bytes", bool: "bool", type(None): "NoneType", complex: "float"}
CONTAINERS: Mapping[Any, str] = {
    list: "list", tuple: "tuple", set: "set", frozenset: "frozenset", dict: "dict", slice: "slice",
    collections.abc.Iterable: "list", collections.abc.Sequence: "list", collections.abc.Collection: "list",
    collections.abc.MutableSequence: "list", collections.abc.Iterator: "list", collections.abc.Container: "list",
    collections.abc.Set: "set", collections.abc.MutableSet: "set", collections.abc.Mapping: "dict",
    collections.abc.MutableMapping: "dict", collections.abc.Callable: "callable", collections.abc.Hashable: "int",
}  # fmt: skip
Wish = str | type
"""A kind of literal, or a class whose objects are drawn from the pool."""


def wishes_of(hint: Any, known: Mapping[type, Any]) -> list[Wish]:
    """What an annotation asks for; nothing if it says nothing."""
    origin = typing.get_origin(hint)
    if isinstance(hint, type) and hint in ATOMS:
        return ["float", "int"] if hint is float else [ATOMS[hint]]
    if origin in (typing.Union, types.UnionType):
        return [wish for part in typing.get_args(hint) for wish in wishes_of(part, known)]
    if origin is typing.Literal:
        return [type(value).__name__ for value in typing.get_args(hint)]
    container = CONTAINERS.get(origin or hint)
    if container:
        return [_container(container, typing.get_args(hint))]
    cls = origin or hint
    return (
        [cls] if isinstance(cls, type) and cls is not object and any(_conforms(other, cls) for other in known) else []
    )


def _conforms(cls: type, other: type) -> bool:
    """Some protocols refuse to be asked."""
    try:
        return issubclass(cls, other)
    except TypeError:
        return False


def _container(outer: str, arguments: tuple[Any, ...]) -> str:
    inner = [ATOMS[a] for a in arguments if isinstance(a, type) and a in ATOMS and a is not type(None)]
    if outer in ("slice", "callable") or len(inner) != len([a for a in arguments if a is not Ellipsis]):
        return outer
    return f"{outer}[{', '.join(inner)}]"


def weights(wishes: list[Wish], routine: str, slot: int, experience: Experience) -> list[tuple[Wish, float]]:
    """How likely each wish is drawn: what passed here before is worth more."""
    tried, passed = experience.tried.get((routine, slot)), experience.passed.get((routine, slot))
    found = []
    for position, wish in enumerate(wishes):
        name = wish if isinstance(wish, str) else f"{wish.__module__}:{wish.__qualname__}"
        attempts = tried[name] if tried else 0
        successes = passed[name] if passed else 0
        prior = 1.0 / (1 + 0.25 * position)
        found.append((wish, prior * (successes + 1) / (attempts + 1.5)))
    return found


def any_wishes(classes: list[type]) -> list[Wish]:
    """What a parameter without any type is tried with: ordinary values and the subject's own objects."""
    return ["int", *classes, *ORDINARY[1:]]
