"""Which kinds of values a parameter wants: from its annotation, or else from what its use suggests and experience."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import numbers
import os
import pathlib
import re
import types
import typing
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from stateful.generate.values import ORDINARY
from stateful.subject.attributes import attributes_of
from stateful.subject.routines import LiveRoutine, conforms
from stateful.subject.source import assigned_by, once
from stateful.subject.usage import HAVING, enum_called

__all__ = ["Choice", "Record", "Several", "Wish", "named_near", "wishes_of", "wishes_of_parameter"]

ATOMS = {
    int: "int", float: "float", str: "str", bytes: "bytes", bool: "bool", type(None): "NoneType", complex: "complex",
    slice: "slice", range: "range", bytearray: "bytearray", numbers.Number: "int", numbers.Real: "float",
    numbers.Integral: "int", numbers.Complex: "complex", typing.SupportsInt: "int", typing.SupportsFloat: "float",
    typing.SupportsIndex: "int", typing.SupportsAbs: "int", typing.SupportsRound: "float",
}  # fmt: skip
CONTAINERS: Mapping[Any, str] = {
    list: "list", tuple: "tuple", set: "set", frozenset: "frozenset", dict: "dict", collections.deque: "deque",
    collections.OrderedDict: "ordered", collections.defaultdict: "defaulting", collections.Counter: "counter",
    collections.abc.Iterable: "iterable", collections.abc.Sequence: "list", collections.abc.Collection: "iterable",
    collections.abc.MutableSequence: "list", collections.abc.Iterator: "iterator",
    collections.abc.Generator: "iterator", collections.abc.Container: "iterable",
    collections.abc.Reversible: "list", collections.abc.Set: "set", collections.abc.MutableSet: "set",
    collections.abc.Mapping: "mapping", collections.abc.MutableMapping: "mapping",
    collections.abc.Callable: "callable", collections.abc.Hashable: "element", collections.abc.Sized: "iterable",
}  # fmt: skip
STANDARD: Mapping[Any, tuple[str, ...]] = {
    datetime.datetime: ("datetime.datetime(2024, 2, 29, 12, 30)", "datetime.datetime(1999, 12, 31)"),
    datetime.date: ("datetime.date(2024, 2, 29)", "datetime.date(1999, 12, 31)", "datetime.date(2025, 1, 1)"),
    datetime.time: ("datetime.time(12, 30)", "datetime.time(0, 0)"),
    datetime.timedelta: ("datetime.timedelta(0)", "datetime.timedelta(days=1)", "datetime.timedelta(seconds=-90)"),
    datetime.tzinfo: ("datetime.timezone.utc", "datetime.timezone(datetime.timedelta(hours=5))"),
    decimal.Decimal: ("decimal.Decimal('0')", "decimal.Decimal('1.5')", "decimal.Decimal('-20')"),
    fractions.Fraction: ("fractions.Fraction(0, 1)", "fractions.Fraction(1, 3)", "fractions.Fraction(-7, 2)"),
    pathlib.Path: ("pathlib.Path('a')", "pathlib.Path('a/b.txt')", "pathlib.Path('.')"),
    pathlib.PurePath: ("pathlib.PurePath('a')", "pathlib.PurePath('a/b.txt')"),
    os.PathLike: ("pathlib.Path('a')", "pathlib.Path('a/b.txt')"),
    uuid.UUID: ("uuid.UUID(int=0)", "uuid.UUID(int=7)"),
    re.Pattern: ("re.compile('a')", "re.compile('[a-z]+')", "re.compile('')"),
    typing.IO: ("io.StringIO('')", "io.StringIO('a\\nb\\n')"),
    typing.TextIO: ("io.StringIO('')", "io.StringIO('a\\nb\\n')"),
    typing.BinaryIO: ("io.BytesIO(b'')", "io.BytesIO(b'abc')"),
    io.StringIO: ("io.StringIO('')", "io.StringIO('a\\nb\\n')"),
    io.BytesIO: ("io.BytesIO(b'')", "io.BytesIO(b'abc')"),
    type: ("int", "str", "list"),
}
"""What stands for the classes of Python's library that are asked for most: the ordinary first."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these expressions: the members of an enum, or the values that `Literal` lists."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """A container of what is no plain value, made by a display."""

    display: str
    item: Any
    """A `Wish`: the class of the objects, or the choices for each."""


@dataclass(frozen=True, slots=True)
class Record:
    """A dict with these keys, each with what its value is to be: what a `TypedDict` describes."""

    items: tuple[tuple[str, Any], ...]


Wish: TypeAlias = str | type | Choice | Several | Record
"""A kind of value, a class whose objects are drawn from the pool, or one of the above."""


def wishes_of(hint: Any, known: Iterable[type], own: type | None = None) -> list[Wish]:
    """What an annotation asks for; nothing if nobody understands what it says. `Self` is the `own` class."""
    try:
        return _wishes(_as_a_type(hint, own), list(known), own)
    except Exception:
        return []


def _as_a_type(hint: Any, own: type | None) -> Any:
    """Some write `[int]` for a list of integers, `(int, str)` for either, and an example for a dict."""
    if hint is typing.Self and own is not None:
        return own
    if isinstance(hint, dataclasses.InitVar):
        return hint.type
    if isinstance(hint, list):
        return list[hint[0]] if len(hint) == 1 else list
    if isinstance(hint, tuple):
        return typing.Union[hint] if hint else tuple  # noqa: UP007
    return dict if isinstance(hint, dict) else hint


def _wishes(hint: Any, known: list[type], own: type | None) -> list[Wish]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and hint in ATOMS:
        return ["float", "int"] if ATOMS[hint] == "float" else [ATOMS[hint]]
    if origin in (typing.Union, types.UnionType):
        return [wish for part in inner for wish in wishes_of(part, known, own)]
    if origin is typing.Literal:
        return [Choice(tuple(map(_choice, inner)))]
    if origin is typing.Annotated:
        return wishes_of(inner[0], known, own)
    if isinstance(hint, typing.ForwardRef):
        return [cls for cls in known if cls.__name__ == hint.__forward_arg__.rpartition(".")[2]]
    if isinstance(hint, typing.TypeVar):
        bounds = [hint.__bound__] if hint.__bound__ else hint.__constraints__
        return [wish for bound in bounds for wish in wishes_of(bound, known, own)] or ["element"]
    if isinstance(hint, typing.NewType):
        return wishes_of(hint.__supertype__, known, own)
    if origin is type:
        return _classes(inner[0], known)
    if typing.is_typeddict(hint):
        return _record(hint, known, own)
    if origin is typing.IO and inner == (bytes,):
        return [Choice(STANDARD[typing.BinaryIO])]
    if (origin or hint) in STANDARD:
        return [Choice(STANDARD[origin or hint])]
    container = CONTAINERS.get(origin or hint)
    if container:
        return [_container(container, inner, known, own)]
    return ATOMS_BY_PROTOCOL.get(hint) or _wished_class(origin or hint, known)


ATOMS_BY_PROTOCOL: Mapping[Any, list[Wish]] = {
    hint: [kind] for hint, kind in ATOMS.items() if not isinstance(hint, type) or getattr(hint, "_is_protocol", False)
}


def _classes(bound: Any, known: list[type]) -> list[Wish]:
    """The classes that are a subclass of another one: what `type[C]` asks for."""
    fitting = [cls for cls in known if isinstance(bound, type) and issubclass(cls, bound)]
    texts = tuple(f"{cls.__module__}:{cls.__qualname__}" for cls in fitting[: MOST_CONFORMING * 2])
    return [Choice(texts or STANDARD[type])]


def _record(cls: Any, known: list[type], own: type | None) -> list[Wish]:
    hints = typing.get_type_hints(cls)
    items = [(name, (wishes_of(hint, known, own) or ["element"])[0]) for name, hint in hints.items()]
    return [Record(tuple(items))] if all(isinstance(wish, str | Choice) for _, wish in items) else ["mapping"]


def _choice(value: Any) -> str:
    """The expression for a plain value or the member of an enum."""
    cls = type(value)
    return f"{cls.__module__}:{cls.__qualname__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)


def _wished_class(cls: Any, known: Sequence[type]) -> list[Wish]:
    if not isinstance(cls, type) or cls is object:
        return []
    if issubclass(cls, enum.Enum):
        members = tuple(_choice(member) for name, member in cls.__members__.items() if name.isidentifier())
        return [Choice(members)] if members else []
    fitting = [other for other in known if conforms(other, cls) and not getattr(other, "_is_protocol", False)]
    by_inheritance = any(cls in other.__mro__ for other in fitting)
    return [cls] if by_inheritance else [*fitting[:MOST_CONFORMING]]


MOST_CONFORMING = 4  # classes that conform to a protocol without inheriting from it


DISPLAYED = {"list": "list_of", "iterable": "list_of", "tuple": "tuple_of", "set": "set_of", "frozenset": "set_of",
             "dict": "dict_of", "mapping": "dict_of"}  # fmt: skip


def _container(outer: str, arguments: tuple[Any, ...], known: list[type], own: type | None) -> Wish:
    """A container with the kinds of its items, as far as they are known."""
    if outer in ("callable", "element"):
        return outer
    inner = [wishes_of(argument, known, own) for argument in arguments if argument is not Ellipsis]
    firsts = [wishes[0] if wishes else "element" for wishes in inner]
    if firsts and not isinstance(firsts[-1], str):
        return _several(outer, firsts)
    if not firsts or not all(isinstance(wish, str) for wish in firsts):
        return outer
    more = ", ..." if outer == "tuple" and Ellipsis in arguments else ""
    return f"{outer}[{', '.join(map(str, firsts))}{more}]"


def _several(outer: str, items: list[Wish]) -> Wish:
    """A display of its items. Where these are objects without a hash of their own, no seed repeats the order of a set;
    and the keys of a dict are strings."""
    display, item = DISPLAYED.get(outer), items[-1]
    if display is None or (display == "dict_of" and items[0] != "str"):
        return outer
    if display == "set_of" and isinstance(item, type) and not _has_hash(item):
        return outer
    return Several(f"stateful:{display}", item)


def _has_hash(cls: type) -> bool:
    own: Any = cls.__hash__
    return own is not None and own is not object.__hash__


def named_near(cls: type | None, known: Sequence[type]) -> dict[str, type]:
    """The classes by their short names; of several with one name that which is nearest to `cls`."""

    def distance(other: type) -> tuple[bool, bool]:
        inside = cls is not None and other.__qualname__.startswith(f"{cls.__qualname__}.")
        return not inside, cls is None or other.__module__ != cls.__module__

    return {other.__name__: other for other in sorted(known, key=distance, reverse=True)}


def wishes_of_parameter(
    live: LiveRoutine, name: str, suggested: tuple[str, ...], known: Sequence[type], named: Mapping[str, type]
) -> list[tuple[Wish, float]]:
    """What a parameter wants, each wish with its weight; `known` are the classes that can be built, `named` is what a
    name of one means here."""
    wished = wishes_of(live.hints.get(name), known, live.cls)
    if wished:
        return [(wish, 1 / (1 + 0.25 * place)) for place, wish in enumerate(wished)]
    found: dict[Wish, float] = {}
    for place, kind in enumerate(suggested):
        for wish in _suggested(kind, live, known, named):
            found.setdefault(wish, 1 / (1 + place))
    if live.cls is not None and live.cls in known:
        found.setdefault(live.cls, UNTOLD)
    for kind in ORDINARY:
        found.setdefault(kind, UNTOLD if found else 1)
    return list(found.items())


UNTOLD = 0.06
"""The weight of a kind that nothing speaks for, beside those that something speaks for."""


def _suggested(kind: str, live: LiveRoutine, known: Sequence[type], named: Mapping[str, type]) -> list[Wish]:
    if kind == "self":
        return [live.cls] if live.cls is not None else []
    if kind.startswith(HAVING):
        return _having(kind.removeprefix(HAVING).split(", "), known)
    if ":" in kind:
        return _wished_class(enum_called(kind), ())
    if kind[:1].isupper() or kind in named:
        return [named[kind]] if kind in named else []
    return [kind]


def _having(wanted: Sequence[str], known: Sequence[type]) -> list[Wish]:
    """The classes whose objects have these attributes; where there is none, those of Python's library."""
    names = frozenset(wanted)
    own: list[Wish] = [cls for cls in known if names <= _names_of(cls)]
    others = (cls for cls in STANDARD if isinstance(cls, type) and names <= _names_of(cls))
    return (own or [Choice(STANDARD[cls]) for cls in others])[:MOST_CONFORMING]


@once
def _names_of(cls: Any) -> frozenset[str]:
    """What objects of the class can be asked for, private or not."""
    try:
        return frozenset((*dir(cls), *attributes_of(cls), *assigned_by(cls.__init__)))
    except Exception:  # a metaclass may answer as it likes
        return frozenset()
