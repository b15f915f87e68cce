"""What is asked of the objects of a snapshot, row by row: it depends on nothing but their classes.

So it is drawn up once for each sequence of classes, and the columns that say what is asked of whom are written whole.
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from math import prod
from operator import itemgetter
from typing import Any

from stateful.contracts.evaluate import ATOMS
from stateful.contracts.predicate import ITSELF
from stateful.ingest.ledger import Ledger
from stateful.ingest.memory import Answers, Memory
from stateful.ingest.questions import Questions
from stateful.subject.discover import class_name

__all__ = ["Agenda", "Agendas", "Item", "Looks"]

MOST_ROWS = 600
MOST_COMBINATIONS = 24  # of arguments, for one query of one object
MOST_AGENDAS = 400
CONTAINERS = frozenset((list, tuple, set, frozenset, dict))


class Looks:
    """What matters of a class when its objects are looked at; found once for each class."""

    __slots__ = ("asked", "atom", "compares", "container", "contains", "kinds", "subject", "truthful")

    def __init__(self, cls: type, questions: Questions) -> None:
        self.atom = cls in ATOMS or issubclass(cls, enum.Enum | type)
        self.container = cls in CONTAINERS
        self.subject = cls in questions.queries
        self.compares = not self.atom and cls.__eq__ is not object.__eq__  # type: ignore[comparison-overlap]
        self.contains = hasattr(cls, "__contains__")
        self.kinds = {cls.__name__, class_name(cls)} if cls.__module__ == "builtins" else {class_name(cls)}
        self.truthful = hasattr(cls, "__bool__") or hasattr(cls, "__len__")
        self.asked = [(one.predicate, one.ask, getattr(one, "wants", ())) for one in questions.of(cls)]


class Item:
    """One row to be: who is asked what. `of` is the class and the predicate of a query, for blame; `leads` says that
    its value is a way to an object, `itself` that its value is the object asked.

    `given` are the places of those that are asked; a condition may name one of them more than once."""

    __slots__ = ("answers", "ask", "itself", "leads", "of", "places", "predicate", "select", "single")

    def __init__(
        self,
        predicate: int,
        places: tuple[int, ...],
        ask: Callable[..., Any],
        answers: Answers,
        *,
        of: tuple[type, str] | None = None,
        given: tuple[int, ...] = (),
    ) -> None:
        self.predicate = predicate
        self.places = places
        self.ask = ask
        self.answers = answers
        self.of = of
        self.single = len(given or places) == 1
        self.leads = len(places) == 1 and of is not None
        self.itself = ask is _itself
        self.select: Callable[[Sequence[Any]], Any] = itemgetter(*(given or places))
        """Of the objects those that are asked, or of their states; of one place without a tuple."""


class Agenda:
    """The items of a snapshot; `bounded` if there would be more of them, and the columns of the ledger. `held` are the
    places of objects of each class, atoms apart. Quiet queries are asked last: the first `loud` items are no such."""

    def __init__(
        self, looks: list[Looks], classes: Sequence[type], items: list[Item], quiet: list[Item], bounded: bool
    ) -> None:
        self.looks = looks
        self.held: dict[type, list[int]] = {}
        for index, cls in enumerate(classes):
            if not looks[index].atom:
                self.held.setdefault(cls, []).append(index)
        self.items = [*items, *quiet][:MOST_ROWS]
        self.loud = min(len(items), MOST_ROWS)
        self.bounded = bounded or len(items) + len(quiet) > MOST_ROWS
        self.which = array("i", [item.predicate for item in self.items])
        self.places = array("B", [place for item in self.items for place in item.places])


class Agendas:
    """Draws up agendas, and keeps them until there are other questions."""

    def __init__(self, ledger: Ledger, questions: Questions, memory: Memory) -> None:
        self.ledger = ledger
        self.questions = questions
        self.memory = memory
        self.looks: dict[type, Looks] = {}
        self.known: dict[tuple[int, tuple[type, ...]], Agenda] = {}

    def of(self, objects: Sequence[Any], slots: int) -> Agenda:
        key = slots, tuple(map(type, objects))
        agenda = self.known.get(key)
        if agenda is None:
            if len(self.known) > MOST_AGENDAS:
                self.known.clear()
            agenda = self.known[key] = self._drawn_up([self._look(cls) for cls in key[1]], key[1], slots)
        return agenda

    def _look(self, cls: type) -> Looks:
        look = self.looks.get(cls)
        if look is None:
            look = self.looks[cls] = Looks(cls, self.questions)
        return look

    def _drawn_up(self, looks: list[Looks], classes: Sequence[type], slots: int) -> Agenda:
        self.chosen: dict[frozenset[str], list[int]] = {}
        self.bounded = False
        self.quiet: list[Item] = []
        items: list[Item] = []
        steps = (
            self._themselves(looks), self._queries(looks, classes), self._pairs(looks, slots), self._conditions(looks),
        )  # fmt: skip
        for step in steps:
            if len(items) <= MOST_ROWS:
                items += step
        return Agenda(looks, classes, items, self.quiet, self.bounded)

    def _themselves(self, looks: list[Looks]) -> Iterator[Item]:
        """Plain values and containers are recorded as what they are, other objects by their place."""
        predicate = self.ledger.predicate(ITSELF)
        for index in range(len(looks)):
            yield Item(predicate, (index,), _itself, self.memory.of((ITSELF, index)))

    def _queries(self, looks: list[Looks], classes: Sequence[type]) -> Iterator[Item]:
        """The views and queries of every object; those that want arguments with all that fit, operands first."""
        for index, (look, cls) in enumerate(zip(looks, classes, strict=True)):
            for text, ask, wants in look.asked:
                choices = [self._fitting(looks, kinds) for kinds in wants]
                self.bounded |= prod(map(len, choices)) > MOST_COMBINATIONS
                predicate, answers, of = self.ledger.predicate(text), self.memory.of(text), (cls, text)
                found = (
                    Item(predicate, (index, *others), ask, answers, of=of)
                    for others in islice(product(*choices), MOST_COMBINATIONS)
                )
                if of in self.questions.quiet:
                    self.quiet += found
                else:
                    yield from found

    def _pairs(self, looks: list[Looks], slots: int) -> Iterator[Item]:
        """Equality between operands and other objects whose classes define it; membership of operands in operands."""
        equal, member = self.ledger.predicate("$ == $"), self.ledger.predicate("$ in $")
        equals, members = self.memory.of("$ == $"), self.memory.of("$ in $")
        subjects = [index for index, look in enumerate(looks) if look.subject]
        for i, look in enumerate(looks):
            for j in subjects:
                if look.compares and (i < slots or j < slots) and not looks[j].atom:
                    yield Item(equal, (i, j), _are_equal, equals)
                if i < slots and j < slots and i != j and looks[j].contains:
                    yield Item(member, (i, j), _is_in, members)

    def _conditions(self, looks: list[Looks]) -> Iterator[Item]:
        """The conditions of branches, for all operands that fit."""
        for number, condition in enumerate(self.questions.conditions):
            names = list(condition.wants)
            choices = [self._fitting(looks, kinds) for kinds in condition.wants.values()]
            order = [names.index(slot) for slot in condition.recorded.slots]
            predicate, answers = self.ledger.predicate(condition.recorded.text), self.memory.of(number)
            found = (
                Item(predicate, tuple(given[position] for position in order), condition.ask, answers, given=given)
                for given in islice(product(*choices), MOST_COMBINATIONS)
            )
            if self.questions.is_quiet(condition):
                self.quiet += found
            else:
                yield from found

    def _fitting(self, looks: list[Looks], wants: frozenset[str]) -> list[int]:
        """The places of the objects that are of these kinds."""
        if wants not in self.chosen:
            self.chosen[wants] = [index for index, look in enumerate(looks) if look.kinds & wants]
        return self.chosen[wants]


def _itself(value: Any) -> Any:
    return value


def _are_equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def _is_in(item: Any, container: Any) -> bool:
    return item in container
