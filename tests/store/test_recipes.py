"""Recipes read backwards from the rows: each is longer than those it stands on, and none needs itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.errors import NoRecipe
from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.store.recipes import Recipes
from stateful.subject.target import parse_target

LIST = str(Path(__file__).parents[2] / "examples" / "linked_list.py")


def test_a_recipe_is_longer_than_those_it_stands_on(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        run_session(database, [parse_target(LIST)], RunOptions(seed=1, tests=800, workers=2))
        shorter = database.rows(
            "SELECT s.id FROM snapshots s JOIN recipes r ON r.test_case_id = s.recipe_test "
            "JOIN snapshots o ON o.id = r.source_snapshot "
            "WHERE o.recipe_calls IS NULL OR o.recipe_calls >= s.recipe_calls"
        )
        recipes = Recipes(database)
        tests = database.rows("SELECT id FROM test_cases WHERE outcome = 'pass' ORDER BY id LIMIT 200")
        built = [recipes.of_test(test) for (test,) in tests]
    assert shorter == []
    assert len(built) == 200


def test_a_recipe_that_needs_itself_is_none(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        run_session(database, [parse_target(LIST)], RunOptions(seed=1, tests=200))
        snapshot, test = database.rows(
            "SELECT r.source_snapshot, r.test_case_id FROM recipes r JOIN test_cases t ON t.id = r.test_case_id "
            "WHERE r.source_snapshot IS NOT NULL AND t.outcome = 'pass' ORDER BY 2 LIMIT 1"
        )[0]
        database.run("UPDATE snapshots SET recipe_test = ? WHERE id = ?", [test, snapshot])
        with pytest.raises(NoRecipe, match=f"the recipe of snapshot {snapshot} needs that snapshot itself"):
            Recipes(database).of_object(snapshot, 0)
