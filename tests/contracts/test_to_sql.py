"""What SQL cannot express is a typed answer, and leaves no trace in the query."""

from __future__ import annotations

import pytest
from sqlalchemy import column, table

from stateful.contracts import parse
from stateful.contracts.to_sql import Inexpressible, Place, SqlReader, Truth
from stateful.store.database import sql_of


def reader(known: frozenset[str] | None = None) -> SqlReader:
    place = table("o", column("snapshot_id"), column("index"))
    return SqlReader({name: Place(place.c.snapshot_id, place.c.index) for name in ("self", "v")}, known=known)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("all(x > 0 for x in self)", "quantifies over items"),
        ("self.has(v + 1)", "has no form in SQL"),
        ("raises(KeyError)", "has no form in SQL"),
        ("nobody.is_empty()", "is not among the operands"),
        ("list(self)[v:] == list(v)", "bound"),
        ("v in self.items", "no recorded list or set"),
        ("v == 2 ** 70", None),
        (r"v == '\x00'", "a text with escapes"),
        (r"v in ('\ud800', 'a')", "a text with escapes"),
    ],
)
def test_what_is_not_expressible_is_said(source: str, why: str | None) -> None:
    if why is None:
        source, why = f"v == {10**400}", "beyond 53 bits"
    answer = reader().read(parse(source))
    assert isinstance(answer, Inexpressible)
    assert why in str(answer)


def test_a_refused_part_joins_nothing() -> None:
    asking = reader()
    assert isinstance(asking.read(parse("self.is_empty() and self.has(v + 1)")), Inexpressible)
    assert asking.joins == []


def test_a_predicate_that_was_never_recorded_is_left_to_the_live_objects() -> None:
    answer = reader(frozenset({"len($)"})).read(parse("self.is_empty()"))
    assert isinstance(answer, Inexpressible)
    assert "never recorded" in answer.why


def test_one_predicate_is_joined_once() -> None:
    asking = reader()
    truth = asking.read(parse("len(self) > 1 and len(self) < 9"))
    assert isinstance(truth, Truth)
    assert len(asking.joins) == 1
    assert sql_of(truth.value, literal=True) == "r1.integer > 1 AND r1.integer < 9"
