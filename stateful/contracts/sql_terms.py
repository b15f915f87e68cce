"""Terms in SQL: what the columns of a recorded value are, and how two values compare as Python compares them.

A term is a bundle of SQL expressions, one for each column of the table `values`. `kind` is NULL where the
term is undefined. `known` is true where the database knows enough: NULL stands for undefined only there.
"""

from __future__ import annotations

import math
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
    "HugeInt",
    "Inexpressible",
    "Sql",
    "Term",
    "Truth",
    "constant",
    "equal",
    "integer",
    "ordered",
    "record",
    "truth_of",
]

Sql: TypeAlias = ColumnElement[Any]
NUMBERS = ("int", "bool", "float")
WHOLE = ("int", "bool")
NO_INTEGER, NO_REAL, NO_TEXT = cast(null(), BigInteger), cast(null(), Double), cast(null(), String)


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
    """`static` is the kind that the term has wherever it is defined, if that is certain."""

    kind: Sql
    known: Sql
    integer: Sql
    real: Sql
    text: Sql
    truth: Sql
    equality: Sql
    items: Sql
    object: Sql
    static: str | None = None


def record(row: Any, present: Sql, static: str | None = None) -> Term:
    """The term for a row of `readings`, joined from outside: absent rows are unknown."""
    c = row.c
    return Term(c.kind, present, c.integer, c.real, c.text, c.truth, c.equality, c["items"], c.object, static)


def constant(value: object) -> Term | None:
    """The term for a constant; none for those that the table of values cannot be asked for."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    kind = v.encode(value)[0]
    number: Sql = literal(int(value), BigInteger) if isinstance(value, int) else NO_INTEGER
    real: Sql = _real(float(value)) if isinstance(value, int | float) else NO_REAL
    text: Sql = literal(value, String) if isinstance(value, str) else NO_TEXT
    equality = _equality_of(kind, value)
    return Term(literal(kind), true(), number, real, text, literal(bool(value)), equality, null(), null(), kind)


def _real(value: float) -> Sql:
    """Infinity has no digits: it is written as a text, and read."""
    return literal(value, Double) if math.isfinite(value) else cast(literal(str(value), String), Double)


def _equality_of(kind: str, value: object) -> Sql:
    """The equality of a constant as the table of values has it; a negative number, no value's, if it is not there."""
    known = table("values", column("kind"), column("text"), column("equality"))
    wanted = value if isinstance(value, str) else repr(value)
    found = select(func.min(known.c.equality)).where(known.c.kind == kind, known.c.text == wanted).scalar_subquery()
    return func.coalesce(found, literal(-1 - crc32(wanted.encode(errors="replace")) % 2**30))


def integer(value: Sql, known: Sql) -> Term:
    """The term for computed integers; NULL is undefined."""
    kind = case((value.is_(None), null()), else_=literal("int"))
    return Term(kind, known, value, cast(value, Double), NO_TEXT, value != 0, null(), null(), null(), "int")


def truth_of(term: Term) -> Truth:
    """`bool(term)`."""
    if term.static == "none":
        return Truth(false(), true())
    return Truth(
        term.truth,
        and_(term.known, or_(term.kind.is_(None), term.kind.not_in(("object", "opaque")), term.truth.isnot(None))),
    )


def whole(term: Term) -> Term:
    """The term where it is an integer, unknown where it is anything else."""
    if term.static in WHOLE:
        return term
    known = and_(term.known, or_(term.kind.is_(None), and_(term.kind.in_(WHOLE), term.integer.isnot(None))))
    return integer(case((term.kind.in_(WHOLE), term.integer)), known)


def equal(a: Term, b: Term) -> Truth:
    """`a == b`."""
    if a.static and not b.static:
        a, b = b, a
    if b.static in NUMBERS:
        value = _equal_number(a, b)
    elif b.static == "none":
        value = case((a.kind.is_(None), null()), (_is_opaque(a), null()), else_=a.kind == "none")
    elif b.static == "str":
        value = case((a.kind.is_(None), null()), (_is_opaque(a), null()), else_=and_(a.kind == "str", a.text == b.text))
    elif b.static in (*v.SEQUENCES, *v.SETS):
        value = _equal_items(a, b)
    else:
        value = _equal_recorded(a, b)
    return Truth(value, and_(a.known, b.known, _is_decided(value, a, b)))


def _equal_number(a: Term, b: Term) -> Sql:
    if a.static in WHOLE and b.static in WHOLE:
        return a.integer == b.integer
    return case(
        (or_(a.kind.is_(None), b.kind.is_(None), _is_opaque(a)), null()),
        (and_(a.kind.in_(WHOLE), b.kind.in_(WHOLE)), a.integer == b.integer),
        (a.kind.in_(NUMBERS), and_(a.real == b.real, a.real == a.real, func.isnan(a.real).is_not(True))),
        else_=false(),
    )


def _equal_items(a: Term, b: Term) -> Sql:
    alike = a.kind.in_(v.SETS) if b.static in v.SETS else a.kind == b.static
    return case(
        (or_(a.kind.is_(None), b.kind.is_(None), _is_opaque(a)), null()),
        (alike, a.items == b.items),
        else_=false(),
    )


def _equal_recorded(a: Term, b: Term) -> Sql:
    """Equality classes decide, except that a float without one is nan, and equal to nothing."""
    return case(
        (or_(a.kind.is_(None), b.kind.is_(None)), null()),
        (and_(a.equality.isnot(None), b.equality.isnot(None)), a.equality == b.equality),
        (and_(_is_comparable(a), _is_comparable(b)), false()),
        else_=null(),
    )


def _is_comparable(term: Term) -> Sql:
    return or_(term.equality.isnot(None), term.kind == "float")


def _is_opaque(term: Term) -> Sql:
    if term.static:
        return false()
    return or_(term.kind.in_(("object", "opaque")), and_(term.kind.not_in(v.SCALARS), term.equality.is_(None)))


def _is_decided(value: Sql, a: Term, b: Term) -> Sql:
    """NULL is undefined only if one of the terms is; else an object's own `==` would have to be asked."""
    return or_(value.isnot(None), a.kind.is_(None), b.kind.is_(None))


def ordered(compare: Callable[[Any, Any], Any], a: Term, b: Term) -> Truth:
    """`a < b` and its like: numbers with numbers, strings with strings; sets by `subset`, elsewhere."""
    if a.static in WHOLE and b.static in WHOLE:
        return Truth(compare(a.integer, b.integer), and_(a.known, b.known))
    value = case(
        (or_(a.kind.is_(None), b.kind.is_(None)), null()),
        (and_(a.kind.in_(WHOLE), b.kind.in_(WHOLE)), compare(a.integer, b.integer)),
        (and_(a.kind.in_(NUMBERS), b.kind.in_(NUMBERS)), and_(compare(a.real, b.real), _is_number(a), _is_number(b))),
        (and_(a.kind == "str", b.kind == "str"), compare(a.text, b.text)),
        else_=null(),
    )
    clash = or_(*(_clash(x, y) for x, y in ((a, b), (b, a))))
    return Truth(value, and_(a.known, b.known, or_(_is_decided(value, a, b), clash)))


def _is_number(term: Term) -> Sql:
    """Not nan: DuckDB orders nan above everything, Python nowhere."""
    return or_(term.kind.in_(WHOLE), func.isnan(term.real).is_not(True))


def _clash(a: Term, b: Term) -> Sql:
    """Kinds that Python refuses to order: None with anything recorded, a number with a string."""
    scalars = ("none", "bool", "int", "float", "str", "bytes")
    return or_(
        and_(a.kind == "none", b.kind.in_(scalars)),
        and_(a.kind.in_(NUMBERS), b.kind.in_(("str", "bytes"))),
        and_(a.kind == "str", b.kind == "bytes"),
    )
