"""The clauses that wait for reduction, and what to search for in order to violate each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stateful.contracts import conjuncts, negate, parse
from stateful.contracts import nodes as n
from stateful.errors import ExpressionError
from stateful.infer.engine import preconditions_given
from stateful.store.database import Database
from stateful.subject.model import RECEIVING

__all__ = ["Challenge", "Clause", "challenges", "pending", "starving", "written_preconditions"]

MOST_PREMISES = 6


@dataclass(frozen=True, slots=True)
class Clause:
    """An inferred clause with what is needed to search for its violators."""

    id: int
    kind: str
    expression: n.Expr
    routine_id: int
    routine: str
    routine_kind: str
    owner: str | None
    parameters: tuple[str, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots that a call fills, in order."""
        receiver = ("self",) if self.routine_kind in RECEIVING else ()
        return (*receiver, *self.parameters)


@dataclass(frozen=True, slots=True)
class Challenge:
    """One way in which a clause might fall: `violated` may also be undefined, what is `required` has to be true."""

    violated: tuple[n.Expr, ...]
    required: tuple[n.Expr, ...] = ()


PENDING = """
SELECT c.id, c.kind, c.text, r.id, r.name, r.kind, k.name,
       (SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id)
FROM clauses c JOIN routines r ON r.id = c.routine_id LEFT JOIN classes k ON k.id = r.class_id
WHERE c.status IN ('kept', 'guards') AND c.kind IN ('requires', 'ensures', 'raises')
  AND NOT EXISTS (SELECT 1 FROM reductions d WHERE d.clause_id = c.id AND d.violating > 0)
  AND (SELECT count(*) FROM reductions d WHERE d.clause_id = c.id) < 2
ORDER BY list_position(['requires', 'raises', 'ensures'], c.kind), r.id, c.id
"""


STARVING = """
SELECT r.id, r.name, r.kind, k.name,
       (SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id)
FROM routines r LEFT JOIN classes k ON k.id = r.class_id
WHERE EXISTS (SELECT 1 FROM clauses c WHERE c.routine_id = r.id AND c.status = 'written' AND c.kind = 'requires')
  AND r.kind = 'method'
  AND (SELECT count(*) FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass') < ?
ORDER BY r.id
"""


def pending(database: Database, classes: Sequence[str] | None) -> Iterator[Clause]:
    """The clauses that were not violated yet, preconditions first."""
    for key, kind, content, routine_id, name, routine_kind, owner, parameters in database.rows(PENDING):
        if classes is None or owner in classes:
            yield Clause(key, kind, parse(content), routine_id, name, routine_kind, owner, tuple(parameters or ()))


def starving(database: Database, classes: Sequence[str] | None, few: int) -> Iterator[Clause]:
    """Routines with fewer passing tests than `few`: their written precondition itself is what has to be reached."""
    for routine_id, name, kind, owner, parameters in database.rows(STARVING, [few]):
        if classes is None or owner in classes:
            yield Clause(0, "requires", n.Constant(True), routine_id, name, kind, owner, tuple(parameters or ()))


def written_preconditions(database: Database, clause: Clause) -> tuple[n.Expr, ...]:
    """The written precondition of the clause's routine as conjuncts, as far as it can be read."""
    rows = database.rows(
        "SELECT text FROM clauses WHERE routine_id = ? AND status = 'written' AND kind = 'requires' ORDER BY id",
        [clause.routine_id],
    )
    return tuple(part for (content,) in rows for part in _parts(content))


def _parts(content: str) -> tuple[n.Expr, ...]:
    try:
        return conjuncts(parse(content))
    except ExpressionError:
        return ()


def challenges(database: Database, clause: Clause) -> Iterator[Challenge]:
    """What to search for. For `implies(old(A), C)`: A, and not what always held before the calls in which A did."""
    expression = clause.expression
    if clause.kind == "requires":
        yield Challenge(conjuncts(negate(expression)))
    elif clause.kind == "raises":
        yield from _other_sides(expression)
    elif isinstance(expression, n.Implies) and isinstance(expression.premise, n.Old):
        premise = expression.premise.operand
        for precondition in preconditions_given(database, clause.routine_id, premise)[:MOST_PREMISES]:
            yield Challenge(conjuncts(negate(precondition)), conjuncts(premise))


def _other_sides(expression: n.Expr) -> Iterator[Challenge]:
    """Objects on either side of `raises(E) == old(p)`, and on the far side of `implies(raises(E), old(p))`."""
    if isinstance(expression, n.Implies) and isinstance(expression.conclusion, n.Old):
        yield Challenge(conjuncts(negate(expression.conclusion.operand)))
    elif isinstance(expression, n.Comparison) and isinstance(expression.right, n.Old):
        yield Challenge((), conjuncts(expression.right.operand))
        yield Challenge(conjuncts(negate(expression.right.operand)))
