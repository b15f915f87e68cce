"""Texts for parameters that are read: where many are refused, what passed is remembered, and altered."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from stateful.generate.texts import Texts
from stateful.subject.routines import LiveRoutine
from stateful.subject.vocabulary import Vocabulary, vocabulary_near

__all__ = ["Reading"]

ALTERED = 0.4  # how often a text for a choosy parameter is one that passed, altered
NEAR = 0.6  # how often of the words of its own class, and not of the module's
MOST_TEXTS = 24


class Reading:
    """Draws texts for the parameters of routines, and remembers which they took."""

    def __init__(self, random: Random, vocabulary: Vocabulary) -> None:
        self.random = random
        self.texts = Texts(random, vocabulary)
        self.near: dict[type | str, Texts] = {}
        """By class; by name for a function that stands alone."""
        self.understood: dict[tuple[str, int], list[str]] = {}

    def learn(self, routine: str, slot: int, text: str) -> None:
        """A call passed with the text."""
        understood = self.understood.setdefault((routine, slot), [])
        if len(text) < 2:
            return
        if len(understood) < MOST_TEXTS:
            understood.append(text)
        else:
            understood[self.random.randrange(MOST_TEXTS)] = text

    def draw(self, live: LiveRoutine, slot: int, phrased: float, *, choosy: bool) -> str | None:
        """A text for a parameter of the routine; None if any will do. `phrased` is how often it is to be one that the
        subject may understand; a `choosy` parameter refuses most."""
        understood = self.understood.get((live.model.name, slot))
        if choosy and understood and self.random.random() < ALTERED:
            return self._texts(live).altered(self.random.choice(understood))
        return self._texts(live).text() if self.random.random() < phrased else None

    def names(self, live: LiveRoutine) -> Sequence[str]:
        """What its class calls its fields, and the other names that it mentions."""
        return self._near(live).names

    def _texts(self, live: LiveRoutine) -> Texts:
        near = self._near(live)
        return near if near.knows and self.random.random() < NEAR else self.texts

    def _near(self, live: LiveRoutine) -> Texts:
        key = live.cls or live.model.name
        near = self.near.get(key)
        if near is None:
            near = self.near[key] = Texts(self.random, vocabulary_near(live.cls, live.function))
        return near
