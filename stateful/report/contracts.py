"""The list of contracts: by routine, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stateful.errors import NoRecipe
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_of

__all__ = ["code_of_test", "contracts_of", "shown"]

ORDERED = """
SELECT r.name AS routine, c.kind, c.text, c.status, c.support, c.evidence, c.witness
FROM clauses c JOIN routines r ON r.id = c.routine_id LEFT JOIN classes k ON k.id = r.class_id
WHERE ($1::VARCHAR[] IS NULL OR list_contains($1, k.name)) AND (c.status = 'removed') = $2
ORDER BY k.name, r.name, list_position(['invariant', 'requires', 'ensures', 'raises'], c.kind), c.status <> 'written',
         c.support DESC, len(c.text), c.text
"""


def contracts_of(
    database: Database, *, classes: Sequence[str] | None = None, removed: bool = False
) -> list[dict[str, Any]]:
    """The clauses that hold, or those that fell, each with the reproducer of its witness."""
    rows = database.records(ORDERED, [list(classes) if classes else None, removed])
    routines, recipes = routines_of(database), Recipes(database)
    for row in rows:
        row["witness"] = None if row["witness"] is None else _code(row["witness"], recipes, routines)
    return rows


def code_of_test(database: Database, test: int) -> str | None:
    """The calls of a test case as Python."""
    return _code(test, Recipes(database), routines_of(database))


def _code(test: int, recipes: Recipes, routines: Any) -> str | None:
    try:
        return code_of(recipes.of_test(test), routines)
    except NoRecipe:
        return None


def shown(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The clauses as lines of text, under the name of their routine."""
    if not rows:
        yield "no contracts; infer them with 'stateful infer'"
    routine = None
    for row in rows:
        if row["routine"] != routine:
            routine = row["routine"]
            yield f"{routine}"
        yield f"    {row['kind']:<9} {row['text']}"
        if row["evidence"]:
            yield f"              {row['status']}: {row['evidence']}"
        if row["witness"]:
            yield from (f"              | {line}" for line in row["witness"].splitlines())
