"""Classes that are meant as a base: an object of one alone lacks what its subclasses set."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import FunctionType
from typing import Any

__all__ = ["lacks_as_a_base"]

HEAP_TYPE = 1 << 9  # the class is made by a class statement


def lacks_as_a_base(error: BaseException) -> bool:
    """An attribute is missing that objects of a class have only if a subclass sets it: there are subclasses, and the
    class has no constructor of its own, or leaves it to a subclass to keep any attribute, or this one."""
    if not isinstance(error, AttributeError):
        return False
    cls: Any = type(error.obj)
    subclasses: list[Any] = type.__subclasses__(cls)
    if not subclasses:
        return False
    builds = any(getattr(cls, name) is not getattr(object, name) for name in ("__init__", "__new__"))
    if not builds:
        return True
    if not cls.__flags__ & HEAP_TYPE or issubclass(cls, type):
        return False  # a list is no base, although somebody's subclass may have the attribute
    if not _has_attributes(error.obj):
        return True
    sets_it = any(_sets(base, error.name) for base in cls.__mro__)
    return not sets_it and any(_sets(each, error.name) for each in subclasses)


def _has_attributes(value: Any) -> bool:
    return not type(value).__dictoffset__ or bool(object.__getattribute__(value, "__dict__"))


@lru_cache(maxsize=4096)
def _sets(cls: type, name: str) -> bool:
    """The class has an attribute of this name, or its methods set one."""
    functions = [member for member in vars(cls).values() if isinstance(member, FunctionType)]
    return name in vars(cls) or any(
        step.opname == "STORE_ATTR" and step.argval == name for each in functions for step in dis.get_instructions(each)
    )
