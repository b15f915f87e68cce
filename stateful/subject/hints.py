"""Annotations as objects. Each is evaluated where its author wrote it, and alone: one that cannot be costs no other."""

from __future__ import annotations

import builtins
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from stateful.subject.looking import home_of, is_class
from stateful.subject.source import once

__all__ = ["hints_in"]


@once
def hints_of(function: Any) -> Mapping[str, Any]:
    """The annotations of a function that mean something.

    What a dataclass asks for may have been written by a base in another module, and names that only type checkers
    import are those of classes of the same package."""
    function = inspect.unwrap(function) if function else function
    written: Mapping[str, Any] = getattr(function, "__annotations__", None) or {}
    found = {}
    for name, hint in written.items():
        try:
            found[name] = _meaning(hint, _Names(_spaces(function, name)))
        except Exception:
            continue
    return found


def hints_in(cls: type | None, function: Any) -> Mapping[str, Any]:
    """The same, as a class has it: in `Names(Shelf[str])` the items of a `Shelf[T]` are strings."""
    hints, home = hints_of(function), _owner(inspect.unwrap(function)) if function else None
    if cls is None or home is None or home is cls or home not in cls.__mro__:
        return hints
    meant = _arguments(cls, home, {})
    return {name: _specialised(hint, meant) for name, hint in hints.items()} if meant else hints


def _arguments(cls: type, home: type, meant: Mapping[Any, Any]) -> dict[Any, Any] | None:
    """What the type variables of a base stand for in a class; `meant` says it of those of the class itself."""
    for base in vars(cls).get("__orig_bases__") or cls.__bases__:
        origin = typing.get_origin(base) or base
        if not isinstance(origin, type) or home not in origin.__mro__:
            continue
        given = [_specialised(argument, meant) for argument in typing.get_args(base)]
        known = dict(zip(getattr(origin, "__parameters__", ()), given, strict=False))
        return known if origin is home else _arguments(origin, home, known)
    return None


def _specialised(hint: Any, meant: Mapping[Any, Any]) -> Any:
    if isinstance(hint, typing.TypeVar):
        return meant.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    if isinstance(hint, type) or not parameters or not meant:
        return hint
    try:
        return hint[tuple(meant.get(parameter, parameter) for parameter in parameters)]
    except Exception:  # a parameter specification cannot be filled in so
        return hint


class _Annotated:
    """What `typing.get_type_hints` can be asked about."""

    def __init__(self, hint: Any) -> None:
        self.__annotations__ = {"it": hint}


class _Names(dict[str, Any]):
    """A name means what it means in the first of some modules that has it, or else a class of their packages."""

    def __init__(self, modules: list[Mapping[str, Any]]) -> None:
        super().__init__()
        self.modules = modules

    def __missing__(self, name: str) -> Any:
        for space in (*self.modules, vars(builtins)):
            if name in space:
                return space[name]
        found = _classes_named(name, {str(space.get("__name__", "")).partition(".")[0] for space in self.modules})
        if len(found) == 1:
            return found.pop()
        raise KeyError(name)


def _meaning(hint: Any, names: _Names) -> Any:
    try:
        return typing.get_type_hints(_Annotated(hint), {}, names, include_extras=False)["it"]
    except Exception:  # `InitVar[int]`, `[int]`: no type, but it says something
        return eval(hint, {}, names) if isinstance(hint, str) else hint


def _spaces(function: Any, name: str) -> list[Mapping[str, Any]]:
    """The modules whose names an annotation may use: that of the class that has the field, then the function's own."""
    owner = _owner(function)
    bases = [base for base in owner.__mro__ if name in vars(base).get("__annotations__", ())] if owner else []
    homes = [getattr(base, "__module__", "") for base in [*bases, *([owner] if owner else [])]]
    modules = [sys.modules.get(home) for home in [*homes, home_of(function)]]
    spaces = [vars(module) for module in dict.fromkeys(modules) if module is not None]
    own = getattr(function, "__globals__", None)
    if own is not None:
        spaces.insert(len(spaces) if bases else 0, own)
    nested = {name: member for name, member in vars(owner).items() if is_class(member)} if owner else {}
    return [nested, *spaces]


def _owner(function: Any) -> Any:
    """The class that a method belongs to, by its name."""
    found: Any = sys.modules.get(home_of(function))
    for part in str(getattr(function, "__qualname__", "")).split(".")[:-1]:
        found = getattr(found, part, None)
    return found if is_class(found) else None


def _classes_named(name: str, packages: set[str]) -> set[type]:
    return {
        thing
        for module in _modules_of(packages)
        if is_class(thing := vars(module).get(name)) and thing.__module__ == module.__name__
    }


def _modules_of(packages: set[str]) -> Iterator[Any]:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in packages - {""} and module is not None:
            yield module
