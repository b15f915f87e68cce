"""Look at the objects of one snapshot: what they reach, and the value of every predicate on them.

Pure of databases and processes, so that a test can compare what is recorded with the live objects.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from stateful.contracts.evaluate import ATOMS, is_atom
from stateful.contracts.predicate import ITSELF
from stateful.ingest.ledger import UNDEFINED, Ledger
from stateful.ingest.questions import Condition, Questions
from stateful.sandbox.worker import DeadlineReached
from stateful.subject.discover import class_name

__all__ = ["Observation", "reached"]

MOST_REACHED = 24
MOST_ROWS = 600
MOST_COMBINATIONS = 24  # of arguments, for one query of one object
CONTAINERS = frozenset((list, tuple, set, frozenset, dict))


class Looks:
    """What matters of a class when its objects are looked at; found once for each class."""

    __slots__ = ("asked", "atom", "compares", "container", "contains", "kinds", "plain", "subject", "truthful")

    def __init__(self, cls: type, questions: Questions, ledger: Ledger) -> None:
        self.atom = cls in ATOMS or issubclass(cls, enum.Enum | type)
        self.container = cls in CONTAINERS
        self.plain = self.atom or self.container
        self.subject = cls in questions.queries
        self.compares = not self.atom and cls.__eq__ is not object.__eq__  # type: ignore[comparison-overlap]
        self.contains = hasattr(cls, "__contains__")
        self.kinds = {cls.__name__, class_name(cls)} if cls.__module__ == "builtins" else {class_name(cls)}
        self.truthful = hasattr(cls, "__bool__") or hasattr(cls, "__len__")
        self.asked = [
            (ledger.predicate(one.predicate), one.predicate, one.ask, getattr(one, "wants", ()))
            for one in questions.of(cls)
        ]


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
        self.looks: dict[type, Looks] = {}
        self.itself = ledger.predicate(ITSELF)
        self.equal = ledger.predicate("$ == $")
        self.member = ledger.predicate("$ in $")

    def __call__(self, objects: list[Any], slots: int) -> bool:
        """Write every row; true if there would be more rows than the bound."""
        self.objects = objects
        self.edges = []
        self.bounded = False
        self.classes = [self._look(type(value)) for value in objects]
        known = enumerate(zip(objects, self.classes, strict=True))
        self.by_id = {id(value): index for index, (value, look) in known if not look.atom}
        self.chosen: dict[frozenset[str], list[int]] = {}
        first = len(self.ledger.which)
        steps: Iterable[Callable[[], object]] = (
            self._themselves, self._ask_each, lambda: self._pairs(slots), self._ask_conditions,
        )  # fmt: skip
        for step in steps:
            if len(self.ledger.which) - first <= MOST_ROWS:
                step()
        if len(self.ledger.which) - first > MOST_ROWS:
            self.ledger.truncate(first, MOST_ROWS)
            self.bounded = True
        return self.bounded

    def forget(self) -> None:
        """There are fewer questions now."""
        self.looks.clear()

    def _look(self, cls: type) -> Looks:
        look = self.looks.get(cls)
        if look is None:
            look = self.looks[cls] = Looks(cls, self.questions, self.ledger)
        return look

    def _place(self, value: object) -> int | None:
        return self.by_id.get(id(value))

    def _write(self, predicate: int, found: int, *places: int) -> None:
        self.ledger.which.append(predicate)
        self.ledger.found.append(found)
        self.ledger.places.extend(places)

    def _themselves(self) -> None:
        """Plain values and containers are recorded as what they are, other objects by their place."""
        ledger = self.ledger
        for index, (value, look) in enumerate(zip(self.objects, self.classes, strict=True)):
            if look.plain:
                number = ledger.value(value, self._place)
            else:
                number = ledger.object(index, value if look.truthful else True)
            self._write(self.itself, number, index)

    def _ask_each(self) -> None:
        """The views and queries of every object; those that want arguments with all that fit."""
        which, found, places = self.ledger.which, self.ledger.found, self.ledger.places
        for index, (value, look) in enumerate(zip(self.objects, self.classes, strict=True)):
            for predicate, shown, ask, wants in look.asked:
                self.asked = type(value), shown
                if self.announce is not None:
                    self.announce(*self.asked)
                if wants:
                    self._ask_with_arguments(predicate, ask, index, wants)
                else:
                    number = self._told(ask, value, index, predicate)
                    which.append(predicate)
                    found.append(number)
                    places.append(index)
        self.asked = None
        if self.announce is not None:
            self.announce(None, "")

    def _ask_with_arguments(
        self, predicate: int, ask: Callable[..., Any], index: int, wants: Sequence[frozenset[str]]
    ) -> None:
        """With the arguments that fit, operands before others, up to a bound."""
        choices = [self._fitting(kinds) for kinds in wants]
        self.bounded |= prod(map(len, choices)) > MOST_COMBINATIONS
        for others in islice(product(*choices), MOST_COMBINATIONS):
            arguments = [self.objects[place] for place in others]
            self._write(predicate, self._answer(ask, self.objects[index], *arguments), index, *others)

    def _told(self, ask: Callable[[Any], Any], value: Any, index: int, predicate: int) -> int:
        """What an object says of itself; if that is another object, it is known how to get there."""
        try:
            answer = ask(value)
            place = self.by_id.get(id(answer))
            if place is None or self.classes[place].container:
                return self.ledger.value(answer, self._place)
            self.edges.append((index, predicate, place))
            return self.ledger.object(place, answer if self.classes[place].truthful else True)
        except DeadlineReached:
            raise
        except BaseException:
            return UNDEFINED

    def _answer(self, ask: Callable[..., Any], *arguments: Any) -> int:
        try:
            return self.ledger.value(ask(*arguments), self._place)
        except DeadlineReached:
            raise
        except BaseException:
            return UNDEFINED

    def _fitting(self, wants: frozenset[str]) -> list[int]:
        """The places of the objects that are of these kinds."""
        if wants not in self.chosen:
            self.chosen[wants] = [index for index, look in enumerate(self.classes) if look.kinds & wants]
        return self.chosen[wants]

    def _pairs(self, slots: int) -> None:
        """Equality between operands and other objects whose classes define it; membership of operands in operands."""
        subjects = [index for index, look in enumerate(self.classes) if look.subject]
        for i, a in enumerate(self.objects):
            compares = self.classes[i].compares
            for j in subjects:
                b = self.objects[j]
                if compares and (i < slots or j < slots) and not self.classes[j].atom:
                    self._write(self.equal, self._answer(_are_equal, a, b), i, j)
                if i < slots and j < slots and i != j and self.classes[j].contains:
                    self._write(self.member, self._answer(_contains, b, a), i, j)

    def _ask_conditions(self) -> None:
        """The conditions of branches, for all operands that fit."""
        for condition in self.questions.conditions:
            names = condition.wants
            choices = [self._fitting(kinds) for kinds in names.values()]
            if not all(choices):
                continue
            predicate = self.ledger.predicate(condition.recorded.text)
            order = [list(names).index(slot) for slot in condition.recorded.slots]
            for places in islice(product(*choices), MOST_COMBINATIONS):
                values = [self.objects[place] for place in places]
                self._write(predicate, self._truth(condition, values), *(places[position] for position in order))

    def _truth(self, condition: Condition, values: list[Any]) -> int:
        try:
            truth = condition.ask(*values)
        except DeadlineReached:
            raise
        except BaseException:
            truth = None
        return UNDEFINED if truth is None else self.ledger.value(truth, self._place)


def _are_equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def _contains(container: Any, item: Any) -> bool:
    return item in container


def reached(objects: list[Any], known: Mapping[type, object]) -> tuple[list[Any], bool]:
    """The objects, and behind them those of the `known` classes that they reach, breadth first."""
    found = list(objects)
    visited = {id(value) for value in found}
    frontier = list(objects)
    while frontier:
        following = []
        for value in frontier:
            for part in _parts(value):
                if type(part) in ATOMS or id(part) in visited or is_atom(part):
                    continue
                visited.add(id(part))
                following.append(part)
                if type(part) in known:
                    if len(found) >= len(objects) + MOST_REACHED:
                        return found, True
                    found.append(part)
        frontier = following
    return found, False


def _parts(value: Any) -> Iterator[Any]:
    """What an object holds directly, without asking its own methods."""
    cls = type(value)
    if cls is list or cls is tuple or cls is set or cls is frozenset:
        yield from value
        return
    if cls is dict:
        yield from value.keys()
        yield from value.values()
        return
    yield from getattr(value, "__dict__", NOTHING).values()
    for name in _slot_names(cls):
        if hasattr(value, name):
            yield getattr(value, name)
    if isinstance(value, list):
        yield from list.__iter__(value)
    elif isinstance(value, tuple):
        yield from tuple.__iter__(value)
    elif isinstance(value, dict):
        yield from dict.keys(value)
        yield from dict.values(value)


NOTHING: dict[str, Any] = {}
SLOTS: dict[type, tuple[str, ...]] = {}


def _slot_names(cls: type) -> tuple[str, ...]:
    """The names in the `__slots__` of a class and its bases."""
    if cls not in SLOTS:
        found = []
        for base in cls.__mro__:
            slots = vars(base).get("__slots__", ())
            found += [slots] if isinstance(slots, str) else list(slots)
        SLOTS[cls] = tuple(name for name in found if not name.startswith("__"))
    return SLOTS[cls]
