"""Of several clauses about the order of two terms only those are kept that say most."""

from __future__ import annotations

import pytest

from stateful.contracts import parse, text
from stateful.infer.candidate import Candidate
from stateful.infer.orders import other_way_said, without_weaker_orders


def kept(*said: str, kind: str = "requires") -> list[str]:
    return [one.text for one in without_weaker_orders([Candidate(kind, parse(each), "", 9) for each in said])]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("not a > b", "a <= b"),
        ("not a > b", "a < b"),
        ("not b <= a", "a < b"),
        ("not a <= 0", "a >= 1"),
        ("not a >= 7", "a <= 6"),
        ("not a > 7", "a <= 7"),
        ("not a > b", "b == a"),
        ("a <= b", "a < b"),
        ("a >= b", "a == b"),
        ("implies(p, not a <= 0)", "implies(p, a > 0)"),
    ],
)
def test_the_weaker_is_dropped_wherever_it_stands(weaker: str, stronger: str) -> None:
    assert kept(weaker, stronger) == kept(stronger, weaker) == [stronger]


@pytest.mark.parametrize(
    "said",
    [
        ("not a > b", "not b > a"),  # of two denials none says more
        ("a <= b", "a != b"),
        ("not a < b", "a <= b"),
        ("not a <= 1", "a >= 1"),
        ("not a < 1", "a < 2"),
        ("not a <= 0", "implies(p, a >= 1)"),
        ("implies(p, not a <= 0)", "implies(q, a >= 1)"),
        ("a >= 1", "a >= 2"),  # learned bounds: each template has its own
    ],
)
def test_what_does_not_follow_is_kept(said: tuple[str, ...]) -> None:
    assert kept(*said) == list(said)


def test_a_denied_order_can_be_said_without_denial() -> None:
    assert text(other_way_said(parse("not a <= 0"))) == "a > 0"
    assert text(other_way_said(parse("not a == 0"))) == "not a == 0"
