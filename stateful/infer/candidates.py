"""The candidates of one routine: what the templates make of its operands, and no test case refutes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from stateful.contracts import negate, text
from stateful.contracts import nodes as n
from stateful.contracts.columns import untrue
from stateful.contracts.normalize import ordered
from stateful.contracts.predicate import ITSELF, Predicate, recorded
from stateful.contracts.to_vectors import is_refuted, verdicts_of
from stateful.infer.atoms import Atoms, atoms_of, kinds_of
from stateful.infer.candidate import Candidate
from stateful.infer.columns import RoutineColumns
from stateful.infer.fit import fitted
from stateful.infer.screens import Side, behind, fillings_of, held_behind, premises_of, screened
from stateful.infer.templates import CONSTANTS, Template, choices_of, holes_of, substituted
from stateful.judge.faults import ILL_TYPED

__all__ = [
    "LEAST_TESTS",
    "Library",
    "candidates_of",
    "invariants_of",
    "is_about_result",
    "is_pure",
    "passing_of",
    "requires_of",
    "says_nothing",
    "slots_of",
    "supporting",
]

Library: TypeAlias = tuple[Template, ...]

LEAST_TESTS = 3
LEAST_OF_CHANCE = 8  # for postconditions that are true of every second pair of values anyway: 0.5 ** 8 is under 1 %
OF_CHANCE = ("<", "<=", ">", ">=", "!=", "not in", "is not")


def slots_of(routine: dict[str, Any]) -> list[str]:
    """The names of a routine's operand slots; what has no receiver has an unused first one."""
    return ["self" if routine["kind"] != "function" else "", *(routine["parameters"] or [])]


def is_pure(routine: dict[str, Any]) -> bool:
    """Whether the routine was never seen to change anything."""
    return not routine["changes"] and routine["kind"] != "constructor"


def least_tests(routine: dict[str, Any]) -> int:
    """How many tests a clause needs; of a constructor without parameters there is only one."""
    return 1 if routine["kind"] == "constructor" and not routine["parameters"] else LEAST_TESTS


def passing_of(executed: RoutineColumns) -> RoutineColumns:
    return executed.chosen([row for row in range(executed.rows) if not executed.exceptions[row]])


def candidates_of(
    library: Iterable[Template], routine: dict[str, Any], executed: RoutineColumns, passing: RoutineColumns
) -> list[Candidate]:
    """Every clause of one routine that its tests do not refute; none if too few of them were `passing`."""
    constructor = routine["kind"] == "constructor"
    if passing.rows < least_tests(routine):
        return []
    found = [] if constructor else _asked_for(list(requires_of(library, passing)), executed)
    is_truth = _kinds_of_result(passing) == {"bool"}
    found += [c for c in _ensures(library, passing, routine) if not (is_truth and _is_number(c.expression, passing))]
    found += _raises(library, executed)
    return _distinct(iter(found))


def _asked_for(candidates: list[Candidate], executed: RoutineColumns) -> list[Candidate]:
    """Preconditions, those first without which a call was seen to be refused.

    Two alternatives are none if no call ever was refused where neither held: most just are so."""
    raised = np.array([bool(names) for names in executed.exceptions])
    before = executed.before_only()
    refused = {c for c in candidates if (raised & (verdicts_of(c.expression, before) == 0)).any()}
    kept = [c for c in candidates if c in refused or not isinstance(c.expression, n.Or)]
    return sorted(kept, key=lambda c: c not in refused)


def requires_of(
    library: Iterable[Template], passing: RoutineColumns, *, least: int = LEAST_TESTS
) -> Iterator[Candidate]:
    """What held before every passing call; it cannot speak of the result."""
    states = passing.before_only().without("result")
    atoms = atoms_of(states, old=False)
    for template in library:
        if "requires" in template.kinds:
            yield from _survivors("requires", template, states, Atoms(), atoms, least=least)


def _ensures(library: Iterable[Template], passing: RoutineColumns, routine: dict[str, Any]) -> Iterator[Candidate]:
    """Postconditions. What changes nothing is described by its result alone, and not by asking for itself."""
    before = Atoms() if routine["kind"] == "constructor" else atoms_of(passing, old=True)
    shown = _without_void(passing)
    varied = {0, 1} <= set(np.unique(verdicts_of(n.Slot("result"), passing)).tolist())
    is_truth = _kinds_of_result(passing) == {"bool"}
    after = atoms_of(shown, old=False)
    own = routine["name"] if is_pure(routine) else None
    least = least_tests(routine)
    premises = premises_of(before, passing)
    if premises is not None:
        passing = passing.sampled_at(premises.telling())
    implications: list[Candidate] = []
    for template in library:
        if "ensures" not in template.kinds or (template.commands and own):
            continue
        if "result" in n.slots_of(template.expression) and "result" not in shown.slots:
            continue
        if _tells_when(template.expression) and not varied:
            continue
        if is_truth and _counts_result(template.expression):
            continue
        if template.conditional:
            yield from _conditional(template, passing, before, after, own, least, premises, implications)
        elif isinstance(template.expression, n.Implies):
            implications += _survivors("ensures", template, passing, before, after, own=own)
        else:
            yield from _survivors("ensures", template, passing, before, after, least=least, own=own)
    yield from implications


def _conditional(
    template: Template, passing: RoutineColumns, before: Atoms, after: Atoms, own: str | None, least: int,
    premises: Side | None, implications: list[Candidate],
) -> Iterator[Candidate]:  # fmt: skip
    """What always holds; and what holds wherever a premise did, which is added to the `implications`."""
    choices = choices_of(template, before, after)
    if not all(choices.values()):
        return
    conclusions = []
    for filling in held_behind(premises, template.expression, fillings_of(template, choices), passing):
        expression = substituted(template.expression, filling)
        if says_nothing(expression) or (own is not None and not is_about_result(expression, own)):
            continue
        verdicts = verdicts_of(expression, passing)
        if untrue(verdicts).any():
            conclusions.append((expression, verdicts))
        elif (verdicts == 1).sum() >= least:
            yield Candidate("ensures", expression, template.family, int((verdicts == 1).sum()))
    for implication, support in behind(premises, conclusions):
        if own is None or is_about_result(implication, own):
            implications.append(Candidate("ensures", implication, template.family, support))


def _tells_when(expression: n.Expr) -> bool:
    """`result == (...)` with a truth: that says something only of a result that was seen true and false."""
    if not isinstance(expression, n.Comparison):
        return False
    return isinstance(expression.right, n.Comparison | n.And) or holes_of(expression.right) == {"p"}


def _counts_result(expression: n.Expr) -> bool:
    """`result == 0`: of a truth one says `not result`, which has a template of its own."""
    match expression:
        case n.Comparison(left=n.Slot(name="result"), right=n.Constant(value=int())):
            return True
    return False


def _is_number(expression: n.Expr, passing: RoutineColumns) -> bool:
    """`result == self.size`, `result not in self`: a truth happens to be the number 0 or 1, too."""
    match expression:
        case n.Implies(conclusion=conclusion):
            return _is_number(conclusion, passing)
        case n.Comparison(operator="in" | "not in", left=n.Slot(name="result")):
            return True
        case n.Comparison(operator="==", left=n.Slot(name="result"), right=n.Arithmetic()):
            return True
        case n.Comparison(operator="==", left=n.Slot(name="result"), right=right):
            asked = recorded(right.operand if isinstance(right, n.Old) else right)
            return asked is not None and not kinds_of(passing.coded(asked, isinstance(right, n.Old))[1], passing) <= {
                "bool", "",
            }  # fmt: skip
    return False


def _without_void(passing: RoutineColumns) -> RoutineColumns:
    """The columns without `result`, if it always is None."""
    return passing.without("result") if _kinds_of_result(passing) == {"none"} else passing


def _kinds_of_result(passing: RoutineColumns) -> set[str]:
    ids = passing.ids(Predicate(ITSELF, ("result",)), False)
    return {passing.table.kinds[value] for value in np.unique(ids).tolist() if value > 0}


def is_about_result(expression: n.Expr, routine: str) -> bool:
    """Whether the clause says something about the result, and does not ask the routine itself."""
    own = routine.rpartition(".")[2]
    asks_itself = any(_is_asked_for_itself(part, own) for part in n.walk(expression))
    return "result" in n.slots_of(expression) and not asks_itself and not _is_about_state(expression)


def _is_asked_for_itself(part: n.Expr, own: str) -> bool:
    match part:
        case n.Call(target=n.Slot(), name=name) | n.Attribute(target=n.Slot(), name=name):
            return name == own
        case n.Comparison(operator="in" | "not in", right=n.Slot("self")):
            return own == "__contains__"
        case n.Comparison(operator="==" | "!=", left=n.Slot("self"), right=n.Slot(name)):
            return own in ("__eq__", "__ne__") and name != "result"
    return False


def _is_about_state(expression: n.Expr) -> bool:
    """`set(self) == old(set(self)) | {result}`: what a query leaves as it is happens to suit its result, too."""
    match expression:
        case n.Comparison(operator="==", left=n.Builtin() as left, right=right):
            return "result" not in n.slots_of(left) and any(isinstance(part, n.Old) for part in n.walk(right))
    return False


def _raises(library: Iterable[Template], executed: RoutineColumns) -> Iterator[Candidate]:
    names = sorted({name[0] for name in executed.exceptions if name} - ILL_TYPED)
    if not names or all(executed.exceptions):
        return
    well_typed = executed.chosen([row for row, raised in enumerate(executed.exceptions) if not ILL_TYPED & {*raised}])
    before = atoms_of(well_typed, old=True)
    for name in names:
        exceptions = Atoms(exceptions=[n.Raises(name)])
        for template in library:
            if "raises" in template.kinds:
                yield from _survivors("raises", template, well_typed, before, exceptions)


def invariants_of(library: Iterable[Template], receivers: RoutineColumns) -> Iterator[Candidate]:
    """What holds of the receiver after every call."""
    atoms = atoms_of(receivers, old=False)
    for template in library:
        if "invariant" in template.kinds:
            yield from _survivors("invariant", template, receivers, Atoms(), atoms)


def _survivors(
    kind: str,
    template: Template,
    columns: RoutineColumns,
    before: Atoms,
    after: Atoms,
    *,
    least: int = LEAST_TESTS,
    own: str | None = None,
) -> Iterator[Candidate]:
    """The fillings of a template that hold on all test cases; with `own`, only what this query says by its result."""
    for filling in screened(template, before, after, columns):
        if own is not None and not is_about_result(filling, own):
            continue
        expression = fitted(filling, columns) if CONSTANTS & set(template.holes) else filling
        if expression is None or says_nothing(expression) or is_refuted(expression, columns):
            continue
        enough = LEAST_OF_CHANCE if kind == "ensures" and least > 1 and _is_of_chance(expression) else least
        support = supporting(expression, columns, enough)
        if support:
            yield Candidate(kind, expression, template.family, support)


# Support


def _is_of_chance(expression: n.Expr) -> bool:
    """Orders and differences: a few tests say little for them. Preconditions of this kind are for reduction."""
    return isinstance(expression, n.Comparison) and expression.operator in OF_CHANCE


def supporting(expression: n.Expr, columns: RoutineColumns, least: int = LEAST_TESTS) -> int:
    """How many test cases could have refuted the clause; none if that is too few, or if it says nothing."""
    if isinstance(expression, n.Implies):
        return _premises(expression, columns)
    if isinstance(expression, n.Or):
        return _alternatives(expression, columns, least)
    true = verdicts_of(expression, columns) == 1
    if isinstance(expression, n.Comparison) and _both_sides_vary(expression):
        seen = verdicts_of(expression.left, columns)
        return int(true.sum()) if (true & (seen == 1)).any() and (true & (seen == 0)).any() else 0
    known = int(true.sum())
    return known if known >= least else 0


def _both_sides_vary(expression: n.Comparison) -> bool:
    """An equivalence has to be seen with both sides true, and with both sides false."""
    return any(isinstance(part, n.Raises) for part in n.walk(expression)) or n.is_logic(expression.left)


def _premises(expression: n.Implies, columns: RoutineColumns) -> int:
    """An implication needs tests with its premise true and with it false, and a conclusion that is not always true."""
    premise, conclusion = (verdicts_of(part, columns) for part in (expression.premise, expression.conclusion))
    tested = int(((premise == 1) & (conclusion == 1)).sum())
    return tested if (premise == 0).any() and untrue(conclusion).any() else 0


def _alternatives(expression: n.Or, columns: RoutineColumns, least: int) -> int:
    """A disjunction needs tests in which only one part is true, for each of its parts."""
    parts = [verdicts_of(part, columns) == 1 for part in expression.operands]
    alone = [part & (np.sum(parts, axis=0) == 1) for part in parts]
    return int(np.logical_or.reduce(parts).sum()) if all(one.sum() >= least for one in alone) else 0


def says_nothing(expression: n.Expr) -> bool:
    """True of every object whatever happens, or said better by another template."""
    match expression:
        case n.Comparison(operator=">=", left=n.Builtin(name="len"), right=n.Constant(value=value)):
            return isinstance(value, int) and value <= 0
        case n.Comparison(operator="is not", left=n.Slot(name="self"), right=n.Constant(value=None)):
            return True
        case n.Implies(premise=premise, conclusion=conclusion):
            return premise in (conclusion, n.Old(conclusion))
        case n.Or(operands=(left, right)):
            return left == negate(right) or text(left) > text(right)
        case n.Comparison(left=left, right=right):
            return left == right
    return False


def _distinct(candidates: Iterator[Candidate]) -> list[Candidate]:
    """Each clause once; an equation, a union and the like say the same in both directions."""
    kept: dict[tuple[str, n.Expr], Candidate] = {}
    for candidate in candidates:
        kept.setdefault((candidate.kind, ordered(candidate.expression)), candidate)
    return list(kept.values())
