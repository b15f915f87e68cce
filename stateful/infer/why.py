"""Why a clause is not among the inferred ones: refuted, implied, too little support, or never made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.columns import UNDEFINED, UNKNOWN
from stateful.contracts.predicate import bound
from stateful.contracts.to_vectors import atoms_in, to_vectors
from stateful.infer.candidates import (
    LEAST_TESTS,
    candidates_of,
    is_about_result,
    is_pure,
    passing_of,
    says_nothing,
    slots_of,
    supporting,
)
from stateful.infer.columns import RoutineColumns, ValueTable, columns_of
from stateful.infer.engine import library_of, routine_rows, shapes_of, worth_saying
from stateful.infer.plain import plainly, plainly_said
from stateful.infer.synonyms import Synonyms, synonyms_of
from stateful.store.database import Database

__all__ = ["Why", "why"]


@dataclass(frozen=True, slots=True)
class Why:
    """The answer for one routine and kind of clause; `test` is the test case that refuted or removed it."""

    routine: str
    kind: str
    verdict: str
    test: int | None = None
    values: tuple[str, ...] = ()


def why(database: Database, expression: n.Expr, routine: str | None, classes: list[str] | None) -> list[Why]:
    """One answer for each routine that has the operands the clause speaks of, and for each kind that it could be."""
    table = ValueTable(database)
    found = []
    for row in routine_rows(database, classes):
        if routine is not None and routine not in (
            row["name"],
            row["name"].partition(":")[2],
            row["name"].rpartition(".")[2],
        ):
            continue
        slots = {*slots_of(row), "result"} | ({"self"} if row["kind"] == "constructor" else set())
        if not set(n.slots_of(expression)) <= slots:
            continue
        executed = columns_of(database, shapes_of([row]), table)[row["id"]]
        if executed.rows:
            asked = plainly_said(expression, passing_of(executed).plain_slots())
            found += [_answer(database, row, kind, asked, executed) for kind in _kinds(expression, row["kind"])]
    return found


def _kinds(expression: n.Expr, routine_kind: str) -> list[str]:
    parts = list(n.walk(expression))
    if any(isinstance(part, n.Raises) for part in parts):
        return ["raises"]
    if routine_kind == "constructor" or any(isinstance(part, n.Old) or part == n.Slot("result") for part in parts):
        return ["ensures"]
    return ["requires", "ensures"]


def _answer(database: Database, row: dict[str, Any], kind: str, expression: n.Expr, executed: RoutineColumns) -> Why:
    told = _told(database, row, kind, expression)
    if told is not None:
        return told
    passing = passing_of(executed)
    columns = executed if kind == "raises" else passing.before_only() if kind == "requires" else passing
    truths = to_vectors(expression, columns)
    wrong = np.flatnonzero(truths.false | truths.undefined)
    if len(wrong):
        place = int(wrong[0])
        how = "false" if truths.false[place] else "undefined"
        verdict = f"refuted: {how} in {len(wrong)} of {columns.rows} test cases, such as this one"
        return Why(row["name"], kind, verdict, int(columns.tests[place]), tuple(_values(expression, columns, place)))
    return Why(row["name"], kind, _unrefuted(database, row, kind, expression, columns, executed))


def _told(database: Database, row: dict[str, Any], kind: str, expression: n.Expr) -> Why | None:
    """What the list of contracts says of it, for this routine or as an invariant of its class."""
    for status, evidence, witness, of in database.rows(
        "SELECT c.status, c.evidence, c.witness, c.kind FROM clauses c JOIN routines r ON r.id = c.routine_id "
        "WHERE c.text = ? AND ((c.routine_id = ? AND c.kind = ?) OR (c.kind = 'invariant' AND r.class_id = ?)) LIMIT 1",
        [text(expression), row["id"], kind, row["class_id"]],
    ):
        invariant = "it is an invariant of the class; " if of == "invariant" else ""
        return Why(row["name"], kind, f"{invariant}{status}: {evidence or 'no evidence is needed'}", witness)
    return None


def _unrefuted(
    database: Database, row: dict[str, Any], kind: str, expression: n.Expr, columns: RoutineColumns,
    executed: RoutineColumns,
) -> str:  # fmt: skip
    """No test case refutes it. Why was it not inferred?"""
    truths = to_vectors(expression, columns)
    if says_nothing(expression):
        return "it is true of everything, or another clause says it better"
    if not truths.true.any():
        missing = [text(atom) for atom in _atoms(expression, columns, unknown=True)]
        return f"never evaluated: {', '.join(missing) or 'its parts'} is known in none of {columns.rows} test cases"
    if not supporting(expression, columns):
        return _support(expression, columns, int(truths.true.sum()))
    passing = passing_of(executed)
    plain = passing.plain_slots()
    made = candidates_of(library_of(database), row, executed, passing)
    own = [
        candidate for candidate in plainly(made, plain) if (candidate.kind, candidate.text) == (kind, text(expression))
    ]
    if own and own[0] not in worth_saying(made, row, passing, _synonyms(database, row)):
        return "implied: a clause that was inferred says as much or more about the same operands"
    if kind == "ensures" and is_pure(row) and not is_about_result(expression, row["name"]):
        return "this routine changes nothing, and is described by its result alone"
    return (
        "true of all test cases, but no template makes a clause of this form; add one to `templates` of [tool.stateful]"
    )


def _synonyms(database: Database, row: dict[str, Any]) -> Synonyms:
    if row["class_id"] is None:
        return Synonyms()
    members = routine_rows(database, [row["owner"]])
    return synonyms_of(list(columns_of(database, shapes_of(members), ValueTable(database)).values()))


def _support(expression: n.Expr, columns: RoutineColumns, known: int) -> str:
    """What the tests did not show."""
    if isinstance(expression, n.Implies):
        premise, conclusion = to_vectors(expression.premise, columns), to_vectors(expression.conclusion, columns)
        counts = [int(one.sum()) for one in (premise.true, premise.false, conclusion.true)]
        return (
            f"too little support: in {columns.rows} test cases the premise was true in {counts[0]} and false in "
            f"{counts[1]}, the conclusion true in {counts[2]}"
        )
    return f"too little support: known in {known} of {columns.rows} test cases; {LEAST_TESTS} are needed, on both sides"


def _atoms(expression: n.Expr, columns: RoutineColumns, *, unknown: bool) -> list[n.Expr]:
    """The recorded parts of the expression; with `unknown`, those that are known nowhere."""
    found = []
    for atom in atoms_in(expression, columns):
        if atom.predicate is not None:
            nowhere = bool((columns.ids(atom.predicate, atom.old) == UNKNOWN).all())
            if nowhere or not unknown:
                part = bound(atom.predicate.text, atom.predicate.slots)
                found.append(n.Old(part) if atom.old else part)
    return found


def _values(expression: n.Expr, columns: RoutineColumns, place: int) -> list[str]:
    """The values of the parts of the expression in one test case."""
    shown = []
    for atom in atoms_in(expression, columns):
        if atom.predicate is None or (atom.predicate.text == "$" and len(list(n.walk(expression))) > 1):
            continue
        value = int(columns.ids(atom.predicate, atom.old)[place])
        if value == UNKNOWN:
            continue
        part = bound(atom.predicate.text, atom.predicate.slots)
        told = "undefined" if value == UNDEFINED else repr(columns.value(value, atom.old))
        shown.append(f"{text(n.Old(part) if atom.old else part)} is {told}")
    return shown
