"""Which kinds of values a parameter wants: from its annotation, or else from what its use suggests and experience."""

from __future__ import annotations

import collections.abc
import enum
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from stateful.generate.values import ORDINARY
from stateful.subject.routines import LiveRoutine, conforms

__all__ = ["Choice", "Several", "Wish", "wishes_of", "wishes_of_parameter"]

ATOMS = {
    int: "int", float: "float", str: "str", bytes: "bytes", bool: "bool", type(None): "NoneType", complex: "complex",
    slice: "slice", range: "range",
}  # fmt: skip
CONTAINERS: Mapping[Any, str] = {
    list: "list", tuple: "tuple", set: "set", frozenset: "frozenset", dict: "dict",
    collections.abc.Iterable: "iterable", collections.abc.Sequence: "list", collections.abc.Collection: "iterable",
    collections.abc.MutableSequence: "list", collections.abc.Iterator: "iterable",
    collections.abc.Container: "iterable", collections.abc.Reversible: "list", collections.abc.Set: "set",
    collections.abc.MutableSet: "set", collections.abc.Mapping: "mapping", collections.abc.MutableMapping: "mapping",
    collections.abc.Callable: "callable", collections.abc.Hashable: "element", collections.abc.Sized: "iterable",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these expressions: the members of an enum, or the values that `Literal` lists."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """A container of objects of a class, made by a display."""

    display: str
    cls: type


Wish: TypeAlias = str | type | Choice | Several
"""A kind of value, a class whose objects are drawn from the pool, or one of the above."""


def wishes_of(hint: Any, known: Iterable[type]) -> list[Wish]:
    """What an annotation asks for; nothing if it says nothing, or what nobody understands."""
    try:
        return _wishes(_as_a_type(hint), known)
    except Exception:
        return []


def _as_a_type(hint: Any) -> Any:
    """Some write `[int]` for a list of integers, `(int, str)` for either, and an example for a dict."""
    if isinstance(hint, list):
        return list[hint[0]] if len(hint) == 1 else list
    if isinstance(hint, tuple):
        return typing.Union[hint] if hint else tuple  # noqa: UP007
    return dict if isinstance(hint, dict) else hint


def _wishes(hint: Any, known: Iterable[type]) -> list[Wish]:
    origin = typing.get_origin(hint)
    if isinstance(hint, type) and hint in ATOMS:
        return ["float", "int"] if hint is float else [ATOMS[hint]]
    if origin in (typing.Union, types.UnionType):
        return [wish for part in typing.get_args(hint) for wish in wishes_of(part, known)]
    if origin is typing.Literal:
        return [Choice(tuple(map(_choice, typing.get_args(hint))))]
    if origin is typing.Annotated:
        return wishes_of(typing.get_args(hint)[0], known)
    if isinstance(hint, typing.TypeVar):
        bounds = [hint.__bound__] if hint.__bound__ else hint.__constraints__
        return [wish for bound in bounds for wish in wishes_of(bound, known)] or ["element"]
    if isinstance(hint, typing.NewType):
        return wishes_of(hint.__supertype__, known)
    container = CONTAINERS.get(origin or hint)
    if container:
        return [_container(container, typing.get_args(hint), known)]
    return _wished_class(origin or hint, known)


def _choice(value: Any) -> str:
    """The expression for a plain value or the member of an enum."""
    cls = type(value)
    return f"{cls.__module__}:{cls.__qualname__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)


def _wished_class(cls: Any, known: Iterable[type]) -> list[Wish]:
    if not isinstance(cls, type) or cls is object:
        return []
    if issubclass(cls, enum.Enum):
        members = tuple(_choice(member) for name, member in cls.__members__.items() if name.isidentifier())
        return [Choice(members)] if members else []
    fitting = [other for other in known if conforms(other, cls) and not getattr(other, "_is_protocol", False)]
    by_inheritance = any(cls in other.__mro__ for other in fitting)
    return [cls] if by_inheritance else [*fitting[:MOST_CONFORMING]]


MOST_CONFORMING = 4  # classes that conform to a protocol without inheriting from it


def _container(outer: str, arguments: tuple[Any, ...], known: Iterable[type]) -> Wish:
    """A container with the kinds of its items, as far as they are known."""
    if outer in ("callable", "element"):
        return outer
    inner = [wishes_of(argument, known) for argument in arguments if argument is not Ellipsis]
    firsts = [wishes[0] if wishes else "element" for wishes in inner]
    if firsts and isinstance(firsts[0], type) and outer in ("list", "iterable", "tuple"):
        return Several("stateful:tuple_of" if outer == "tuple" else "stateful:list_of", firsts[0])
    if not firsts or not all(isinstance(wish, str) for wish in firsts):
        return outer
    more = ", ..." if outer == "tuple" and Ellipsis in arguments else ""
    return f"{outer}[{', '.join(map(str, firsts))}{more}]"


def wishes_of_parameter(
    live: LiveRoutine, name: str, suggested: tuple[str, ...], known: Mapping[str, type]
) -> list[tuple[Wish, float]]:
    """What a parameter wants, each wish with its weight; `known` are the classes that can be built, by name."""
    wished = wishes_of(live.hints.get(name), known.values())
    if wished:
        return [(wish, 1 / (1 + 0.25 * place)) for place, wish in enumerate(wished)]
    found: dict[Wish, float] = {}
    for place, kind in enumerate(suggested):
        wish = _suggested(kind, live, known)
        if wish is not None:
            found.setdefault(wish, 1 / (1 + place))
    if live.cls in known.values() and live.cls is not None:
        found.setdefault(live.cls, UNTOLD)
    for kind in ORDINARY:
        found.setdefault(kind, UNTOLD if found else 1)
    return list(found.items())


UNTOLD = 0.06
"""The weight of a kind that nothing speaks for, beside those that something speaks for."""


def _suggested(kind: str, live: LiveRoutine, known: Mapping[str, type]) -> Wish | None:
    if kind == "self":
        return live.cls
    if kind[:1].isupper() or kind in known:
        return known.get(kind)
    return kind
