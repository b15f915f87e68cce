"""What is recorded of one object, or of two of a snapshot, side by side in one row.

A query that joins every predicate apart takes DuckDB some 30 milliseconds to plan, and a few to answer; one that reads
columns of such a row takes two. The tables are made for a round of reduction (`reduce/gathering.py`); where nobody made
them, the same query can be asked with these definitions ahead of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, column, literal_column, or_, select, table
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import Select
from sqlalchemy.sql.selectable import FromClause

from stateful.contracts.predicate import Predicate
from stateful.contracts.sql_joins import Join, Place, static_of
from stateful.contracts.sql_terms import DERIVED, KNOWN, Row

__all__ = [
    "FACTS",
    "RELATIONS",
    "Gathered",
    "Related",
    "Used",
    "facts_query",
    "gathered_row",
    "quoted",
    "relations_query",
]

FACTS, RELATIONS = "facts", "relations"
PREPARER = postgresql.dialect().identifier_preparer  # type: ignore[no-untyped-call]
COLUMNS = ("kind", "integer", "truth", "equality", "items", *DERIVED, KNOWN)
PAIR = ("var_0", "var_1")
Used = tuple[tuple[str, str, tuple[str, ...]], ...]
"""What a query reads: the table, the predicate's text, and the columns."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The predicates that have columns in `facts` and in `relations`, with their ids."""

    alone: Mapping[str, int]
    pairs: Mapping[str, int]

    @property
    def ids(self) -> Mapping[str, int]:
        return {**self.alone, **self.pairs}


@dataclass(frozen=True, slots=True)
class Related:
    """The row of `relations` for two operands."""

    number: int
    places: tuple[Place, Place]

    @property
    def name(self) -> str:
        return f"both_{self.number}"

    def added_to(self, start: FromClause, _: Mapping[str, int] | None) -> FromClause:
        first, second = self.places
        right = table(RELATIONS, column("snapshot"), *map(column, PAIR)).alias(self.name)
        same = and_(
            right.c.snapshot == first.snapshot, right.c.var_0 == first.index, right.c.var_1 == second.index
        )  # fmt: skip
        return start.outerjoin(right, same)


def gathered_row(gathered: Gathered, asked: Predicate, name: str) -> Row:
    """What is recorded for the predicate in the row of that name."""
    return Row(name, static_of(asked), _prefix(gathered.ids[asked.text]))


def facts_query(gathered: Gathered, used: Mapping[str, Sequence[str]] | None = None) -> Select[Any]:
    """One row for each object that may be an operand, with the columns that are `used`; all columns, without it."""
    objects = table("objects", *map(column, ("snapshot_id", "index", "class_id", "path")))
    states = table("snapshots", *map(column, ("id", "slots", "recipe_calls")))
    place = Place(objects.c.snapshot_id, objects.c.index)
    joins = _joins(gathered.alone, used, (place,))
    keys = [objects.c.snapshot_id.label("snapshot"), objects.c.index, objects.c.class_id]
    start = objects.join(states, states.c.id == objects.c.snapshot_id)
    may_stand = states.c.recipe_calls.isnot(None), or_(objects.c.index < states.c.slots, objects.c.path.isnot(None))
    return _selected(keys, joins, start, gathered).where(*may_stand)


def relations_query(gathered: Gathered, used: Mapping[str, Sequence[str]] | None = None) -> Select[Any]:
    """One row for each two objects that something is recorded of."""
    asked = gathered.pairs if used is None else {text: gathered.pairs[text] for text in used}
    recorded = table("evaluations", *map(column, ("snapshot_id", "predicate_id", *PAIR)))
    ids: list[Any] = [literal_column(str(key)) for key in asked.values()]
    keys = [recorded.c.snapshot_id.label("snapshot"), *(recorded.c[name] for name in PAIR)]
    both = select(*keys).distinct().where(recorded.c.predicate_id.in_(ids)).subquery("both_of")
    first, second = (Place(both.c.snapshot, both.c[name]) for name in PAIR)
    joins = _joins(asked, used, (first, Place(first.snapshot, second.index)))
    return _selected(list(both.c), joins, both, gathered)


def quoted(name: str) -> str:
    """The name as it stands in a query."""
    return PREPARER.quote(name)


def _prefix(key: int) -> str:
    return f"p{key}_"


def _joins(
    asked: Mapping[str, int], used: Mapping[str, Sequence[str]] | None, places: tuple[Place, ...]
) -> list[tuple[Join, Sequence[str]]]:
    """A join for each predicate, with the columns that it is for."""
    columns = dict.fromkeys(asked, COLUMNS) if used is None else used
    names = ("self", "other")[: len(places)]
    return [
        (Join(Row(f"p{asked[text]}"), Predicate(text, names), places), wanted) for text, wanted in columns.items()
    ]  # fmt: skip


def _selected(
    keys: Sequence[Any], joins: Sequence[tuple[Join, Sequence[str]]], start: FromClause, gathered: Gathered
) -> Select[Any]:
    read = [getattr(join.row, name).label(f"{join.row.name}_{name}") for join, wanted in joins for name in wanted]
    for join, _ in joins:
        start = join.added_to(start, gathered.ids)
    return select(*keys, *read).select_from(start)
