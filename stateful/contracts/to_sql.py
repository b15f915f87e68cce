"""Tree to SQL: the truth of an expression over operands whose places in snapshots are given.

Each recorded predicate becomes one outer join with the view `readings`, or a column of gathered facts; the rest is
SQL's own three-valued logic, which is Kleene's. What SQL cannot express is an `Inexpressible`, never an exception to
the caller.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import (
    and_,
    case,
    cast,
    column,
    false,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    table,
    true,
)  # fmt: skip
from sqlalchemy.sql.selectable import FromClause

from stateful.contracts import nodes as n
from stateful.contracts import sql_terms as t
from stateful.contracts import values as v
from stateful.contracts.predicate import Predicate, bound, predicate_of, recorded
from stateful.contracts.sql_facts import FACTS, RELATIONS, Gathered, Related, Used, gathered_row
from stateful.contracts.sql_joins import Join, Place
from stateful.contracts.sql_terms import AnyTerm, HugeInt, IdList, Inexpressible, Row, Sql, Term, Truth
from stateful.contracts.text import text

__all__ = ["Inexpressible", "Place", "SqlReader", "Truth"]

ORDER: dict[str, Callable[[Any, Any], Any]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
SUBSET = {"<=": (False, False), "<": (False, True), ">=": (True, False), ">": (True, True)}


class _CannotExpress(Exception):
    """Carries the `Inexpressible` from deep inside to the reader's door."""

    def __init__(self, node: n.Expr, why: str) -> None:
        super().__init__(why)
        self.inexpressible = Inexpressible(text(node), why)


Places: TypeAlias = Mapping[str, Place]


@dataclass
class SqlReader:
    """Reads expressions over the same operands; collects the joins that their atoms need."""

    places: Places
    before: Places = field(default_factory=dict)
    known: Mapping[str, int] | None = None
    """The predicates that were ever recorded, with their ids; None if any may have been."""
    gathered: Gathered | None = None
    """What stands side by side in rows, if somebody gathered it."""
    joins: list[Join | Related] = field(default_factory=list)
    terms: dict[tuple[str, tuple[str, ...], bool], Row] = field(default_factory=dict)

    def read(self, node: n.Expr) -> Truth | Inexpressible:
        """The truth of the expression, or what in it SQL cannot express; then nothing is joined for it."""
        joins, terms = list(self.joins), dict(self.terms)
        try:
            return self._truth(node, False)
        except _CannotExpress as refusal:
            self.joins, self.terms = joins, terms
            return refusal.inexpressible

    def joined(self, start: FromClause) -> FromClause:
        """`start` with all that the expressions read so far look at."""
        for join in self.joins:
            start = join.added_to(start, self.known)
        return start

    def legend(self) -> list[str]:
        """What the rows that are joined stand for, and the gathered columns, in the language of contracts."""
        columns = {asked: row.prefix.rstrip("_") for (asked, _, _), row in self.terms.items() if row.prefix}
        several = [join.legend for join in self.joins if isinstance(join, Join)]
        return [*(f"{name}: {asked}" for asked, name in columns.items()), *several]

    def used(self) -> Used:
        """The gathered columns that the expressions read so far look at."""
        columns: dict[tuple[str, str], dict[str, None]] = {}
        for (asked, slots, _), row in self.terms.items():
            if row.prefix:
                place = (FACTS if len(slots) == 1 else RELATIONS, asked)
                columns.setdefault(place, {}).update(dict.fromkeys(row.looked_at))
        return tuple((*place, tuple(sorted(names))) for place, names in sorted(columns.items()))

    # Logic

    def _truth(self, node: n.Expr, old: bool) -> Truth:
        """From its parts; the condition of a branch may be recorded as a whole."""
        try:
            return self._truth_of_parts(node, old)
        except _CannotExpress:
            if self.known is None or (asked := predicate_of(node)).text not in self.known:
                raise
            return t.truth_of(self._record(asked, old))

    def _truth_of_parts(self, node: n.Expr, old: bool) -> Truth:
        match node:
            case n.Not(operand=operand):
                inner = self._truth(operand, old)
                return Truth(not_(inner.value), inner.known)
            case n.And(operands=operands):
                return self._joined_truth(and_, operands, old)
            case n.Or(operands=operands):
                return self._joined_truth(or_, operands, old)
            case n.Implies(premise=premise, conclusion=conclusion):
                return self._joined_truth(or_, (n.Not(premise), conclusion), old)
            case n.Old(operand=operand):
                return self._truth(operand, True)
            case n.Quantified():
                raise _CannotExpress(node, "quantifies over items")
            case n.Comparison():
                return self._comparison(node, old)
            case n.TypeIs(operand=n.Slot(name=name), name=cls):
                return self._class_test(node, name, cls, old, exactly=True)
            case n.IsInstance(operand=n.Slot(name=name), name=cls):
                return self._class_test(node, name, cls, old, exactly=False)
        return t.truth_of(self._term(node, old))

    def _joined_truth(self, connective: Callable[..., Sql], operands: tuple[n.Expr, ...], old: bool) -> Truth:
        parts = [self._truth(operand, old) for operand in operands]
        return Truth(connective(*(part.value for part in parts)), and_(true(), *(part.known for part in parts)))

    # Comparisons

    def _comparison(self, node: n.Comparison, old: bool) -> Truth:
        match node.operator:
            case "==":
                return self._equality(node, old)
            case "!=" | "is not" | "not in":
                positive: Any = {"!=": "==", "is not": "is", "not in": "in"}[node.operator]
                truth = self._comparison(n.Comparison(positive, node.left, node.right), old)
                return Truth(not_(truth.value), truth.known)
            case "is":
                return self._identity(node, old)
            case "in":
                return self._membership(node, old)
        left, right = self._term(node.left, old), self._term(node.right, old)
        if left.static in v.SETS and right.static in v.SETS:
            return self._subset(node.operator, left, right)
        return t.ordered(ORDER[node.operator], left, right)

    def _equality(self, node: n.Comparison, old: bool) -> Truth:
        if self._is_truth_valued(node.left) or self._is_truth_valued(node.right):
            left, right = self._truth(node.left, old), self._truth(node.right, old)
            if not (self._is_truth_valued(node.left) and self._is_truth_valued(node.right)):
                raise _CannotExpress(node, "compares a truth value with another kind of value")
            return Truth(left.value == right.value, and_(left.known, right.known))
        asked = recorded(node)
        by_value = t.equal(self._term(node.left, old), self._term(node.right, old))
        if asked is None or (self.known is not None and asked.text not in self.known):
            return by_value
        answer = self._record(asked, old)
        value = case((answer.known, answer.truth), else_=by_value.value)
        return Truth(value, or_(answer.known, by_value.known))

    @staticmethod
    def _is_truth_valued(node: n.Expr) -> bool:
        inner = node.operand if isinstance(node, n.Old) else node
        return n.is_logic(inner) or isinstance(inner, n.Comparison | n.TypeIs | n.IsInstance | n.Raises)

    def _identity(self, node: n.Comparison, old: bool) -> Truth:
        left, right = _bare(node.left), _bare(node.right)
        if isinstance(left, n.Slot) and isinstance(right, n.Slot):
            a, b = self._place(left, False), self._place(right, False)
            same = a.index == b.index
            return Truth(same if a.snapshot is b.snapshot else and_(a.snapshot == b.snapshot, same), true())
        if isinstance(right, n.Constant):
            return self._is_constant(self._term(node.left, old), right, node)
        raise _CannotExpress(node, "compares identities of objects that are not operands")

    def _is_constant(self, term: AnyTerm, wanted: n.Constant, node: n.Comparison) -> Truth:
        if wanted.value is not None and not isinstance(wanted.value, bool):
            raise _CannotExpress(node, "asks for the identity of a constant")
        if wanted.value is None:
            return Truth(term.kind == "none", term.known)
        return Truth(and_(term.kind == "bool", term.integer == int(wanted.value)), term.known)

    def _membership(self, node: n.Comparison, old: bool) -> Truth:
        asked = recorded(node)
        if asked is not None:
            answer = self._record(asked, old)
            return Truth(answer.truth, answer.known)
        if isinstance(node.right, n.Display):
            choices = tuple(n.Comparison("==", node.left, item) for item in node.right.items)
            return self._without_nan(n.Or(choices), node.left, old) if choices else Truth(false(), true())
        left, right = self._term(node.left, old), self._term(node.right, old)
        if right.static not in (*v.SEQUENCES, *v.SETS):
            raise _CannotExpress(node, "asks for membership in something that is no recorded list or set")
        sought = left.equality.isnot(None)
        value = case((left.kind.is_(None), null()), (sought, func.list_contains(right.items, left.equality)))
        return Truth(value, and_(left.known, right.known, or_(left.kind.is_(None), and_(sought, t.has_items(right)))))

    def _without_nan(self, choices: n.Or, left: n.Expr, old: bool) -> Truth:
        """`in` finds an object that is the same, even if it is not equal to itself."""
        truth, term = self._truth(choices, old), self._term(left, old)
        is_nan = and_(term.kind == "float", term.equality.is_(None)) if term.static is None else false()
        return Truth(case((is_nan, null()), else_=truth.value), and_(truth.known, not_(func.coalesce(is_nan, false()))))

    def _subset(self, symbol: str, left: AnyTerm, right: AnyTerm) -> Truth:
        turned, proper = SUBSET[symbol]
        small, large = (right, left) if turned else (left, right)
        value: Sql = func.list_has_all(large.items, small.items)
        if proper:
            value = and_(value, func.len(large.items) > func.len(small.items))
        return Truth(value, and_(left.known, right.known, t.has_items(left), t.has_items(right)))

    def _class_test(self, node: n.Expr, slot: str, name: str, old: bool, *, exactly: bool) -> Truth:
        place = self._place(n.Slot(slot), old)
        own, base = (
            table("objects", column("snapshot_id"), column("index"), column("class_id")).alias(),
            table("classes", column("id"), column("name")).alias(),
        )
        kinds = table("conformances", column("class_id"), column("base_id")).alias()
        key = own.c.class_id if exactly else kinds.c.base_id
        tests = [own.c.snapshot_id == place.snapshot, own.c.index == place.index, base.c.id == key]
        if not exactly:
            tests.append(kinds.c.class_id == own.c.class_id)
        inner = select(literal(1)).where(*tests, _is_named(base.c.name, name)).correlate_except(own, base, kinds)
        return Truth(inner.exists(), true())

    # Terms

    def _term(self, node: n.Expr, old: bool) -> AnyTerm:
        asked = recorded(node)
        if asked is not None and not isinstance(node, n.Comparison):
            return self._record(asked, old)
        match node:
            case n.Constant(value=value):
                constant = t.constant(value)
                if constant is None:
                    raise _CannotExpress(node, "is not recorded as it is: beyond 53 bits, or a text with escapes")
                return constant
            case n.Old(operand=operand):
                return self._term(operand, True)
            case n.Negative(operand=operand):
                return self._arithmetic(n.Arithmetic("-", n.Constant(0), operand), old)
            case n.Arithmetic():
                return self._arithmetic(node, old)
            case n.Builtin(name="len", arguments=(inner,)):
                term = self._container(inner, old, node)
                return t.integer(func.len(term.items), and_(term.known, t.has_items(term)))
            case n.Display(kind=kind, items=items):
                return self._display(kind, items, old, node)
            case n.Slice(target=target, step=None):
                return self._slice(node, self._container(target, old, node))
        raise _CannotExpress(node, "has no form in SQL")

    def _record(self, asked: Predicate, old: bool) -> Row:
        key = (asked.text, asked.slots, old)
        if self.known is not None and asked.text not in self.known:
            raise _CannotExpress(bound(asked.text, asked.slots), "was never recorded")
        if key not in self.terms:
            self.terms[key] = self._join(asked, old)
        return self.terms[key]

    def _join(self, asked: Predicate, old: bool) -> Row:
        places = tuple(self._place(n.Slot(name), old) for name in asked.slots)
        name = self._gathered(asked.text, places)
        if name is not None and self.gathered is not None:
            return gathered_row(self.gathered, asked, name)
        join = Join.of(len(self.joins) + 1, asked, places)
        self.joins.append(join)
        return join.row

    def _gathered(self, asked: str, places: tuple[Place, ...]) -> str | None:
        """The name of the row in which it stands with what else is recorded of the same operands."""
        if self.gathered is None:
            return None
        if len(places) == 1:
            return places[0].facts if asked in self.gathered.alone else None
        if len(places) > 2 or asked not in self.gathered.pairs or places[0].snapshot is not places[1].snapshot:
            return None
        rows = [place.facts for place in places]
        for join in self.joins:
            if isinstance(join, Related) and [place.facts for place in join.places] == rows:
                return join.name
        related = Related(len(self.joins) + 1, (places[0], places[1]))
        self.joins.append(related)
        return related.name

    def _place(self, slot: n.Slot, old: bool) -> Place:
        places = self.before if old and self.before else self.places
        if slot.name not in places:
            raise _CannotExpress(slot, "is not among the operands")
        return places[slot.name]

    def _arithmetic(self, node: n.Arithmetic, old: bool) -> AnyTerm:
        if node.operator in ("|", "&"):
            return self._set_algebra(node, old)
        left, right = self._term(node.left, old), self._term(node.right, old)
        if node.operator == "+" and left.static in v.SEQUENCES and left.static == right.static:
            return t.of_items(func.list_concat(left.items, right.items), left, right)
        if {left.static, right.static} & {*v.SEQUENCES, *v.SETS, "str", "float", "none", "bytes"}:
            raise _CannotExpress(node, "is no integer arithmetic")
        return _computed(node.operator, t.whole(left), t.whole(right), node)

    def _set_algebra(self, node: n.Arithmetic, old: bool) -> Term:
        left, right = self._term(node.left, old), self._term(node.right, old)
        if left.static not in v.SETS or right.static not in v.SETS:
            raise _CannotExpress(node, "is no algebra of recorded sets")
        both = func.list_concat(left.items, right.items)
        combined = func.list_distinct(both) if node.operator == "|" else func.list_intersect(left.items, right.items)
        return t.of_items(func.list_sort(combined), left, right)

    def _container(self, node: n.Expr, old: bool, whole: n.Expr) -> AnyTerm:
        term = self._term(node, old)
        if term.static not in (*v.SEQUENCES, *v.SETS):
            raise _CannotExpress(whole, "looks into something that is no recorded list or set")
        return term

    def _display(self, kind: str, items: tuple[n.Expr, ...], old: bool, node: n.Expr) -> Term:
        terms = [self._term(item, old) for item in items]
        listed: Sql = (
            func.list_value(*(term.equality for term in terms)) if terms else cast(func.list_value(), IdList())
        )
        if any(
            term.static == "int" and not isinstance(item, n.Constant) for term, item in zip(terms, items, strict=True)
        ):
            raise _CannotExpress(node, "holds a computed number")
        if kind == "set":
            listed = func.list_sort(func.list_distinct(listed))
        defined = and_(true(), *(term.kind.isnot(None) for term in terms))
        known = and_(true(), *(and_(term.known, or_(term.kind.is_(None), term.equality.isnot(None))) for term in terms))
        made = case((defined, literal(kind)), else_=null())
        comparable = and_(true(), *(term.equality.isnot(None) for term in terms))
        listed = case((comparable, listed), else_=null())
        return t.made(made, known, literal(bool(items)), listed, kind)

    def _slice(self, node: n.Slice, term: AnyTerm) -> Term:
        if not all(limit is None or _is_natural(limit) for limit in (node.start, node.stop)):
            raise _CannotExpress(node, "has a bound that is not a constant of zero or more")
        start, stop = (limit.value if isinstance(limit, n.Constant) else None for limit in (node.start, node.stop))
        if term.static not in v.SEQUENCES:
            raise _CannotExpress(node, "slices something that is no recorded list")
        end: Sql = func.len(term.items) if stop is None else literal(stop)
        return t.of_items(func.list_slice(term.items, literal(int(start or 0) + 1), end), term)


def _is_natural(node: n.Expr) -> bool:
    return isinstance(node, n.Constant) and type(node.value) is int and node.value >= 0


def _bare(node: n.Expr) -> n.Expr:
    return node.operand if isinstance(node, n.Old) and isinstance(node.operand, n.Slot) else node


def _computed(symbol: str, left: AnyTerm, right: AnyTerm, node: n.Expr) -> Term:
    a, b = cast(left.integer, HugeInt()), cast(right.integer, HugeInt())
    known = and_(left.known, right.known)
    divisor = func.nullif(b, 0)
    match symbol:
        case "+":
            return t.integer(func.TRY(a + b), known)
        case "-":
            return t.integer(func.TRY(a - b), known)
        case "*":
            return t.integer(func.TRY(a * b), known)
        case "%":
            return t.integer((a % divisor + divisor) % divisor, known)
        case "//":
            whole = a.op("//")(divisor)
            return t.integer(whole - case((and_(a % divisor != 0, (a < 0) != (b < 0)), 1), else_=0), known)
    raise _CannotExpress(node, f"uses {symbol} on numbers")


def _is_named(full: Sql, name: str) -> Sql:
    """`full` is 'module:Outer.Inner'; a class may be called Inner, Outer.Inner or module.Outer.Inner."""
    qualified = func.split_part(full, ":", 2)
    return or_(
        qualified == name, func.replace(full, ":", ".") == name, func.regexp_replace(qualified, "^.*[.]", "") == name
    )
