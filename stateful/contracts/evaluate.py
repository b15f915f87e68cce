"""Truth on live objects: an expression is compiled once to a Python function of a `Moment`.

Truth has three values, with Kleene's tables. An atom that raises is undefined, and so is the
identity of an object before a call with one after it, unless both are the same slot.

>>> from stateful.contracts import Moment, evaluate, parse
>>> evaluate(parse("len(self) == old(len(self)) + 1"), Moment({"self": [1]}, {"self": [1, 2]}))
True
>>> evaluate(parse("self[5] == 1 or len(self) == 1"), Moment({"self": [1]}))
True
>>> evaluate(parse("self[5] == 1"), Moment({"self": [1]})) is None
True
"""

from __future__ import annotations

import builtins
import enum
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

from stateful.contracts import nodes as n

__all__ = [
    "Leaf",
    "Moment",
    "Opaque",
    "Undefined",
    "UnknownValue",
    "compiled",
    "evaluate",
    "identified",
    "is_atom",
    "same",
    "valued",
]

MOST_ITEMS = 10_000  # a quantifier over more items than this is undefined: it may never end


class Undefined(Exception):
    """A truth value that is neither true nor false was wanted as a value."""


class UnknownValue(Exception):
    """A reading that does not see the live objects was asked for something that was never recorded."""


@dataclass(slots=True)
class Moment:
    """What a clause sees of one call: the operands by name before and after it, and the exception's class and bases."""

    before: Mapping[str, Any]
    after: Mapping[str, Any] = field(default_factory=dict)
    raised: tuple[str, ...] = ()
    unknown: bool = False

    def __post_init__(self) -> None:
        self.after = self.after or self.before


def _unknown(self: Opaque, *_: object) -> Any:
    raise UnknownValue


@dataclass(frozen=True, eq=False)
class Opaque:
    """Stands for an object that was recorded and is not loaded: it has an identity, and nothing else is known of it.

    `place` says where it was: whether before the call, and its index in the snapshot."""

    place: tuple[bool, int] | None = None
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = __contains__ = _unknown
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _unknown
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __getitem__ = __getattr__ = __hash__ = _unknown
    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __rxor__ = _unknown


Bindings: TypeAlias = dict[str, Any]
Value: TypeAlias = Callable[[Moment, Bindings], Any]
Truth: TypeAlias = Callable[[Moment, Bindings], "bool | None"]
Leaf: TypeAlias = Callable[[n.Expr, bool], "Value | None"]

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "|": operator.or_, "&": operator.and_, "^": operator.xor,
    "==": lambda a, b: bool(a == b), "!=": lambda a, b: not a == b,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
NAMED = (enum.Enum, type)
ATOMS = frozenset((type(None), bool, int, float, str, bytes, type, type(len), type(compile), type(Ellipsis)))


def evaluate(node: n.Expr, moment: Moment) -> bool | None:
    """True, False, or None for undefined."""
    return compiled(node)(moment)


def compiled(node: n.Expr, leaf: Leaf | None = None) -> Callable[[Moment], bool | None]:
    """The expression as a function. `leaf` may take over nodes: it says where else their values are found."""
    truth = _Compiler(leaf).truth(node, False)
    return lambda moment: truth(moment, {})


def valued(node: n.Expr) -> Callable[[Moment], Any]:
    """A term as a function. Where it has no value, whatever its parts raise is raised."""
    value = _Compiler(None).value(node, False)
    return lambda moment: value(moment, {})


def is_atom(value: object) -> bool:
    """Atoms are the same object if their type and value are the same; everything else goes by identity."""
    cls = type(value)  # `isinstance` might ask for `__class__`, which may be a property
    return cls in ATOMS or issubclass(cls, NAMED)


def same(a: Any, b: Any) -> bool:
    """What `is` means in the contract language."""
    if is_atom(a) and is_atom(b):
        return type(a) is type(b) and (a is b or bool(a == b))
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return identical(a, b)
    return a is b


def identical(a: Opaque, b: Opaque) -> bool:
    if a.place is None or b.place is None or a.place[0] != b.place[0]:
        raise UnknownValue
    return a.place == b.place


class _Compiler:
    """One method for each group of nodes; `old` says whether the node stands inside `old(...)`."""

    def __init__(self, leaf: Leaf | None) -> None:
        self.leaf = leaf

    # Logic

    def truth(self, node: n.Expr, old: bool) -> Truth:
        match node:
            case n.Not(operand=operand):
                return negation(self.truth(operand, old))
            case n.And(operands=operands):
                return conjunction([self.truth(operand, old) for operand in operands])
            case n.Or(operands=operands):
                return disjunction([self.truth(operand, old) for operand in operands])
            case n.Implies(premise=premise, conclusion=conclusion):
                return disjunction([negation(self.truth(premise, old)), self.truth(conclusion, old)])
            case n.Quantified():
                return self.quantified(node, old)
            case n.Old(operand=operand):
                return self.truth(operand, True)
        return atom(self.value(node, old))

    def quantified(self, node: n.Quantified, old: bool) -> Truth:
        domain, body = self.value(node.domain, old), self.truth(node.body, old)
        condition = self.truth(node.condition, old) if node.condition else None
        parts = [negation(condition), body] if condition else [body]
        if node.kind == "any":
            parts = [condition, body] if condition else [body]
        each = (disjunction if node.kind == "all" else conjunction)(parts)
        decisive = node.kind == "any"

        def truth(moment: Moment, bindings: Bindings) -> bool | None:
            items = guarded(domain, moment, bindings)
            return None if items is None else over(items, each, node.variable, decisive, moment, bindings)

        return truth

    # Terms

    def value(self, node: n.Expr, old: bool) -> Value:
        computed = self.computed(node, old)
        recorded = self.leaf(node, old) if self.leaf else None
        return first_known(recorded, computed) if recorded else computed

    def computed(self, node: n.Expr, old: bool) -> Value:
        match node:
            case n.Slot(name=name):
                return (lambda m, _: m.before[name]) if old else (lambda m, _: m.after[name])
            case n.Bound(name=name):
                return lambda _, bindings: bindings[name]
            case n.Constant(value=constant):
                return lambda _m, _b: constant
            case n.Old(operand=operand):
                return self.value(operand, True)
            case n.Raises(name=name):
                return lambda m, _: name in m.raised
            case n.Comparison(operator="is" | "is not"):
                return self.identity(node, old)
            case n.Comparison(operator=symbol, left=left, right=right):
                return binary(BINARY[symbol], self.value(left, old), self.value(right, old))
            case n.Arithmetic(operator=symbol, left=left, right=right):
                return binary(BINARY[symbol], self.value(left, old), self.value(right, old))
        return as_value(self.truth(node, old)) if n.is_logic(node) else self.composed(node, old)

    def composed(self, node: n.Expr, old: bool) -> Value:
        def each(items: Iterable[n.Expr]) -> list[Value]:
            return [self.value(item, old) for item in items]

        match node:
            case n.Attribute(target=target, name=name):
                return attribute(self.value(target, old), name)
            case n.Call(target=target, name=name, arguments=arguments):
                return call(attribute(self.value(target, old), name), each(arguments))
            case n.Builtin(name=name, arguments=arguments):
                function = getattr(builtins, name)
                return call(lambda _m, _b: function, each(arguments))
            case n.Item(target=target, index=index):
                return binary(operator.getitem, self.value(target, old), self.value(index, old))
            case n.Slice(target=target, start=start, stop=stop, step=step):
                bounds = each(part or n.Constant(None) for part in (start, stop, step))
                return binary(operator.getitem, self.value(target, old), call(lambda _m, _b: slice, bounds))
            case n.Display(kind=kind, items=items):
                return gathered(getattr(builtins, kind), each(items))
            case n.DictDisplay(keys=keys, values=values):
                return mapping(each(keys), each(values))
            case n.Negative(operand=operand):
                return call(lambda _m, _b: operator.neg, [self.value(operand, old)])
            case n.TypeIs(operand=operand, name=name):
                return class_test(self.value(operand, old), name, exactly=True)
            case n.IsInstance(operand=operand, name=name):
                return class_test(self.value(operand, old), name, exactly=False)
        raise AssertionError(f"no evaluation of {node!r}")

    def identity(self, node: n.Comparison, old: bool) -> Value:
        """`is`; a slot's object keeps its identity over the call, what lies behind it was copied."""
        left, right = identified(node.left, old), identified(node.right, old)
        straddles = left[1] != right[1]
        values = self.value(*left), self.value(*right)
        wanted = node.operator == "is"

        def value(moment: Moment, bindings: Bindings) -> bool:
            a, b = values[0](moment, bindings), values[1](moment, bindings)
            if straddles and not (is_atom(a) or is_atom(b)):
                raise Undefined
            return same(a, b) is wanted

        return value


def identified(node: n.Expr, old: bool) -> tuple[n.Expr, bool]:
    """The operand of `is` and whether it is looked up before the call; a bare slot never is."""
    while isinstance(node, n.Old):
        node, old = node.operand, True
    return (node, False) if isinstance(node, n.Slot) else (node, old)


# What the compiled functions are made of


def guarded(term: Value, moment: Moment, bindings: Bindings) -> Any:
    try:
        return term(moment, bindings)
    except UnknownValue:
        moment.unknown = True
    except Exception:
        return None
    return None


def atom(term: Value) -> Truth:
    def truth(moment: Moment, bindings: Bindings) -> bool | None:
        try:
            return bool(term(moment, bindings))
        except UnknownValue:
            moment.unknown = True
        except Exception:
            return None
        return None

    return truth


def first_known(recorded: Value, computed: Value) -> Value:
    def value(moment: Moment, bindings: Bindings) -> Any:
        try:
            return recorded(moment, bindings)
        except UnknownValue:
            return computed(moment, bindings)

    return value


def as_value(truth: Truth) -> Value:
    def value(moment: Moment, bindings: Bindings) -> bool:
        verdict = truth(moment, bindings)
        if verdict is None:
            raise Undefined
        return verdict

    return value


def negation(operand: Truth) -> Truth:
    def truth(moment: Moment, bindings: Bindings) -> bool | None:
        verdict = operand(moment, bindings)
        return None if verdict is None else not verdict

    return truth


def conjunction(operands: list[Truth]) -> Truth:
    return chain(operands, decisive=False)


def disjunction(operands: list[Truth]) -> Truth:
    return chain(operands, decisive=True)


def chain(operands: list[Truth], *, decisive: bool) -> Truth:
    """One decisive operand decides; without one, one undefined operand makes the whole undefined."""

    def truth(moment: Moment, bindings: Bindings) -> bool | None:
        undefined = False
        for operand in operands:
            verdict = operand(moment, bindings)
            if verdict is decisive:
                return decisive
            undefined = undefined or verdict is None
        return None if undefined else not decisive

    return truth


def over(items: Any, each: Truth, variable: str, decisive: bool, moment: Moment, bindings: Bindings) -> bool | None:
    """Kleene's conjunction or disjunction over the items; undefined if they cannot be run through."""
    undefined = False
    try:
        drawn = list(islice(iter(items), MOST_ITEMS + 1))
    except UnknownValue:
        moment.unknown = True
        return None
    except Exception:
        return None
    for item in drawn[:MOST_ITEMS]:
        verdict = each(moment, {**bindings, variable: item})
        if verdict is decisive:
            return decisive
        undefined = undefined or verdict is None
    return None if undefined or len(drawn) > MOST_ITEMS else not decisive


def binary(function: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    return lambda moment, bindings: function(left(moment, bindings), right(moment, bindings))


def call(function: Value, arguments: list[Value]) -> Value:
    return lambda moment, bindings: function(moment, bindings)(*[argument(moment, bindings) for argument in arguments])


def attribute(target: Value, name: str) -> Value:
    return lambda moment, bindings: getattr(target(moment, bindings), name)


def gathered(kind: Callable[[list[Any]], Any], items: list[Value]) -> Value:
    return lambda moment, bindings: kind([item(moment, bindings) for item in items])


def mapping(keys: list[Value], values: list[Value]) -> Value:
    return lambda m, b: {key(m, b): value(m, b) for key, value in zip(keys, values, strict=True)}


def class_test(term: Value, name: str, *, exactly: bool) -> Value:
    def value(moment: Moment, bindings: Bindings) -> bool:
        operand = term(moment, bindings)
        if isinstance(operand, Opaque):
            raise UnknownValue
        cls = type(operand)
        return any(is_named(base, name) for base in ((cls,) if exactly else cls.__mro__))

    return value


def is_named(cls: type, name: str) -> bool:
    return name in (cls.__name__, cls.__qualname__, f"{cls.__module__}.{cls.__qualname__}")
