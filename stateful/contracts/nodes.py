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


class Node:
    """A node remembers its hash: parts of expressions are looked up by the million."""

    __slots__ = ("_hash",)

    def __hash__(self) -> int:
        try:
            return self._hash  # type: ignore[attr-defined, no-any-return]
        except AttributeError:
            cls = type(self)
            found = hash((cls, *(getattr(self, name) for name in _fields_of(cls))))
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Slot(Node):
    """A place in a call: `self`, a parameter by its name, or `result`."""

    __hash__ = Node.__hash__

    name: str


@dataclass(frozen=True, slots=True)
class Bound(Node):
    """The variable of an enclosing quantifier."""

    __hash__ = Node.__hash__

    name: str


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """None, a truth value, a number, a string or bytes; 1, 1.0 and True are three different constants."""

    __hash__ = Node.__hash__

    value: bool | int | float | str | bytes | None
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value).__name__)


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`target.name`."""

    __hash__ = Node.__hash__

    target: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`target.name(arguments)`: a query of an object."""

    __hash__ = Node.__hash__

    target: Expr
    name: str
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Builtin(Node):
    """A call of one of BUILTINS, such as `len(self)` or `sorted(self)`."""

    __hash__ = Node.__hash__

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Item(Node):
    """`target[index]`."""

    __hash__ = Node.__hash__

    target: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`target[start:stop:step]`."""

    __hash__ = Node.__hash__

    target: Expr
    start: Expr | None = None
    stop: Expr | None = None
    step: Expr | None = None


@dataclass(frozen=True, slots=True)
class Display(Node):
    """`[a, b]`, `(a, b)` or `{a, b}`."""

    __hash__ = Node.__hash__

    kind: Literal["list", "tuple", "set"]
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class DictDisplay(Node):
    """`{key: value}`."""

    __hash__ = Node.__hash__

    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """`-operand`."""

    __hash__ = Node.__hash__

    operand: Expr


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """Integer arithmetic, concatenation and set algebra."""

    __hash__ = Node.__hash__

    operator: ArithmeticOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """One comparison. `a != b` means `not a == b`, whatever a class makes of `__ne__`."""

    __hash__ = Node.__hash__

    operator: ComparisonOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class TypeIs(Node):
    """`type(operand) is Name`."""

    __hash__ = Node.__hash__

    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class IsInstance(Node):
    """`isinstance(operand, Name)`."""

    __hash__ = Node.__hash__

    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Old(Node):
    """`old(operand)`: its value before the call."""

    __hash__ = Node.__hash__

    operand: Expr


@dataclass(frozen=True, slots=True)
class Raises(Node):
    """`raises(Name)`: the call raised this exception or one derived from it."""

    __hash__ = Node.__hash__

    name: str


@dataclass(frozen=True, slots=True)
class Not(Node):
    __hash__ = Node.__hash__
    operand: Expr


@dataclass(frozen=True, slots=True)
class And(Node):
    __hash__ = Node.__hash__
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    __hash__ = Node.__hash__
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Implies(Node):
    __hash__ = Node.__hash__
    premise: Expr
    conclusion: Expr


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """`all(body for variable in domain if condition)`, or `any(...)`."""

    __hash__ = Node.__hash__

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
