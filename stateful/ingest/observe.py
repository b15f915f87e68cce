"""Look at the objects of one snapshot: the value of every predicate on them, asked or remembered.

Pure of databases and processes, so that a test can compare what is recorded with the live objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stateful.ingest.agenda import Agendas, Item
from stateful.ingest.ledger import UNDEFINED, Ledger
from stateful.ingest.memory import Memory, States
from stateful.ingest.questions import Questions
from stateful.sandbox.worker import DeadlineReached

__all__ = ["Observation"]


class Observation:
    """Asks everything of the objects of one snapshot, of which the first `slots` are operands.

    `announce` is told what is asked next, in case that it never comes back; `asked` says what was asked last."""

    def __init__(
        self, ledger: Ledger, questions: Questions, announce: Callable[[type | None, str], None] | None = None
    ) -> None:
        self.ledger = ledger
        self.questions = questions
        self.announce = announce
        self.asked: tuple[type, str] | None = None
        self.edges: list[tuple[int, int, int]] = []
        """Where a query without arguments gave an object: the one asked, the predicate, the one given."""
        self.forget()

    def forget(self) -> None:
        """There are other questions now, or other numbers for values."""
        self.memory = Memory()
        self.agendas = Agendas(self.ledger, self.questions, self.memory)

    def __call__(self, objects: list[Any], slots: int) -> bool:
        """Ask everything and write every row; true if there would be more rows than the bound."""
        self.start(objects, slots)
        return self.finish()

    def start(self, objects: list[Any], slots: int, states: States | None = None) -> None:
        """Ask all but the quiet queries, which write to what they look at."""
        self.objects = objects
        self.agenda = self.agendas.of(objects, slots)
        self.held, self.looks = self.agenda.held, self.agenda.looks
        self.states = states
        self.edges = []
        self.memory.fresh.clear()
        self.numbers = self._answers(self.agenda.items[: self.agenda.loud])

    def finish(self) -> bool:
        """Ask these, too, and write every row; true if there would be more rows than the bound."""
        agenda = self.agenda
        if agenda.loud < len(agenda.items):
            self.numbers += self._answers(agenda.items[agenda.loud :])
        self._tell(None)
        self.ledger.add(agenda.which, self.numbers, agenda.places)
        return agenda.bounded

    def is_repeated(self) -> bool:
        """Whether everything is answered the same once more."""
        again = [self._answer(item) for item in self.agenda.items]
        self._tell(None)
        return again == self.numbers

    @property
    def has_quiet(self) -> bool:
        """Whether there were quiet queries to ask."""
        return self.agenda.loud < len(self.agenda.items)

    def _answers(self, items: list[Item]) -> list[int]:
        if self.states is None:
            return [self._answer(item) for item in items]
        return self._remembered(items, self.states.numbers)

    def _remembered(self, items: list[Item], states: list[int]) -> list[int]:
        """The answers; those that were given before are not asked for again. What speaks of another object of this
        snapshot means nothing in the next."""
        numbers, fresh = [], self.memory.fresh
        for item in items:
            state = item.select(states)
            number = item.answers.get(state)
            if number is None:
                self.placed = False
                number = self._answer(item)
                if not self.placed or item.itself:
                    fresh.append((item.answers, state, number))
            numbers.append(number)
        return numbers

    def _answer(self, item: Item) -> int:
        """The number of an answer. If that is an object of the snapshot, it is known how to get there."""
        if item.of is not self.asked:
            self._tell(item.of)
        try:
            given = item.select(self.objects)
            answer = item.ask(given) if item.single else item.ask(*given)
            if type(answer) not in self.held:
                return self.ledger.value(answer, self._place)
            place = self._place(answer)
            if place is None or self.looks[place].container:
                return self.ledger.value(answer, self._place)
            if item.leads:
                self.edges.append((item.places[0], item.predicate, place))
            return self.ledger.object(place, answer if self.looks[place].truthful else True)
        except DeadlineReached:
            raise
        except BaseException:
            return UNDEFINED

    def _place(self, value: object) -> int | None:
        """The index of an object of the snapshot. Looked for, because the guard hears of each `id`."""
        for index in self.held.get(type(value), ()):
            if self.objects[index] is value:
                self.placed = True
                return index
        return None

    def _tell(self, query: tuple[type, str] | None) -> None:
        """What is asked next, or that it is no query."""
        self.asked = query
        if self.announce is not None:
            self.announce(*(query or (None, "")))
