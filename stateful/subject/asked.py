"""Is a value what an annotation asks for? Three answers: yes, no, and that nobody can tell."""

from __future__ import annotations

import collections
import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

__all__ = ["agrees"]

SCALARS = frozenset((int, str, float, bool, bytes, type(None), complex, slice, range, bytearray))
WIDER: Mapping[Any, tuple[type, ...]] = {float: (float, int), complex: (complex, float, int)}
VAGUE = ("builtins", "collections", "collections.abc", "typing")
READABLE = frozenset((
    list, tuple, set, frozenset, dict, collections.deque, collections.OrderedDict, collections.defaultdict,
    collections.Counter,
))  # fmt: skip
"""The containers that can be looked into without running anybody's code."""
MOST_ITEMS = 200


def agrees(hint: Any, value: Any) -> bool | None:
    """True if the value is all that an annotation asks for, False if it contradicts that.

    What is in containers is looked at, too. Nobody can tell of functions, of iterators and of a bare `list`.

    >>> agrees(list[int] | None, [1, 2]), agrees(dict[str, int], {"a": None}), agrees(list, [1])
    (True, False, None)
    """
    try:
        return _agrees(hint, value)
    except Exception:  # protocols that refuse to be asked, and what is no type at all
        return None


def _agrees(hint: Any, value: Any) -> bool | None:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _any(agrees(part, value) for part in inner)
    if origin is typing.Literal:
        return any(type(value) is type(each) and value == each for each in inner)
    if origin is typing.Annotated:
        return agrees(inner[0], value)
    if origin is type:
        return isinstance(value, type) and (issubclass(value, inner[0]) if isinstance(inner[0], type) else None)
    if isinstance(hint, typing.TypeVar):
        bounds = (hint.__bound__,) if hint.__bound__ else hint.__constraints__
        return _any(agrees(bound, value) for bound in bounds) if bounds else None
    if isinstance(hint, typing.NewType):
        return agrees(hint.__supertype__, value)
    if isinstance(hint, dataclasses.InitVar):
        return agrees(hint.type, value)
    return _is_one(origin or hint, inner, value)


def _is_one(cls: Any, inner: tuple[Any, ...], value: Any) -> bool | None:
    if not isinstance(cls, type) or cls is object:
        return None
    if not isinstance(value, WIDER.get(cls, cls)):
        return False
    if cls in SCALARS or not (cls.__module__ in VAGUE or getattr(cls, "_is_protocol", False)):
        return True
    return _items_agree(cls, inner, value) if inner and type(value) in READABLE else None


def _items_agree(cls: type, inner: tuple[Any, ...], value: Any) -> bool | None:
    """The items of a container are what the annotation says of them."""
    if cls is tuple and inner[-1] is not Ellipsis:  # of another length: some write `tuple[int]` for any length
        return _all(map(agrees, inner, value)) if len(inner) == len(value) else None
    sides = (value, value.values()) if issubclass(cls, Mapping) else (value,)
    pairs = zip(inner, sides, strict=False)
    return _all(agrees(hint, item) for hint, side in pairs for item in islice(side, MOST_ITEMS))


def _any(answers: Iterator[bool | None]) -> bool | None:
    several = set(answers)
    return True if True in several else None if None in several else False


def _all(answers: Iterable[bool | None]) -> bool | None:
    several = set(answers)
    return False if False in several else None if None in several else True
