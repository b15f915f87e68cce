"""What modules and classes of a subject hold by a name: copied as that name, it stays what it is.

Pickle does so for functions whose own name says where they are. Lambdas in class attributes and in tables, and what
decorators made, it refuses; objects that hold one would go to dill, which is slow and makes another function of it.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Hashable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

from stateful.subject.looking import is_class

__all__ = ["HeldPickler", "has_held", "keep_functions", "named"]

Place: TypeAlias = tuple[str, str, *tuple[Hashable, ...]]
"""A module, a dotted name there, and for what is in a table its key or index."""

HELD: dict[int, tuple[Any, Place]] = {}
MOST_ITEMS = 1000  # of a table that are looked at


def named(module: str, name: str, *key: Hashable) -> Any:
    """What a module holds by this name, and what that holds under the key."""
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    for each in key:
        found = found[each]
    return found


def keep_functions(modules: Sequence[ModuleType]) -> None:
    """From now on these functions are found, although their own names do not say where."""
    for module in modules:
        for value, place in _functions_in(module):
            if not _says_where(value):
                HELD.setdefault(id(value), (value, place))


def has_held() -> bool:
    return bool(HELD)


class HeldPickler(pickle.Pickler):
    """Slower than pickle's own, because it is asked about each object."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is FunctionType and (found := HELD.get(id(value))):
            return named, found[1]
        return NotImplemented


def _functions_in(module: ModuleType) -> Iterator[tuple[FunctionType, Place]]:
    members = list(vars(module).items())
    for _, cls in list(members):
        if is_class(cls) and cls.__module__ == module.__name__:
            members += [(f"{cls.__qualname__}.{name}", value) for name, value in vars(cls).items()]
    for name, value in members:
        inner: Any = value.__func__ if type(value) is staticmethod else value
        if type(inner) is FunctionType:
            yield inner, (module.__name__, name)
        elif type(inner) in (list, tuple, dict) and not name.startswith("__"):
            items = inner.items() if isinstance(inner, dict) else enumerate(inner)
            for key, item in list(items)[:MOST_ITEMS]:
                if type(item) is FunctionType:
                    yield item, (module.__name__, name, key)


def _says_where(function: FunctionType) -> bool:
    try:
        return named(function.__module__, function.__qualname__) is function
    except Exception:
        return False
