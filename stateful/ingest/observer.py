"""The worker's side of ingest: load snapshots, observe them, find out queries that change what they look at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stateful.generate.operands import load_snapshot
from stateful.generate.plan import targets_from
from stateful.ingest.observe import Query, Row, observe, reached
from stateful.sandbox.worker import DeadlineReached, Session
from stateful.subject.discover import class_name, discover, model_of
from stateful.subject.snapshots import Uncopyable, dump

__all__ = ["main"]


def main(session: Session) -> None:
    """Answer every 'snapshots' message with what was observed on them."""
    message = session.channel.receive()
    if message is None:
        return
    live = discover(targets_from(message.body["targets"]))
    observer = _Observer(session, live.routines, _queries(live.classes, message.body["queries"]))
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        observer.answer(message.body, message.blobs)


def _queries(classes: Sequence[type], items: list[list[Any]]) -> dict[type, list[Query]]:
    """The queries of each class; an object of the subject without any is still looked at."""
    found: dict[type, list[Query]] = {cls: [] for cls in classes}
    by_name = {class_name(cls): cls for cls in classes}
    for owner, name, called, wants in items:
        if owner in by_name:
            found[by_name[owner]].append(Query(name, called, tuple(map(_outer_kinds, wants))))
    return found


def _outer_kinds(kinds: list[str]) -> frozenset[str]:
    """'list[int]' is a list: what is in it does not matter for asking."""
    return frozenset(kind.partition("[")[0] for kind in kinds)


@dataclass(slots=True)
class _Seen:
    """What one snapshot gave: its objects and those they reach, as they were before anything was asked; the rows."""

    objects: list[Any]
    codec: str
    data: bytes
    rows: list[Row]
    bounded: bool


class _Observer:
    def __init__(self, session: Session, routines: Mapping[str, Any], queries: dict[type, list[Query]]) -> None:
        self.session = session
        self.routines = routines
        self.queries = queries
        self.told: set[type] = set()
        self.key = 0
        self.asked: tuple[type, Query] | None = None
        self.values: dict[str, int] = {}
        self.shown: list[list[Any]] = []
        self.guilty: list[list[str]] = []
        self.classes: list[list[Any]] = []

    def answer(self, items: list[list[Any]], blobs: tuple[bytes, ...]) -> None:
        """Observe each snapshot; values are sent once for each answer and referred to by position."""
        self.values, self.shown, self.guilty, self.classes = {}, [], [], []
        kept: list[bytes] = []
        found = [self._observed(key, codec, data, kept) for (key, codec), data in zip(items, blobs, strict=True)]
        body = {"snapshots": found, "values": self.shown, "guilty": self.guilty, "classes": self.classes}
        self.session.channel.send("observed", body, tuple(kept))

    def _observed(self, key: int, codec: str, data: bytes, kept: list[bytes]) -> dict[str, Any]:
        self.key, self.asked = key, None
        try:
            with self.session.calling(str(key).encode()):
                seen = self._seen(codec, data)
        except BaseException as error:
            if isinstance(error, DeadlineReached) and self.asked is not None:
                self._take_off(*self.asked)
                return self._observed(key, codec, data, kept)
            return {"id": key, "status": "failed", "why": f"{type(error).__name__}: {error}"[:200]}
        kept.append(seen.data)
        return {
            "id": key,
            "status": "bounded" if seen.bounded else "complete",
            "codec": seen.codec,
            "classes": [self._told(type(value)) for value in seen.objects],
            "rows": [[row.predicate, list(row.indices), self._value(row)] for row in seen.rows],
        }

    def _seen(self, codec: str, data: bytes) -> _Seen:
        """Observe; if that changed the objects, find the queries that did it, take them off the list, observe again."""
        objects = load_snapshot(codec, data, self.routines)
        slots = len(objects)
        objects, bounded = reached(objects, self.queries)
        try:
            codec, data = dump(objects)
        except Uncopyable:
            rows, more = observe(objects, self.queries, slots, self._announce)
            return _Seen(
                objects[:slots], codec, data, [row for row in rows if max(row.indices) < slots], bounded or more
            )
        rows, more = observe(objects, self.queries, slots, self._announce)
        if self._is_changed(objects, data):
            self._take_off_guilty(codec, data, slots)
            objects = load_snapshot(codec, data, self.routines)
            rows, more = observe(objects, self.queries, slots, self._announce)
        return _Seen(objects, codec, data, rows, bounded or more)

    @staticmethod
    def _is_changed(objects: list[Any], data: bytes) -> bool:
        try:
            return dump(objects)[1] != data
        except Uncopyable:
            return True

    def _take_off_guilty(self, codec: str, data: bytes, slots: int) -> None:
        """Which queries change the objects: each is tried alone on a fresh copy."""
        for cls, queries in self.queries.items():
            for query in list(queries):
                objects = load_snapshot(codec, data, self.routines)
                observe(objects, {other: [query] if other is cls else [] for other in self.queries}, slots)
                if self._is_changed(objects, data):
                    self._take_off(cls, query)

    def _take_off(self, cls: type, query: Query) -> None:
        self.queries[cls].remove(query)
        self.guilty.append([class_name(cls), query.name])

    def _announce(self, cls: type, query: Query) -> None:
        """Which query is asked next: here for the deadline, in shared memory for one that kills the worker."""
        self.asked = cls, query
        self.session.watch.begin(f"{self.key}\x1f{class_name(cls)}\x1f{query.name}".encode())

    def _told(self, cls: type) -> str:
        """The name of a class; what it conforms to is sent once."""
        if cls not in self.told:
            self.told.add(cls)
            model = model_of(cls)
            self.classes.append([model.name, list(model.conforms)])
        return class_name(cls)

    def _value(self, row: Row) -> int | None:
        if row.value is None:
            return None
        key = json.dumps([row.value, row.truth])
        if key not in self.values:
            self.values[key] = len(self.shown)
            self.shown.append([row.value, row.truth])
        return self.values[key]
