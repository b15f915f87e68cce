"""What several tests share: databases of the examples, made once."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from stateful.generate.session import RunOptions, Summary, run_session
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.target import parse_target

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="stateful-key-")  # not the key of who runs the tests
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)
settings.register_profile("local", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "local")
EXAMPLES = Path(__file__).parents[1] / "examples"


def session(database: Database, target: str, *, seed: int = 1, tests: int = 200, deadline: float = 1.0) -> Summary:
    return run_session(database, [parse_target(target)], RunOptions(seed=seed, tests=tests, deadline=deadline))


@pytest.fixture(scope="session")
def linked_list(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of 400 calls on the linked list, evaluated."""
    path = tmp_path_factory.mktemp("linked_list") / "list.db"
    with Database.create(path) as database:
        session(database, str(EXAMPLES / "linked_list.py"), tests=400)
        evaluate_all(database)
    return path


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[Path], Database]]:
    """Opens a copy of a database for writing."""
    opened: list[Database] = []

    def copy(source: Path) -> Database:
        path = tmp_path / source.name
        path.write_bytes(source.read_bytes())
        opened.append(Database.open(path, read_only=False))
        return opened[-1]

    yield copy
    for database in opened:
        database.close()
