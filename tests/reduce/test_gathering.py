"""A round's queries read facts that were gathered for it; they find what queries on the database's own tables find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import stateful.reduce.gathering as gathering_module
import stateful.reduce.search as search_module
from stateful.contracts import conjuncts, parse
from stateful.contracts.sql_facts import Gathered
from stateful.reduce.gathering import gathering
from stateful.reduce.scope import Limits
from stateful.reduce.search import OperandSlot, Search, Words, search
from stateful.reduce.searches import Searches
from stateful.store.database import Database

Fresh = Callable[[Path], Database]
LIST = OperandSlot("self", ("linked_list:LinkedList",))
OTHER = OperandSlot("other", ("linked_list:LinkedList",))
VALUE = OperandSlot("value", ("builtins:int", "builtins:str", "builtins:NoneType"))
SEARCHES = (
    Search((LIST,), conjuncts(parse("len(self) > 1"))),
    Search((LIST,), (), conjuncts(parse("list(self) == [] or len(self) == 2")), (parse("self.is_empty()"),)),
    Search((LIST, OTHER), conjuncts(parse("self == other")), conjuncts(parse("not self.is_empty()"))),
    Search((LIST, OTHER), (), conjuncts(parse("self is not other and len(self) >= len(other)"))),
    Search((LIST, VALUE), conjuncts(parse("value in self")), (), (parse("value is None"), parse("self.is_empty()"))),
    Search((LIST, VALUE), conjuncts(parse("value in list(self)")), conjuncts(parse("value != 0"))),
    Search((LIST, OTHER, VALUE), (), conjuncts(parse("value in self and other.is_empty()"))),
)


def some_only(gathered: Gathered) -> Gathered:
    """Half of the predicates: the others are joined."""
    alone, pairs = list(gathered.alone.items()), list(gathered.pairs.items())
    return Gathered(dict(alone[::2]), dict(pairs[::2]))


@pytest.mark.parametrize("kept", [lambda gathered: gathered, some_only, lambda _: Gathered({}, {})])
def test_gathered_facts_give_the_same_objects(
    linked_list: Path, fresh: Fresh, kept: Callable[[Gathered], Gathered], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MOST_JOINS", 99)  # else more is varied where it costs no join
    with fresh(linked_list) as database, gathering(database) as made:
        assert made is not None
        schema, gathered = made
        words = Words.of(database)
        with database.beside(schema) as beside:
            for wanted in SEARCHES:
                here = list(search(beside, wanted, words=replace(words, gathered=kept(gathered))))
                plain = list(search(database, wanted, words=words))
                assert [found.choices for found in here] == [found.choices for found in plain]
                assert [found.shared for found in here] == [found.shared for found in plain]
                assert any(found.choices for found in plain), wanted


def test_the_text_of_such_a_query_can_be_run_when_its_round_is_over(linked_list: Path, fresh: Fresh) -> None:
    with fresh(linked_list) as database:
        with Searches.of(database, Limits()) as searches:
            several = [next(searches.found(wanted)) for wanted in SEARCHES]
        assert all("FROM facts AS object_self" in found.query for found in several)
        for found in several:
            rows = [
                tuple((row[0], index) for index in row[1 : 1 + len(found.choices[0])])
                for row in database.rows(found.query)
            ]
            assert sorted(rows) == sorted(found.choices)


def test_what_the_columns_stand_for_is_said(linked_list: Path, fresh: Fresh) -> None:
    with fresh(linked_list) as database, Searches.of(database, Limits()) as searches:
        key = database.value("SELECT id FROM predicates WHERE text = 'len($)'")
        legend = next(searches.found(SEARCHES[0])).query.splitlines()[:2]
    assert legend == ["-- object_self: linked_list:LinkedList", f"-- p{key}: len($)"]


def test_nothing_of_it_is_left_in_the_database(linked_list: Path, fresh: Fresh) -> None:
    with fresh(linked_list) as database:
        with Searches.of(database, Limits()) as searches:
            next(searches.found(SEARCHES[0]))
        names = database.rows("SELECT table_name FROM duckdb_tables() WHERE table_name IN ('facts', 'relations')")
        attached = database.rows("SELECT count(*) FROM duckdb_databases() WHERE NOT internal")
    assert names == []
    assert attached == [(1,)]


def test_only_so_much_is_gathered(linked_list: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    with fresh(linked_list) as database:
        objects = database.value("SELECT count(*) FROM objects")
        monkeypatch.setattr(gathering_module, "MOST_CELLS", 2 * objects)
        with gathering(database) as made:
            assert made is not None
            assert len(made[1].alone) == 2
            assert len(made[1].pairs) <= 2


def test_a_database_that_is_only_read_is_asked_itself(linked_list: Path) -> None:
    with Database.open(linked_list) as database, gathering(database) as made:
        assert made is None


def test_newer_objects_come_first_where_somebody_wants_it(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        words = Words.of(database)
        since = database.value("SELECT max(id) // 2 FROM snapshots")
        plain = next(search(database, Search((LIST,), ()), most=400, words=words)).tuples
        found = next(search(database, Search((LIST,), ()), most=400, words=replace(words, since=since))).tuples
    newer = [snapshot >= since for ((snapshot, _),) in found]
    assert newer == sorted(newer, reverse=True)
    assert sorted(found) == sorted(plain) or len(found) == 400
    assert found != plain
