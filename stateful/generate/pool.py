"""The pool: stored snapshots by the classes of their objects. Entries are drawn and never changed."""

from __future__ import annotations

from random import Random

from stateful.generate.operands import Ref, Stored

__all__ = ["Pool"]

CANDIDATES = 3  # draw so many, take the one with the shortest recipe: short recipes give more states and readable tests
MOST_ENTRIES = 4000


class Pool:
    """Objects by class; a class finds the objects of its subclasses."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.entries: dict[bytes, Stored] = {}
        self.by_class: dict[type, list[Ref]] = {}

    def __contains__(self, digest: bytes) -> bool:
        return digest in self.entries

    def add(self, stored: Stored) -> None:
        if len(self.entries) >= MOST_ENTRIES:
            self._forget_half()
        self.entries[stored.digest] = stored
        self._index(stored)

    def _index(self, stored: Stored) -> None:
        for index, cls in enumerate(stored.classes):
            for base in cls.__mro__ if cls else ():
                self.by_class.setdefault(base, []).append(Ref(stored, index))

    def _forget_half(self) -> None:
        """Keep a random half, so that old and new states both survive."""
        kept = self.random.sample(list(self.entries.values()), MOST_ENTRIES // 2)
        self.entries = {stored.digest: stored for stored in kept}
        self.by_class = {}
        for stored in kept:
            self._index(stored)

    def has(self, cls: type) -> bool:
        return cls in self.by_class

    def draw(self, cls: type) -> Ref | None:
        """One object of the class, or of a subclass."""
        choices = self.by_class.get(cls)
        if not choices:
            return None
        drawn = [choices[int(self.random.random() * len(choices))] for _ in range(CANDIDATES)]
        return min(drawn, key=lambda ref: ref.stored.calls)

    def relative(self, other: Ref, cls: type) -> Ref | None:
        """An object of the class in the same snapshot; it may be the same object."""
        fitting = [i for i, own in enumerate(other.stored.classes) if own is not None and issubclass(own, cls)]
        return Ref(other.stored, self.random.choice(fitting)) if fitting else None
