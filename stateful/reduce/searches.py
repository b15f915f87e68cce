"""The queries of a round, in threads of their own: the next ones are under way while a worker tries what was found."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle

from stateful.reduce.gathering import gathering
from stateful.reduce.scope import Limits
from stateful.reduce.search import Found, Search, Words, search
from stateful.sandbox.spread import cores
from stateful.store.database import Database

__all__ = ["RoundOver", "Searches"]


class RoundOver(Exception):
    """The time of the round is over, and a query was given up for that."""


@dataclass(frozen=True, slots=True)
class _Lane:
    """A thread with a connection of its own."""

    database: Database
    thread: ThreadPoolExecutor
    working: set[Future[Found | None]] = field(default_factory=set)

    def submit(self, answers: Iterator[Found]) -> Future[Found | None]:
        future = self.thread.submit(next, answers, None)
        self.working.add(future)
        future.add_done_callback(self.working.discard)
        return future

    def end(self) -> None:
        """Whatever it is at: an interruption is lost on a query that has not begun yet."""
        self.thread.shutdown(wait=False, cancel_futures=True)
        while self.working:
            self.database.connection.interrupt()
            wait(list(self.working), timeout=0.05)


class _Begun:
    """A search in a lane, and the answer to its next query, if there is one more."""

    def __init__(self, lane: _Lane, answers: Iterator[Found]) -> None:
        self.lane = lane
        self.answers = answers
        self.next: Future[Found | None]
        self.go_on()

    def go_on(self) -> None:
        self.next = self.lane.submit(self.answers)


class Searches:
    """All queries see the database as it was when the round began: what they find does not depend on their speed."""

    def __init__(self, lanes: Sequence[_Lane], limits: Limits, until: float, words: Words) -> None:
        self.lanes = cycle(lanes)
        self.limits = limits
        self.until = until
        self.words = words
        self.begun: dict[Search, _Begun] = {}
        self.answers: dict[tuple[Search, int], list[Found]] = {}

    @classmethod
    @contextmanager
    def of(cls, database: Database, limits: Limits, until: float = math.inf, since: int = 0) -> Iterator[Searches]:
        """No query takes longer than the limits say, or than `until` then, by the monotonic clock. Objects of snapshots
        from `since` on come first."""
        with ExitStack() as open_until_then:
            words = Words.of(database)
            schema, gathered = open_until_then.enter_context(gathering(database)) or (None, None)
            lanes = []
            for _ in range(cores()):
                beside = open_until_then.enter_context(database.beside(schema))
                lanes.append(_Lane(beside, open_until_then.enter_context(ThreadPoolExecutor(1, "searches"))))
            try:
                yield cls(lanes, limits, until, replace(words, gathered=gathered, since=since))
            finally:
                for lane in lanes:
                    lane.end()

    def begin(self, wanted: Search) -> None:
        """Make the first query before anybody needs the answer."""
        if wanted not in self.begun:
            self.begun[wanted] = self._begin(wanted, self.limits.most)

    def found(self, wanted: Search, most: int | None = None) -> Iterator[Found]:
        """The answers, each query made when its answer is needed; with `most` tuples instead of the usual number."""
        begun = self.begun.pop(wanted, None) if most is None else None
        begun = begun or self._begin(wanted, most or self.limits.most)
        while (found := begun.next.result()) is not None:
            if found.timed_out and time.monotonic() > self.until:
                raise RoundOver
            yield found
            begun.go_on()

    def remembered(self, wanted: Search, most: int) -> list[Found]:
        """All answers at once. Many clauses begin with the same objects: it is asked once in a round."""
        key = wanted, most
        if key not in self.answers:
            self.answers[key] = list(self.found(wanted, most))
        return self.answers[key]

    def _begin(self, wanted: Search, most: int) -> _Begun:
        lane = next(self.lanes)
        seconds = self.limits.timeout
        answers = search(lane.database, wanted, most=most, seconds=seconds, until=self.until, words=self.words)
        return _Begun(lane, answers)
