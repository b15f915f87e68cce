"""Laws of two objects: what one comparison says of them, the others say, too, and `x -= y` makes what `x - y` gives.

They are asked after calls that compare two objects of the subject or compute with them, and of values that are
comparable at all: where a comparison gives something else than true or false, or raises, these laws say nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from stateful.judge.law import Breach, Looked, Rule, defines, holds_nan
from stateful.subject.code import BINARY, IN_PLACE
from stateful.subject.snapshots import dump, load

__all__ = ["COMPARING", "COMPUTING", "PairLaw"]

OPERATORS = {name.strip("_"): symbol for name, symbol in BINARY.items() if f"__i{name[2:]}" in IN_PLACE}
"""Those that also change their object in place: `sub`, `-`."""
COMPUTING = frozenset(BINARY)
"""The methods that leave two objects as they are, and give something of both."""


class LawOfTwo(Rule, Protocol):
    """What holds of two objects, for classes of the first one."""

    def look(self, one: Any, other: Any) -> Looked: ...


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


@dataclass(frozen=True, slots=True)
class InPlaceLaw:
    """An operator that changes its object makes of it what the operator gives that changes nothing."""

    name: str = "in-place operators"
    sentence: str = "x -= y makes of x what x - y gives"
    example: str = "callable(x.__sub__)"
    strict: bool = False
    costly: bool = False

    def applies(self, cls: type) -> bool:
        return defines("__eq__")(cls) and any(map(defines_both(cls), OPERATORS))

    def look(self, one: Any, other: Any) -> Looked:
        found = Looked()
        if holds_nan(one) or holds_nan(other):
            return found
        kept = dump([one, other])
        for name in filter(defines_both(type(one)), OPERATORS):
            try:
                given, made = (getattr(operator, f"__{each}__")(*load(*kept)) for each in (name, f"i{name}"))
            except Exception:
                continue
            if made is None or type(given) is type(made):
                found.count(name)
                if given is not made and (given == made) is False:
                    found.breaches.append(_differing(name, OPERATORS[name], given, made))
        return found


def _differing(name: str, symbol: str, given: Any, made: Any) -> Breach:
    said = f"x {symbol} y is {given!r:.80}, but x {symbol}= y makes of x {made!r:.80}"
    code = f"expected = x {symbol} y\nx {symbol}= y\nassert x == expected"
    return Breach(said, code, f"__i{name}__", form=name)


def defines_both(cls: type) -> Callable[[str], bool]:
    """Whether a class has an operator, and the one that changes its object."""
    return lambda name: defines(f"__{name}__", f"__i{name}__")(cls)


COMPARING: tuple[LawOfTwo, ...] = (
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
    InPlaceLaw(),
)  # fmt: skip
