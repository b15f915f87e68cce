"""Python's own collections: which classes say that they are one, and how the content of an object is taken as one."""

from __future__ import annotations

import collections.abc
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stateful.judge.law import content_of, holds_nan

__all__ = ["DEQUE", "INDEXED", "LIST", "MAPPING", "SEQUENCE", "SET", "Family", "held_by", "is_sequence"]

MOST_HELD = 60  # items of the objects that are compared


@dataclass(frozen=True, slots=True)
class Family:
    """What Python's own collection of a kind is, and how the content of an object is taken as one."""

    name: str
    model: str
    """Python for the content of `x`."""
    build: Callable[[Any], Any]
    belongs: Callable[[type], bool]


def _sequence_of(value: Any) -> list[Any]:
    items = content_of(value)
    if items is None:
        raise TypeError
    return items


def _deque_of(value: Any) -> deque[Any]:
    return deque(_sequence_of(value))


def _set_of(value: Any) -> set[Any]:
    return set(_sequence_of(value))


def _dict_of(value: Any) -> dict[Any, Any]:
    return {key: value[key] for key in _sequence_of(value)}


def is_sequence(cls: type) -> bool:
    return issubclass(cls, list | deque | collections.abc.Sequence) and not issubclass(cls, str | bytes)


def _is_deque(cls: type) -> bool:
    """It takes and gives at both ends."""
    return all(callable(getattr(cls, name, None)) for name in ("appendleft", "popleft", "__len__", "__iter__"))


def _is_set(cls: type) -> bool:
    return issubclass(cls, set | frozenset | collections.abc.Set)


def _is_mapping(cls: type) -> bool:
    return issubclass(cls, dict | collections.abc.Mapping)


def _is_indexed(cls: type) -> bool:
    """It has items by number, whatever else it is."""
    has = all(callable(getattr(cls, name, None)) for name in ("__getitem__", "__len__"))
    return has and not _is_mapping(cls) and not hasattr(cls, "keys") and not issubclass(cls, str | bytes | tuple)


def _is_list(cls: type) -> bool:
    """It says so, or things are put into it by number."""
    return is_sequence(cls) or (_is_indexed(cls) and callable(getattr(cls, "insert", None)))


SEQUENCE = Family("list", "list(x)", _sequence_of, is_sequence)
LIST = Family("list", "list(x)", _sequence_of, _is_list)
INDEXED = Family("list", "list(x)", _sequence_of, _is_indexed)
DEQUE = Family("deque", "collections.deque(x)", _deque_of, _is_deque)
SET = Family("set", "set(x)", _set_of, _is_set)
MAPPING = Family("dict", "{key: x[key] for key in x}", _dict_of, _is_mapping)


def held_by(family: Family, value: Any) -> Any | None:
    """The content of an object as Python's own collection; none if comparing it says nothing.

    It has to be little enough, and hold no nan. Items of a set are there once, and items by number are those that
    iterating gives: else the class means something else by them."""
    try:
        model = family.build(value)
    except Exception:
        return None
    if len(model) > MOST_HELD or holds_nan(list(model)):
        return None
    if family is SET and len(value) != len(model):  # it gives an item twice: a bag
        return None
    return model if family not in (INDEXED, LIST) or _has_by_number(value, model) else None


def _has_by_number(value: Any, model: Any) -> bool:
    if is_sequence(type(value)):
        return True
    try:
        return all(value[place] is item or value[place] == item for place, item in enumerate(model))
    except Exception:
        return False
