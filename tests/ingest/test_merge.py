"""Merging is by content: idempotent, commutative and associative, whatever was ingested in between."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from stateful.errors import DatabaseError, NoRecipe
from stateful.generate.confirm import confirm_faults
from stateful.ingest.evaluation import evaluate_all, targets_of
from stateful.ingest.merge import merge
from stateful.store.database import Database
from stateful.store.recipes import Recipes
from tests.conftest import EXAMPLES, session
from tests.ingest.content import content_of, difference


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One session on a list, and two on a class with faults."""
    folder = tmp_path_factory.mktemp("runs")
    paths = [folder / f"{name}.db" for name in "abc"]
    for seed, path in enumerate(paths, 1):
        target = str(EXAMPLES / "linked_list.py") if seed == 1 else "tests.subjects.judged"
        with Database.create(path) as database:
            session(database, target, seed=seed, tests=120)
            confirm_faults(database, targets_of(database), seconds=5.0)
    return paths


def merged(path: Path, sources: list[Path]) -> Path:
    with Database.create(path) as database:
        for source in sources:
            merge(database, source)
        evaluate_all(database, again=True)
    return path


def test_the_order_of_merging_does_not_matter(runs: list[Path], tmp_path: Path) -> None:
    contents = []
    for number, order in enumerate(permutations(runs)):
        with Database.open(merged(tmp_path / f"{number}.db", [*order, order[0]])) as database:
            contents.append(content_of(database))
    assert contents[0]["faults"]
    for other in contents[1:]:
        assert difference(contents[0], other) == {}


def test_merging_what_was_merged_and_evaluated_gives_the_same(runs: list[Path], tmp_path: Path) -> None:
    left = merged(tmp_path / "left.db", [merged(tmp_path / "ab.db", runs[:2]), runs[2]])
    right = merged(tmp_path / "right.db", [runs[0], merged(tmp_path / "bc.db", runs[1:])])
    step_by_step = merged(merged(tmp_path / "steps.db", runs[:1]), runs[1:])
    contents = []
    for path in (left, right, step_by_step):
        with Database.open(path) as database:
            contents.append(content_of(database))
    assert difference(contents[0], contents[1]) == {}
    assert difference(contents[0], contents[2]) == {}


def test_a_merged_database_still_has_all_its_recipes(runs: list[Path], tmp_path: Path) -> None:
    with Database.create(tmp_path / "all.db") as database:
        for run in reversed(runs):
            merge(database, run)
        recipes = Recipes(database)
        for test, routine in database.rows("SELECT id, routine FROM calls"):
            assert recipes.of_test(test).steps[-1].routine == routine
        for snapshot, index in database.rows(
            "SELECT o.snapshot_id, o.index FROM objects o JOIN snapshots s ON s.id = o.snapshot_id "
            "WHERE s.recipe_calls IS NOT NULL"
        ):
            try:
                recipes.of_object(snapshot, index)
            except NoRecipe as error:
                pytest.fail(str(error))
        assert database.value("SELECT count(DISTINCT id) = count(*) FROM test_cases")


def test_a_file_cannot_be_merged_into_itself(runs: list[Path]) -> None:
    with Database.open(runs[0], read_only=False) as database, pytest.raises(DatabaseError, match="itself"):
        merge(database, runs[0])
