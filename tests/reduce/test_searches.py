"""The queries of a round are made ahead, in threads, and see the database as it was when the round began."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stateful.contracts import conjuncts, parse
from stateful.errors import DatabaseError
from stateful.reduce.scope import Limits
from stateful.reduce.search import OperandSlot, Search, search
from stateful.reduce.searches import RoundOver, Searches
from stateful.store.database import Database

Fresh = Callable[[Path], Database]
LISTS = tuple(OperandSlot(name, ("linked_list:LinkedList",)) for name in ("self", "other"))
PAIRS = Search(LISTS, (), conjuncts(parse("self == other and not self.is_empty()")))
EMPTY = Search(LISTS[:1], (), conjuncts(parse("self.is_empty()")))


def test_what_is_begun_ahead_gives_what_is_asked_for_at_once(linked_list: Path) -> None:
    with Database.open(linked_list) as database, Searches.of(database, Limits()) as searches:
        for wanted in (EMPTY, PAIRS):
            searches.begin(wanted)
        for wanted in (PAIRS, EMPTY, PAIRS):
            ahead, at_once = searches.found(wanted), search(database, wanted, most=Limits().most)
            assert [found.tuples for found in ahead] == [found.tuples for found in at_once]


def test_a_query_sees_nothing_that_the_round_wrote(linked_list: Path, fresh: Fresh) -> None:
    with fresh(linked_list) as database, Searches.of(database, Limits()) as searches:
        before = next(searches.found(EMPTY)).tuples
        database.run("DELETE FROM objects")
        assert next(searches.found(EMPTY)).tuples == before != []
        assert next(search(database, EMPTY)).tuples == []


def test_a_query_that_takes_too_long_does_not_harm_the_next(linked_list: Path) -> None:
    with Database.open(linked_list) as database, database.beside() as beside:
        endless = "SELECT count(*) FROM objects a, objects b, objects c, objects d, objects e"
        assert beside.rows_within(endless, 0.05) is None
        assert next(search(beside, EMPTY)).tuples


ENDLESS = "SELECT count(*) FROM objects a, objects b, objects c, objects d, objects e"


def test_a_query_ends_with_its_round(linked_list: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stateful.reduce.search.sql_of", lambda *_, **__: ENDLESS)
    started = time.monotonic()
    with (
        pytest.raises(RoundOver),
        Database.open(linked_list) as database,
        Searches.of(database, Limits(), started + 0.3) as searches,
    ):
        next(searches.found(EMPTY))
    assert time.monotonic() - started < 20


def test_nobody_waits_for_a_query_that_is_not_wanted_any_more(
    linked_list: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stateful.reduce.search.sql_of", lambda *_, **__: ENDLESS)
    started = time.monotonic()
    with Database.open(linked_list) as database, Searches.of(database, Limits()) as searches:
        searches.begin(EMPTY)
        searches.begin(PAIRS)
    assert time.monotonic() - started < 20, "it has sixty seconds"


def test_what_is_wrong_with_a_query_is_told_to_who_asked(linked_list: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("the disk is gone")

    with Database.open(linked_list) as database, Searches.of(database, Limits()) as searches:
        monkeypatch.setattr(Database, "rows_within", refuse)
        with pytest.raises(DatabaseError, match="the disk is gone"):
            next(searches.found(EMPTY))


def test_the_text_of_a_query_says_what_it_speaks_of_and_can_be_run(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        found = next(search(database, EMPTY))
        assert found.query.splitlines()[:2] == ["-- object_self: linked_list:LinkedList", "-- r1: self.is_empty()"]
        assert [((snapshot, index),) for snapshot, index, *_ in database.rows(found.query)][:45] == found.tuples
