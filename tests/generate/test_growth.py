"""Objects get filled also where every addition has to fit to what is there."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from stateful.generate.session import RunOptions, run_session
from stateful.generate.settings import Controlled
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.target import parse_target

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


def filled(path: Path, target: str, grow: float) -> int:
    """How many states have a tree of four parts or more, over four seeds."""
    found = 0
    for seed in range(1, 5):
        with Database.create(path / f"{grow}-{seed}.db") as database:
            settings = {**asdict(Controlled()), "grow": grow}
            run_session(database, [parse_target(target)], RunOptions(seed=seed, tests=2000, settings=settings))
            evaluate_all(database)
            found += database.value(
                "SELECT count(DISTINCT r.snapshot_id) FROM readings r "
                "JOIN instances i ON i.snapshot_id = r.snapshot_id AND i.index = r.var_0 "
                "WHERE i.class = 'tree:Tree' AND r.predicate = 'len($)' AND r.integer > 3"
            )
    return found


def test_a_new_part_wants_the_name_of_one_that_is_there(tmp_path: Path) -> None:
    """One of many routines fills a tree, and is mostly refused."""
    (tmp_path / "tree.py").write_text(TREE)
    target = f"{tmp_path / 'tree.py'}:Tree"
    few, many = filled(tmp_path, target, 0.0), filled(tmp_path, target, 1.0)
    assert many > 3 * few + 5
