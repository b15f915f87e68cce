"""Terms in SQL: what the columns of a recorded value are, and how two values compare as Python compares them.

A term is a bundle of SQL expressions. `kind` is NULL where the term is undefined. `known` is true where the database
knows enough: NULL stands for undefined only there. What comparisons ask of a recorded value is said once, in the join
that brings it (`DERIVED`): DuckDB takes most of its time to parse and plan what is asked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from zlib import crc32

from sqlalchemy import (
    BigInteger,
    Double,
    String,
    and_,
    case,
    cast,
    column,
    false,
    func,
    literal,
    literal_column,
    not_,
    null,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import UserDefinedType

from stateful.contracts import values as v

__all__ = [
    "DERIVED",
    "KNOWN",
    "VALUES",
    "AnyTerm",
    "HugeInt",
    "Inexpressible",
    "Row",
    "Sql",
    "Term",
    "Truth",
    "constant",
    "equal",
    "has_items",
    "integer",
    "made",
    "of_items",
    "ordered",
    "truth_of",
    "whole",
]

Sql: TypeAlias = ColumnElement[Any]
NUMBERS = ("int", "bool", "float")
WHOLE = ("int", "bool")
ESCAPED = re.compile(r"[\x00\ud800-\udfff]|\\x00|\\ud")
EXACT = 2**53
"""Integers below are floats, too, and rounding another number to a float does not change its order to them."""
YES, NOTHING = true(), null()
NO_INTEGER, NO_NUMBER, NO_STRING = cast(null(), BigInteger), cast(null(), Double), cast(null(), String)


class IdList(UserDefinedType[Any]):
    """Equality classes of items."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "INTEGER[]"


class HugeInt(UserDefinedType[int]):
    """DuckDB's integers of 128 bits: sums and products of 64-bit integers do not overflow in them."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "HUGEINT"

    def literal_processor(self, dialect: object) -> Callable[[int], str]:
        return str


@dataclass(frozen=True, slots=True)
class Inexpressible:
    """What a reading cannot express, and why. The caller checks it on the live objects."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth value in SQL: NULL is undefined where `known`, and unknown elsewhere."""

    value: Sql
    known: Sql


@dataclass(frozen=True, slots=True)
class Term:
    """`static` is the kind that the term has wherever it is defined, if that is certain; a constant always is."""

    kind: Sql
    known: Sql
    integer: Sql = NO_INTEGER
    number: Sql = NO_NUMBER
    """A number but nan, which is in no order to anything; rounded, if it is a large integer."""
    string: Sql = NO_STRING
    truth: Sql = NOTHING
    equality: Sql = NOTHING
    items: Sql = NOTHING
    comparable: Sql = YES
    """Defined, and these columns tell what equals it."""
    equable: Sql = YES
    """Known, and `comparable` or undefined."""
    orderable: Sql = YES
    """Known, and these columns tell what it is smaller than; or it is undefined, or Python orders it with nothing."""
    decided: Sql = YES
    """Known, and `truth` is what it is."""
    static: str | None = None
    is_constant: bool = False


class Row:
    """The term for what is recorded, joined from outside; remembers what is `looked_at`: the join gives no more.

    With a `prefix` it is a part of a wider row, in which what is recorded for one predicate begins with that."""

    is_constant = False

    def __init__(self, name: str, static: str | None = None, prefix: str = "") -> None:
        self.name = name
        self.static = static
        self.prefix = prefix
        self.looked_at: list[str] = []

    @property
    def known(self) -> Sql:
        if not self.prefix:
            return literal_column(f"{self.name}.snapshot_id").isnot(None)
        return func.coalesce(self._read(KNOWN, None), false())

    def __getattr__(self, name: str) -> Sql:
        if name not in VALUES and name not in DERIVED:
            raise AttributeError(name)
        read = self._read(name, TYPES.get(name))
        return func.coalesce(read, false()) if name in ASSURED else read

    def _read(self, name: str, kind: Any) -> Sql:
        if name not in self.looked_at:
            self.looked_at.append(name)
        return literal_column(f"{self.name}.{self.prefix}{name}", kind)


KNOWN = "known"
VALUES = ("kind", "integer", "real", "text", "truth", "equality", "items")
TYPES: dict[str, Any] = {"kind": String, "integer": BigInteger, "number": Double, "string": String}
ASSURED = ("equable", "orderable", "decided")  # absent rows are unknown
DERIVED: dict[str, Callable[[Any], Sql]] = {
    "number": lambda v: case((func.isnan(v.real), NO_NUMBER), else_=func.coalesce(v.real, v.integer)),
    "string": lambda v: case((v.kind == "str", v.text)),
    "comparable": lambda v: or_(v.equality.isnot(None), v.kind == "float"),
    "equable": lambda v: or_(v.equality.isnot(None), v.kind == "float", v.kind.is_(None)),
    "orderable": lambda v: or_(
        v.kind.is_(None), v.kind.in_(("none", "str")), v.integer.isnot(None), not_(func.isnan(v.real))
    ),
    "decided": lambda v: or_(v.truth.isnot(None), v.kind.is_(None)),
}  # fmt: skip
"""What a row tells beyond the columns of `values`, where `kind` is NULL if the predicate is undefined."""
AnyTerm: TypeAlias = Term | Row


def constant(value: object) -> Term | None:
    """The term for a constant; none for numbers that a float may not hold exactly, and for texts that are recorded with
    escapes."""
    if isinstance(value, int | float) and EXACT <= abs(value) < math.inf:
        return None
    if isinstance(value, str) and ESCAPED.search(value):
        return None
    kind = v.encode(value)[0]
    return Term(
        literal(kind),
        true(),
        literal(int(value), BigInteger) if isinstance(value, int) else NO_INTEGER,
        _number(float(value)) if isinstance(value, int | float) else NO_NUMBER,
        literal(value, String) if isinstance(value, str) else NO_STRING,
        literal(bool(value)),
        _equality_of(kind, value),
        orderable=false() if kind == "bytes" or value != value else true(),
        static=kind,
        is_constant=True,
    )


def _number(value: float) -> Sql:
    """Infinity has no digits: it is written as a text, and read."""
    if math.isnan(value):
        return NO_NUMBER
    return literal(value, Double) if math.isfinite(value) else cast(literal(str(value), String), Double)


def _equality_of(kind: str, value: object) -> Sql:
    """The equality of a constant as the table of values has it; a negative number, no value's, if it is not there."""
    known = table("values", column("kind"), column("text"), column("equality"))
    wanted = value if isinstance(value, str) else repr(value)
    found = select(func.min(known.c.equality)).where(known.c.kind == kind, known.c.text == wanted).scalar_subquery()
    return func.coalesce(found, literal(-1 - crc32(wanted.encode(errors="replace")) % 2**30))


def integer(value: Sql, known: Sql) -> Term:
    """The term for computed integers; NULL is undefined."""
    return Term(
        case((value.is_(None), null()), else_=literal("int")),
        known,
        value,
        cast(value, Double),
        truth=value != 0,
        comparable=value.isnot(None),
        equable=known,
        orderable=known,
        decided=known,
        static="int",
    )


def has_items(term: AnyTerm) -> Sql:
    """Undefined, or its items are recorded."""
    return or_(term.kind.is_(None), term.items.isnot(None))


def of_items(combined: Sql, *sources: AnyTerm) -> Term:
    """A list or set made of others; unknown where the items of one are, although DuckDB's functions skip NULL."""
    items: Sql = case((and_(*(source.items.isnot(None) for source in sources)), combined), else_=null())
    kind = case((and_(*(source.kind.isnot(None) for source in sources)), literal(sources[0].static)), else_=null())
    known = and_(*(and_(source.known, has_items(source)) for source in sources))
    return made(kind, known, func.len(items) > 0, items, sources[0].static)


def made(kind: Sql, known: Sql, truth: Sql, items: Sql, static: str | None) -> Term:
    """The term for a list or a set that is recorded nowhere."""
    return Term(
        kind, known, truth=truth, items=items, comparable=items.isnot(None), equable=known, orderable=false(),
        decided=known, static=static,
    )  # fmt: skip


def truth_of(term: AnyTerm) -> Truth:
    """`bool(term)`."""
    return Truth(false(), true()) if term.static == "none" else Truth(term.truth, term.decided)


def whole(term: AnyTerm) -> AnyTerm:
    """The term where it is an integer, unknown where it is anything else."""
    if term.static in WHOLE:
        return term
    return integer(term.integer, and_(term.known, or_(term.kind.is_(None), term.integer.isnot(None))))


def equal(a: AnyTerm, b: AnyTerm) -> Truth:
    """`a == b`."""
    if a.static and not b.static:
        a, b = b, a
    if a.static in WHOLE and b.static in WHOLE:
        return Truth(a.integer == b.integer, and_(a.known, b.known))
    same: Sql
    if a is b:
        same = a.equality.isnot(None)  # all but nan
        return Truth(case((a.comparable, same)), a.equable)
    if b.static in NUMBERS:
        same = a.number == b.number
    elif b.static == "none":
        same = a.kind == "none"
    elif b.static == "str":
        same = a.string == b.string
    elif b.static in (*v.SEQUENCES, *v.SETS):
        same = and_(a.kind.in_(v.SETS if b.static in v.SETS else (b.static,)), a.items == b.items)
    else:
        same = a.equality == b.equality
    known = and_(a.equable, b.equable)
    return Truth(case((and_(a.comparable, b.comparable), func.coalesce(same, false()))), known)


def ordered(compare: Callable[[Any, Any], Any], a: AnyTerm, b: AnyTerm) -> Truth:
    """`a < b` and its like: numbers with numbers, strings with strings; sets by `subset`, elsewhere."""
    if a.static in WHOLE and b.static in WHOLE:
        return Truth(compare(a.integer, b.integer), and_(a.known, b.known))
    ways = []
    if _both(a, b, WHOLE) and not (a.is_constant or b.is_constant):
        ways.append(compare(a.integer, b.integer))
    if _both(a, b, NUMBERS):
        ways.append(compare(a.number, b.number))
    if _both(a, b, ("str",)):
        ways.append(compare(a.string, b.string))
    value = func.coalesce(*ways) if len(ways) > 1 else ways[0] if ways else null()
    return Truth(value, and_(a.orderable, b.orderable))


def _both(a: AnyTerm, b: AnyTerm, kinds: tuple[str, ...]) -> bool:
    return all(term.static is None or term.static in kinds for term in (a, b))
