"""What every object must obey, whatever its class: the laws of Python's data model.

Each law looks at a copy of an object and returns what is broken, or nothing. Raising is broken too,
except where a law says that it does not apply.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stateful.contracts.evaluate import is_atom

__all__ = ["LAWS", "Broken", "Law", "broken_law", "law_named"]

MOST_ITEMS = 200


@dataclass(frozen=True, slots=True)
class Law:
    """`code` is what a reproducer asserts, `applies` says to which classes, `check` gives what is broken in words."""

    name: str
    sentence: str
    code: str
    applies: Callable[[type], bool]
    check: Callable[[Any], str | None]
    compares: bool = False
    """Values that hold nan are left out: nan is not equal to itself."""


@dataclass(frozen=True, slots=True)
class Broken:
    law: str
    message: str
    error: BaseException | None = None


def law_named(name: str) -> Law:
    return next(law for law in LAWS if law.name == name)


def defines(*names: str) -> Callable[[type], bool]:
    """The class, or a base other than `object`, defines all these methods."""

    def applies(cls: type) -> bool:
        owners = [next((base for base in cls.__mro__ if name in vars(base)), object) for name in names]
        return all(
            owner is not object and vars(owner)[name] is not None for owner, name in zip(owners, names, strict=True)
        )

    return applies


def everything(_: type) -> bool:
    return True


def reflexive(value: Any) -> str | None:
    return None if value == value else "x == x is false"


def unequal(value: Any) -> str | None:
    return "x != x is true although x == x" if value == value and value != value else None


def representable(value: Any) -> str | None:
    return None if isinstance(repr(value), str) and isinstance(str(value), str) else "repr(x) is no string"


def hashes_alike(value: Any) -> str | None:
    """What holds something unhashable has no hash either."""
    try:
        first = hash(value)
    except TypeError:
        return None
    return None if first == hash(value) else "hash(x) differs between two calls"


def length_counts_items(value: Any) -> str | None:
    items = _items(value)
    return (
        None
        if items is None or len(value) == len(items)
        else f"len(x) == {len(value)}, but list(x) has {len(items)} items"
    )


def items_are_members(value: Any) -> str | None:
    for item in _items(value) or ():
        if not holds_nan(item) and item not in value:
            return f"iterating x gives {_shown(item)}, but {_shown(item)} in x is false"
    return None


def iterates_alike(value: Any) -> str | None:
    first, second = _items(value), _items(value)
    if first is None or second is None or any(map(holds_nan, first)):
        return None
    alike = len(first) == len(second) and all(a is b or a == b for a, b in zip(first, second, strict=True))
    return None if alike else f"iterating x twice gives {_shown(first)} and {_shown(second)}"


def truth_follows_length(value: Any) -> str | None:
    return None if bool(value) == (len(value) > 0) else f"bool(x) is {bool(value)}, but len(x) == {len(value)}"


def checks_itself(name: str) -> Callable[[type], bool]:
    """The class has a method of this name that takes no arguments."""

    def applies(cls: type) -> bool:
        method = getattr(cls, name, None)
        try:
            return inspect.isfunction(method) and len(inspect.signature(method).parameters) == 1
        except (TypeError, ValueError):
            return False

    return applies


def own_check(name: str) -> Law:
    """The class's own check of its objects, by whatever name its author knows it."""

    def check(value: Any) -> str | None:
        return f"x.{name}() is false" if getattr(value, name)() is False else None

    return Law(f"own check {name}", f"x.{name}() finds nothing", f"x.{name}() is not False", checks_itself(name), check)


OWN_CHECKS = (
    "_check", "check_invariants", "_check_invariants", "check_invariant", "_check_invariant", "rep_ok", "_rep_ok",
    "repOk", "check_rep", "_check_rep", "verify", "_verify", "_invariant",
)  # fmt: skip
LAWS: tuple[Law, ...] = (
    *map(own_check, OWN_CHECKS),
    Law("representable", "repr and str raise nothing", "repr(x) and str(x)", everything, representable),
    Law("reflexive", "x == x", "x == x", defines("__eq__"), reflexive, compares=True),
    Law("unequal", "x != x is the opposite of x == x", "not x != x", defines("__ne__"), unequal, compares=True),
    Law("hashes_alike", "hash(x) stays the same", "hash(x) == hash(x)", defines("__hash__"), hashes_alike),
    Law(
        "length_counts_items",
        "len(x) == len(list(x))",
        "len(x) == len(list(x))",
        defines("__len__", "__iter__"),
        length_counts_items,
    ),
    Law(
        "items_are_members",
        "v in x for each v iterated",
        "all(v in x for v in x)",
        defines("__iter__", "__contains__"),
        items_are_members,
    ),
    Law(
        "iterates_alike",
        "iterating twice gives the same",
        "list(x) == list(x)",
        defines("__iter__", "__len__"),
        iterates_alike,
    ),
    Law(
        "truth_follows_length",
        "bool(x) follows len(x)",
        "bool(x) == (len(x) > 0)",
        defines("__len__"),
        truth_follows_length,
    ),
)


def laws_for(cls: type) -> tuple[Law, ...]:
    """The laws that apply to a class."""
    if cls not in APPLYING:
        APPLYING[cls] = tuple(law for law in LAWS if law.applies(cls))
    return APPLYING[cls]


APPLYING: dict[type, tuple[Law, ...]] = {}


def broken_law(value: Any) -> Broken | None:
    """The first law that the object breaks."""
    for law in laws_for(type(value)):
        try:
            said = law.check(value)
        except Exception as error:
            return Broken(law.name, f"{law.sentence}: raises {type(error).__name__}: {_message(error)}", error)
        if said and not (law.compares and holds_nan(value)):
            return Broken(law.name, f"{law.sentence}: {said}")
    return None


def _message(error: Exception) -> str:
    try:
        return str(error)[:200]
    except Exception:
        return ""


def _items(value: Any) -> list[Any] | None:
    """What iterating gives; none if it goes on for too long, or the object is its own iterator."""
    iterator = iter(value)
    if iterator is value:
        return None
    items = [item for item, _ in zip(iterator, range(MOST_ITEMS + 1), strict=False)]
    return items if len(items) <= MOST_ITEMS else None


def holds_nan(value: Any, depth: int = 0) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    cls = type(value)
    if cls is int or cls is str:
        return False
    if isinstance(value, list | tuple | set | frozenset) and depth < 3:
        return any(holds_nan(item, depth + 1) for item in islice(value, MOST_ITEMS) if type(item) is not int)
    return (
        not is_atom(value)
        and depth < 3
        and any(holds_nan(v, depth + 1) for v in getattr(value, "__dict__", {}).values())
    )


def _shown(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"
