"""Terms in SQL: what the columns of a recorded value are, and how two values compare as Python compares them.

A term is a bundle of SQL expressions, one for each column of the table `values`. `kind` is NULL where the
term is undefined. `known` is true where the database knows enough: NULL stands for undefined only there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    not_,
    null,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.sql.elements import ColumnElement, False_, True_
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
OPAQUE = ("object", "opaque")
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
    """`static` is the kind that the term has wherever it is defined, if that is certain; a constant always is."""

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
    is_constant: bool = False


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
    return Term(literal(kind), true(), number, real, text, literal(bool(value)), equality, null(), null(), kind, True)


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
    told = or_(_undefined(term), not_(_kind_in(term, OPAQUE)), term.truth.isnot(None))
    return Truth(term.truth, and_(term.known, told))


def whole(term: Term) -> Term:
    """The term where it is an integer, unknown where it is anything else."""
    if term.static in WHOLE:
        return term
    known = and_(term.known, or_(term.kind.is_(None), and_(term.kind.in_(WHOLE), term.integer.isnot(None))))
    return integer(case((term.kind.in_(WHOLE), term.integer)), known)


# What is certain of the kind of a term is not asked in SQL: DuckDB takes longer to plan a question than to answer it


def _undefined(term: Term) -> Sql:
    """Whether the term is undefined, where it is known."""
    return false() if term.is_constant else term.kind.is_(None)


def _kind_in(term: Term, kinds: Sequence[str]) -> Sql:
    """Whether the term, where it is defined, is of one of these kinds."""
    if term.static:
        return true() if term.static in kinds else false()
    return term.kind.in_(kinds) if len(kinds) > 1 else term.kind == kinds[0]


def _chosen(*choices: tuple[Sql, Sql], otherwise: Sql) -> Sql:
    """`CASE`, without the branches that are never taken, and those after one that always is."""
    taken: list[tuple[Sql, Sql]] = []
    for condition, value in choices:
        if isinstance(condition, True_):
            otherwise = value
            break
        if not isinstance(condition, False_):
            taken.append((condition, value))
    return case(*taken, else_=otherwise) if taken else otherwise


def equal(a: Term, b: Term) -> Truth:
    """`a == b`."""
    if a.static and not b.static:
        a, b = b, a
    if b.static in NUMBERS:
        value = _equal_number(a, b)
    elif b.static == "none":
        value = _chosen((or_(_undefined(a), _is_opaque(a)), null()), otherwise=_kind_in(a, ("none",)))
    elif b.static == "str":
        same = and_(_kind_in(a, ("str",)), a.text == b.text)
        value = _chosen((or_(_undefined(a), _is_opaque(a)), null()), otherwise=same)
    elif b.static in (*v.SEQUENCES, *v.SETS):
        value = _equal_items(a, b)
    else:
        value = _equal_recorded(a, b)
    return Truth(value, and_(a.known, b.known, _is_decided(value, a, b)))


def _equal_number(a: Term, b: Term) -> Sql:
    if a.static in WHOLE and b.static in WHOLE:
        return a.integer == b.integer
    return _chosen(
        (or_(_undefined(a), _undefined(b), _is_opaque(a)), null()),
        (and_(_kind_in(a, WHOLE), _kind_in(b, WHOLE)), a.integer == b.integer),
        (_kind_in(a, NUMBERS), and_(a.real == b.real, _is_number(a))),
        otherwise=false(),
    )


def _equal_items(a: Term, b: Term) -> Sql:
    alike = _kind_in(a, v.SETS if b.static in v.SETS else (b.static or "",))
    return _chosen(
        (or_(_undefined(a), _undefined(b), _is_opaque(a)), null()), (alike, a.items == b.items), otherwise=false()
    )


def _equal_recorded(a: Term, b: Term) -> Sql:
    """Equality classes decide, except that a float without one is nan, and equal to nothing."""
    return _chosen(
        (or_(_undefined(a), _undefined(b)), null()),
        (and_(a.equality.isnot(None), b.equality.isnot(None)), a.equality == b.equality),
        (and_(_is_comparable(a), _is_comparable(b)), false()),
        otherwise=null(),
    )


def _is_comparable(term: Term) -> Sql:
    return or_(term.equality.isnot(None), _kind_in(term, ("float",)))


def _is_opaque(term: Term) -> Sql:
    if term.static:
        return false()
    return or_(term.kind.in_(OPAQUE), and_(term.kind.not_in(v.SCALARS), term.equality.is_(None)))


def _is_decided(value: Sql, a: Term, b: Term) -> Sql:
    """NULL is undefined only if one of the terms is; else an object's own `==` would have to be asked."""
    return or_(value.isnot(None), _undefined(a), _undefined(b))


def ordered(compare: Callable[[Any, Any], Any], a: Term, b: Term) -> Truth:
    """`a < b` and its like: numbers with numbers, strings with strings; sets by `subset`, elsewhere."""
    if a.static in WHOLE and b.static in WHOLE:
        return Truth(compare(a.integer, b.integer), and_(a.known, b.known))
    value = _chosen(
        (or_(_undefined(a), _undefined(b)), null()),
        (and_(_kind_in(a, WHOLE), _kind_in(b, WHOLE)), compare(a.integer, b.integer)),
        (and_(_kind_in(a, NUMBERS), _kind_in(b, NUMBERS)), and_(compare(a.real, b.real), _is_number(a), _is_number(b))),
        (and_(_kind_in(a, ("str",)), _kind_in(b, ("str",))), compare(a.text, b.text)),
        otherwise=null(),
    )
    return Truth(value, and_(a.known, b.known, or_(_is_decided(value, a, b), _clash(a, b))))


def _is_number(term: Term) -> Sql:
    """Not nan: DuckDB orders nan above everything, Python nowhere."""
    if term.static in WHOLE:
        return true()
    return or_(_kind_in(term, WHOLE), func.isnan(term.real).is_not(True))


def _clash(a: Term, b: Term) -> Sql:
    """Kinds that Python refuses to order: None with anything recorded, a number with a string or bytes, these two."""
    both = and_(_kind_in(a, v.SCALARS), _kind_in(b, v.SCALARS))
    return and_(both, or_(_kind_in(a, ("none",)), _kind_in(b, ("none",)), _family(a) != _family(b)))


def _family(term: Term) -> Sql:
    """Scalars of one family can be ordered."""
    if term.static:
        return literal("number" if term.static in NUMBERS else term.static)
    return case((term.kind.in_(NUMBERS), "number"), else_=term.kind)
