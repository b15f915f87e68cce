"""Which queries change what is answered, and which only write where nobody looks."""

from __future__ import annotations

from stateful.ingest.blame import blamed
from stateful.ingest.ledger import Ledger
from stateful.ingest.observe import Observation
from stateful.ingest.questions import Query, Questions
from stateful.subject.snapshots import dump, load


class Shelf:
    """Some of its routines fill a cache, some change it; `top` moves something that only the order shows."""

    def __init__(self, items: list[int]) -> None:
        self._items = list(items)
        self._sum: int | None = None
        self._place = 0

    def size(self) -> int:
        return len(self._items)

    def first(self) -> int:
        return self._items[0]

    def total(self) -> int:
        if self._sum is None:
            self._sum = sum(self._items)
        return self._sum

    def take(self) -> int:
        return self._items.pop()

    def following(self) -> int:
        self._place += 1
        return self._place

    def top(self) -> int:
        self._items.sort(reverse=True)
        return self._items[0]


def questions(*names: str) -> Questions:
    return Questions({Shelf: [Query(name, True) for name in names]})


def names(found: list[tuple[type, str]]) -> list[str]:
    return [predicate for _, predicate in found]


def test_a_cache_is_quiet_and_what_changes_an_answer_is_guilty() -> None:
    data = dump([Shelf([1, 2])])[1]
    found = blamed(lambda: load("pickle", data), 1, questions("size", "first", "total", "take", "following", "top"))
    assert names(found.quiet) == ["$.total()"]
    assert names(found.guilty) == ["$.take()", "$.following()", "$.top()"]


def test_what_another_query_does_is_not_blamed_on_a_cache() -> None:
    data = dump([Shelf([1])])[1]
    found = blamed(lambda: load("pickle", data), 1, questions("take", "total"))
    assert (names(found.quiet), names(found.guilty)) == (["$.total()"], ["$.take()"])


def test_quiet_queries_are_asked_last_and_everything_is_answered_as_before() -> None:
    asked = questions("total", "size")
    asked.quiet.add((Shelf, "$.total()"))
    shelf, ledger = Shelf([1, 2]), Ledger()
    observation = Observation(ledger, asked)
    observation.start([shelf], 1)
    assert shelf._sum is None
    assert observation.has_quiet
    observation.finish()
    assert shelf._sum == 3
    assert [row.predicate for row in ledger.rows()][-1] == "$.total()"
    assert observation.is_repeated()


def test_a_quiet_query_that_changes_an_answer_after_all_is_noticed() -> None:
    asked = questions("top", "first")
    asked.quiet.add((Shelf, "$.top()"))
    observation = Observation(Ledger(), asked)
    observation([Shelf([1, 2])], 1)
    assert not observation.is_repeated()
