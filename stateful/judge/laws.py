"""What every object must obey, whatever its class: the laws of Python's data model.

Each law looks at an object and says what is broken, or nothing. Raising is broken too, except where a law
says that it does not apply. What collections promise is in `promises` and `content`, copying is in `copying`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stateful.judge.law import NEVER_NAN, Breach, Looked, State, content_of, defines, everything, holds_nan

__all__ = ["DATA_MODEL", "DataLaw", "own_check"]


@dataclass(frozen=True, slots=True)
class DataLaw:
    """`example` is what a reproducer asserts, `check` gives what is broken in words."""

    name: str
    sentence: str
    example: str
    applies: Callable[[type], bool]
    check: Callable[[Any], str | None]
    compares: bool = False
    """Values that hold nan are left out: nan is not equal to itself."""
    strict: bool = True
    of_items: bool = False
    """An empty object keeps it without saying anything."""
    costly: bool = False
    method: str = ""
    """The one to blame, where it is not the routine that made the object what it is."""

    def look(self, state: State) -> Looked:
        try:
            said = self.check(state.value)
        except Exception as error:
            said = f"raises {type(error).__name__}: {_message(error)}"
            return Looked.once(Breach(said, f"assert {self.example}", self.method, error))
        if said is None and self.of_items and _is_empty(state.value):
            return Looked()
        if said is None or (self.compares and holds_nan(state.value)):
            return Looked.once(None)
        return Looked.once(Breach(said, f"assert {self.example}", self.method))


def reflexive(value: Any) -> str | None:
    return None if value == value else "x == x is false"


def unequal(value: Any) -> str | None:
    return "x != x is true although x == x" if (value == value) is True and (value != value) is True else None


def unlike_none(value: Any) -> str | None:
    return "x == None is true" if (value == None) is True else None  # noqa: E711 - the class's own `==` is asked


def printable(value: Any) -> str | None:
    return None if isinstance(repr(value), str) else "repr(x) is no string"


def readable(value: Any) -> str | None:
    return None if isinstance(str(value), str) else "str(x) is no string"


def hashes_alike(value: Any) -> str | None:
    """What holds something unhashable has no hash either."""
    try:
        first = hash(value)
    except TypeError:
        return None
    return None if first == hash(value) else "hash(x) differs between two calls"


def length_counts_items(value: Any) -> str | None:
    length, items = len(value), content_of(value)  # iterating may change it
    if items is None or length == len(items):
        return None
    return f"len(x) == {length}, but list(x) has {len(items)} items"


def items_are_members(value: Any) -> str | None:
    for item in content_of(value) or ():
        if type(item) not in NEVER_NAN and holds_nan(item):
            continue
        if item not in value:
            return f"iterating x gives {_shown(item)}, but {_shown(item)} in x is false"
    return None


def iterates_alike(value: Any) -> str | None:
    first, second = content_of(value), content_of(value)
    if first is None or second is None:
        return None
    if not NEVER_NAN.issuperset(map(type, first)) and any(map(holds_nan, first)):
        return None
    alike = first == second  # item by item, by identity or `==`
    return None if alike else f"iterating x twice gives {_shown(first)} and {_shown(second)}"


def truth_follows_length(value: Any) -> str | None:
    return None if bool(value) == (len(value) > 0) else f"bool(x) is {bool(value)}, but len(x) == {len(value)}"


def not_less_than_itself(value: Any) -> str | None:
    try:
        less = value < value
    except TypeError:  # there is no order among what it holds
        return None
    return "x < x is true" if less is True else None


def takes_nothing(name: str) -> Callable[[type], bool]:
    """The class has a method of this name that takes no arguments."""

    def applies(cls: type) -> bool:
        method = inspect.getattr_static(cls, name, None)
        try:
            return inspect.isfunction(method) and len(inspect.signature(method).parameters) == 1
        except (TypeError, ValueError):
            return False

    return applies


def is_property(name: str) -> Callable[[type], bool]:
    def applies(cls: type) -> bool:
        return isinstance(inspect.getattr_static(cls, name, None), property)

    return applies


def emptiness(name: str, *, called: bool) -> DataLaw:
    """What says by its name that the object is empty says what `len` says."""
    shown = f"x.{name}()" if called else f"x.{name}"
    has_name, has_length = (takes_nothing if called else is_property)(name), defines("__len__")

    def applies(cls: type) -> bool:
        return has_length(cls) and has_name(cls)

    def check(value: Any) -> str | None:
        said = getattr(value, name)() if called else getattr(value, name)
        if not isinstance(said, bool) or said == (len(value) == 0):
            return None
        return f"{shown} is {said}, but len(x) == {len(value)}"

    return DataLaw(
        f"length and {shown[2:]}", f"{shown} follows len(x)", f"{shown} == (len(x) == 0)", applies, check, strict=False
    )


def conversion(name: str) -> DataLaw:
    """A list of a sequence has as many items."""
    has_name, has_items = takes_nothing(name), defines("__len__", "__getitem__")

    def applies(cls: type) -> bool:
        return has_items(cls) and has_name(cls) and not hasattr(cls, "keys")

    def check(value: Any) -> str | None:
        items = getattr(value, name)()
        if not isinstance(items, list) or len(items) == len(value):
            return None
        return f"x.{name}() has {len(items)} items, but len(x) == {len(value)}"

    example = f"len(x.{name}()) == len(x)"
    return DataLaw(f"length of {name}", f"x.{name}() has all items of x", example, applies, check, strict=False)


def own_check(name: str) -> DataLaw:
    """The class's own check of its objects, by whatever name its author knows it."""

    def check(value: Any) -> str | None:
        said = getattr(value, name)()
        return f"x.{name}() is false" if said is False and name not in QUERIES else None

    sentence, example = f"x.{name}() finds nothing", f"x.{name}() is not False"
    return DataLaw(f"own check {name}", sentence, example, takes_nothing(name), check, strict=name not in QUERIES)


QUERIES = ("verify", "_verify")  # false may be their answer, and what they raise on purpose; a check only otherwise
OWN_CHECKS = (
    "_check", "check_invariants", "_check_invariants", "check_invariant", "_check_invariant", "rep_ok", "_rep_ok",
    "repOk", "check_rep", "_check_rep", "verify", "_verify", "_invariant",
)  # fmt: skip
DATA_MODEL: tuple[DataLaw, ...] = (
    *map(own_check, OWN_CHECKS),
    DataLaw("repr", "repr raises nothing", "isinstance(repr(x), str)", everything, printable),
    DataLaw("str", "str raises nothing", "isinstance(str(x), str)", defines("__str__"), readable),
    DataLaw(
        "equality with itself", "x == x", "x == x", defines("__eq__"), reflexive, compares=True, method="__eq__",
    ),
    DataLaw(
        "inequality", "x != x is the opposite of x == x", "not x != x", defines("__ne__"), unequal, compares=True,
        method="__ne__",
    ),
    DataLaw(
        "equality with None", "x == None is false", "not x == None", defines("__eq__"), unlike_none, method="__eq__",
    ),
    DataLaw(
        "hash", "hash(x) stays the same", "hash(x) == hash(x)", defines("__hash__"), hashes_alike, method="__hash__",
    ),
    DataLaw(
        "length", "len(x) == len(list(x))", "len(x) == len(list(x))", defines("__len__", "__iter__"),
        length_counts_items, strict=False, of_items=True,
    ),
    DataLaw(
        "membership", "v in x for each v iterated", "all(v in x for v in x)", defines("__iter__", "__contains__"),
        items_are_members, strict=False, of_items=True,
    ),
    DataLaw(
        "iteration", "iterating twice gives the same", "list(x) == list(x)", defines("__iter__", "__len__"),
        iterates_alike, strict=False, of_items=True,
    ),
    DataLaw(
        "truth", "bool(x) follows len(x)", "bool(x) == (len(x) > 0)", defines("__len__"), truth_follows_length,
        strict=False,
    ),
    *(emptiness(name, called=True) for name in ("is_empty", "isempty", "isEmpty")),
    *(emptiness(name, called=False) for name in ("is_empty", "empty")),
    *map(conversion, ("to_list", "as_list", "tolist", "aslist")),
    DataLaw(
        "order", "x < x is false", "not x < x", defines("__lt__"), not_less_than_itself, strict=False, method="__lt__",
    ),
)  # fmt: skip


def _is_empty(value: Any) -> bool:
    return hasattr(type(value), "__len__") and not len(value)


def _message(error: Exception) -> str:
    try:
        return str(error)[:200]
    except Exception:
        return ""


def _shown(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"
