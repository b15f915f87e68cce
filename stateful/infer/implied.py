"""Drop what other clauses of the same routine say already.

An equation such as `list(self) == old(list(self)) + [v]` determines a term: whatever else is said of that list, its
set or its length follows, and says something about the state before the call at best. So do two alternatives for
one term: what stands first in the library is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from stateful.contracts import nodes as n
from stateful.infer.candidate import Candidate
from stateful.infer.columns import RoutineColumns
from stateful.infer.orders import without_weaker_orders
from stateful.infer.premises import with_weakest_premises
from stateful.infer.templates import ADDED

__all__ = ["without_implied"]

SAYING = {
    "dict": ("dict",), "list": ("dict", "list"),
    "sorted": ("dict", "list", "sorted"), "sum": ("dict", "list", "sorted"),
    "len": ("dict", "list", "sorted"), "set": ("dict", "list", "sorted", "set"),
    "min": ("dict", "list", "sorted", "set"), "max": ("dict", "list", "sorted", "set"),
}  # fmt: skip
"""For each view of an object the views that determine it."""
RESULT = n.Slot("result")
MOST_IMPLICATIONS = 60  # of a routine: nobody reads more, and reduction would spend its time on them


def without_implied(candidates: Sequence[Candidate], columns: RoutineColumns, *, pure: bool = False) -> list[Candidate]:
    """The clauses without those that follow from others; what the user's own templates make is kept.

    `pure` says that the routine changes nothing."""
    wanted = [c for c in candidates if c.family == ADDED]
    candidates = [c for c in candidates if c.family != ADDED]
    said = [c for c in candidates if c.kind not in ("ensures", "raises")]
    ensured = list(with_weakest_premises([c for c in candidates if c.kind == "ensures"], columns))
    kept = without_weaker_orders(said)
    kept += _Determined(pure, columns.plain_slots()).kept(without_weaker_orders(ensured))
    return wanted + kept + list(_exceptional([c for c in candidates if c.kind == "raises"]))


class _Determined:
    """Goes through postconditions in order, and knows which terms are determined by those that it kept."""

    def __init__(self, pure: bool, plain: frozenset[str]) -> None:
        self.pure = pure
        self.plain = plain
        """Slots that hold plain values, which no call can change."""
        self.always: set[n.Expr] = set()
        self.under: dict[n.Expr, set[n.Expr]] = defaultdict(set)

    def kept(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        certain = [c for c in candidates if not isinstance(c.expression, n.Implies)]
        equations = [c for c in certain if self._adds(c.expression, self.always)]
        rest = [c for c in certain if c not in equations and not self._follows(c.expression, self.always)]
        conditional = [c for c in candidates if self._is_needed(c.expression)]
        often = set(sorted(conditional, key=lambda c: -c.support)[:MOST_IMPLICATIONS])
        return equations + rest + [c for c in conditional if c in often]

    def _is_needed(self, node: n.Expr) -> bool:
        """An implication that says something of a term that is not determined under its premise."""
        if not isinstance(node, n.Implies) or self._follows(node.conclusion, self.always):
            return False
        under = self.under[node.premise]
        if self._adds(node.conclusion, under):
            return True
        return not self._follows(node.conclusion, under | self.always)

    def _adds(self, node: n.Expr, known: set[n.Expr]) -> bool:
        """Whether it is an equation that determines a term which was not determined; then it is."""
        if not (isinstance(node, n.Comparison) and node.operator == "=="):
            return False
        for term, other in ((node.left, node.right), (node.right, node.left)):
            if (
                _is_term(term)
                and not self._follows(term, known | self.always)
                and self._follows(other, known | self.always)
            ):
                known.add(term)
                return True
        return False

    def _follows(self, node: n.Expr, known: set[n.Expr]) -> bool:
        """Whether its value is a matter of the state before the call, and of what is determined."""
        match node:
            case n.Old() | n.Constant() | n.Bound():
                return True
            case _ if node in known:
                return True
            case n.Builtin(name=name, arguments=(n.Slot() as operand,)) if name in SAYING:
                wider = {n.Builtin(view, (operand,)) for view in SAYING[name]}
                return bool(wider & known) or operand.name in self.plain or (self.pure and operand != RESULT)
            case n.Slot():
                return node != RESULT
            case n.Call(target=n.Slot()) | n.Attribute(target=n.Slot()):
                return self.pure and all(self._follows(child, known) for child in n.children(node))
            case n.IsInstance() | n.Comparison(operator="is" | "is not") if RESULT in n.walk(node):
                return False  # what it equals does not say which object it is
            case n.Comparison(operator="==" | "!=" | "in" | "not in", left=left, right=right):
                return all(self._follows(side, known) and self._is_settled(side, known) for side in (left, right))
        return all(self._follows(child, known) for child in n.children(node))

    def _is_settled(self, side: n.Expr, known: set[n.Expr]) -> bool:
        """An operand as a whole, which the call may have changed, only if what it holds is determined."""
        if not isinstance(side, n.Slot):
            return True
        views = {n.Builtin(view, (side,)) for view in ("dict", "list", "set")}
        return self.pure or side.name in self.plain or bool(views & known)


def _is_term(node: n.Expr) -> bool:
    """What an equation can determine: the result, a view of an operand, an attribute or query of one."""
    match node:
        case n.Builtin(name=name, arguments=(n.Slot(),)):
            return name in SAYING
        case n.Attribute(target=n.Slot()) | n.Call(target=n.Slot()):
            return True
    return node == RESULT


def _exceptional(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """One equivalence for each exception, the first; where there is none, what holds whenever it is raised."""
    explained = set()
    for candidate in candidates:
        match candidate.expression:
            case n.Comparison(left=raises):
                if raises not in explained:
                    explained.add(raises)
                    yield candidate
            case n.Implies(premise=premise) if premise not in explained:
                yield candidate
