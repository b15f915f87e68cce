"""What an object holds may be changed from outside: random calls carry the holder along."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.report.faults import faults_of
from stateful.store.database import Database
from stateful.subject.target import parse_target
from tests.conftest import session

INDEX = """
class Item:
    def __init__(self, key: int) -> None:
        self.key = key

    def move(self, key: int) -> None:
        self.key = key


class Index:
    def __init__(self) -> None:
        self._items: dict[int, Item] = {}

    def add(self, item: Item) -> None:
        self._items[item.key] = item

    def remove(self, item: Item) -> None:
        if any(one is item for one in self._items.values()):
            del self._items[item.key]
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_an_item_that_is_changed_behind_its_index_is_found(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "index.py"
    path.write_text(INDEX)
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(path), tests=4000, seed=seed)
        confirm_faults(database, [parse_target(str(path))])
        (fault,) = faults_of(database)
    assert (fault.exception, fault.likelihood, fault.confirmed) == ("KeyError", "likely", True)
    assert fault.reproducer is not None
    assert fault.reproducer.splitlines()[-2].startswith("item.move(")
    assert fault.reproducer.splitlines()[-1] == "index.remove(item)"


GRAPH = """
class Graph:
    def __init__(self) -> None:
        self._out: dict[str, set[str]] = {}

    def join(self, source: str, target: str) -> None:
        self._out.setdefault(source, set()).add(target)

    def part(self, a: str, b: str) -> None:
        if b not in self._out.get(a, ()):
            raise KeyError((a, b))
        self._out[a].remove(b)
"""


def test_what_was_passed_together_is_passed_together_again(tmp_path: Path) -> None:
    path = tmp_path / "graph.py"
    path.write_text(GRAPH)
    passed = 0
    for seed in (1, 2, 3):
        with Database.create(tmp_path / f"{seed}.db") as database:
            session(database, str(path), tests=3000, seed=seed)
            passed += database.value(
                "SELECT count(*) FROM calls WHERE routine = 'graph:Graph.part' AND outcome = 'pass'"
            )
    assert passed > 1050  # 240 for each seed where each argument is drawn alone


def test_a_query_is_none_the_less_one_if_something_is_carried_along(tmp_path: Path) -> None:
    path = tmp_path / "index.py"
    path.write_text(INDEX)
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(path), tests=2000)
        rows = database.rows(
            "SELECT DISTINCT changed FROM test_cases t JOIN routines r ON r.id = t.routine_id "
            "WHERE ends_with(r.name, '.key') AND t.outcome = 'pass' AND len(t.pre_operands) > 0"
        )
        carried = database.value(
            "SELECT count(*) FROM test_cases t JOIN routines r ON r.id = t.routine_id "
            "WHERE ends_with(r.name, '.key') AND len(t.pre_operands) > r.slots"
        )
    assert rows == [(False,)]
    assert carried > 0
