"""Each clause once, though there are two ways to say it.

`x in self` and `self.contains(x)` are synonyms if they gave the same answer wherever both were asked. A clause is only
left out beside one that says the same of synonyms: should a test tell them apart, both are clauses again. Sums of
integers are the same whatever stands on which side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from stateful.contracts import negate
from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, UNKNOWN, Ids
from stateful.contracts.normalize import ordered
from stateful.contracts.predicate import ITSELF, VIEWS, bound, predicate_of
from stateful.contracts.text import text
from stateful.contracts.to_vectors import integers_of
from stateful.infer.candidate import Candidate
from stateful.infer.candidates import says_nothing
from stateful.infer.columns import RoutineColumns
from stateful.infer.templates import ADDED

__all__ = ["Synonyms", "synonyms_of"]

Asked: TypeAlias = tuple[str, tuple[bool, ...]]
"""The text of a predicate, and which of its `$` are the receiver; the others are one other operand."""
OF_ONE = ((True,), (True, True))
OF_TWO = ((True, False), (False, True))
COMMON = 100  # answers that both have to have given
TELLING = 10  # of these, such as are not the most frequent one
MOST_ANSWERS = 50_000


@dataclass(frozen=True, slots=True)
class Synonyms:
    """For what can be said otherwise, how it is said best."""

    best: Mapping[Asked, Asked] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """What tells them from others."""
        return blake2b(repr(sorted(self.best.items())).encode(), digest_size=8).hexdigest()

    def said_once(self, candidates: Iterable[Candidate], columns: RoutineColumns) -> list[Candidate]:
        """Of the clauses that say the same, the one that is said best. What the user's own templates make is kept."""
        before = columns.before_only()
        kept: dict[tuple[object, ...], Candidate] = {}
        for one in candidates:
            if one.family == ADDED:
                kept[one.kind, one.text] = one
                continue
            plain = self._plain(one.expression)
            if plain != one.expression and _is_empty(plain, one.kind):
                continue
            place = one.kind, _by_sums(ordered(plain), before if one.kind == "requires" else columns)
            other = kept.get(place)
            if other is None or self._is_better(one, other):
                kept[place] = one
        return list(kept.values())

    def _is_better(self, one: Candidate, other: Candidate) -> bool:
        """It says it as it is said best, and nearly as many tests speak for it."""
        is_plain, was_plain = (self._plain(each.expression) == each.expression for each in (one, other))
        return is_plain and not was_plain and 2 * one.support >= other.support

    def _plain(self, node: n.Expr) -> n.Expr:
        if isinstance(node, n.Not):
            said = self._plain(node.operand)
            return node if said == node.operand else negate(said)
        if not isinstance(node, n.Attribute | n.Call | n.Builtin | n.Comparison) or not self.best:
            return n.rebuilt(node, self._plain)
        asked = predicate_of(node)
        others = set(asked.slots) - {"self"}
        best = self.best.get((asked.text, tuple(name == "self" for name in asked.slots))) if len(others) <= 1 else None
        if best is None:
            return n.rebuilt(node, self._plain)
        other = next(iter(others), "self")
        return bound(best[0], tuple("self" if own else other for own in best[1]))


def _is_empty(plain: n.Expr, kind: str) -> bool:
    """It only says of synonyms that they are, which is said once of a class, as an equation; or it speaks of their
    difference."""
    if any(
        isinstance(part, n.Arithmetic) and part.operator == "-" and part.left == part.right for part in n.walk(plain)
    ):
        return True
    if isinstance(plain, n.Implies):
        return says_nothing(plain) or _is_empty(plain.conclusion, kind)
    is_equation = isinstance(plain, n.Comparison) and plain.operator == "=="
    return says_nothing(plain) and (kind == "requires" or not is_equation)


def synonyms_of(members: Sequence[RoutineColumns]) -> Synonyms:
    """What all test cases of the routines of one class say of its objects in two ways."""
    best = {}
    for shapes in (OF_ONE, OF_TWO):
        answers = dict(sorted(_answers(members, shapes).items(), key=lambda item: _plainness(item[0])))
        first: list[Asked] = []
        for asked, values in answers.items():
            same = next((other for other in first if _agree(answers[other], values)), None)
            if same is None:
                first.append(asked)
            else:
                best[asked] = same
    return Synonyms(best)


def _answers(members: Sequence[RoutineColumns], shapes: Sequence[tuple[bool, ...]]) -> dict[Asked, Ids]:
    """Everything that was asked in one of these shapes, with the answers before the calls and after them; of very many
    test cases in some."""
    parts = [part for part in _parts(members, shapes) if part]
    step = max(1, sum(len(next(iter(part.values()))) for part in parts) // MOST_ANSWERS)
    parts = [{asked: values[::step] for asked, values in part.items()} for part in parts]
    lengths = [len(next(iter(part.values()))) for part in parts]
    found: dict[Asked, Ids] = defaultdict(lambda: np.full(sum(lengths), UNKNOWN, np.int64))
    start = 0
    for part, length in zip(parts, lengths, strict=True):
        for asked, values in part.items():
            found[asked][start : start + length] = values
        start += length
    return dict(found)


def _parts(members: Sequence[RoutineColumns], shapes: Sequence[tuple[bool, ...]]) -> Iterator[dict[Asked, Ids]]:
    for columns in members:
        others = [name for name in columns.slots if name != "self"] if shapes is OF_TWO else [""]
        for other in others:
            for old in (True, False):
                yield {
                    (content, shape): _told(values, columns)
                    for shape in shapes
                    for content, values in columns.of(tuple("self" if own else other for own in shape), old).items()
                    if content not in (ITSELF, CLASS)
                }


def _told(values: Ids, columns: RoutineColumns) -> Ids:
    """Of what cannot be looked into nobody knows whether it is the same."""
    kinds = columns.table.kinds
    hidden = [key for key in np.unique(values).tolist() if key >= 0 and kinds[key] == "opaque"]
    return np.where(np.isin(values, hidden), UNKNOWN, values) if hidden else values


def _agree(one: Ids, other: Ids) -> bool:
    """The same answers, and enough of them that are not always the same."""
    both = (one != UNKNOWN) & (other != UNKNOWN)
    if (one[both] != other[both]).any():
        return False
    count = int(both.sum())
    return count >= COMMON and count - int(np.unique(one[both], return_counts=True)[1].max()) >= TELLING


def _plainness(asked: Asked) -> tuple[int, int, str, tuple[bool, ...]]:
    """What Python says of every object comes first, then what the class says, then conditions; the shorter before."""
    content, shape = asked
    is_built_in = content in ("$ in $", "$ == $") or content in {f"{view}($)" for view in VIEWS}
    return 0 if is_built_in else 2 if " " in content else 1, len(content), content, shape


def _by_sums(node: n.Expr, columns: RoutineColumns) -> object:
    """The clause with its equations between sums of integers as what adds up to nothing."""
    match node:
        case n.Implies(premise=premise, conclusion=conclusion):
            return "implies", premise, _by_sums(conclusion, columns)
        case n.Comparison(operator="==", left=left, right=right) if left != right:
            if integers_of(n.Arithmetic("-", left, right), columns) is not None:
                terms = Counter[n.Expr]()
                _count(left, 1, terms)
                _count(right, -1, terms)
                told = sorted((text(term), count) for term, count in terms.items() if count)
                sign = 1 if not told or told[0][1] > 0 else -1
                return "sum", tuple((term, sign * count) for term, count in told)
    return node


def _count(node: n.Expr, sign: int, terms: Counter[n.Expr]) -> None:
    match node:
        case n.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
            _count(left, sign, terms)
            _count(right, sign if operator == "+" else -sign, terms)
        case n.Constant(value=int(value)):
            terms[n.Constant(1)] += sign * int(value)
        case _:
            terms[node] += sign
