"""The facts about objects, gathered for a round: its thousands of queries read columns instead of joining rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from stateful.contracts.sql_facts import FACTS, RELATIONS, Gathered, Used, definition
from stateful.store.database import Database

__all__ = ["gathering", "with_definitions"]

MOST_CELLS = 2_000_000  # of each table: objects times predicates; there a query takes longer than planning it
MOST_PREDICATES = 60
MOST_OBJECTS = 200_000
RECORDED = """
WITH counted AS (
    SELECT predicate_id, count(*) AS rows FROM evaluations
    WHERE (var_1 IS NOT NULL) = $1 AND var_2 IS NULL GROUP BY predicate_id)
SELECT p.text, p.id FROM counted JOIN predicates p ON p.id = counted.predicate_id
WHERE p.arity = CASE WHEN $1 THEN 2 ELSE 1 END ORDER BY rows DESC, p.id
"""
PAIRS = "SELECT count(*) FROM (SELECT DISTINCT snapshot_id, var_0, var_1 FROM evaluations WHERE var_1 IS NOT NULL)"


@contextmanager
def gathering(database: Database) -> Iterator[tuple[str, Gathered] | None]:
    """The name of a schema with both tables, and what is in them; none where they cannot be made, or would be large."""
    objects = int(database.value("SELECT count(*) FROM objects"))
    if database.read_only or objects > MOST_OBJECTS:
        yield None
        return
    pairs = int(database.value(PAIRS))
    gathered = Gathered(_most(database, objects, pairs=False), _most(database, pairs, pairs=True))
    with database.scratch() as schema:
        for name in (FACTS, RELATIONS):
            database.run(f"CREATE TABLE {schema}.{name} AS {definition(name, gathered)}")
        yield schema, gathered


def _most(database: Database, rows: int, *, pairs: bool) -> dict[str, int]:
    """The predicates that are recorded most, as many as there is room for."""
    room = min(MOST_PREDICATES, MOST_CELLS // max(rows, 1))
    return dict(database.rows(RECORDED, [pairs])[:room])


def with_definitions(query: str, gathered: Gathered, used: Used) -> str:
    """The query as it can be asked anywhere: what it reads is defined ahead of it."""
    columns: dict[str, dict[str, Sequence[str]]] = {FACTS: {}}
    for name, asked, wanted in used:
        columns.setdefault(name, {})[asked] = wanted
    several = (f"{name} AS ({definition(name, gathered, read)})" for name, read in columns.items())
    return f"WITH {', '.join(several)}\n{query}"
