"""What the calls that a postcondition is known from had in common: it is tried on objects that are unlike them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stateful.contracts import conjuncts
from stateful.contracts import nodes as n
from stateful.contracts.predicate import recorded
from stateful.contracts.to_vectors import verdicts_of
from stateful.infer.candidates import says_nothing
from stateful.infer.columns import RoutineColumns
from stateful.reduce.known import Known

__all__ = ["in_common"]

MOST = 24


def in_common(known: Known, routine: int, conclusions: Sequence[n.Expr], premise: n.Expr) -> tuple[n.Expr, ...]:
    """What was true before every passing call of the routine in which `premise` was, and might be why the conclusions
    held: that these can be evaluated there at all, that they held before, and `pre(r given A)`."""
    held = known.held(routine, premise)
    if not held.rows:
        return ()
    before = [_now(conclusion) for conclusion in conclusions]
    partial = known.sometimes_undefined
    defined = [n.Comparison("==", term, term) for one in before for term, asked in _terms(one) if asked in partial]
    own = [part for part in dict.fromkeys((*defined, *before)) if _always(part, held)]
    given = [part for part in known.preconditions_given(routine, premise) if not _is_empty(part, premise)]
    return tuple(dict.fromkeys((*own[: MOST // 2], *given)))[:MOST]


def _now(node: n.Expr) -> n.Expr:
    """What the conclusion says of the state after the call, said of the state before it, and of the receiver."""
    if isinstance(node, n.Old):
        return _now(node.operand)
    if node == n.Slot("result"):
        return n.Slot("self")
    return n.rebuilt(node, _now)


def _terms(node: n.Expr) -> Iterator[tuple[n.Expr, str]]:
    """What is asked of the operands, each with its predicate."""
    for part in n.walk(node):
        asked = recorded(part) if not isinstance(part, n.Slot | n.Comparison) else None
        if asked is not None:
            yield part, asked.text


def _always(node: n.Expr, held: RoutineColumns) -> bool:
    return bool((verdicts_of(node, held) == 1).all())


def _is_empty(node: n.Expr, premise: n.Expr) -> bool:
    """Whether it only says what the premise says, if that is an equation."""
    same = {part for part in conjuncts(premise) if isinstance(part, n.Comparison) and part.operator in ("is", "==")}
    for part in same:
        node = _replaced(node, part.right, part.left)
    return node in same or says_nothing(node)


def _replaced(node: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    return new if node == old else n.rebuilt(node, lambda part: _replaced(part, old, new))
