"""What a law is, and what it looks at: an object, and fresh copies of it for what the law changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from random import Random
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, MethodWrapperType
from typing import Any, Protocol

from stateful.contracts.evaluate import is_atom
from stateful.subject.snapshots import digest_of, dump, load

__all__ = [
    "NEVER_NAN", "Breach", "Broken", "Law", "Looked", "Rule", "State", "alike", "attributes_of", "content_of",
    "defines", "everything", "held", "holds_nan",
]  # fmt: skip

MOST_ITEMS = 200
PLAIN = frozenset((list, tuple, set, frozenset, dict))
NEVER_NAN = frozenset((
    int, str, bool, bytes, type(None), type, FunctionType, BuiltinFunctionType, MethodType, MethodWrapperType,
))  # fmt: skip


@dataclass(slots=True)
class Breach:
    """What a check found: in words, as Python that shows it for an object `x`, and the method to blame, if any."""

    message: str
    code: str
    method: str = ""
    error: BaseException | None = None
    form: str = ""
    """Which form of the law it is, if the law has several."""


class State:
    """An object to be checked. Copies of it are loaded from its bytes: what changes one changes nothing else."""

    def __init__(self, value: Any, random: Random | None = None) -> None:
        self.value = value
        self.random = random
        """What is to be tried is drawn with it; without it everything is tried."""
        self.bytes: tuple[str, bytes] | None = None

    def another(self) -> Any:
        """A copy by its raw state, not by the class's own way of copying."""
        return load(*self.dumped())[0]

    def has_copies(self) -> bool:
        """Its state can be kept. Ask this before a law may change the object itself."""
        try:
            self.dumped()
        except Exception:
            return False
        return True

    def digest(self) -> bytes:
        """What tells this state from others; empty if its state cannot be kept."""
        return digest_of(self.dumped()[1]) if self.has_copies() else b""

    def dumped(self) -> tuple[str, bytes]:
        if self.bytes is None:
            self.bytes = dump([self.value])
        return self.bytes


@dataclass(slots=True)
class Looked:
    """What checking a law gave: the breaches, and for each form of it how often it was tried on this object."""

    breaches: list[Breach] = field(default_factory=list)
    tried: dict[str, int] = field(default_factory=dict)

    @classmethod
    def once(cls, breach: Breach | None) -> Looked:
        """A law without forms was tried."""
        return cls([breach], {"": 1}) if breach else KEPT

    def count(self, form: str, tried: int = 1) -> None:
        self.tried[form] = self.tried.get(form, 0) + tried


KEPT = Looked([], {"": 1})
"""A law without forms was tried and kept: one for all, because it is what nearly every look gives."""


class Rule(Protocol):
    """What holds, and for which classes; of one object or of two."""

    @property
    def name(self) -> str: ...

    @property
    def sentence(self) -> str:
        """What holds, in one line."""

    @property
    def example(self) -> str:
        """Python that is true of a lawful object `x`, or of two, `x` and `y`."""

    @property
    def strict(self) -> bool:
        """Nobody breaks it on purpose, so that even a class that always breaks it is at fault."""

    @property
    def costly(self) -> bool:
        """It is checked on some of the new states only."""

    def applies(self, cls: type) -> bool: ...


class Law(Rule, Protocol):
    """A law of what an object does."""

    def look(self, state: State) -> Looked: ...


@dataclass(frozen=True, slots=True)
class Broken:
    """A law that an object breaks."""

    law: str
    message: str
    error: BaseException | None = None
    code: str = ""
    method: str = ""
    strict: bool = True
    """Nobody breaks this law on purpose."""
    form: str = ""
    costly: bool = False


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


def content_of(value: Any) -> list[Any] | None:
    """What iterating gives; none if it goes on for too long, or the object is its own iterator."""
    iterator = iter(value)
    if iterator is value:
        return None
    items = list(islice(iterator, MOST_ITEMS + 1))
    return items if len(items) <= MOST_ITEMS else None


def holds_nan(value: Any, depth: int = 0) -> bool:
    """It is nan or holds it. Comparing such values says nothing, because nan is not equal to itself."""
    cls = type(value)
    if cls in NEVER_NAN:
        return False
    if isinstance(value, float | complex | Decimal):
        return value != value
    if depth >= 3 or is_atom(value):
        return False
    return any(_any_nan(several, depth + 1) for several in held(value))


def _any_nan(several: Iterable[Any], depth: int) -> bool:
    return any(holds_nan(one, depth) for one in several if type(one) not in NEVER_NAN)


def held(value: Any) -> Iterator[Iterable[Any]]:
    """What an object holds: items of Python's containers, attributes, slots."""
    if isinstance(value, list | tuple | set | frozenset | deque):
        yield value if len(value) <= MOST_ITEMS else islice(value, MOST_ITEMS)
    elif isinstance(value, dict):
        yield islice(dict.keys(value), MOST_ITEMS)
        yield islice(dict.values(value), MOST_ITEMS)
    if type(value) not in PLAIN:
        yield from attributes_of(value)


def attributes_of(value: Any) -> Iterator[Iterable[Any]]:
    """The values of its attributes and slots."""
    yield getattr(value, "__dict__", {}).values()
    cls: Any = type(value)
    if slots := _slots_of(cls):
        yield [getattr(value, slot, None) for slot in slots]


@lru_cache(maxsize=1024)
def _slots_of(cls: Any) -> tuple[str, ...]:
    """The names in the `__slots__` of a class and its bases."""
    members = (item for base in cls.__mro__ for item in vars(base).items())
    return tuple(name for name, member in members if isinstance(member, MemberDescriptorType))


def alike(one: Any, other: Any, depth: int = 0) -> bool:
    """The same by identity or `==`, items one by one; what does not compare at all counts as alike."""
    if one is other:
        return True
    if type(one) is type(other) and type(one) in (list, tuple) and depth < 3:
        return len(one) == len(other) and all(alike(a, b, depth + 1) for a, b in zip(one, other, strict=True))
    if type(one) is type(other) is dict and depth < 3:
        return alike(list(one), list(other)) and alike(list(one.values()), list(other.values()), depth + 1)
    try:
        return bool(one == other)
    except Exception:
        return True
