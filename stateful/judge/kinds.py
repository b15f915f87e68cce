"""The kinds of values: which passed where, and which an annotation asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from stateful.subject.asked import agrees
from stateful.subject.model import Routine

__all__ = ["Experience", "all_fit", "contradiction", "kind_of"]

USUALLY = 0.5  # the share of calls that have to pass for a kind of value to be right ...
SELDOM = 0.1  # ... and for objects of the subject's own classes


class Experience:
    """Which kinds of values passed and failed in each slot of each routine."""

    def __init__(self) -> None:
        self.passed: dict[tuple[str, int], Counter[str]] = {}
        self.tried: dict[tuple[str, int], Counter[str]] = {}

    def note(self, routine: str, kinds: Sequence[str | None], *, passed: bool) -> None:
        for slot, kind in enumerate(kinds):
            if kind is not None:
                key = routine, slot
                if key not in self.tried:
                    self.tried[key], self.passed[key] = Counter(), Counter()
                self.tried[key][kind] += 1
                if passed:
                    self.passed[key][kind] += 1

    def as_json(self) -> dict[str, dict[str, list[int]]]:
        """For each place the kinds, and how often each was tried and passed."""
        return {
            f"{routine}\t{slot}": {
                kind: [count, self.passed.get((routine, slot), Counter())[kind]] for kind, count in tried.items()
            }
            for (routine, slot), tried in self.tried.items()
        }

    @classmethod
    def from_json(cls, *parts: Mapping[str, Mapping[str, Sequence[int]]]) -> Experience:
        """What all the parts know together."""
        found = cls()
        for part in parts:
            for place, kinds in part.items():
                routine, _, slot = place.partition("\t")
                key = routine, int(slot)
                tried, passed = found.tried.setdefault(key, Counter()), found.passed.setdefault(key, Counter())
                for kind, (count, passes) in kinds.items():
                    tried[kind] += count
                    passed[kind] += passes
        return found

    def has_passed(self, routine: str, slot: int, kind: str) -> bool:
        """True if values of this kind mostly pass here; now and then, on empty objects, the wrong ones pass, too."""
        passed = self.passed.get((routine, slot), Counter())[kind]
        usually = SELDOM if ":" in kind else USUALLY
        return passed > 0 and passed >= usually * self.tried.get((routine, slot), Counter())[kind]

    def learned(self, routine: str, slot: int) -> list[str]:
        """The kinds that mostly pass in this slot, most often first."""
        passed = self.passed.get((routine, slot), Counter())
        return [kind for kind, count in passed.most_common() if count and self.has_passed(routine, slot, kind)]


PLAIN = {cls: cls.__name__ for cls in (int, str, float, bool, bytes, type(None), complex, slice, range)}


def kind_of(value: Any, depth: int = 0) -> str:
    """What a parameter learns about: the class, and for containers the class of what is in them.

    >>> kind_of([1, 2]), kind_of({"a": None}), kind_of([1, "a"])
    ('list[int]', 'dict[str, NoneType]', 'list[mixed]')
    """
    cls = type(value)
    plain = PLAIN.get(cls)
    if plain is not None:
        return plain
    if cls in (list, tuple, set, frozenset) and depth < 2:
        return f"{cls.__name__}[{_common(value, depth)}]"
    if cls is dict and depth < 2:
        return f"dict[{_common(value, depth)}, {_common(value.values(), depth)}]"
    return NAMES.get(cls) or _name_of(cls)


NAMES: dict[type, str] = {}
MOST_NAMES = 2048  # a subject may make classes


def _name_of(cls: type) -> str:
    if len(NAMES) >= MOST_NAMES:
        NAMES.clear()
    NAMES[cls] = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}:{cls.__qualname__}"
    return NAMES[cls]


def _common(items: Any, depth: int) -> str:
    classes = set(map(type, items))
    if PLAIN.keys() >= classes:
        return "" if not classes else PLAIN[classes.pop()] if len(classes) == 1 else "mixed"
    kinds = {kind_of(item, depth + 1) for item in items}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def contradiction(routine: Routine, operands: Sequence[Any], expected: Mapping[str, Any]) -> str | None:
    """The name of a parameter whose value contradicts its annotation."""
    given = operands[1:] if routine.has_receiver else operands
    for parameter, value in zip(routine.parameters, given, strict=False):
        if value is not Ellipsis and agrees(expected.get(parameter.name, Any), value) is False:
            return parameter.name
    return None


def all_fit(routine: Routine, operands: Sequence[Any], expected: Mapping[str, Any]) -> bool:
    """Each argument that was given is all that its annotation asks for."""
    given = operands[1:] if routine.has_receiver else operands
    pairs = zip(routine.parameters, given, strict=False)
    return all(value is Ellipsis or agrees(expected.get(parameter.name, Any), value) for parameter, value in pairs)
