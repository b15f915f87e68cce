"""Find operands that satisfy an expression: one SQL query, related operands first, then operands from anywhere.

What SQL cannot express, and relations between objects of different snapshots, is left as a residual that the
worker checks on the live objects.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

from sqlalchemy import and_, column, func, literal, or_, select, table
from sqlalchemy.sql import Select
from sqlalchemy.sql.elements import ColumnElement

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.to_sql import Inexpressible, Place, SqlReader, Truth
from stateful.store.database import Database, sql_of

__all__ = ["Found", "OperandSlot", "Search", "Tuple", "search"]

MOST_ROWS = 400
MOST_PAIRS = 600  # that are looked at in a worker, because nobody ever related these objects
Tuple = tuple[tuple[int, int], ...]
"""For each slot searched for the snapshot and the index of an object."""


@dataclass(frozen=True, slots=True)
class OperandSlot:
    """A slot to fill: its name, and the classes whose objects may stand there."""

    name: str
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one query."""

    tuples: list[Tuple]
    query: str
    residual: tuple[str, ...]
    milliseconds: float
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for: `violated` may also be undefined, the `required` conjuncts have to be true."""

    slots: tuple[OperandSlot, ...]
    violated: tuple[n.Expr, ...]
    required: tuple[n.Expr, ...] = ()

    @property
    def parts(self) -> tuple[n.Expr, ...]:
        return (*self.violated, *self.required)


def search(database: Database, wanted: Search, *, most: int = 45, seconds: float = 60.0) -> Iterator[Found]:
    """Related operands first; if that is not enough, operands from different snapshots."""
    if not wanted.slots:
        return
    known = dict(database.rows("SELECT text, id FROM predicates"))
    related = _answered(database, [_query(wanted, wanted.slots, known)], most, seconds)
    yield related
    if len(wanted.slots) > 1:
        yield _answered(database, [_query(wanted, (slot,), known) for slot in wanted.slots], most, seconds)


@dataclass(frozen=True, slots=True)
class _Query:
    select: Select[Any]
    residual: tuple[str, ...]
    slots: int
    relates: bool
    """Something that is wanted relates its objects to those of another query."""


def _query(wanted: Search, slots: Sequence[OperandSlot], known: Mapping[str, int]) -> _Query:
    """Objects of one snapshot for these slots, which satisfy all that can be said of them alone."""
    names = {slot.name for slot in slots}
    aliases = {slot.name: _candidates(slot) for slot in slots}
    places = {name: Place(alias.c.snapshot_id, alias.c.index) for name, alias in aliases.items()}
    reader = SqlReader(places, known=known)
    conditions: list[ColumnElement[Any]] = []
    certain: list[ColumnElement[Any]] = []
    residual = []
    for part in wanted.parts:
        truth = reader.read(part) if set(n.slots_of(part)) <= names else None
        if not isinstance(truth, Truth):
            residual.append(str(truth) if isinstance(truth, Inexpressible) else f"{text(part)}: relates operands")
        elif part in wanted.violated:
            conditions.append(or_(truth.value.is_(True), and_(truth.value.is_(None), truth.known)))
            certain.append(truth.value.is_(True))
        else:
            conditions.append(truth.value.is_(True))
    first, *others = aliases.values()
    start: Any = first
    for other in others:
        start = start.join(other, other.c.snapshot_id == first.c.snapshot_id)
    columns = [c for slot in slots for c in (aliases[slot.name].c.snapshot_id, aliases[slot.name].c.index)]
    labelled = [
        c.label(f"{slot}_{c.name}") for slot, c in zip([s.name for s in slots for _ in "ab"], columns, strict=True)
    ]
    order = [and_(*certain).desc()] if certain else []
    shuffled = func.hash(*columns)
    query = select(*labelled).select_from(reader.joined(start)).where(*conditions).order_by(*order, shuffled, *columns)
    relates = any(len(n.slots_of(part)) > 1 and not set(n.slots_of(part)) <= names for part in wanted.parts)
    return _Query(query.limit(literal(MOST_ROWS)), tuple(residual), len(slots), relates)


def _candidates(slot: OperandSlot) -> Any:
    """The operands and results of the fitting classes."""
    objects = table("objects", *map(column, ("snapshot_id", "index", "class_id", "path")))
    states = table("snapshots", *map(column, ("id", "slots", "recipe_calls")))
    names, kinds = (
        table("classes", column("id"), column("name")),
        table("conformances", column("class_id"), column("base_id")),
    )
    named = names.c.name.in_([literal(name) for name in slot.classes] or [literal("")])
    fitting = select(kinds.c.class_id).join_from(kinds, names, names.c.id == kinds.c.base_id).where(named)
    return (
        select(objects.c.snapshot_id, objects.c.index)
        .join_from(objects, states, states.c.id == objects.c.snapshot_id)
        .where(objects.c.class_id.in_(fitting), states.c.recipe_calls.isnot(None))
        .where(or_(objects.c.index < states.c.slots, objects.c.path.isnot(None)))
        .subquery(f"object_{slot.name}")
    )


def _answered(database: Database, queries: list[_Query], most: int, seconds: float) -> Found:
    started = time.perf_counter()
    texts = [sql_of(query.select, literal=True) for query in queries]
    rows = [database.rows_within(query, seconds) for query in texts]
    answers = [[_pairs(row) for row in found or ()] for found in rows]
    milliseconds = (time.perf_counter() - started) * 1000
    relates = any(query.relates for query in queries)
    tuples = _spread(answers[0], most) if len(answers) == 1 else _paired(answers, MOST_PAIRS if relates else most)
    residual = tuple(dict.fromkeys(part for query in queries for part in query.residual))
    return Found(tuples, ";\n".join(texts), residual, milliseconds, any(found is None for found in rows))


def _pairs(row: tuple[Any, ...]) -> Tuple:
    return tuple((row[position], row[position + 1]) for position in range(0, len(row), 2))


def _spread(tuples: list[Tuple], most: int) -> list[Tuple]:
    """Share the places among the alias patterns: `x, x` must not crowd out `x, y`."""
    patterns: dict[tuple[int, ...], list[Tuple]] = defaultdict(list)
    for item in tuples:
        patterns[tuple(item.index(operand) for operand in item)].append(item)
    rounds = zip_longest(*patterns.values())
    return [item for turn in rounds for item in turn if item is not None][:most]


def _paired(answers: list[list[Tuple]], most: int) -> list[Tuple]:
    """Combinations of objects from different snapshots, as varied as the number allows."""
    side = max(2, round(most ** (1 / len(answers))) + 1)
    combined = [tuple(item for part in parts for item in part) for parts in product(*(a[:side] for a in answers))]
    apart = [item for item in combined if len({snapshot for snapshot, _ in item}) > 1]
    return apart[:most]
