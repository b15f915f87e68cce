"""All readings of an expression agree: live objects, vectors, SQL; negation and normal form keep the meaning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stateful.contracts import Moment, conjuncts, evaluate, negate, parse, text
from stateful.contracts import nodes as n
from stateful.contracts.to_sql import Inexpressible
from stateful.contracts.to_vectors import to_vectors
from stateful.store.database import Database
from tests.contracts.expressions import expressions, with_old, with_quantifiers, worlds
from tests.contracts.world import NAMES, World, WorldColumns

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=120)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path: Path = tmp_path_factory.mktemp("world") / "world.db"
    with Database.create(path) as made:
        yield made


def moment(operands: list[object]) -> Moment:
    return Moment(dict(zip(NAMES, operands, strict=True)))


@given(st.one_of(with_quantifiers, with_old))
def test_text_is_read_back_as_the_same_tree(node: n.Expr) -> None:
    assert parse(text(node)) == node


@given(with_quantifiers, worlds())
def test_a_negation_is_the_opposite_and_undefined_where_it_is(node: n.Expr, operands: list[object]) -> None:
    truth = evaluate(node, moment(operands))
    assert evaluate(negate(node), moment(operands)) == (None if truth is None else not truth)


@given(with_quantifiers, worlds())
def test_the_conjunctive_normal_form_is_equivalent(node: n.Expr, operands: list[object]) -> None:
    parts = [evaluate(part, moment(operands)) for part in conjuncts(node)]
    together = False if False in parts else None if None in parts else True
    assert together == evaluate(node, moment(operands))


@relaxed
@given(expressions, st.lists(worlds(), min_size=1, max_size=3))
def test_sql_agrees_with_live_objects(database: Database, node: n.Expr, snapshots: list[list[object]]) -> None:
    world = World(database, snapshots)
    for number, operands in enumerate(snapshots):
        answer = world.in_sql(node, number)
        if isinstance(answer, Inexpressible):
            assert answer.why
            continue
        truth, known = answer
        if truth is not None or known:
            assert truth == evaluate(node, moment(operands)), text(node)


@relaxed
@given(with_old, st.lists(worlds(), min_size=1, max_size=3), st.data())
def test_vectors_agree_with_live_objects(
    database: Database, node: n.Expr, snapshots: list[list[object]], data: st.DataObject
) -> None:
    world = World(database, snapshots)
    numbers = st.integers(0, len(snapshots) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4))
    raised = [data.draw(st.sampled_from([(), ("IndexError", "LookupError", "Exception")])) for _ in pairs]
    truths = to_vectors(node, WorldColumns(world, pairs, raised))
    for row, (before, after) in enumerate(pairs):
        if truths.unknown[row]:
            continue
        states = [dict(zip(NAMES, snapshots[number], strict=True)) for number in (before, after)]
        expected = evaluate(node, Moment(states[0], states[1], raised[row]))
        assert (bool(truths.true[row]), bool(truths.false[row])) == (expected is True, expected is False), text(node)


@settings(relaxed, max_examples=30)
@given(st.lists(worlds(), min_size=1, max_size=3))
def test_simple_predicates_are_known_everywhere(database: Database, snapshots: list[list[object]]) -> None:
    """The agreement above is worth little if everything is unknown."""
    world = World(database, snapshots)
    for source in (
        "self.is_empty()",
        "len(self) > len(other)",
        "list(self) == list(other)",
        "self is other",
        "v is None",
    ):
        for number, operands in enumerate(snapshots):
            answer = world.in_sql(parse(source), number)
            assert not isinstance(answer, Inexpressible)
            assert answer == (evaluate(parse(source), moment(operands)), True)
        truths = to_vectors(parse(source), WorldColumns(world, [(0, 0)], [()]))
        assert not truths.unknown.any()
