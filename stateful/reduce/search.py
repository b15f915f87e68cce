"""Find operands that satisfy an expression: one SQL query, related operands first, then operands from anywhere.

What SQL cannot express, and relations between objects of different snapshots, is left as a residual that the
worker checks on the live objects.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest
from typing import Any

from sqlalchemy import case, column, func, literal, not_, or_, select, table
from sqlalchemy.sql import Select
from sqlalchemy.sql.elements import ColumnElement

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.to_sql import Inexpressible, Place, SqlReader, Truth
from stateful.store.database import Database, sql_of

__all__ = ["Found", "OperandSlot", "Search", "Tuple", "search"]

MOST_ROWS = 400
MOST_PAIRS = 600  # that are looked at in a worker, because nobody ever related these objects
MOST_JOINS, MOST_BITS = 6, 8  # each costs as much as a few calls: for what the objects found should differ in
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
    choices: list[Tuple] = field(default_factory=list)
    """More than `tuples`, to choose from: in what they differ by `untold` only the objects themselves can tell."""
    untold: tuple[n.Expr, ...] = ()
    shared: Mapping[n.Expr, bool] = field(default_factory=dict)
    """What of `Search.varied` SQL knows, and whether it is true of all objects found."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for: the `required` conjuncts have to be true; what is `violated` may also be undefined, or not
    be recorded: `len(v)` of a number is not.

    Of the objects that satisfy this, those come first that differ in which of `varied` are true of them, and in
    how sure it is that they violate it."""

    slots: tuple[OperandSlot, ...]
    violated: tuple[n.Expr, ...]
    required: tuple[n.Expr, ...] = ()
    varied: tuple[n.Expr, ...] = ()
    turn: int = 0
    """With another number others come first."""

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
    told: tuple[n.Expr, ...]
    untold: tuple[n.Expr, ...]
    relates: bool
    """Something that is wanted relates its objects to those of another query."""


def _query(wanted: Search, slots: Sequence[OperandSlot], known: Mapping[str, int]) -> _Query:
    """Objects of one snapshot for these slots, which satisfy all that can be said of them alone.

    The inner query says what is true of the objects, the outer one chooses: each truth stands there once, since DuckDB
    takes most of its time to plan."""
    names = {slot.name for slot in slots}
    aliases = {slot.name: _candidates(slot) for slot in slots}
    places = {name: Place(alias.c.snapshot_id, alias.c.index) for name, alias in aliases.items()}
    reader = SqlReader(places, known=known)
    violated: list[Truth] = []
    required: list[Truth] = []
    residual = []
    for part in wanted.parts:
        truth = reader.read(part) if set(n.slots_of(part)) <= names else None
        if not isinstance(truth, Truth):
            residual.append(str(truth) if isinstance(truth, Inexpressible) else f"{text(part)}: relates operands")
        else:
            (violated if part in wanted.violated else required).append(truth)
    bits, untold = _bits(reader, [part for part in wanted.varied if set(n.slots_of(part)) <= names])
    first, *others = aliases.values()
    start: Any = first
    for other in others:
        start = start.join(other, other.c.snapshot_id == first.c.snapshot_id)
    told = [
        *(c.label(f"{slot}_{c.name}") for slot, alias in aliases.items() for c in (alias.c.snapshot_id, alias.c.index)),
        *(bit.label(f"has_{number}") for number, bit in enumerate(bits.values(), 1)),
        *(truth.value.label(f"wrong_{number}") for number, truth in enumerate(violated, 1)),
        *(truth.known.label(f"known_{number}") for number, truth in enumerate(violated, 1)),
        *(truth.value.label(f"right_{number}") for number, truth in enumerate(required, 1)),
    ]
    seen = select(*told).select_from(reader.joined(start)).subquery("seen")
    objects, has = list(seen.c)[: 2 * len(slots)], list(seen.c)[2 * len(slots) : 2 * len(slots) + len(bits)]
    wrong = [(seen.c[f"wrong_{number}"], seen.c[f"known_{number}"]) for number in range(1, len(violated) + 1)]
    conditions = [
        *(value.is_not(False) for value, _ in wrong),
        *(seen.c[f"right_{number}"].is_(True) for number in range(1, len(required) + 1)),
    ]
    doubts = [case((value.is_(True), 0), (known, 1), else_=2) for value, known in wrong]
    shuffled = func.hash(*objects, *([literal(wanted.turn)] if wanted.turn else []))
    groups = [*doubts, *has]
    turns = [func.row_number().over(partition_by=groups, order_by=[shuffled, *objects])] if groups else []
    query = select(*objects, *has).where(*conditions).order_by(*turns, *doubts, shuffled, *objects)
    relates = any(len(n.slots_of(part)) > 1 and not set(n.slots_of(part)) <= names for part in wanted.parts)
    return _Query(query.limit(literal(MOST_ROWS)), tuple(residual), len(slots), tuple(bits), untold, relates)


def _bits(reader: SqlReader, varied: Sequence[n.Expr]) -> tuple[dict[n.Expr, ColumnElement[Any]], tuple[n.Expr, ...]]:
    """Whether each is true of the objects; and those of which SQL does not know."""
    bits: dict[n.Expr, ColumnElement[Any]] = {}
    untold = []
    most = len(reader.joins) + MOST_JOINS
    for part in varied:
        truth = reader.read(part) if len(reader.joins) < most and len(bits) < MOST_BITS else None
        if isinstance(truth, Truth):
            bits[part] = func.coalesce(truth.value, not_(truth.known))
        elif truth is not None:
            untold.append(part)
    return bits, tuple(untold)


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
    milliseconds = (time.perf_counter() - started) * 1000
    several = list(zip(queries, [found or [] for found in rows], strict=True))
    answers = [[_pairs(row[: 2 * query.slots]) for row in found] for query, found in several]
    relates = any(query.relates for query in queries)
    if len(answers) == 1:
        choices = _spread(answers[0])
    else:
        choices = _every_pair(answers) if relates else _varied_pairs(answers, most)
    return Found(
        choices if relates else choices[:most],
        ";\n".join(texts),
        tuple(dict.fromkeys(part for query in queries for part in query.residual)),
        milliseconds,
        any(found is None for found in rows),
        choices,
        tuple(part for query in queries for part in query.untold),
        dict(pair for query, found in several for pair in _shared(query, found)),
    )


def _shared(query: _Query, rows: list[tuple[Any, ...]]) -> Iterator[tuple[n.Expr, bool]]:
    for position, part in enumerate(query.told, 2 * query.slots):
        yield part, all(row[position] for row in rows)


def _pairs(row: tuple[Any, ...]) -> Tuple:
    return tuple((row[position], row[position + 1]) for position in range(0, len(row), 2))


def _spread(tuples: list[Tuple]) -> list[Tuple]:
    """Share the places among the alias patterns: `x, x` must not crowd out `x, y`."""
    patterns: dict[tuple[int, ...], list[Tuple]] = defaultdict(list)
    for item in tuples:
        patterns[tuple(item.index(operand) for operand in item)].append(item)
    rounds = zip_longest(*patterns.values())
    return [item for turn in rounds for item in turn if item is not None]


def _every_pair(answers: list[list[Tuple]]) -> list[Tuple]:
    """All combinations of the first objects for each slot, if they are of different snapshots."""
    side = max(2, round(MOST_PAIRS ** (1 / len(answers))) + 1)
    return _apart(product(*(several[:side] for several in answers)))[:MOST_PAIRS]


def _varied_pairs(answers: list[list[Tuple]], most: int) -> list[Tuple]:
    """Combinations in which each object occurs as seldom as the number allows.

    Slots often have the same candidates in the same order: each begins one further than the one before it."""
    if not all(answers):
        return []
    combined = []
    for turn in range(2 * most):
        parts, shift, period = [], 0, 1
        for place, several in enumerate(answers):
            parts.append(several[(turn + shift + place) % len(several)])
            period *= len(several)
            shift = turn // period
        combined.append(tuple(parts))
    return _apart(combined)[:most]


def _apart(combined: Iterable[tuple[Tuple, ...]]) -> list[Tuple]:
    flat = dict.fromkeys(tuple(item for part in parts for item in part) for parts in combined)
    return [item for item in flat if len({snapshot for snapshot, _ in item}) > 1]
