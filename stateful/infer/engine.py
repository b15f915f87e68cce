"""The inference engine: routine by routine, template by template, one verdict for each filling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.predicate import ITSELF, Predicate
from stateful.contracts.to_vectors import Truths, to_vectors
from stateful.infer.atoms import Atoms, atoms_of
from stateful.infer.columns import RoutineColumns, ValueTable, columns_of
from stateful.infer.fit import fitted
from stateful.infer.templates import CONSTANT, Template, filled, templates
from stateful.store.database import Database

__all__ = ["Candidate", "Inferred", "add_templates", "infer", "preconditions_given"]

Library: TypeAlias = tuple[Template, ...]

LEAST_TESTS = 3
LEAST_PREMISES = 1
SAMPLE = 40
MOST_IMPLICATIONS = 80


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clause that no test refutes, with the number of tests that could have."""

    kind: str
    expression: n.Expr
    family: str
    support: int

    @property
    def text(self) -> str:
        return text(self.expression)


@dataclass(slots=True)
class Inferred:
    """What an inference did."""

    routines: int = 0
    clauses: int = 0
    new: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def infer(database: Database, classes: Sequence[str] | None = None) -> Inferred:
    """Infer the clauses of every routine, or of the routines of some classes, and write them."""
    done = Inferred()
    table = ValueTable(database)
    routines = routine_rows(database, classes)
    executed = {
        r["id"]: columns_of(database, r["id"], slots_of(r), r["kind"] == "constructor", table) for r in routines
    }
    found = {r["id"]: clauses_of(database, r, executed[r["id"]]) for r in routines}
    _invariants(library_of(database), routines, executed, found)
    done.routines = len(routines)
    with database.transaction():
        for routine in routines:
            done.new += _write(database, routine["id"], found[routine["id"]])
            for candidate in found[routine["id"]]:
                done.kinds[candidate.kind] += 1
                done.clauses += 1
    return done


def library_of(database: Database) -> Library:
    """The templates, with those that the user added."""
    return templates(tuple(added_templates(database)))


def added_templates(database: Database) -> list[str]:
    """What the user added, in the order in which it was added."""
    return [content for (content,) in database.rows("SELECT content FROM about WHERE name = 'template' ORDER BY rowid")]


def add_templates(database: Database, added: Sequence[str]) -> None:
    """Remember more templates; one that cannot be read is not remembered."""
    templates(tuple(added))
    known = added_templates(database)
    new = [text for text in dict.fromkeys(added) if text not in known]
    database.append("about", {"name": ["template"] * len(new), "content": new})


def routine_rows(database: Database, classes: Sequence[str] | None) -> list[dict[str, Any]]:
    rows = database.records(
        "SELECT r.id, r.name, r.kind, r.class_id, k.name AS owner, "
        "(SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id) AS parameters, "
        "EXISTS (SELECT 1 FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass' AND t.changed) AS changes "
        "FROM routines r LEFT JOIN classes k ON k.id = r.class_id WHERE NOT r.helper ORDER BY r.id"
    )
    return [row for row in rows if classes is None or row["owner"] in classes]


def preconditions_given(database: Database, routine: int, premise: n.Expr) -> list[n.Expr]:
    """What held before every passing test of the routine in which `premise` did: `pre(r given A)`."""
    row = next(row for row in routine_rows(database, None) if row["id"] == routine)
    executed = columns_of(database, routine, slots_of(row), row["kind"] == "constructor", ValueTable(database))
    states = passing_of(executed).states()
    held = np.flatnonzero(to_vectors(premise, states).true)
    if not len(held):
        return []
    given = _requires(library_of(database), passing_of(executed).chosen(held.tolist()), least=1)
    return [candidate.expression for candidate in given if candidate.expression != premise]


def slots_of(routine: dict[str, Any]) -> list[str]:
    """The names of a routine's operand slots; what has no receiver has an unused first one."""
    return ["self" if routine["kind"] != "function" else "", *(routine["parameters"] or [])]


def clauses_of(database: Database, routine: dict[str, Any], executed: RoutineColumns) -> list[Candidate]:
    """The clauses of one routine that its tests do not refute, without what others of them imply."""
    return without_implied(candidates_of(database, routine, executed))


def candidates_of(database: Database, routine: dict[str, Any], executed: RoutineColumns) -> list[Candidate]:
    """Every clause of one routine that its tests do not refute."""
    constructor = routine["kind"] == "constructor"
    passing = passing_of(executed)
    if passing.rows < LEAST_TESTS:
        return []
    library = library_of(database)
    found = [] if constructor else list(_requires(library, passing))
    found += _ensures(library, passing, routine, pure=not routine["changes"] and not constructor)
    found += _raises(library, executed)
    written = "SELECT text FROM clauses WHERE routine_id = ? AND status = 'written'"
    said = {content for (content,) in database.rows(written, [routine["id"]])}
    return _distinct(candidate for candidate in found if candidate.text not in said)


def passing_of(executed: RoutineColumns) -> RoutineColumns:
    return executed.chosen([row for row in range(executed.rows) if not executed.exceptions[row]])


def without_implied(candidates: list[Candidate]) -> list[Candidate]:
    """Drop an order between two terms that are equal, and what a list says better than its set or its length."""
    equal = {(c.kind, _ends(c.expression)) for c in candidates if _is_equation(c.expression)}
    listed = {_viewed(c.expression, "list") for c in candidates if c.family == "sequence"}
    mapped = {_viewed(c.expression, "dict") for c in candidates if c.family == "mapping"}
    return [
        c
        for c in candidates
        if not (_is_order(c.expression) and (c.kind, _ends(c.expression)) in equal)
        and not (c.family == "set algebra" and _viewed(c.expression, "set") in listed)
        and not (c.family in ("change", "frame") and _viewed(c.expression, "len") in (listed | mapped) - {None})
    ]


def _viewed(node: n.Expr, view: str) -> n.Expr | None:
    """The operand of which an equation gives this view."""
    match node:
        case n.Comparison(operator="==", left=n.Builtin(name=name, arguments=(operand,))) if name == view:
            return operand
    return None


def _is_equation(node: n.Expr) -> bool:
    return isinstance(node, n.Comparison) and node.operator == "=="


def _is_order(node: n.Expr) -> bool:
    return isinstance(node, n.Comparison) and node.operator in ("<=", ">=")


def _ends(node: n.Expr) -> frozenset[n.Expr]:
    return frozenset((node.left, node.right)) if isinstance(node, n.Comparison) else frozenset()


def _requires(library: Library, passing: RoutineColumns, *, least: int = LEAST_TESTS) -> Iterator[Candidate]:
    states = passing.states()
    atoms = atoms_of(states, old=False)
    for template in library:
        if "requires" in template.kinds:
            yield from _survivors("requires", template, states, Atoms(), _without_result(atoms), least=least)


def _without_result(atoms: Atoms) -> Atoms:
    """A precondition cannot speak of the result."""
    lists = {name: getattr(atoms, name) for name in Atoms.__dataclass_fields__}
    kept = {
        name: [e for e in items if isinstance(e, str) or "result" not in n.slots_of(e)] for name, items in lists.items()
    }
    return Atoms(**kept)


def _ensures(library: Library, passing: RoutineColumns, routine: dict[str, Any], *, pure: bool) -> Iterator[Candidate]:
    """Postconditions. What changes nothing is described by its result alone, and not by asking for itself."""
    before = Atoms() if routine["kind"] == "constructor" else atoms_of(passing, old=True)
    after = atoms_of(_without_void(passing), old=False)
    implications = []
    for template in library:
        if "ensures" not in template.kinds:
            continue
        survivors = _survivors("ensures", template, passing, before, after)
        said = [c for c in survivors if not pure or is_about_result(c.expression, routine["name"])]
        if isinstance(template.expression, n.Implies):
            implications += said
        else:
            yield from said
    yield from sorted(implications, key=lambda c: (-c.support, len(c.text)))[:MOST_IMPLICATIONS]


def _without_void(passing: RoutineColumns) -> RoutineColumns:
    """The columns without `result`, if it always is None."""
    ids = passing.ids(Predicate(ITSELF, ("result",)), False)
    kinds = {passing.table.kinds[value] for value in set(ids.tolist()) if value > 0}
    return replace(passing, slots=[name for name in passing.slots if kinds != {"none"} or name != "result"])


def is_about_result(expression: n.Expr, routine: str) -> bool:
    own = routine.rpartition(".")[2]
    asks_itself = any(isinstance(part, n.Call | n.Attribute) and part.name == own for part in n.walk(expression))
    return "result" in n.slots_of(expression) and not asks_itself and not _is_about_state(expression)


def _is_about_state(expression: n.Expr) -> bool:
    """`set(self) == old(set(self)) | {result}`: what a query leaves as it is happens to suit its result, too."""
    match expression:
        case n.Comparison(operator="==", left=n.Builtin() as left, right=right):
            return "result" not in n.slots_of(left) and any(isinstance(part, n.Old) for part in n.walk(right))
    return False


def _raises(library: Library, executed: RoutineColumns) -> Iterator[Candidate]:
    names = sorted({name[0] for name in executed.exceptions if name})
    if not names or all(executed.exceptions):
        return
    before = atoms_of(executed, old=True)
    exceptions = Atoms(exceptions=names)
    for template in library:
        if "raises" in template.kinds:
            yield from _survivors("raises", template, executed, before, exceptions)


def _survivors(
    kind: str, template: Template, columns: RoutineColumns, before: Atoms, after: Atoms, *, least: int = LEAST_TESTS
) -> Iterator[Candidate]:
    """The fillings of a template that hold on all test cases; most fall on a small sample already."""
    sample = columns.chosen(_sample(columns.rows))
    for filling in filled(template, before, after):
        expression: n.Expr | None = filling
        if "c" in template.holes:
            expression = fitted(filling, columns)
            if expression is None or n.Slot(CONSTANT) in n.walk(expression):
                continue
        if expression is None or says_nothing(expression) or _is_refuted(to_vectors(expression, sample)):
            continue
        truths = to_vectors(expression, columns)
        if not _is_refuted(truths):
            support = supporting(expression, columns, truths, least)
            if support:
                yield Candidate(kind, expression, template.family, support)


def _sample(rows: int) -> list[int]:
    step = max(1, rows // SAMPLE)
    return list(range(0, rows, step))


def _is_refuted(truths: Truths) -> bool:
    """False or undefined somewhere."""
    return bool(truths.false.any() or truths.undefined.any())


def supporting(expression: n.Expr, columns: RoutineColumns, truths: Truths, least: int = LEAST_TESTS) -> int:
    """How many test cases could have refuted the clause; none if that is too few, or if it says nothing."""
    if isinstance(expression, n.Implies):
        return _premises(expression, columns)
    if isinstance(expression, n.Comparison) and any(isinstance(part, n.Raises) for part in n.walk(expression)):
        return _both_sides(expression.left, columns, truths)
    known = int(truths.true.sum())
    return known if known >= least else 0


def _premises(expression: n.Implies, columns: RoutineColumns) -> int:
    """An implication needs tests with its premise true and with it false, and a conclusion that is not always true."""
    premise = to_vectors(expression.premise, columns)
    conclusion = to_vectors(expression.conclusion, columns)
    tested = int((premise.true & conclusion.true).sum())
    says_something = premise.false.any() and not conclusion.true[~conclusion.unknown].all()
    least = 1 if isinstance(expression.premise, n.Raises) else LEAST_PREMISES
    return tested if tested >= least and says_something else 0


def _both_sides(raises: n.Expr, columns: RoutineColumns, truths: Truths) -> int:
    """It was seen to be true of calls that raised and of calls that did not."""
    seen = to_vectors(raises, columns)
    sides = (truths.true & seen.true).any() and (truths.true & seen.false).any()
    return int(truths.true.sum()) if sides else 0


def says_nothing(expression: n.Expr) -> bool:
    """True of every object whatever happens, or said better by another template."""
    match expression:
        case n.Comparison(operator=">=", left=n.Builtin(name="len"), right=n.Constant(value=value)):
            return isinstance(value, int) and value <= 0
        case n.Comparison(operator="is not", left=n.Slot(name="self"), right=n.Constant(value=None)):
            return True
        case n.Comparison(operator="is" | "is not" | "==" | "!=", left=left, right=right) if _is_symmetric(left, right):
            return text(left) > text(right)
        case n.Implies(premise=premise, conclusion=conclusion):
            return premise in (conclusion, n.Old(conclusion))
    return False


def _is_symmetric(left: n.Expr, right: n.Expr) -> bool:
    """Two operands: of `x == y` and `y == x` one is enough."""
    return isinstance(left, n.Slot) and isinstance(right, n.Slot)


def _distinct(candidates: Iterator[Candidate]) -> list[Candidate]:
    """Each clause once; an equation says the same in both directions."""
    kept: dict[tuple[str, object], Candidate] = {}
    for candidate in candidates:
        said: object = _ends(candidate.expression) if _is_equation(candidate.expression) else candidate.text
        kept.setdefault((candidate.kind, said), candidate)
    return list(kept.values())


def _invariants(
    library: Library,
    routines: list[dict[str, Any]],
    executed: dict[int, RoutineColumns],
    found: dict[int, list[Candidate]],
) -> None:
    """What holds of `self` after every routine of a class is an invariant, and no clause of any of its routines."""
    by_class: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for routine in routines:
        if routine["class_id"] is not None and routine["kind"] != "static":
            by_class[routine["class_id"]].append(routine)
    for members in by_class.values():
        makers = [routine["id"] for routine in members if routine["kind"] == "constructor"]
        states = [passing_of(executed[routine["id"]]).of_receiver() for routine in members]
        together = reduce(RoutineColumns.joined, states)
        if not makers or together.rows < LEAST_TESTS * len(members):
            continue
        invariants = list(_holding(library, together))
        texts = {candidate.text for candidate in invariants}
        for routine in members:
            kept = [c for c in found[routine["id"]] if c.text not in texts or c.kind == "raises"]
            found[routine["id"]] = kept
        found[makers[0]] += invariants


def _holding(library: Library, states: RoutineColumns) -> Iterator[Candidate]:
    atoms = atoms_of(states, old=False)
    for template in library:
        if "invariant" in template.kinds:
            yield from _survivors("invariant", template, states, Atoms(), atoms)


def _write(database: Database, routine: int, candidates: list[Candidate]) -> int:
    """Write the clauses of a routine; those that are known keep their history. Gives how many are new."""
    known = {
        (kind, content): (key, status)
        for key, kind, content, status in database.rows(
            "SELECT id, kind, text, status FROM clauses WHERE routine_id = ? AND status <> 'written'", [routine]
        )
    }
    current = {(candidate.kind, candidate.text): candidate for candidate in candidates}
    gone = [key for name, (key, status) in known.items() if name not in current and status != "removed"]
    for key in gone:
        database.run("DELETE FROM clauses WHERE id = ?", [key])
        database.run("DELETE FROM reductions WHERE clause_id = ?", [key])
    fresh = [candidate for name, candidate in current.items() if name not in known]
    start = database.next_id("clauses")
    rows = [
        {
            "id": start + position, "routine_id": routine, "kind": candidate.kind, "text": candidate.text,
            "template": candidate.family, "status": "kept", "support": candidate.support,
            "evidence": f"true of all {candidate.support} test cases that could refute it", "witness": None,
        }
        for position, candidate in enumerate(fresh)
    ]  # fmt: skip
    database.append_rows("clauses", rows)
    return len(rows)
