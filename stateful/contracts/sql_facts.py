"""What is recorded of one object, or of two of a snapshot, side by side in one row.

A query that joins every predicate apart takes DuckDB some 30 milliseconds to plan, and a few to answer; one that reads
columns of such a row takes four. The tables are made for a round of reduction (`reduce/gathering.py`); where nobody
made them, the same query can be asked with their definitions ahead of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import and_, column, table
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.selectable import FromClause

from stateful.contracts.predicate import Predicate
from stateful.contracts.sql_joins import Place, static_of
from stateful.contracts.sql_terms import DERIVED, KNOWN, VALUES, Row

__all__ = ["FACTS", "RELATIONS", "Gathered", "Related", "Used", "definition", "gathered_row", "quoted"]

FACTS, RELATIONS = "facts", "relations"
DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]
COLUMNS = ("kind", "integer", "truth", "equality", "items", *DERIVED, KNOWN)
PAIR = ("var_0", "var_1")
Used = tuple[tuple[str, str, tuple[str, ...]], ...]
"""What a query reads: the table, the predicate's text, and the columns."""
DEFINITIONS = {
    FACTS: """
SELECT o.snapshot_id AS snapshot, o.index, o.class_id{columns}
FROM objects o JOIN snapshots s ON s.id = o.snapshot_id{joins}
WHERE s.recipe_calls IS NOT NULL AND (o.index < s.slots OR o.path IS NOT NULL)""",
    RELATIONS: """
SELECT o.snapshot_id AS snapshot, o.var_0, o.var_1{columns}
FROM (SELECT DISTINCT snapshot_id, var_0, var_1 FROM evaluations WHERE predicate_id IN ({ids})) o{joins}""",
}
"""One row for each object that may be an operand, and for each two objects that something is recorded of."""
JOIN = """
LEFT JOIN (SELECT e.snapshot_id, e.var_0, e.var_1, {read}
           FROM evaluations e LEFT JOIN values ON values.id = e.value_id WHERE e.predicate_id = {key}) AS p{key}
       ON p{key}.snapshot_id = o.snapshot_id AND {same}"""
SAME = {FACTS: "p{key}.var_0 = o.index", RELATIONS: "p{key}.var_0 = o.var_0 AND p{key}.var_1 = o.var_1"}


@dataclass(frozen=True, slots=True)
class Gathered:
    """The predicates that have columns in `facts` and in `relations`, with their ids."""

    alone: Mapping[str, int]
    pairs: Mapping[str, int]

    def of(self, name: str) -> Mapping[str, int]:
        """The predicates of one of the tables."""
        return self.alone if name == FACTS else self.pairs


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
        indices = right.c.var_0 == first.index, right.c.var_1 == second.index
        return start.outerjoin(right, and_(right.c.snapshot == first.snapshot, *indices))


def gathered_row(gathered: Gathered, asked: Predicate, name: str) -> Row:
    """What is recorded for the predicate in the row of that name."""
    key = gathered.of(FACTS if len(asked.slots) == 1 else RELATIONS)[asked.text]
    return Row(name, static_of(asked), f"p{key}_")


def quoted(name: str) -> str:
    """The name as it stands in a query."""
    return DIALECT.identifier_preparer.quote(name)


def definition(name: str, gathered: Gathered, used: Mapping[str, Sequence[str]] | None = None) -> str:
    """The query for the rows of one of the tables, with the columns that are `used`; with all, without it."""
    ids = gathered.of(name)
    wanted = dict.fromkeys(ids, COLUMNS) if used is None else used
    parts = [_joined(name, ids[asked], tuple(columns)) for asked, columns in wanted.items()]
    columns, joins = ("".join(part[place] for part in parts) for place in (0, 1))
    keys = ", ".join(str(ids[asked]) for asked in wanted) or "NULL"
    return DEFINITIONS[name].strip().format(columns=columns, joins=joins, ids=keys)


@lru_cache(maxsize=4096)
def _joined(name: str, key: int, wanted: tuple[str, ...]) -> tuple[str, str]:
    """The columns of a predicate, and the join that they come from."""
    columns = [f"p{key}.snapshot_id IS NOT NULL" if one == KNOWN else f"p{key}.{one}" for one in wanted]
    shown = "".join(f", {read} AS p{key}_{one}" for read, one in zip(columns, wanted, strict=True))
    read = ", ".join(_read(one) for one in wanted if one != KNOWN) or "NULL"
    return shown, JOIN.format(key=key, read=read, same=SAME[name].format(key=key))


def _read(name: str) -> str:
    """What a column is, from those of the table of values."""
    if name not in DERIVED:
        return f"values.{name}"
    known = table("values", *map(column, VALUES))
    return f"{DERIVED[name](known.c).compile(dialect=DIALECT, compile_kwargs={'literal_binds': True})} AS {name}"
