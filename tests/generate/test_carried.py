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
