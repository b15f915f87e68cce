"""The worker's side of ingest: load snapshots, observe them, find out queries that change what they look at."""

from __future__ import annotations

import gc
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from stateful.generate.operands import load_snapshot
from stateful.generate.plan import targets_from
from stateful.ingest.blame import blamed
from stateful.ingest.ledger import UNDEFINED, Ledger
from stateful.ingest.memory import States
from stateful.ingest.observe import Observation
from stateful.ingest.questions import Condition, Query, Questions
from stateful.ingest.reach import reached
from stateful.sandbox.worker import DeadlineReached, Session
from stateful.subject.discover import bring, class_name, discover
from stateful.subject.snapshots import Uncopyable, dump
from stateful.subject.target import Target

__all__ = ["main", "public_paths"]

NOWHERE = 255
MOST_FRUITLESS = 5  # searches in a row for what changes objects, without finding a query
OFTEN, SELDOM = 30, 10
MOST_LATE = 3  # deadlines that a query may miss: a machine may be busy, and all queries of a snapshot share one
Seen: TypeAlias = tuple[list[Any], bool, str, bytes | None]
"""The objects, whether there was too much to ask, and their codec and bytes if they are more than the operands."""


def main(session: Session) -> None:
    """Answer every 'snapshots' message with what was observed on them."""
    message = session.channel.receive()
    if message is None:
        return
    targets = targets_from(message.body["targets"])
    observer = _Observer(session, targets, _questions(list(bring(targets).classes), message.body))
    gc.freeze()  # the subject, too, stays
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        if message.kind == "drop":
            observer.drop(*message.body)
        else:
            observer.answer(message.body["snapshots"], message.blobs, careful=message.body["careful"])


def _questions(classes: Sequence[type], body: Mapping[str, Any]) -> Questions:
    """What is asked of each class; an object of the subject without queries is still looked at."""
    queries: dict[type, list[Query]] = {cls: [] for cls in classes}
    by_name = {class_name(cls): cls for cls in classes}
    for owner, name, called, wants in body["queries"]:
        if owner in by_name:
            queries[by_name[owner]].append(Query(name, called, tuple(map(_outer_kinds, wants))))
    conditions = [
        Condition(text, {name: _outer_kinds(kinds) for name, kinds in wants}) for text, wants in body["conditions"]
    ]
    return Questions(queries, conditions)


def _outer_kinds(kinds: list[str]) -> frozenset[str]:
    """'list[int]' is a list: what is in it does not matter for asking."""
    return frozenset(kind.partition("[")[0] for kind in kinds)


class _Observer:
    def __init__(self, session: Session, targets: Sequence[Target], questions: Questions) -> None:
        self.session = session
        self.targets = targets
        self.questions = questions
        self.ledger = Ledger()
        self.observation = Observation(self.ledger, questions)
        self.key = 0
        self.known: dict[type, int] = {}
        self.classes: list[list[Any]] = []
        self.guilty: list[list[str]] = []
        self.quiet: list[list[str]] = []
        self.quieted = 0
        self.fruitless: Counter[frozenset[type]] = Counter()
        self.late: Counter[tuple[type, str]] = Counter()
        self.objects = array("i"), array("i"), array("B")  # class; predicate and index of the path that leads there

    def drop(self, owner: str, predicate: str) -> None:
        """Another worker has found this query guilty."""
        self.questions.dropped.add((owner, predicate))
        for cls in [*self.questions.queries, *self.questions.views]:
            if class_name(cls) == owner:
                self.questions.drop(cls, predicate)
        self.observation.forget()

    def answer(self, items: list[list[Any]], blobs: tuple[bytes, ...], *, careful: bool) -> None:
        """Observe each snapshot. Predicates, values and classes are told once and then referred to by number."""
        forgotten = self.ledger.forget()
        if forgotten or self.observation.memory.is_full():
            self.observation.forget()
        self.ledger.start()
        self.classes, self.guilty, self.quiet = [], [], []
        self.objects = array("i"), array("i"), array("B")
        kept: list[bytes] = []
        found = [
            self._observed(key, codec, slots, data, kept, careful=careful)
            for (key, codec, slots), data in zip(items, blobs, strict=True)
        ]
        predicates, values = self.ledger.news()
        body = {
            "snapshots": found, "predicates": predicates, "values": values, "forgotten": forgotten,
            "classes": self.classes, "guilty": self.guilty, "quiet": self.quiet,
        }  # fmt: skip
        columns = (self.ledger.which, self.ledger.found, self.ledger.places, *self.objects)
        self.session.channel.send("observed", body, (*(column.tobytes() for column in columns), *kept))

    def _observed(
        self, key: int, codec: str, slots: int, data: bytes, kept: list[bytes], *, careful: bool
    ) -> list[Any]:
        """The snapshot, its status, its codec if its list of objects has grown, numbers of rows and of objects."""
        self.key = key
        first = len(self.ledger.which)
        observation = self.observation
        observation.announce = self._announce if careful else None
        observation.asked = None
        try:
            with self.session.calling(str(key).encode()):
                objects, bounded, codec, grown = self._seen(codec, data, slots)
        except BaseException as error:
            self.ledger.truncate(first, 0)
            if isinstance(error, DeadlineReached) and observation.asked is not None:
                self.late[observation.asked] += 1
                if self.late[observation.asked] >= MOST_LATE:
                    self._take_off(*observation.asked)
                return self._observed(key, codec, slots, data, kept, careful=careful)
            return [key, "failed", None, 0, 0]
        if grown is not None:
            kept.append(grown)
        self._add_objects(objects, slots)
        rows = len(self.ledger.which) - first
        return [key, "bounded" if bounded else "complete", codec if grown else None, rows, len(objects)]

    def _loaded(self, codec: str, data: bytes) -> list[Any]:
        return load_snapshot(codec, data, self._routines if codec == "recipe" else {})

    @cached_property
    def _routines(self) -> Mapping[str, Any]:
        """Only recipes need them: looking into the source takes longer than a small ingest."""
        return discover(self.targets).routines

    def _seen(self, codec: str, data: bytes, slots: int) -> Seen:
        """Observe; if that changed the objects, find the queries that did it, take them off the list, observe again."""
        operands = self._loaded(codec, data)[:slots]
        states = None if codec == "recipe" else self.observation.memory.states(operands)
        if not self.observation.memory.are_lonely(states):
            objects, more = reached(operands, self.questions.queries)
            if states is None or len(objects) > slots:
                return self._seen_together(codec, data, objects, slots, more)
            self.observation.memory.lonely.update(states.composed)
        assert states is not None
        return self._seen_apart(codec, data, operands, states)

    def _seen_apart(self, codec: str, data: bytes, operands: list[Any], states: States) -> Seen:
        """Objects that reach nothing else and share nothing: what their states were asked before is remembered."""
        first, slots, memory = len(self.ledger.which), len(operands), self.observation.memory
        self.observation.start(operands, slots, states)
        is_changed = bool(memory.fresh) and states.are_changed()
        bounded = self.observation.finish()
        if is_changed or not self._is_lasting():
            self.ledger.truncate(first, 0)
            self._blame(codec, data, slots)
            operands = self._loaded(codec, data)[:slots]
            return operands, self.observation(operands, slots), codec, None
        memory.keep()
        return operands, bounded, codec, None

    def _seen_together(self, codec: str, data: bytes, objects: list[Any], slots: int, more: bool) -> Seen:
        """Objects that reach others, or share a part: what one shows may be another, and all are asked."""
        first, whole = len(self.ledger.which), data
        if len(objects) > slots or codec == "recipe":
            try:
                codec, whole = dump(objects)
            except Uncopyable:
                operands = objects[:slots]
                return operands, self.observation(operands, slots) or more, codec, None
        self.observation.start(objects, slots)
        is_changed = self._is_changed(objects, whole) and (
            whole is not data or self._is_changed(objects, self._again(codec, data, slots))
        )
        bounded = self.observation.finish()
        if is_changed or not self._is_lasting():
            self.ledger.truncate(first, 0)
            self._blame(codec, whole, slots)
            objects = self._loaded(codec, whole)
            bounded = self.observation(objects, slots)
        return objects, bounded or more, codec, whole if len(objects) > slots else None

    @staticmethod
    def _is_changed(objects: list[Any], data: bytes) -> bool:
        try:
            return dump(objects)[1] != data
        except Uncopyable:
            return True

    def _again(self, codec: str, data: bytes, slots: int) -> bytes:
        """What the objects look like that nobody asked: a copy need not have the bytes of its original."""
        try:
            return dump(self._loaded(codec, data)[:slots])[1]
        except Uncopyable:
            return data

    def _is_lasting(self) -> bool:
        """Whether what was answered still holds after the quiet queries; looked at often first, then now and then."""
        if not self.observation.has_quiet:
            return True
        self.quieted += 1
        is_due = self.quieted <= OFTEN or self.quieted % SELDOM == 0
        return not is_due or self.observation.is_repeated()

    def _blame(self, codec: str, data: bytes, slots: int) -> None:
        """Queries that change what is answered are asked no more; those that write to what nobody sees are, but last.

        What changes objects and is no query, such as `==`, is not found; so nobody looks for it again and again."""
        met = frozenset(map(type, self._loaded(codec, data)))
        if self.fruitless[met] >= MOST_FRUITLESS:
            return
        found = blamed(lambda: self._loaded(codec, data), slots, self.questions)
        for cls, predicate in found.guilty:
            self._take_off(cls, predicate)
        new = [one for one in found.quiet if one not in self.questions.quiet]
        for cls, predicate in new:
            self.questions.quiet.add((cls, predicate))
            self.quiet.append([class_name(cls), predicate])
            self.observation.forget()
        self.fruitless[met] = 0 if new or found.guilty else self.fruitless[met] + 1

    def _take_off(self, cls: type, predicate: str) -> None:
        self.observation.forget()
        if self.questions.drop(cls, predicate):
            self.guilty.append([class_name(cls), predicate])

    def _announce(self, cls: type | None, predicate: str) -> None:
        """What is asked next, or that it is no query: in shared memory, for what kills the worker."""
        query = f"\x1f{class_name(cls)}\x1f{predicate}" if cls is not None else ""
        self.session.watch.begin(f"{self.key}{query}".encode())

    def _add_objects(self, objects: list[Any], slots: int) -> None:
        """The class of each object, and the public path to those that are no operands."""
        ways = public_paths(self.observation.edges, slots) if len(objects) > slots else {}
        classes, paths, sources = self.objects
        for index, value in enumerate(objects):
            predicate, source = ways.get(index, (UNDEFINED, NOWHERE))
            classes.append(self._number(type(value)))
            paths.append(predicate)
            sources.append(source)

    def _number(self, cls: type) -> int:
        """The number of a class; what it conforms to is told once."""
        if cls not in self.known:
            self.known[cls] = len(self.known)
            self.classes.append([class_name(cls), [class_name(base) for base in cls.__mro__]])
        return self.known[cls]


def public_paths(edges: Sequence[tuple[int, int, int]], slots: int) -> dict[int, tuple[int, int]]:
    """For each object that is no operand the shortest way to it: a query without arguments, of an object before it."""
    leading: dict[int, list[tuple[int, int]]] = {}
    for asked, predicate, given in edges:
        leading.setdefault(asked, []).append((predicate, given))
    ways: dict[int, tuple[int, int]] = {}
    frontier = list(range(slots))
    for source in frontier:  # grows while it is run through, by each object once
        for predicate, index in leading.get(source, ()):
            if index >= slots and index not in ways:
                ways[index] = predicate, source
                frontier.append(index)
    return ways
