"""Laws of what is equal to a collection, of what is taken out of it, and of how much is shown of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from stateful.judge.families import MAPPING, SEQUENCE, SET, Family, held_by
from stateful.judge.law import Breach, Law, Looked, State, alike, defines, holds_nan
from stateful.judge.laws import takes_nothing

__all__ = ["CONTENT", "ClearLaw", "EqualityLaw", "LimitLaw", "TakingLaw"]

DIFFERENT = {
    "list": ("list(x)[:-1]", "[*x, *list(x)[:1]]"),
    "set": ("set(list(x)[:-1])",),
    "dict": ("{key: x[key] for key in list(x)[:-1]}", "dict.fromkeys(x)"),
}
"""For each family, contents that differ from that of `x`."""


@dataclass(frozen=True, slots=True)
class EqualityLaw:
    """Two collections are not equal if what they hold is not."""

    family: Family
    strict: bool = True
    costly: bool = True

    @property
    def name(self) -> str:
        return f"equality of {self.family.name} content"

    @property
    def sentence(self) -> str:
        return "x == y only if both hold the same"

    @property
    def example(self) -> str:
        return f"not x == {DIFFERENT[self.family.name][0]} or not x"

    def applies(self, cls: type) -> bool:
        return self.family.belongs(cls) and defines("__eq__")(cls)

    def look(self, state: State) -> Looked:
        found = Looked()
        for text in DIFFERENT[self.family.name]:
            for form in (text, f"type(x)({text})"):
                tried, breach = self._compared(state, text, form)
                found.count(form, tried)
                found.breaches += [breach] if breach else []
        return found

    def _compared(self, state: State, text: str, form: str) -> tuple[bool, Breach | None]:
        value = state.another()
        try:
            content, other = self.family.build(value), eval(text, {"x": value})
            if not content or alike(content, other) or holds_nan(content):
                return False, None
            if isinstance(content, dict) and not all(content.values()):  # a count of 0 may be as good as none
                return False, None
            other = eval(form, {"x": value})
            if form is not text and alike(content, self.family.build(other)):
                return False, None
        except Exception:
            return False, None
        code = f"assert not x == {form}"
        try:
            equal = value == other
        except Exception as error:
            return True, Breach(
                f"x == {form} raises {type(error).__name__}: {error}"[:300], code, "__eq__", error, form
            )
        if equal is not True:
            return True, None
        return True, Breach(f"x == {form} is true, but x holds {content!r:.80}", code, "__eq__", form=form)


@dataclass(frozen=True, slots=True)
class TakingLaw:
    """What is taken out was there and is gone, and nothing else is."""

    method: str
    family: Family
    code: str
    takes: Callable[[Any, Any], str | None]
    """Takes something out of an object whose content before is given; says what is wrong then."""
    strict: bool = False
    costly: bool = True

    @property
    def name(self) -> str:
        return f"{self.method} like {self.family.name}"

    @property
    def sentence(self) -> str:
        return f"{self.method} gives what it takes out, and takes out nothing else"

    @property
    def example(self) -> str:
        return f"x.{self.method}"

    def applies(self, cls: type) -> bool:
        return self.family.belongs(cls) and callable(getattr(cls, self.method, None))

    def look(self, state: State) -> Looked:
        value = state.another()
        before = held_by(self.family, value)
        if not before:
            return Looked()
        try:
            said = self.takes(value, before)
        except TypeError:
            return Looked()
        except Exception as error:
            said = f"x.{self.method}() raises {type(error).__name__}: {error}"
            return Looked.once(Breach(said[:300], self.code, self.method, error))
        return Looked.once(Breach(said, self.code, self.method) if said else None)


@dataclass(frozen=True, slots=True)
class ClearLaw:
    """What is cleared is empty, whatever kind of container it is."""

    name: str = "clear"
    sentence: str = "after x.clear() it is empty"
    example: str = "x.clear() is not Ellipsis and len(x) == 0"
    strict: bool = False
    costly: bool = True

    def applies(self, cls: type) -> bool:
        is_known = any(family.belongs(cls) for family in (SEQUENCE, SET, MAPPING))  # what these hold is compared
        return not is_known and defines("__len__")(cls) and takes_nothing("clear")(cls)

    def look(self, state: State) -> Looked:
        value = state.another()
        if not len(value):
            return Looked()
        code = "x.clear()\nassert len(x) == 0"
        try:
            value.clear()
            left = len(value)
        except Exception as error:
            return Looked.once(Breach(f"x.clear() raises {type(error).__name__}: {error}"[:300], code, "clear", error))
        return Looked.once(Breach(f"after x.clear() len(x) == {left}", code, "clear") if left else None)


@dataclass(frozen=True, slots=True)
class LimitLaw:
    """A limit that is left out lets all through. Each method that takes one is a form of the law."""

    name: str = "no limit"
    sentence: str = "without a limit a method gives no less than with one"
    example: str = "len(x.most_common()) >= len(x.most_common(1))"
    strict: bool = True
    costly: bool = True

    def applies(self, cls: type) -> bool:
        return bool(_limited(cls))

    def look(self, state: State) -> Looked:
        found = Looked()
        for method in _limited(state.value.__class__):
            try:
                some, whole = getattr(state.another(), method)(1), getattr(state.another(), method)()
            except Exception:
                continue
            if not (isinstance(some, list | tuple) and isinstance(whole, list | tuple) and some):
                continue
            found.count(method)
            if len(whole) < len(some):
                said = f"x.{method}(1) gives {some!r:.80}, but x.{method}() gives {whole!r:.80}"
                code = f"assert len(x.{method}()) >= len(x.{method}(1))"
                found.breaches.append(Breach(said, code, method, form=method))
        return found


LIMITS = ("n", "k", "limit", "count", "num", "number", "size", "max_items", "maximum", "most")


@cache
def _limited(cls: Any) -> tuple[str, ...]:
    """The public methods that take nothing but a limit, which may be left out."""
    found = []
    for name in dir(cls):
        method = inspect.getattr_static(cls, name, None)
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        if len(parameters) == 1 and parameters[0].name in LIMITS and parameters[0].default is None:
            found.append(name)
    return tuple(found)


def _takes_item(value: Any, before: Any) -> str | None:
    key, item = value.popitem()
    if key not in before or not alike(before.pop(key), item):
        return f"x.popitem() gives {(key, item)!r:.80}, which it did not hold"
    held = MAPPING.build(value)
    return (
        None
        if alike(_ordered(held), _ordered(before))
        else f"after x.popitem() it holds {held!r:.80}, not {before!r:.80}"
    )


def _takes_member(value: Any, before: Any) -> str | None:
    item = value.pop()
    if item not in before:
        return f"x.pop() gives {item!r:.80}, which it did not hold"
    before.remove(item)
    held = SET.build(value)
    return None if alike(held, before) else f"after x.pop() it holds {held!r:.80}, not {before!r:.80}"


def _ordered(found: dict[Any, Any]) -> list[Any]:
    return sorted(found.items(), key=repr)


CONTENT: tuple[Law, ...] = (
    ClearLaw(),
    LimitLaw(),
    *(EqualityLaw(family) for family in (SEQUENCE, SET, MAPPING)),
    TakingLaw(
        "popitem", MAPPING,
        "before = {key: x[key] for key in x}\nkey, value = x.popitem()\n"
        "assert before.pop(key) == value\nassert {key: x[key] for key in x} == before", _takes_item,
    ),
    TakingLaw(
        "pop", SET, "before = set(x)\nitem = x.pop()\nbefore.remove(item)\nassert set(x) == before", _takes_member,
    ),
)  # fmt: skip
