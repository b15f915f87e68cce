"""The facts about objects, gathered for a round: its thousands of queries read columns instead of joining rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from stateful.contracts.sql_facts import FACTS, RELATIONS, Gathered, Used, facts_query, relations_query
from stateful.store.database import Database, sql_of

__all__ = ["gathering", "with_definitions"]

MOST_CELLS = 2_000_000  # of each table: objects times predicates; there a query takes longer than planning it
MOST_PREDICATES = 60
SCHEMA = "gathered"
RECORDED = """
WITH counted AS (
    SELECT predicate_id, count(*) AS rows FROM evaluations
    WHERE (var_1 IS NOT NULL) = $1 AND var_2 IS NULL GROUP BY predicate_id)
SELECT p.text, p.id FROM counted JOIN predicates p ON p.id = counted.predicate_id
WHERE p.arity = CASE WHEN $1 THEN 2 ELSE 1 END ORDER BY rows DESC, p.id
"""
PAIRS = "SELECT count(*) FROM (SELECT DISTINCT snapshot_id, var_0, var_1 FROM evaluations WHERE var_1 IS NOT NULL)"
DEFINITIONS = {FACTS: facts_query, RELATIONS: relations_query}


@contextmanager
def gathering(database: Database) -> Iterator[tuple[str, Gathered] | None]:
    """The name of a schema with both tables, and what is in them; none where they cannot be made, or would be large."""
    if database.read_only:
        yield None
        return
    objects, pairs = int(database.value("SELECT count(*) FROM objects")), int(database.value(PAIRS))
    gathered = Gathered(_most(database, objects, pairs=False), _most(database, pairs, pairs=True))
    with database.scratch(SCHEMA):
        for name, definition in DEFINITIONS.items():
            database.run(f"CREATE TABLE {SCHEMA}.{name} AS {sql_of(definition(gathered), literal=True)}")
        yield SCHEMA, gathered


def _most(database: Database, rows: int, *, pairs: bool) -> dict[str, int]:
    """The predicates that are recorded most, as many as there is room for."""
    room = min(MOST_PREDICATES, MOST_CELLS // max(rows, 1))
    return dict(database.rows(RECORDED, [pairs])[:room])


def with_definitions(query: str, gathered: Gathered, used: Used) -> str:
    """The query as it can be asked anywhere: what it reads is defined ahead of it."""
    return f"{_definitions(tuple(gathered.alone.items()), tuple(gathered.pairs.items()), used)}\n{query}"


@lru_cache(maxsize=4096)
def _definitions(alone: tuple[tuple[str, int], ...], pairs: tuple[tuple[str, int], ...], used: Used) -> str:
    gathered = Gathered(dict(alone), dict(pairs))
    columns: dict[str, dict[str, Sequence[str]]] = {FACTS: {}}
    for name, asked, wanted in used:
        columns.setdefault(name, {})[asked] = wanted
    several = (
        f"{name} AS ({sql_of(DEFINITIONS[name](gathered, read), literal=True)})" for name, read in columns.items()
    )
    return "WITH " + ", ".join(several)
