"""Laws of comparing two objects: what one comparison says of them, the others say, too.

They are asked after calls that compare two objects of the subject, and of values that are comparable at all: where a
comparison gives something else than true or false, or raises, these laws say nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stateful.judge.law import Breach, Looked, defines, holds_nan

__all__ = ["COMPARING", "COMPARISONS", "PairLaw"]

COMPARISONS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))


@dataclass(frozen=True, slots=True)
class PairLaw:
    """A law of two objects `x` and `y`: the example is true of lawful ones."""

    name: str
    sentence: str
    example: str
    method: str
    """The class of `x` has to define this one, and it is blamed."""
    check: Callable[[Any, Any], str | None]
    strict: bool = True
    costly: bool = False
    of_equals: bool = False
    """Objects that are not equal keep it without saying anything."""

    def applies(self, cls: type) -> bool:
        return defines(self.method)(cls)

    def look(self, one: Any, other: Any) -> Looked:
        if holds_nan(one) or holds_nan(other):
            return Looked()
        if self.of_equals and (one == other) is not True:
            return Looked()
        said = self.check(one, other)
        return Looked.once(Breach(said, f"assert {self.example}", self.method) if said else None)


def equal_both_ways(one: Any, other: Any) -> str | None:
    there, back = one == other, other == one
    if isinstance(there, bool) and back is (not there):
        return f"x == y is {there}, but y == x is {back}"
    return None


def equal_or_unequal(one: Any, other: Any) -> str | None:
    equal, unequal = one == other, one != other
    if isinstance(equal, bool) and unequal is equal:
        return f"x == y is {equal}, and x != y is {unequal}"
    return None


def hash_alike(one: Any, other: Any) -> str | None:
    """What holds something unhashable has no hash either."""
    try:
        hashes = hash(one), hash(other)
    except TypeError:
        return None
    return "x == y, but their hashes differ" if hashes[0] != hashes[1] else None


def less_one_way(one: Any, other: Any) -> str | None:
    return "x < y and y < x are both true" if (one < other) is True and (other < one) is True else None


def less_or_equal(one: Any, other: Any) -> str | None:
    return "x == y and x < y are both true" if (one < other) is True else None


def less_and_greater(one: Any, other: Any) -> str | None:
    less, greater = one < other, other > one
    if isinstance(less, bool) and greater is (not less):
        return f"x < y is {less}, but y > x is {greater}"
    return None


COMPARING: tuple[PairLaw, ...] = (
    PairLaw("equality both ways", "x == y is y == x", "(x == y) == (y == x)", "__eq__", equal_both_ways),
    PairLaw(
        "inequality of two", "x != y is the opposite of x == y", "(x != y) != (x == y)", "__eq__", equal_or_unequal
    ),
    PairLaw(
        "hash of equals", "equal objects have the same hash", "not x == y or hash(x) == hash(y)", "__eq__", hash_alike,
        of_equals=True,
    ),
    PairLaw(
        "order both ways", "not both x < y and y < x", "not (x < y and y < x)", "__lt__", less_one_way, strict=False
    ),
    PairLaw(
        "order of equals", "equal objects are not less", "not (x == y and x < y)", "__lt__", less_or_equal,
        strict=False, of_equals=True,
    ),
    PairLaw("order seen from both", "x < y is y > x", "(x < y) == (y > x)", "__lt__", less_and_greater, strict=False),
)  # fmt: skip
