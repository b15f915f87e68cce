"""Laws of copying: a copy equals its original, keeps what it holds, and leaves it alone.

An object that cannot be pickled at all, because it holds a lock, a file or a function, breaks no law.
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.judge.frames import INNERMOST, LOOKING_UP
from stateful.judge.law import Breach, Law, Looked, State, alike, content_of, defines, everything, holds_nan

__all__ = ["COPYING", "CopyLaw"]

PLAIN = frozenset((int, str, bool, bytes, float, type(None)))


@dataclass(frozen=True, slots=True)
class CopyLaw:
    """`make` copies an object, `text` is how that is written."""

    name: str
    sentence: str
    text: str
    make: Callable[[Any], Any]
    applies: Callable[[type], bool]
    same_class: bool = True
    strict: bool = True
    costly: bool = True

    @property
    def example(self) -> str:
        return f"{self.text} == x"

    def look(self, state: State) -> Looked:
        return Looked.once(self._breach(state))

    def _breach(self, state: State) -> Breach | None:
        before, value = state.another(), state.another()
        held = _items(value) if _keeps_its_items(state) else None
        try:
            made = self.make(value)
        except Exception as error:
            if not (_is_from_a_class(error) or _looks_itself_up(error)):
                return None
            said = f"{self.text} raises {type(error).__name__}: {error}"
            return Breach(said[:300], self.text, self._method, error)
        if held is not None and not alike(_items(value), held):
            code = f"before = list(x)\n{self.text}\nassert list(x) == before"
            return Breach(f"{self.text} changes x: {held!r:.80} becomes {_items(value)!r:.80}", code, self._method)
        found = self._difference(before, value, made, held)
        if found is None:
            return None
        return Breach(f"twin = {self.text}: {found[0]}", f"twin = {self.text}\nassert {found[1]}", self._method)

    @property
    def _method(self) -> str:
        return "copy" if self.text == "x.copy()" else ""

    def _difference(self, before: Any, value: Any, made: Any, held: list[Any] | None) -> tuple[str, str] | None:
        """How the copy differs, in words and as the condition that is false.

        What is known by its identity alone, or holds such objects, does not equal `before`, its raw copy, either."""
        if self.same_class and type(made) is not type(value):
            return f"type(twin) is {type(made).__name__}", "type(twin) is type(x)"
        if holds_nan(value):
            return None
        if defines("__eq__")(type(value)) and value == value and before == value:
            if not made == value:
                return f"twin != x: {made!r:.80} and {value!r:.80}", "twin == x"
            if type(made) is type(value) and _hash_of(before) == _hash_of(value) != _hash_of(made):
                return "twin == x, but their hashes differ", "hash(twin) == hash(x)"
        other = _items(made) if held is not None else None
        if held is not None and not _same_content(held, other):
            return f"list(twin) is {other!r:.80}, list(x) is {held!r:.80}", "list(twin) == list(x)"
        return None


@dataclass(frozen=True, slots=True)
class AttributesLaw:
    """The plain attributes of an object, such as its options, are those of its copy. What only others set is none."""

    name: str = "copy attributes"
    sentence: str = "x.copy() has the options of x"
    example: str = "vars(x.copy()).keys() == vars(x).keys()"
    strict: bool = False
    costly: bool = True

    def applies(self, cls: type) -> bool:
        return _has_copy(cls)

    def look(self, state: State) -> Looked:
        value = state.another()
        try:
            made = value.copy()
            mine, its = vars(value), vars(made)
        except Exception:
            return Looked()
        if type(made) is not type(value):
            return Looked()
        cls: Any = type(value)
        known = _names_in(cls)
        for name, kept in mine.items():
            if name not in known or type(kept) not in (str, bool, type(None)):
                continue
            if name not in its or not (alike(its[name], kept) or (_is_nothing(its[name]) and _is_nothing(kept))):
                said = f"x.{name} is {kept!r:.60}, but x.copy().{name} is {its.get(name)!r:.60}"
                return Looked.once(Breach(said, f"assert x.copy().{name} == x.{name}", "copy"))
        return Looked.once(None)


def _is_nothing(option: Any) -> bool:
    return type(option) in (str, type(None)) and not option


@dataclass(frozen=True, slots=True)
class IndependenceLaw:
    """What empties a copy leaves the original as it was."""

    name: str = "copy independent"
    sentence: str = "emptying x.copy() leaves x as it was"
    example: str = "x.copy() is not x"
    strict: bool = True
    costly: bool = True

    def applies(self, cls: type) -> bool:
        return _has_copy(cls) and defines("clear", "__iter__")(cls)

    def look(self, state: State) -> Looked:
        value = state.another()
        try:
            twin = value.copy()
            before = _items(value)
            twin.clear()
        except Exception:
            return Looked()
        if before is None or alike(before, _items(value)):
            return Looked.once(None)
        code = "twin = x.copy()\nbefore = list(x)\ntwin.clear()\nassert list(x) == before"
        return Looked.once(Breach(f"after x.copy().clear() list(x) is {_items(value)!r:.80}", code, "copy"))


@lru_cache(maxsize=1024)
def _names_in(cls: Hashable) -> frozenset[str]:
    """The names that the methods of a class, and of its bases, use."""
    members = [member for base in getattr(cls, "__mro__", ()) for member in vars(base).values()]
    functions = [getattr(member, "fget", None) or getattr(member, "__func__", member) for member in members]
    return frozenset(name for each in functions if isinstance(each, FunctionType) for name in each.__code__.co_names)


def _has_copy(cls: type) -> bool:
    return defines("copy")(cls) and callable(getattr(cls, "copy", None))


def _hash_of(value: Any) -> int | None:
    try:
        return hash(value)
    except TypeError:
        return None


def _items(value: Any) -> list[Any] | None:
    try:
        return content_of(value) if hasattr(type(value), "__len__") else None
    except Exception:
        return None


def _keeps_its_items(state: State) -> bool:
    """Looking at what the object holds leaves it as it was."""
    value = state.another()
    items = _items(value)
    return items is not None and alike(_items(value), items)


def _same_content(one: list[Any], other: list[Any] | None) -> bool:
    """As many items, and where they are plain values the same ones, in whatever order sets have them."""
    if other is None or len(one) != len(other):
        return False
    if PLAIN.issuperset(map(type, one)) and one == other:
        return True
    plain = [item for item in one if is_atom(item)]
    return len(plain) < len(one) or all(any(alike(item, its) for its in other) for item in plain)


def _is_from_a_class(error: BaseException) -> bool:
    """The exception does not just say that something in the object cannot be copied, such as a lock or a function."""
    said = str(error).lower()
    if isinstance(error, RecursionError | MemoryError | pickle.PicklingError) or said.startswith("can't pickle"):
        return False
    return not said.startswith("cannot pickle") and "local object" not in said


def _looks_itself_up(error: BaseException) -> bool:
    """`__getattr__` needs an attribute that a new object does not have yet, and asks itself for it."""
    if not isinstance(error, RecursionError):
        return False
    step, names = error.__traceback__, deque[str](maxlen=INNERMOST)
    while step is not None:
        names.append(step.tb_frame.f_code.co_name)
        step = step.tb_next
    return sum(name in LOOKING_UP for name in names) >= INNERMOST / 3


def _by_name(cls: type) -> bool:
    """Pickle finds the class again."""
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _copied(value: Any) -> Any:
    return value.copy()


COPYING: tuple[Law, ...] = (
    CopyLaw("copy", "copy.copy gives an equal object", "copy.copy(x)", copy.copy, everything),
    CopyLaw("deepcopy", "copy.deepcopy gives an equal object", "copy.deepcopy(x)", copy.deepcopy, everything),
    CopyLaw("pickle", "pickle gives an equal object", "pickle.loads(pickle.dumps(x))", _pickled, _by_name),
    CopyLaw(
        "copy method", "x.copy() gives an equal object", "x.copy()", _copied, _has_copy, same_class=False, strict=False
    ),
    AttributesLaw(),
    IndependenceLaw(),
)
