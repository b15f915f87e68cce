"""What was recorded for a predicate, joined to the operands that it speaks of: one outer join for each predicate.

Who asks again and again gathers what is recorded first (`sql_facts`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, column, literal_column, select, table
from sqlalchemy.sql import Select
from sqlalchemy.sql.selectable import FromClause

from stateful.contracts.predicate import ITSELF, Predicate, named
from stateful.contracts.sql_terms import DERIVED, VALUES, Row, Sql

__all__ = ["Join", "Place", "static_of"]

VARIABLES = tuple(f"var_{position}" for position in range(9))
STATIC = {"len": "int", "list": "list", "set": "set"}


def static_of(asked: Predicate) -> str | None:
    """The kind of all values of a predicate, if that is certain."""
    return STATIC.get(asked.text.partition("(")[0]) if asked.text != ITSELF else None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operand is: its snapshot and its index there, as SQL expressions."""

    snapshot: Sql
    index: Sql
    facts: str | None = None
    """The name of the row of gathered facts about it, if there is one."""


@dataclass(frozen=True, slots=True)
class Join:
    """What was recorded for a predicate, beside the operands that stand at these places."""

    row: Row
    asked: Predicate
    places: tuple[Place, ...]

    @classmethod
    def of(cls, number: int, asked: Predicate, places: tuple[Place, ...]) -> Join:
        """The join of this number in a query."""
        return cls(Row(f"r{number}", static_of(asked)), asked, places)

    @property
    def legend(self) -> str:
        """What the row stands for, in the language of contracts."""
        return f"{self.row.name}: {named(self.asked.text, self.asked.slots)}"

    def added_to(self, start: FromClause, known: Mapping[str, int] | None) -> FromClause:
        """`start`, joined with it; by the id of a `known` predicate, which tells DuckDB how few rows these are."""
        right = self._readings(known).subquery(self.row.name)
        first, *others = self.places
        same = [place.snapshot == first.snapshot for place in others if place.snapshot is not first.snapshot]
        indices = [right.c[variable] == place.index for variable, place in zip(VARIABLES, self.places, strict=False)]
        return start.outerjoin(right, and_(right.c.snapshot_id == first.snapshot, *indices, *same))

    def _readings(self, known: Mapping[str, int] | None) -> Select[Any]:
        """The columns that the row is asked for, and no others."""
        variables = VARIABLES[: len(self.places)]
        if known is None:
            view = table("readings", *map(column, ("predicate", "snapshot_id", *variables, *VALUES)))
            keys, values, wanted = view, view, view.c.predicate == self.asked.text
            start: FromClause = view
        else:
            keys = table("evaluations", *map(column, ("predicate_id", "value_id", "snapshot_id", *variables)))
            values = table("values", *map(column, ("id", *VALUES)))
            start = keys.outerjoin(values, values.c.id == keys.c.value_id)
            wanted = keys.c.predicate_id == literal_column(str(known[self.asked.text]))
        looked_at = [
            DERIVED[name](values.c).label(name) if name in DERIVED else values.c[name] for name in self.row.looked_at
        ]
        keyed = [keys.c[name] for name in ("snapshot_id", *variables)]
        return select(*keyed, *looked_at).select_from(start).where(wanted)
