"""The tree: small frozen dataclasses, one for each form of the contract language.

Logic (`Not`, `And`, `Or`, `Implies`, `Quantified`) has a truth value of three: true, false, undefined.
Everything else is a term; where a truth value is wanted, a term stands for `bool(term)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias, get_args

__all__ = [
    "BUILTINS",
    "And",
    "Arithmetic",
    "Attribute",
    "Bound",
    "Builtin",
    "Call",
    "Comparison",
    "Constant",
    "DictDisplay",
    "Display",
    "Expr",
    "Implies",
    "IsInstance",
    "Item",
    "Negative",
    "Not",
    "Old",
    "Or",
    "Quantified",
    "Raises",
    "Slice",
    "Slot",
    "TypeIs",
    "children",
    "is_integer",
    "is_logic",
    "rebuilt",
    "slots_of",
    "walk",
]

BUILTINS = (
    "abs", "bool", "dict", "frozenset", "len", "list", "max", "min", "range", "reversed", "set", "sorted", "sum",
    "tuple", "type", "zip",
)  # fmt: skip

ComparisonOperator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"]
ArithmeticOperator: TypeAlias = Literal["+", "-", "*", "//", "%", "|", "&", "^"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a call: `self`, a parameter by its name, or `result`."""

    name: str


@dataclass(frozen=True, slots=True)
class Bound:
    """The variable of an enclosing quantifier."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """None, a truth value, a number, a string or bytes; 1, 1.0 and True are three different constants."""

    value: bool | int | float | str | bytes | None
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value).__name__)


@dataclass(frozen=True, slots=True)
class Attribute:
    """`target.name`."""

    target: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """`target.name(arguments)`: a query of an object."""

    target: Expr
    name: str
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Builtin:
    """A call of one of BUILTINS, such as `len(self)` or `sorted(self)`."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """`target[index]`."""

    target: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Slice:
    """`target[start:stop:step]`."""

    target: Expr
    start: Expr | None = None
    stop: Expr | None = None
    step: Expr | None = None


@dataclass(frozen=True, slots=True)
class Display:
    """`[a, b]`, `(a, b)` or `{a, b}`."""

    kind: Literal["list", "tuple", "set"]
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class DictDisplay:
    """`{key: value}`."""

    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Negative:
    """`-operand`."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Integer arithmetic, concatenation and set algebra."""

    operator: ArithmeticOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison. `a != b` means `not a == b`, whatever a class makes of `__ne__`."""

    operator: ComparisonOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class TypeIs:
    """`type(operand) is Name`."""

    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class IsInstance:
    """`isinstance(operand, Name)`."""

    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Old:
    """`old(operand)`: its value before the call."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Raises:
    """`raises(Name)`: the call raised this exception or one derived from it."""

    name: str


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    premise: Expr
    conclusion: Expr


@dataclass(frozen=True, slots=True)
class Quantified:
    """`all(body for variable in domain if condition)`, or `any(...)`."""

    kind: Literal["all", "any"]
    body: Expr
    variable: str
    domain: Expr
    condition: Expr | None = None


Expr: TypeAlias = (
    Slot | Bound | Constant | Attribute | Call | Builtin | Item | Slice | Display | DictDisplay | Negative
    | Arithmetic | Comparison | TypeIs | IsInstance | Old | Raises | Not | And | Or | Implies | Quantified
)  # fmt: skip

LOGIC = (Not, And, Or, Implies, Quantified)


def is_logic(node: Expr) -> bool:
    return isinstance(node, LOGIC)


FIELDS: dict[type, tuple[str, ...]] = {}
NODES = frozenset(get_args(Expr))


def _fields_of(cls: type) -> tuple[str, ...]:
    """The names of its fields, looked up once: trees are walked by the million."""
    found = FIELDS.get(cls)
    if found is None:
        found = FIELDS[cls] = tuple(part.name for part in fields(cls))
    return found


def children(node: Expr) -> Iterator[Expr]:
    """The direct sub-expressions, from left to right."""
    for name in _fields_of(type(node)):
        value = getattr(node, name)
        if type(value) is tuple:
            yield from value
        elif type(value) in NODES:
            yield value


def walk(node: Expr) -> Iterator[Expr]:
    """The node and everything below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def slots_of(node: Expr) -> tuple[str, ...]:
    """The names of the slots that occur, in order of first occurrence."""
    return tuple(dict.fromkeys(part.name for part in walk(node) if isinstance(part, Slot)))


def rebuilt(node: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The node with `change` applied to its direct sub-expressions."""
    build: Callable[..., Expr] = type(node)
    parts: list[object] = []
    is_changed = False
    for name in _fields_of(type(node)):
        value = getattr(node, name)
        changed = value
        if type(value) is tuple:
            changed = tuple(map(change, value))
        elif type(value) in NODES:
            changed = change(value)
        is_changed = is_changed or changed is not value
        parts.append(changed)
    return build(*parts) if is_changed else node


def is_integer(node: Expr) -> bool:
    """True if the term can only be an integer where it is defined, so that its order is total."""
    match node:
        case Constant(value=value):
            return isinstance(value, int)
        case Builtin(name="len"):
            return True
        case Negative(operand=operand) | Old(operand=operand):
            return is_integer(operand)
        case Arithmetic(operator="+" | "-" | "*" | "//" | "%", left=left, right=right):
            return is_integer(left) and is_integer(right)
    return False
