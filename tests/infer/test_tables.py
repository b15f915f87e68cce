"""Many fillings at once: the same as one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.columns import UNDEFINED
from stateful.contracts.to_vectors import verdicts_of
from stateful.infer.atoms import Atoms, atoms_of
from stateful.infer.candidates import passing_of
from stateful.infer.columns import RoutineColumns, ValueTable, columns_of
from stateful.infer.engine import routine_rows, shapes_of
from stateful.infer.screens import behind, fillings_of, held_behind, premises_of
from stateful.infer.tables import Fillings, unrefuted
from stateful.infer.templates import CONSTANTS, Template, choices_of, exchangeable, substituted, templates
from stateful.store.database import Database

TEMPLATES = [template for template in templates() if not CONSTANTS & set(template.holes)]


@pytest.fixture(scope="module")
def merging(linked_list: Path) -> RoutineColumns:
    """Test cases of a routine with two objects."""
    with Database.open(linked_list, read_only=True) as database:
        row = next(row for row in routine_rows(database, None) if row["name"].endswith(".merge_left"))
        return passing_of(columns_of(database, shapes_of([row]), ValueTable(database))[row["id"]])


def choices(template: Template, columns: RoutineColumns) -> dict[str, list[n.Expr]]:
    return choices_of(template, atoms_of(columns, old=True), atoms_of(columns, old=False))


@pytest.mark.parametrize("template", [t for t in TEMPLATES if isinstance(t.expression, n.Comparison)])
def test_a_matrix_says_what_each_filling_says(merging: RoutineColumns, template: Template) -> None:
    fillings = fillings_of(template, choices(template, merging))
    kept = {
        substituted(template.expression, filling): judged
        for filling, judged in unrefuted(
            template.expression, fillings, merging, lambda verdicts: ((verdicts == 0) | (verdicts == -1)).any(axis=1)
        )
    }
    for filling in fillings:
        expression = substituted(template.expression, filling)
        verdicts = verdicts_of(expression, merging)[merging.sample]
        refuted = bool(((verdicts == 0) | (verdicts == UNDEFINED)).any())
        assert (expression not in kept) <= refuted
        if kept.get(expression):
            assert not refuted


def test_fillings_differ_and_come_in_order() -> None:
    a, b, c = map(parse, "abc")
    several = Fillings(["n", "m"], {"n": [a, b], "m": [b, c]})
    assert list(several) == [{"n": a, "m": b}, {"n": a, "m": c}, {"n": b, "m": c}]
    assert len(Fillings(["n", "m"], {"n": [a, b], "m": []})) == 0
    assert list(Fillings([], {})) == [{}]


def test_what_commutes_is_filled_once() -> None:
    same = [parse("a"), parse("b"), parse("c")]
    pairs = exchangeable(parse("result == hole_n + hole_m"))
    assert pairs == (("m", "n"),)
    assert len(Fillings(["n", "m"], {"n": same, "m": same}, pairs)) == 3
    assert exchangeable(parse("result == hole_n - hole_m")) == ()
    assert exchangeable(parse("list(result) == hole_s + hole_t")) == ()
    assert exchangeable(parse("hole_x == hole_y")) == (), "classes have their own equality"


@pytest.mark.parametrize("template", [template for template in TEMPLATES if template.conditional])
def test_a_conclusion_behind_a_premise_is_not_lost(merging: RoutineColumns, template: Template) -> None:
    premises = premises_of(atoms_of(merging, old=True), merging)
    assert premises is not None
    columns = merging.sampled_at(premises.telling())
    fillings = fillings_of(template, choices(template, columns))

    def found(several: list[dict[str, n.Expr]]) -> list[tuple[n.Implies, int]]:
        made = [substituted(template.expression, filling) for filling in several]
        conclusions = [(one, verdicts_of(one, columns)) for one in made]
        return list(behind(premises, [(one, verdicts) for one, verdicts in conclusions if (verdicts < 1).any()]))

    assert found(list(held_behind(premises, template.expression, fillings, columns))) == found(list(fillings))


def test_before_the_call_is_looked_up_once(merging: RoutineColumns) -> None:
    before = merging.before_only()
    term = parse("len(self)")
    assert np.array_equal(
        verdicts_of(parse("len(self) > 0"), before), verdicts_of(parse("old(len(self) > 0)"), merging)
    )
    assert atoms_of(before, old=False).integers == atoms_of(before, old=True).integers != Atoms().integers
    assert term in atoms_of(before, old=False).integers


@pytest.mark.parametrize("text", ["{n} <= {m}", "{n} == old({n}) + old({m})", "{n} == {m}"])
def test_integers_are_judged_as_matrices(merging: RoutineColumns, text: str) -> None:
    template = next(template for template in TEMPLATES if template.text == text)
    fillings = fillings_of(template, choices(template, merging))
    nothing = np.zeros(0, bool)
    judged = [
        judged for _, judged in unrefuted(template.expression, fillings, merging, lambda v: np.resize(nothing, len(v)))
    ]
    assert sum(judged) > len(judged) / 2
