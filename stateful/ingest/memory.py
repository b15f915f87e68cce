"""What was answered before: what is asked of objects in the same states is answered the same, and not asked again.

Half of the snapshots differ in nothing but who stands beside whom. A state is the bytes of an object by itself. They
stand for it only where the objects of a snapshot share nothing, so that none can show, reach or change another.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

from stateful.subject.snapshots import digest_of, dump_apart

__all__ = ["Answers", "Memory", "States"]

MOST_ANSWERS = 300_000  # that a memory holds; then it begins anew
VALUES = frozenset((int, str, bool, bytes, type(None)))
"""Atoms that are equal only if they are the same; of floats, which are not, the text is taken."""

Answers: TypeAlias = dict[Any, int]
"""The numbers of what one question was answered, by the state of the object or the states of the objects asked."""


class States:
    """The objects of a snapshot that have nothing to do with each other, and for each the number of its state.

    `composed` are those that are more than a plain value, and `dumped` their bytes."""

    __slots__ = ("composed", "dumped", "numbers")

    def __init__(self, composed: dict[int, Any], dumped: list[bytes], numbers: list[int]) -> None:
        self.composed = composed
        self.dumped = dumped
        self.numbers = numbers

    def are_changed(self) -> bool:
        """Whether the objects look different now."""
        return dump_apart([*self.composed.values()]) != self.dumped


class Memory:
    """Answers by question, and `lonely`, the states that reach no other object that is observed."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.lonely: set[int] = set()
        self.answers: dict[Hashable, Answers] = {}
        self.fresh: list[tuple[Answers, Any, int]] = []
        self.size = 0

    def states(self, objects: Sequence[Any]) -> States | None:
        """None if what one of them shows may depend on the others."""
        composed = [value for value in objects if type(value) not in VALUES and type(value) is not float]
        dumped = dump_apart(composed)
        if dumped is None:
            return None
        rest = map(digest_of, dumped)
        found: dict[int, Any] = {}
        numbers: list[int] = []
        for value in objects:
            cls = type(value)
            if cls in VALUES or cls is float:
                numbers.append(self._number((cls, repr(value) if cls is float else value), numbers))
            else:
                numbers.append(self._number(next(rest), numbers))
                found[numbers[-1]] = value
        return States(found, dumped, numbers)

    def are_lonely(self, states: States | None) -> bool:
        """Whether it is known that they reach no more objects than these."""
        return states is not None and self.lonely.issuperset(states.composed)

    def _number(self, key: Hashable, taken: Sequence[int]) -> int:
        """Two objects of one snapshot never have one number, so that a number says which of them is meant."""
        number = self.numbers.setdefault(key, len(self.numbers))
        return number if number not in taken else self._number((key, number), taken)

    def of(self, question: Hashable) -> Answers:
        """What this question was answered."""
        return self.answers.setdefault(question, {})

    def keep(self) -> None:
        """What was answered since is true: the objects are as they were."""
        for answers, states, number in self.fresh:
            answers[states] = number
        self.size += len(self.fresh)
        self.fresh.clear()

    def is_full(self) -> bool:
        return self.size > MOST_ANSWERS or len(self.numbers) > MOST_ANSWERS
