"""Queries that write to what they look at: to a cache, which nobody sees, or so that something is answered differently.

The former are queries all the same, quiet ones; the latter are commands, and what they said counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stateful.ingest.ledger import Ledger, Row
from stateful.ingest.observe import Observation
from stateful.ingest.questions import Questions
from stateful.subject.snapshots import Uncopyable, dump

__all__ = ["Asked", "Blamed", "blamed"]

Asked = tuple[type, str]
"""A class and a query of it."""


@dataclass(slots=True)
class Blamed:
    """The queries that write to the objects of a snapshot. `guilty` are those of which something else tells."""

    guilty: list[Asked] = field(default_factory=list)
    quiet: list[Asked] = field(default_factory=list)


def blamed(fresh: Callable[[], list[Any]], slots: int, questions: Questions) -> Blamed:
    """Each query is tried alone on a copy of the objects that `fresh` loads."""
    trial = _Trial(fresh, slots, questions)
    found = Blamed()
    untouched = trial.bytes_after()
    if untouched != trial.bytes_after():
        return found  # no two copies look the same, such as sets that are ordered by address: nothing can be told
    met = {type(value) for value in fresh()}
    asked = [(cls, one.predicate) for cls in met for one in questions.of(cls)]
    writing = [one for one in asked if trial.bytes_after(one) != untouched]
    for one in writing:
        (found.guilty if trial.is_told(one, writing) else found.quiet).append(one)
    return found


class _Trial:
    def __init__(self, fresh: Callable[[], list[Any]], slots: int, questions: Questions) -> None:
        self.fresh = fresh
        self.slots = slots
        self.questions = questions

    def bytes_after(self, *asked: Asked) -> bytes:
        """What a copy looks like after these questions; truth, equality and membership are asked in any case."""
        objects = self.fresh()
        self._rows(objects, lambda cls, predicate: (cls, predicate) in asked)
        try:
            return dump(objects)[1]
        except Uncopyable:
            return b""

    def is_told(self, suspect: Asked, writing: list[Asked]) -> bool:
        """Whether the suspect, or what writes nothing, is answered differently after the suspect was asked."""

        def is_asked(cls: type, predicate: str) -> bool:
            return (cls, predicate) == suspect

        def is_harmless(cls: type, predicate: str) -> bool:
            return (cls, predicate) not in writing

        before = self._rows(self.fresh(), is_harmless)
        again = self._rows(self.fresh(), is_harmless)
        touched = self.fresh()
        if self._rows(touched, is_asked) != self._rows(touched, is_asked):
            return True
        after = self._rows(touched, is_harmless)
        steady = [one == other for one, other in zip(before, again, strict=True)]
        return any(is_steady and one != other for is_steady, one, other in zip(steady, before, after, strict=True))

    def _rows(self, objects: list[Any], wanted: Callable[[type, str], bool]) -> list[Row]:
        """What is answered by these objects, asked only what is wanted."""
        ledger = Ledger()
        Observation(ledger, self.questions.some(wanted))(objects, self.slots)
        return list(ledger.rows())
