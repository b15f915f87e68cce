"""Objects get filled also where every addition has to fit to what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from tests.conftest import session

TREE = """
class Tree:
    def __init__(self) -> None:
        self._parents = {}
        self._seen = None

    def __len__(self) -> int:
        return len(self._parents)

    def graft(self, name: str, parent=None) -> None:
        if name in self._parents:
            raise ValueError(f"{name} is there")
        if self._parents and parent not in self._parents:
            raise KeyError(parent)
        self._parents[name] = parent

    def look(self) -> int:
        self._seen = len(self._parents)
        return self._seen
""" + "".join(f"""
    def ask_{number}(self, name: str) -> bool:
        if name not in self._parents:
            raise KeyError(name)
        return len(name) == {number}
""" for number in range(25))  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
def test_a_new_part_wants_the_name_of_one_that_is_there(tmp_path: Path, seed: int) -> None:
    """A few of many routines fill a tree, and are mostly refused."""
    path = tmp_path / "tree.py"
    path.write_text(TREE)
    with Database.create(tmp_path / "tree.db") as database:
        session(database, f"{path}:Tree", tests=3000, seed=seed)
        evaluate_all(database)
        most = database.value("SELECT max(integer) FROM readings WHERE predicate = 'len($)' AND kind = 'int'")
    assert most >= 5
