"""The queries of a round, in a thread of their own: the next one is under way while a worker tries what was found."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from stateful.reduce.scope import Limits
from stateful.reduce.search import Found, Search, search
from stateful.store.database import Database

__all__ = ["Searches"]


@dataclass(frozen=True, slots=True)
class _Begun:
    """A search, and the answer to its next query, if there is one more."""

    answers: Iterator[Found]
    next: Future[Found | None]


class Searches:
    """All queries see the database as it was when the round began: what they find does not depend on their speed."""

    def __init__(self, database: Database, limits: Limits, thread: ThreadPoolExecutor) -> None:
        self.database = database
        self.limits = limits
        self.thread = thread
        self.begun: dict[Search, _Begun] = {}

    @classmethod
    @contextmanager
    def of(cls, database: Database, limits: Limits) -> Iterator[Searches]:
        with database.beside() as beside, ThreadPoolExecutor(1, "searches") as thread:
            try:
                yield cls(beside, limits, thread)
            finally:
                thread.shutdown(wait=False, cancel_futures=True)
                beside.connection.interrupt()

    def begin(self, wanted: Search) -> None:
        """Make the first query before anybody needs the answer."""
        if wanted not in self.begun:
            self.begun[wanted] = self._begin(wanted, self.limits.most)

    def found(self, wanted: Search, most: int | None = None) -> Iterator[Found]:
        """The answers, each query made when its answer is needed; with `most` tuples instead of the usual number."""
        begun = self.begun.pop(wanted, None) if most is None else None
        begun = begun or self._begin(wanted, most or self.limits.most)
        answer = begun.next
        while (found := answer.result()) is not None:
            yield found
            answer = self.thread.submit(next, begun.answers, None)

    def _begin(self, wanted: Search, most: int) -> _Begun:
        answers = search(self.database, wanted, most=most, seconds=self.limits.timeout)
        return _Begun(answers, self.thread.submit(next, answers, None))
