"""Collection laws: a class that says it is a collection is compared with Python's own on what it holds.

Each promise is a method of a built-in collection and some forms of calling it, written about `it`. A form is evaluated
once for the object and once for a `list`, `set` or `dict` of its content; results and contents have to be alike. Where
the built-in raises, nothing is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from stateful.judge.families import DEQUE, INDEXED, MAPPING, SEQUENCE, SET, Family, held_by, is_sequence
from stateful.judge.forms import EXAMPLES, about, done, filled, holes_of, whole
from stateful.judge.law import Breach, Looked, State, alike, holds_nan

__all__ = ["PROMISES", "Promise"]

MOST_TRIED = 3  # forms of one promise on one object
COUNTS = 2  # objects with fewer items that keep a promise do not count: they can hardly break it


@dataclass(frozen=True, slots=True)
class Promise:
    """A method, and forms of calling it. Forms that do something end in `;`, the others are compared by their value."""

    family: Family
    method: str
    forms: tuple[str, ...]
    strict: bool = False
    costly: bool = True

    @property
    def name(self) -> str:
        return f"{self.method} like {self.family.name}"

    @property
    def sentence(self) -> str:
        return f"{self.method} is that of a {self.family.name}"

    @property
    def example(self) -> str:
        return about(filled(self.forms[0], lambda values: values[:1], EXAMPLES)[0])

    def applies(self, cls: type) -> bool:
        method = getattr(cls, self.method, None)
        return self.family.belongs(cls) and callable(method) and method is not getattr(object, self.method, None)

    def look(self, state: State) -> Looked:
        found = Looked()
        model = held_by(self.family, state.another())
        if model is None:
            return found
        for form, text in self._texts(model, state.random):
            tried, breach = self._compared(state, text)
            if tried and (breach is not None or len(model) >= COUNTS):
                found.count(form)
            if breach is not None:
                breach.form = form
                found.breaches.append(breach)
        return found

    def _texts(self, model: Any, random: Random | None) -> Iterator[tuple[str, str]]:
        """Forms with their holes filled: in all ways, or in some that are drawn."""
        holes = holes_of(model)
        if random is None:
            yield from ((form, text) for form in self.forms for text in filled(form, lambda values: values, holes))
            return
        for _ in range(MOST_TRIED):
            form = random.choice(self.forms)
            yield from ((form, text) for text in filled(form, lambda values: [random.choice(values)], holes))

    def _compared(self, state: State, text: str) -> tuple[bool, Breach | None]:
        """Whether the built-in does it at all, and how the object differs from it."""
        value = state.another()
        model = self.family.build(value)
        is_full = len(model) in _capacities(value)
        try:
            expected = done(text, model)
        except Exception:
            return False, None
        try:
            result = done(text, value)
        except Exception as error:
            if is_full or (isinstance(error, TypeError) and not self._is_meant_to_take(type(value), error)):
                return False, None
            said = f"{about(text)} raises {type(error).__name__}: {error}"
            return True, Breach(said[:300], about(text), self.method, error)
        if not text.endswith(";"):
            if isinstance(expected, list) and _is_bounded(result, expected, value):
                return False, None
            return True, self._other_value(text, result, expected)
        if _is_bounded(result, expected, result):
            return False, None
        return True, self._other_content(text, result, expected)

    def _other_value(self, text: str, result: Any, expected: Any) -> Breach | None:
        if holds_nan(expected) or alike(expected, result):
            return None
        said = f"{about(text)} is {result!r:.80}, that of {self.family.model} is {expected!r:.80}"
        code = f"assert {whole(about(text, self.family.model))} == {whole(about(text))}"
        return Breach(said, code, self.method)

    def _other_content(self, text: str, changed: Any, expected: Any) -> Breach | None:
        does, model_does = about(text), about(text, "model")
        try:
            held = self.family.build(changed)
        except Exception as error:
            said = f"after {does} its content cannot be read: {type(error).__name__}: {error}"
            return Breach(said[:300], f"{does}\n{self.family.model}", self.method, error)
        if _same(held, expected):
            return None
        code = f"model = {self.family.model}\n{does}\n{model_does}\nassert {self.family.model} == model"
        return Breach(f"after {does} it holds {held!r:.80}, not {expected!r:.80}", code, self.method)

    def _is_meant_to_take(self, cls: type, error: TypeError) -> bool:
        """The method was entered: it has the signature, and the values are of the kind that it holds."""
        if self.family is INDEXED and not is_sequence(cls):
            return False
        step, inside = error.__traceback__, False
        while step is not None:
            if inside and step.tb_frame.f_code.co_filename != "<law>":
                return True
            inside = inside or step.tb_frame.f_code.co_filename == "<law>"
            step = step.tb_next
        return False


def _is_bounded(content: Any, expected: Any, owner: Any) -> bool:
    """It is as much as the owner may hold, and that is less than expected: it made room for what is new."""
    try:
        return len(content) < len(expected) and len(content) in _capacities(owner)
    except Exception:
        return False


def _capacities(value: Any) -> set[int]:
    """Numbers among the attributes of an object that may say how much it holds."""
    attributes = [*getattr(value, "__dict__", {}).values(), getattr(value, "maxlen", None)]
    return {number for number in attributes if type(number) is int and number > 0}


def _same(one: Any, other: Any) -> bool:
    """The same content; mappings may have it in another order."""
    if isinstance(one, dict):
        return len(one) == len(other) and all(key in other and alike(value, other[key]) for key, value in one.items())
    return alike(one, other)


def _all() -> Iterator[Promise]:
    for method, forms in NUMBERED.items():
        yield Promise(INDEXED, method, forms)
    for method, forms in SEQUENCES.items():
        yield Promise(SEQUENCE, method, forms)
    for method, forms in DEQUES.items():
        yield Promise(DEQUE, method, forms)
    for method, forms in SETS.items():
        yield Promise(SET, method, forms)
    for method, forms in MAPPINGS.items():
        yield Promise(MAPPING, method, forms)


NUMBERED: Mapping[str, tuple[str, ...]] = {
    "__getitem__": ("it[<i>]", "list(it[<s>])"),
    "index": ("it.index(list(it)[<i>])",),
    "count": ("it.count(list(it)[<i>])",),
    "__reversed__": ("list(reversed(it))",),
    "__delitem__": ("del it[<i>];", "del it[<s>];"),
    "pop": ("it.pop(<i>);", "it.pop(<i>)"),
    "__contains__": ("<new> in it",),
}
SEQUENCES: Mapping[str, tuple[str, ...]] = {
    "__setitem__": ("it[<i>] = list(it)[<j>];", "it[<s>] = list(it)[:2];", "it[<s>] = list(it)[<s>];"),
    "insert": ("it.insert(<i>, list(it)[<j>]);", "it.insert(<i>, <new>);"),
    "append": ("it.append(list(it)[<j>]);", "it.append(<new>);"),
    "extend": ("it.extend(<others>);",),
    "remove": ("it.remove(list(it)[<i>]);",),
    "reverse": ("it.reverse();",),
    "sort": ("it.sort();", "it.sort(reverse=True);"),
    "clear": ("it.clear();",),
    "__iadd__": ("it += <others>;",),
    "__add__": ("list(it + it)",),
    "__imul__": ("it *= 2;",),
}
DEQUES: Mapping[str, tuple[str, ...]] = {
    "append": ("it.append(list(it)[<j>]);", "it.append(<new>);"),
    "appendleft": ("it.appendleft(list(it)[<j>]);", "it.appendleft(<new>);"),
    "pop": ("it.pop()", "it.pop();"),
    "popleft": ("it.popleft()", "it.popleft();"),
    "extendleft": ("it.extendleft(<others>);",),
    "rotate": ("it.rotate(1);", "it.rotate(-2);", "it.rotate(len(it) + 1);"),
    "clear": ("it.clear();",),
}
SETS: Mapping[str, tuple[str, ...]] = {
    "__contains__": ("<new> in it",),
    "__and__": ("set(it & set(<others>))",),
    "__or__": ("set(it | set(<others>))",),
    "__sub__": ("set(it - set(<others>))",),
    "__xor__": ("set(it ^ set(<others>))",),
    "__rand__": ("set(set(<others>) & it)",),
    "__ror__": ("set(set(<others>) | it)",),
    "__rsub__": ("set(set(<others>) - it)",),
    "__rxor__": ("set(set(<others>) ^ it)",),
    "__le__": ("it <= set(<others>)",),
    "__lt__": ("it < set(<others>)",),
    "__ge__": ("it >= set(<others>)",),
    "__gt__": ("it > set(<others>)",),
    "isdisjoint": ("it.isdisjoint(<others>)",),
    "issubset": ("it.issubset(<others>)",),
    "issuperset": ("it.issuperset(<others>)",),
    "union": ("set(it.union(<others>))", "set(it.union(<others>, <others>))"),
    "intersection": ("set(it.intersection(<others>))",),
    "difference": ("set(it.difference(<others>))",),
    "symmetric_difference": ("set(it.symmetric_difference(<others>))",),
    "add": ("it.add(min(it));", "it.add(<new>);"),
    "discard": ("it.discard(min(it));", "it.discard(<new>);"),
    "remove": ("it.remove(min(it));",),
    "__ior__": ("it |= set(<others>);",),
    "__iand__": ("it &= set(<others>);",),
    "__isub__": ("it -= set(<others>);",),
    "__ixor__": ("it ^= set(<others>);",),
    "update": ("it.update(<others>);", "it.update(<others>, <others>);"),
    "intersection_update": ("it.intersection_update(<others>);",),
    "difference_update": ("it.difference_update(<others>);",),
    "symmetric_difference_update": ("it.symmetric_difference_update(<others>);",),
    "clear": ("it.clear();",),
}
FIRST = "it[list(it)[0]]"
MAPPINGS: Mapping[str, tuple[str, ...]] = {
    "__len__": ("len(it)",),
    "__contains__": ("<new> in it", "list(it)[<i>] in it"),
    "get": ("it.get(list(it)[<i>])", "it.get(<new>)", "it.get(<new>, 7)"),
    "keys": ("list(it.keys())",),
    "values": ("list(it.values())",),
    "items": ("list(it.items())",),
    "pop": ("it.pop(list(it)[<i>])", "it.pop(list(it)[<i>]);", "it.pop(<new>, 7)", "it.pop(<new>, 7);"),
    "setdefault": (f"it.setdefault(list(it)[<i>], {FIRST})", f"it.setdefault(<new>, {FIRST});"),
    "update": (
        "it.update({});",
        "it.update([]);",
        f"it.update({{<new>: {FIRST}}});",
        f"it.update([(<new>, {FIRST})]);",
    ),
    "__setitem__": ("for key in list(it)[<i>:][:1]: it[key] = it[key];", f"it[<new>] = {FIRST};"),
    "__delitem__": ("del it[list(it)[<i>]];",),
    "clear": ("it.clear();",),
    "__reversed__": ("list(reversed(it))",),
    "__or__": (f"sorted(it | {{<new>: {FIRST}}})",),
    "__ror__": (f"sorted({{<new>: {FIRST}}} | it)",),
    "__ior__": (f"it |= {{<new>: {FIRST}}};",),
}
PROMISES: tuple[Promise, ...] = tuple(_all())
