"""Look at other people's objects without trust: a lazy object in a module may raise whatever it is asked."""

from __future__ import annotations

import inspect
from typing import Any, TypeGuard

__all__ = ["home_of", "is_class", "is_hashable", "is_routine"]


def is_class(thing: Any) -> TypeGuard[type]:
    """By its type alone: `isinstance` would ask for `__class__`, which may be a property."""
    return issubclass(type(thing), type)


def is_routine(thing: Any) -> bool:
    try:
        return inspect.isroutine(thing)
    except Exception:
        return False


def home_of(thing: Any) -> str:
    """The name of the module that it says to come from."""
    try:
        return str(getattr(thing, "__module__", None))
    except Exception:
        return ""


def is_hashable(cls: type) -> bool:
    """A metaclass with an `==` of its own may have forgotten to give its classes a hash."""
    try:
        return isinstance(hash(cls), int)
    except Exception:
        return False
