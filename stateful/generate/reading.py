"""Texts for parameters that are read: where many are refused, what passed is remembered, and altered."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from stateful.generate.texts import Texts
from stateful.subject.routines import LiveRoutine
from stateful.subject.vocabulary import Vocabulary, vocabulary_near

__all__ = ["Reading"]

CHOOSY = 0.7  # a parameter for which fewer texts pass is read
SURE = 8  # texts tell whether it is
ALTERED = 0.4  # how often a text for such a parameter is one that passed, altered
PHRASED = 0.5  # how often one that it may understand, at least
NEAR = 0.6  # how often of the words of its own class, and not of the module's
MOST_TEXTS = 24


@dataclass(slots=True)
class _Read:
    """What is known of one parameter."""

    tried: int = 0
    passed: int = 0
    understood: list[str] = field(default_factory=list)

    @property
    def is_choosy(self) -> bool:
        return self.tried >= SURE and self.passed < CHOOSY * self.tried


class Reading:
    """Draws texts for the parameters of routines, and learns which they take."""

    def __init__(self, random: Random, vocabulary: Vocabulary) -> None:
        self.random = random
        self.texts = Texts(random, vocabulary)
        self.near: dict[type | str, Texts] = {}
        """By class; by name for a function that stands alone."""
        self.read: dict[tuple[str, int], _Read] = {}

    def learn(self, routine: str, slot: int, text: str, *, passed: bool) -> None:
        read = self.read.setdefault((routine, slot), _Read())
        read.tried += 1
        read.passed += passed
        if not passed or len(text) < 2:
            return
        if len(read.understood) < MOST_TEXTS:
            read.understood.append(text)
        else:
            read.understood[self.random.randrange(MOST_TEXTS)] = text

    def draw(self, live: LiveRoutine, slot: int, phrased: float, *, learns: bool) -> str | None:
        """A text for a parameter of the routine; None if any will do. `phrased` is how often it is to be one that the
        subject may understand, if nothing is known yet."""
        read = self.read.get((live.model.name, slot))
        choosy = learns and read is not None and read.is_choosy
        choice = self.random.random()
        if read is not None and choosy and read.understood and choice < ALTERED:
            return self._texts(live).altered(self.random.choice(read.understood))
        if choice < ALTERED + PHRASED if choosy else choice < phrased:
            return self._texts(live).text()
        return None

    def _texts(self, live: LiveRoutine) -> Texts:
        key = live.cls or live.model.name
        near = self.near.get(key)
        if near is None:
            near = self.near[key] = Texts(self.random, vocabulary_near(live.cls, live.function))
        return near if near.knows and self.random.random() < NEAR else self.texts
