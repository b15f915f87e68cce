"""The list of contracts: by routine, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from stateful.errors import NoRecipe
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_of
from stateful.words import counted

__all__ = ["code_of_test", "contracts_of", "shortened", "shown"]

ORDERED = """
SELECT r.name AS routine, c.kind, c.text, c.status, c.support, c.evidence, c.witness
FROM clauses c JOIN routines r ON r.id = c.routine_id LEFT JOIN classes k ON k.id = r.class_id
WHERE ($1::VARCHAR[] IS NULL OR list_contains($1, k.name)) AND (c.status = 'removed') = $2
ORDER BY k.name, r.name, list_position(['invariant', 'requires', 'ensures', 'raises'], c.kind), c.status <> 'written',
         c.rank, c.text
"""
MOST_SHOWN = 12  # clauses of a routine: they fit on a screen


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


def shortened(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The first clauses of each routine, and how many more there are of it."""
    kept, left = [], {}
    for routine, group in groupby(rows, lambda row: row["routine"]):
        several = list(group)
        kept += several[:MOST_SHOWN]
        if len(several) > MOST_SHOWN:
            left[routine] = len(several) - MOST_SHOWN
    return kept, left


def shown(rows: list[dict[str, Any]], left: Mapping[str, int]) -> Iterator[str]:
    """The clauses as lines of text, under the name of their routine; `left` says how many are not shown."""
    if not rows:
        yield "no contracts; infer them with 'stateful infer'"
    for routine, group in groupby(rows, lambda row: row["routine"]):
        yield routine
        for row in group:
            yield from _shown_clause(row)
        if routine in left:
            yield f"    ... and {left[routine]} more; --all lists them"


def _shown_clause(row: dict[str, Any]) -> Iterator[str]:
    """What was tried and how it ended has a line of its own; that all tests agree is said by their number."""
    tests = f"   ({counted(row['support'], 'test')})" if (row["evidence"] or "").startswith("true of all") else ""
    written = "   (written)" if row["status"] == "written" else ""
    yield f"    {row['kind']:<9} {row['text']}{tests}{written}"
    if row["evidence"] and not tests and not written:
        yield f"              {row['status']}: {row['evidence']}"
    if row["witness"]:
        yield from (f"              | {line}" for line in row["witness"].splitlines())
