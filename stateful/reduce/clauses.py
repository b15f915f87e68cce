"""The clauses that wait for reduction, and what to search for in order to violate each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from stateful.contracts import conjuncts, negate
from stateful.contracts import nodes as n
from stateful.contracts.normalize import ordered
from stateful.reduce.known import Known, readable
from stateful.reduce.scope import Scope
from stateful.reduce.unlike import in_common
from stateful.store.database import Database
from stateful.subject.model import RECEIVING

__all__ = [
    "Challenge",
    "Clause",
    "border",
    "challenges",
    "commands_on",
    "fitted",
    "groups_of",
    "is_implied",
    "is_unconditional",
    "pending",
    "starving",
]


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
    turn: int = 0
    """How often it was challenged before: other objects come first then."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots that a call fills, in order."""
        receiver = ("self",) if self.routine_kind in RECEIVING else ()
        return (*receiver, *self.parameters)


@dataclass(frozen=True, slots=True)
class Challenge:
    """One way in which a clause might fall: `violated` may also be undefined, what is `required` has to be true.

    The objects to try should differ in which of `varied` are true of them."""

    violated: tuple[n.Expr, ...] = ()
    required: tuple[n.Expr, ...] = ()
    varied: tuple[n.Expr, ...] = ()
    every: bool = False
    """Values are searched for every slot, also for those that it does not speak of."""


MOST_OTHERS = 2  # preconditions of the same routine that hold meanwhile
PENDING = """
SELECT c.id, c.kind, c.text, r.id, r.name, r.kind, k.name,
       (SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id),
       (SELECT count(*) FROM reductions d WHERE d.clause_id = c.id)
FROM clauses c JOIN routines r ON r.id = c.routine_id LEFT JOIN classes k ON k.id = r.class_id
WHERE c.status IN ('kept', 'guards') AND ($1 OR (
      NOT EXISTS (SELECT 1 FROM reductions d
                  WHERE d.clause_id = c.id AND d.violating > 0 AND d.verdict <> 'unfinished')
  AND (SELECT count(*) FROM reductions d WHERE d.clause_id = c.id AND d.verdict <> 'unfinished') < 2))
ORDER BY list_position(['requires', 'raises', 'ensures', 'invariant'], c.kind), r.id, c.rank, c.id
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
CALLABLE = """
SELECT r.id, r.name, r.kind, k.name,
       (SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id)
FROM routines r JOIN classes k ON k.id = r.class_id
WHERE k.name = ? AND r.kind IN ('method', 'setter') AND NOT r.helper AND r.queried IS NOT TRUE
  AND EXISTS (SELECT 1 FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass' AND t.changed IS NOT FALSE)
ORDER BY r.id
"""


def pending(database: Database, scope: Scope) -> Iterator[Clause]:
    """The clauses that were not violated yet, preconditions first; or that which somebody asked for."""
    for key, kind, content, routine_id, name, routine_kind, owner, parameters, turn in database.rows(
        PENDING, [scope.asked_for]
    ):
        expression = readable(content) if scope.holds(owner, name, content) else None
        if expression is not None:
            slots = tuple(parameters or ())
            yield Clause(key, kind, expression, routine_id, name, routine_kind, owner, slots, turn)


def groups_of(waiting: Iterable[Clause]) -> list[list[Clause]]:
    """Those that are challenged by the same calls are together; preconditions come first."""
    groups: dict[tuple[int, ...], list[Clause]] = defaultdict(list)
    premises: dict[n.Expr | None, int] = {}
    for clause in waiting:
        groups[_turn(clause, premises.setdefault(_premise(clause), len(premises)))].append(clause)
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


def _turn(clause: Clause, premise: int) -> tuple[int, ...]:
    """When a clause is challenged, and what it has in common with those that share its calls: the postconditions of a
    routine have these, those with a premise if it is the same, and so have the invariants of a class."""
    if clause.kind in ("requires", "raises"):
        return 0 if clause.kind == "requires" else 2, clause.id
    return 1 if is_unconditional(clause) else 2, clause.routine_id, clause.kind == "invariant", premise


def is_unconditional(clause: Clause) -> bool:
    """Invariants, and postconditions that hold whatever was before."""
    return clause.kind == "invariant" or (clause.kind == "ensures" and _premise(clause) is None)


def _premise(clause: Clause) -> n.Expr | None:
    """What has to be true before the call for a conditional postcondition to say anything."""
    match clause.expression:
        case n.Implies(premise=n.Old(operand=premise)) if clause.kind == "ensures":
            return premise
    return None


def starving(database: Database, scope: Scope, few: int) -> Iterator[Clause]:
    """Routines with fewer passing tests than `few`: their written precondition itself is what has to be reached."""
    for routine_id, name, kind, owner, parameters in database.rows(STARVING, [few]):
        if scope.clause is None and scope.holds(owner, name):
            yield _nothing(routine_id, name, kind, owner, parameters)


def commands_on(database: Database, owner: str) -> list[Clause]:
    """The commands of a class, as clauses that say nothing: what is called to challenge its invariants."""
    return [_nothing(*row) for row in database.rows(CALLABLE, [owner])]


def _nothing(routine_id: int, name: str, kind: str, owner: str, parameters: list[str] | None) -> Clause:
    return Clause(0, "requires", n.Constant(True), routine_id, name, kind, owner, tuple(parameters or ()))


def is_implied(clause: Clause, written: Sequence[n.Expr]) -> bool:
    """Whether it is a precondition, and the written one says the same, or a stricter bound for the same term."""
    return clause.kind == "requires" and any(_implies(one, clause.expression) for one in written)


def _implies(stronger: n.Expr, weaker: n.Expr) -> bool:
    if ordered(stronger) == ordered(weaker):
        return True
    low, bound = _lower_bound(stronger), _lower_bound(weaker)
    return low is not None and bound is not None and low[0] == bound[0] and low[1] >= bound[1]


def _lower_bound(node: n.Expr) -> tuple[n.Expr, float] | None:
    """`term >= constant` or `term > constant`, however it is written; a strict one is half a step higher."""
    match node:
        case n.Comparison(operator=">=" | ">" as operator, left=term, right=n.Constant(value=int(value))):
            return term, value + 0.5 * (operator == ">")
        case n.Comparison(operator="<=" | "<" as operator, left=n.Constant(value=int(value)), right=term):
            return term, value + 0.5 * (operator == "<")
    return None


def challenges(known: Known, several: Sequence[Clause]) -> Iterator[Challenge]:
    """What to search for, for clauses that are challenged together.

    A precondition is violated where others of its routine hold that explain refusals, for there a call is more likely
    to pass, and then it refutes the clause; and with and without them. For `implies(old(A), C)`: A, with and without
    what always held before the calls in which A did; first where those preconditions hold, too."""
    clause = several[0]
    expression, premise = clause.expression, _premise(clause)
    if clause.kind == "raises":
        yield from _other_sides(expression)
        return
    others = _others(known, clause)
    if clause.kind == "requires":
        violated = conjuncts(negate(expression))
        basis = Challenge(
            violated, (), (*_side(expression), *others, *_open(known.told_apart(clause.routine_id), violated))
        )
    elif premise is not None:
        conclusions = [one.expression.conclusion for one in several if isinstance(one.expression, n.Implies)]
        said = in_common(known, clause.routine_id, conclusions, premise)
        required = conjuncts(premise)
        basis = Challenge((), required, (*said, *_open(known.told_apart(clause.routine_id), (*required, *said))))
    else:
        return
    fitting = fitted(known, clause, basis)
    if fitting is not None:
        yield fitting
    yield basis


def fitted(known: Known, clause: Clause, basis: Challenge) -> Challenge | None:
    """The challenge where the first preconditions hold, too. None if they do not speak of more arguments: otherwise
    some would be chosen that do not fit the objects."""
    others = _others(known, clause)
    parts = (*basis.violated, *basis.required)
    held = [part for part in dict.fromkeys(part for one in others for part in conjuncts(one)) if part not in parts]
    if not _names_in(held) - _names_in(parts) - {"self"}:
        return None
    varied = _open([part for part in basis.varied if part not in others], held)
    return replace(basis, required=(*basis.required, *held), varied=varied)


def _others(known: Known, clause: Clause) -> list[n.Expr]:
    return [one for one in known.required(clause.routine_id) if one != clause.expression][:MOST_OTHERS]


def _open(queries: Sequence[n.Expr], decided: Sequence[n.Expr]) -> tuple[n.Expr, ...]:
    """Those that may be true or false where all that is `decided` is true."""
    return tuple(one for one in queries if one not in decided and n.Not(one) not in decided)


def _names_in(parts: Sequence[n.Expr]) -> set[str]:
    return {name for part in parts for name in n.slots_of(part)}


def _side(expression: n.Expr) -> tuple[n.Expr, ...]:
    """A number that has to be equal to another may be too small or too large: both are to be tried."""
    match expression:
        case n.Comparison(operator="==", left=left, right=right) if _is_number(left) or _is_number(right):
            return (n.Comparison("<", left, right),)
    return ()


def _is_number(node: n.Expr) -> bool:
    match node:
        case n.Constant(value=value):
            return type(value) is int
        case n.Builtin(name="len") | n.Arithmetic(operator="+" | "-"):
            return True
    return False


def border(expression: n.Expr) -> tuple[n.Expr, ...]:
    """Where an invariant is nearest to being broken: for an order the equality; of others it is not known."""
    match expression:
        case n.Comparison(operator="<=" | ">=" | "<" | ">", left=left, right=right):
            return (n.Comparison("==", left, right),)
    return ()


def _other_sides(expression: n.Expr) -> Iterator[Challenge]:
    """Objects on either side of `raises(E) == old(p)`, and on the far side of `implies(raises(E), old(p))`."""
    if isinstance(expression, n.Implies) and isinstance(expression.conclusion, n.Old):
        yield Challenge(conjuncts(negate(expression.conclusion.operand)))
    elif isinstance(expression, n.Comparison) and isinstance(expression.right, n.Old):
        yield Challenge((), conjuncts(expression.right.operand))
        yield Challenge(conjuncts(negate(expression.right.operand)))
        yield Challenge(conjuncts(negate(expression.right.operand)), every=True)
