"""The queries of a round, in threads of their own: the next ones are under way while a worker tries what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle

from stateful.reduce.scope import Limits
from stateful.reduce.search import Found, Search, Words, search
from stateful.sandbox.spread import cores
from stateful.store.database import Database

__all__ = ["Searches"]


@dataclass(frozen=True, slots=True)
class _Lane:
    """A thread with a connection of its own."""

    database: Database
    thread: ThreadPoolExecutor


class _Begun:
    """A search in a lane, and the answer to its next query, if there is one more."""

    def __init__(self, lane: _Lane, wanted: Search, most: int, seconds: float, words: Words) -> None:
        self.lane = lane
        self.answers = search(lane.database, wanted, most=most, seconds=seconds, words=words)
        self.next: Future[Found | None]
        self.go_on()

    def go_on(self) -> None:
        self.next = self.lane.thread.submit(next, self.answers, None)


class Searches:
    """All queries see the database as it was when the round began: what they find does not depend on their speed."""

    def __init__(self, lanes: Sequence[_Lane], limits: Limits, words: Words) -> None:
        self.lanes = cycle(lanes)
        self.limits = limits
        self.words = words
        self.begun: dict[Search, _Begun] = {}

    @classmethod
    @contextmanager
    def of(cls, database: Database, limits: Limits) -> Iterator[Searches]:
        with ExitStack() as open_until_then:
            lanes = []
            for _ in range(cores()):
                beside = open_until_then.enter_context(database.beside())
                lanes.append(_Lane(beside, open_until_then.enter_context(ThreadPoolExecutor(1, "searches"))))
            try:
                yield cls(lanes, limits, Words.of(database))
            finally:
                for lane in lanes:
                    lane.thread.shutdown(wait=False, cancel_futures=True)
                    lane.database.connection.interrupt()

    def begin(self, wanted: Search) -> None:
        """Make the first query before anybody needs the answer."""
        if wanted not in self.begun:
            self.begun[wanted] = self._begin(wanted, self.limits.most)

    def found(self, wanted: Search, most: int | None = None) -> Iterator[Found]:
        """The answers, each query made when its answer is needed; with `most` tuples instead of the usual number."""
        begun = self.begun.pop(wanted, None) if most is None else None
        begun = begun or self._begin(wanted, most or self.limits.most)
        while (found := begun.next.result()) is not None:
            yield found
            begun.go_on()

    def _begin(self, wanted: Search, most: int) -> _Begun:
        return _Begun(next(self.lanes), wanted, most, self.limits.timeout, self.words)
