"""A pool: stored snapshots by the classes of their objects. Entries are drawn and never changed."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable
from random import Random

from stateful.generate.operands import Ref, Stored
from stateful.generate.swarm import PLAIN, Swarm

__all__ = ["Pool"]

CANDIDATES = 3
MOST_ENTRIES = 4000
MOST_REMEMBERED = 500


class Pool:
    """Objects by class; a class finds the objects of its subclasses.

    `swarm` is what the pool prefers; `covered` and `seconds` say what it reached, and what that cost."""

    def __init__(self, random: Random, swarm: Swarm = PLAIN, *, candidates: int = CANDIDATES) -> None:
        self.random = random
        self.swarm = swarm
        self.candidates = candidates
        self.entries: dict[bytes, Stored] = {}
        self.by_class: dict[type, list[Ref]] = {}
        self.by_shape: dict[type, dict[Hashable, list[Ref]]] = {}
        self.satisfying: dict[str, deque[Ref]] = {}
        self.covered: set[object] = set()
        self.seconds = 0.0
        self.largest: dict[type | None, int] = {}
        """For each class the bytes of the largest state so far."""
        self.growth = math.inf
        """So many of its first states enter all, later ones ever more seldom."""
        self.repeating = 1.0
        """How much of the strategy's share goes into repeated calls: each leaves a state that is recorded."""
        self.met = 0
        """New states so far, whether they entered or not."""

    def __contains__(self, digest: bytes) -> bool:
        return digest in self.entries

    def add(self, stored: Stored) -> None:
        if len(self.entries) >= MOST_ENTRIES:
            self._forget_half()
        self.entries[stored.digest] = stored
        self._index(stored)

    def _index(self, stored: Stored) -> None:
        for index, cls in enumerate(stored.classes):
            ref = Ref(stored, index)
            for base in cls.__mro__ if cls else ():
                self.by_class.setdefault(base, []).append(ref)
                if index in stored.shapes:
                    self.by_shape.setdefault(base, {}).setdefault(stored.shapes[index], []).append(ref)

    def _forget_half(self) -> None:
        """Keep a random half, so that old and new states both survive."""
        kept = self.random.sample(list(self.entries.values()), MOST_ENTRIES // 2)
        self.entries = {stored.digest: stored for stored in kept}
        self.by_class, self.by_shape = {}, {}
        for stored in kept:
            self._index(stored)

    def satisfies(self, routine: str, ref: Ref) -> None:
        """Remember that the object satisfies the written precondition of the routine."""
        self.satisfying.setdefault(routine, deque(maxlen=MOST_REMEMBERED)).append(ref)

    def forget(self, ref: Ref) -> None:
        """The object is not drawn any more, because it has become another one."""
        cls = ref.stored.classes[ref.index]
        for base in cls.__mro__ if cls else ():
            known = self.by_class.get(base, [])
            if ref in known and len(known) > 1:
                known.remove(ref)
            alike = self.by_shape.get(base, {}).get(ref.stored.shapes.get(ref.index), [])
            if ref in alike and len(alike) > 1:
                alike.remove(ref)
        for known_fit in self.satisfying.values():
            if ref in known_fit:
                known_fit.remove(ref)
        self.entries.pop(ref.stored.digest, None)

    def has(self, cls: type) -> bool:
        return cls in self.by_class

    def draw(self, cls: type) -> Ref | None:
        """One object of the class, or of a subclass; now and then one of any shape."""
        shapes = self.by_shape.get(cls)
        if shapes and self.random.random() < self.swarm.shaped:
            return self.chosen(self.random.choice(list(shapes.values())))
        return self.chosen(self.by_class.get(cls))

    def chosen(self, choices: list[Ref] | deque[Ref] | None) -> Ref | None:
        """Of some random ones the one with the shortest recipe; now and then the one that holds most.

        Short recipes give more states and readable tests; full containers show what empty ones cannot."""
        if not choices:
            return None
        size = len(choices)
        if self.candidates == 1:
            return choices[int(self.random.random() * size)]
        drawn = [choices[int(self.random.random() * size)] for _ in range(self.candidates)]
        deep = self.random.random() < self.swarm.deep
        return max(drawn, key=_size) if deep else min(drawn, key=_calls)

    def relative(self, other: Ref, cls: type) -> Ref | None:
        """An object of the class in the same snapshot; it may be the same object."""
        fitting = [i for i, own in enumerate(other.stored.classes) if own is not None and issubclass(own, cls)]
        return Ref(other.stored, self.random.choice(fitting)) if fitting else None


def _size(ref: Ref) -> int:
    return len(ref.stored.data)


def _calls(ref: Ref) -> int:
    return ref.stored.calls
