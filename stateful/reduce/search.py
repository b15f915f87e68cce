"""Find operands that satisfy an expression: one SQL query, related operands first, then operands from anywhere.

What SQL cannot express, and relations between objects of different snapshots, is left as a residual that the
worker checks on the live objects.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest
from typing import Any, TypeAlias

from sqlalchemy import case, column, false, func, literal, literal_column, not_, or_, select, table
from sqlalchemy.sql import Select
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import FromClause

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.sql_facts import FACTS, Gathered, Used, quoted
from stateful.contracts.to_sql import Inexpressible, Place, SqlReader, Truth
from stateful.reduce.gathering import with_definitions
from stateful.store.database import Database, sql_of

__all__ = ["Filled", "Found", "OperandSlot", "Search", "Tuple", "Words", "search"]

OBJECT = ("snapshot_id", "index", "class_id", "path")
FACT = ("snapshot", "index", "class_id")
MOST_ROWS = 400
LEAST_SECONDS = 0.1  # of a query, if the time of its round is nearly over
MOST_PAIRS = 600  # that are looked at in a worker, because nobody ever related these objects
MOST_JOINS, MOST_BITS = 6, 8  # each costs as much as a few calls: for what the objects found should differ in
Tuple: TypeAlias = tuple[tuple[int, int], ...]
"""For each slot searched for the snapshot and the index of an object."""
Filled: TypeAlias = tuple[tuple[int, int] | str, ...]
"""The same, with literals for some slots."""


@dataclass(frozen=True, slots=True)
class OperandSlot:
    """A slot to fill: its name, and the classes whose objects may stand there."""

    name: str
    classes: tuple[str, ...]

    def ids(self, words: Words) -> list[int]:
        """The classes of what may stand here."""
        return sorted({key for name in self.classes for key in words.classes.get(name, ())})

    def has_subclasses(self, words: Words) -> bool:
        """Objects of several classes of the subject may stand here: each is to be tried."""
        return len(self.ids(words)) > 1 and not any(name.startswith("builtins:") for name in self.classes)


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one query."""

    tuples: list[Tuple]
    query: str
    residual: tuple[str, ...]
    milliseconds: float
    timed_out: bool = False
    relates: bool = False
    """They are of different snapshots, and what is wanted relates them: only the objects themselves can tell."""
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

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(slot.name for slot in self.slots)

    def apart_from(self, name: str) -> Search:
        """Any objects for the other slots: many searches have these in common."""
        return Search(tuple(slot for slot in self.slots if slot.name != name), (), turn=self.turn)

    def without(self, parts: Sequence[n.Expr]) -> Search:
        """The same, but some parts do not matter."""
        violated = tuple(part for part in self.violated if part not in parts)
        return Search(self.slots, violated, tuple(part for part in self.required if part not in parts))


@dataclass(frozen=True, slots=True)
class Words:
    """What names in contracts stand for in the database. In a query stand ids: they cost no joins."""

    predicates: Mapping[str, int]
    classes: Mapping[str, tuple[int, ...]]
    """By name, the classes that conform to it."""
    gathered: Gathered | None = None
    """What stands side by side in tables that were made for these queries."""
    since: int = 0
    """Objects of snapshots from this on come first."""

    @classmethod
    def of(cls, database: Database) -> Words:
        kinds = database.rows(
            "SELECT b.name, list(c.class_id ORDER BY c.class_id) "
            "FROM conformances c JOIN classes b ON b.id = c.base_id GROUP BY b.name"
        )
        return cls(
            dict(database.rows("SELECT text, id FROM predicates")), {name: tuple(several) for name, several in kinds}
        )


def search(
    database: Database,
    wanted: Search,
    *,
    most: int = 45,
    seconds: float = 60.0,
    until: float = math.inf,
    words: Words | None = None,
) -> Iterator[Found]:
    """Related operands first; if that is not enough, operands from different snapshots."""
    if not wanted.slots:
        return
    words = words or Words.of(database)
    apart = [(slot,) for slot in wanted.slots]
    for several in ([wanted.slots], apart) if len(apart) > 1 else ([wanted.slots],):
        queries = [_query(wanted, slots, words) for slots in several]
        yield _answered(database, queries, words, most, min(seconds, _left(until)))


@dataclass(frozen=True, slots=True)
class _Query:
    select: Select[Any]
    legend: tuple[str, ...]
    """What its ids and the rows that it joins stand for."""
    residual: tuple[str, ...]
    slots: int
    told: tuple[n.Expr, ...]
    untold: tuple[n.Expr, ...]
    relates: bool
    """Something that is wanted relates its objects to those of another query."""
    used: Used


def _query(wanted: Search, slots: Sequence[OperandSlot], words: Words) -> _Query:
    """Objects of one snapshot for these slots, which satisfy all that can be said of them alone.

    The inner query says what is true of the objects, the outer one chooses: each truth stands there once, since DuckDB
    takes most of its time to plan."""
    names = {slot.name for slot in slots}
    labels = _labels(slots)
    stage = _gathered_stage(labels) if words.gathered else _stage(labels)
    reader = SqlReader(stage.places, known=words.predicates, gathered=words.gathered)
    violated, required, residual = _read(reader, wanted, names)
    bits, untold = _bits(reader, [part for part in wanted.varied if set(n.slots_of(part)) <= names])
    classes = [stage.operands[slot.name] for slot in slots if slot.has_subclasses(words)]
    told = [
        stage.snapshot.label("snapshot"),
        *(alias.c.index.label(f"{labels[name]}_index") for name, alias in stage.operands.items()),
        *(bit.label(f"has_{number}") for number, bit in enumerate(bits.values(), 1)),
        *(truth.value.label(f"wrong_{number}") for number, truth in enumerate(violated, 1)),
        *(truth.known.label(f"known_{number}") for number, truth in enumerate(violated, 1)),
        *(truth.value.label(f"right_{number}") for number, truth in enumerate(required, 1)),
        *(alias.c.class_id.label(f"class_{number}") for number, alias in enumerate(classes, 1)),
    ]
    fitting = [_fits(stage.operands[slot.name], slot, words) for slot in slots]
    seen = select(*told).select_from(reader.joined(stage.together)).where(*stage.conditions, *fitting)
    counts = len(slots), len(bits), len(violated), len(required), len(classes)
    query = _choosing(seen, *counts, wanted.turn, words.since)
    relates = any(len(n.slots_of(part)) > 1 and not set(n.slots_of(part)) <= names for part in wanted.parts)
    legend = (*(f"object_{labels[slot.name]}: {' or '.join(slot.classes)}" for slot in slots), *reader.legend())
    return _Query(query, legend, tuple(residual), len(slots), tuple(bits), untold, relates, reader.used())


def _labels(slots: Sequence[OperandSlot]) -> dict[str, str]:
    """The name of each slot in a query: its own, unless another one differs by capitals only. SQL does not see these.

    >>> _labels([OperandSlot("n", ()), OperandSlot("N", ())])
    {'n': 'n', 'N': 'N_2'}
    """
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for place, slot in enumerate(slots, 1):
        label = slot.name
        while label.lower() in taken:
            label = f"{label}_{place}"
        taken.add(label.lower())
        labels[slot.name] = label
    return labels


@dataclass(frozen=True, slots=True)
class _Stage:
    """The objects of one snapshot that may stand in the slots, before anything is said of them."""

    snapshot: ColumnElement[Any]
    operands: Mapping[str, Any]
    places: Mapping[str, Place]
    together: FromClause
    conditions: Sequence[ColumnElement[bool]] = ()


def _stage(labels: Mapping[str, str]) -> _Stage:
    """The operands and results of calls, and what a public path leads to, if calls can build them."""
    states = table("snapshots", *map(column, ("id", "slots", "recipe_calls")))
    operands = {name: table("objects", *map(column, OBJECT)).alias(f"object_{label}") for name, label in labels.items()}
    together: FromClause = states
    for alias in operands.values():
        together = together.join(alias, alias.c.snapshot_id == states.c.id)
    reached = [or_(alias.c.index < states.c.slots, alias.c.path.isnot(None)) for alias in operands.values()]
    places = {name: Place(states.c.id, alias.c.index) for name, alias in operands.items()}
    return _Stage(states.c.id, operands, places, together, [states.c.recipe_calls.isnot(None), *reached])


def _gathered_stage(labels: Mapping[str, str]) -> _Stage:
    """The same, from a table that holds nothing else."""
    rows = {name: table(FACTS, *map(column, FACT)).alias(f"object_{label}") for name, label in labels.items()}
    together, *others = rows.values()
    snapshot = together.c.snapshot
    places = {name: Place(snapshot, alias.c.index, quoted(f"object_{labels[name]}")) for name, alias in rows.items()}
    start: FromClause = together
    for alias in others:
        start = start.join(alias, alias.c.snapshot == snapshot)
    return _Stage(snapshot, rows, places, start)


def _read(reader: SqlReader, wanted: Search, names: set[str]) -> tuple[list[Truth], list[Truth], list[str]]:
    """What is violated and what is required, as far as it speaks of these slots only and SQL can tell; and the rest."""
    violated: list[Truth] = []
    required: list[Truth] = []
    residual = []
    for part in wanted.parts:
        truth = reader.read(part) if set(n.slots_of(part)) <= names else None
        if isinstance(truth, Truth):
            (violated if part in wanted.violated else required).append(truth)
        else:
            residual.append(str(truth) if isinstance(truth, Inexpressible) else f"{text(part)}: relates operands")
    return violated, required, residual


def _fits(alias: Any, slot: OperandSlot, words: Words) -> ColumnElement[bool]:
    """An object of one of the fitting classes."""
    kinds: list[ColumnElement[Any]] = [literal_column(str(key)) for key in slot.ids(words)]
    return alias.c.class_id.in_(kinds) if kinds else false()


def _choosing(
    told: Select[Any], slots: int, bits: int, violated: int, required: int, classes: int, turn: int, since: int
) -> Select[Any]:
    """Those that may violate and satisfy what is required: the sure ones first, those in turns that differ; of those
    that do not, the newer ones first."""
    seen = told.subquery("seen")
    objects, has = list(seen.c)[: slots + 1], list(seen.c)[slots + 1 : slots + 1 + bits]
    wrong = [(seen.c[f"wrong_{number}"], seen.c[f"known_{number}"]) for number in range(1, violated + 1)]
    conditions = [
        *(value.is_not(False) for value, _ in wrong),
        *(seen.c[f"right_{number}"].is_(True) for number in range(1, required + 1)),
    ]
    doubts = [case((value.is_(True), 0), (known, 1), else_=2) for value, known in wrong]
    shuffled = func.hash(*objects, *([literal(turn)] if turn else []))
    groups = [*doubts, *has, *(seen.c[f"class_{number}"] for number in range(1, classes + 1))]
    order = [*([seen.c.snapshot < since] if since else []), shuffled, *objects]
    turns = [func.row_number().over(partition_by=groups, order_by=order)] if groups else []
    query = select(*objects, *has).where(*conditions).order_by(*turns, *doubts, *order)
    return query.limit(literal(MOST_ROWS))


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


def _left(until: float) -> float:
    return max(LEAST_SECONDS, until - time.monotonic())


def _answered(database: Database, queries: list[_Query], words: Words, most: int, seconds: float) -> Found:
    started = time.perf_counter()
    texts = [sql_of(query.select, literal=True) for query in queries]
    rows = [database.rows_within(query, seconds) for query in texts]
    milliseconds = (time.perf_counter() - started) * 1000
    several = list(zip(queries, [found or [] for found in rows], strict=True))
    answers = [[_tuple(row[: query.slots + 1]) for row in found] for query, found in several]
    relates = any(query.relates for query in queries)
    if len(answers) == 1:
        choices = _spread(answers[0])
    else:
        choices = _every_pair(answers) if relates else _varied_pairs(answers, most)
    return Found(
        choices if relates else choices[:most],
        ";\n".join(_shown(query, content, words) for query, content in zip(queries, texts, strict=True)),
        tuple(dict.fromkeys(part for query in queries for part in query.residual)),
        milliseconds,
        any(found is None for found in rows),
        relates,
        choices,
        tuple(part for query in queries for part in query.untold),
        dict(pair for query, found in several for pair in _shared(query, found)),
    )


def _shown(query: _Query, content: str, words: Words) -> str:
    """As it can be read, and asked again when the round is over."""
    comment = "".join(f"-- {' '.join(line.split())}\n" for line in query.legend)
    return comment + (with_definitions(content, words.gathered, query.used) if words.gathered else content)


def _shared(query: _Query, rows: list[tuple[Any, ...]]) -> Iterator[tuple[n.Expr, bool]]:
    for position, part in enumerate(query.told, query.slots + 1):
        yield part, all(row[position] for row in rows)


def _tuple(row: tuple[Any, ...]) -> Tuple:
    snapshot, *indices = row
    return tuple((snapshot, index) for index in indices)


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
