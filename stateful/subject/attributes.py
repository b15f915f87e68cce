"""The public attributes that objects of a class have, whoever declares them. Runs in workers only."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from stateful.subject.looking import is_class
from stateful.subject.source import assigned_by

__all__ = ["attributes_of", "is_data"]

HEAP_TYPE = 1 << 9
MEMBERS = (MemberDescriptorType, GetSetDescriptorType)
NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")
ABSENT = object()


def attributes_of(cls: type) -> list[str]:
    """Slots, annotated fields, the fields of a named tuple, and what methods assign to: in `__init__`, or where the
    class has a default. Bases of other packages keep their attributes to themselves."""
    own = [base for base in cls.__mro__ if base is cls or _package(base) == _package(cls)]
    names = dict.fromkeys(name for base in reversed(own) for name in _declared(base, is_whole=base is cls))
    return [name for name in names if not name.startswith("_") and is_data(cls, name)]


def is_data(cls: type, name: str) -> bool:
    """It is read from the object, or from the class as a plain value: no method, property or class."""
    member = inspect.getattr_static(cls, name, ABSENT)
    if member is ABSENT or isinstance(member, MEMBERS) or type(member).__name__ == "_tuplegetter":
        return True
    return not (is_class(member) or callable(member) or hasattr(type(member), "__get__"))


def _declared(base: type, *, is_whole: bool) -> Iterator[str]:
    members = dict(vars(base))
    if base.__flags__ & HEAP_TYPE or is_whole:
        yield from (name for name, member in members.items() if isinstance(member, MEMBERS))
    yield from members.get("_fields", ()) if issubclass(base, tuple) else ()
    yield from (name for name, hint in _annotations(base).items() if not _is_no_field(hint))
    functions = [member for member in members.values() if type(member) is FunctionType]
    for function in functions:
        is_maker = function.__name__ == "__init__"
        yield from (name for name in assigned_by(function) if is_maker or _is_plain(members.get(name, ABSENT)))


def _annotations(base: type) -> dict[str, Any]:
    found = vars(base).get("__annotations__")
    return found if isinstance(found, dict) else {}


def _is_no_field(hint: Any) -> bool:
    written = hint if isinstance(hint, str) else str(hint)
    return any(name in written.partition("[")[0] for name in NO_FIELDS)


def _is_plain(value: Any) -> bool:
    return value is not ABSENT and (value is None or type(value) in (int, float, str, bool, bytes, tuple))


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]
