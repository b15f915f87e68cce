"""The examples in docstrings as calls: what they build, which values they pass, in which order.

Nothing is executed here. An example statement becomes a tree of `Shown` calls, `Value`s and `Variable`s; what cannot be
read so (loops, imports of other packages, printing) is skipped, and what depends on it does not run either.
"""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Example", "Shown", "Statement", "Value", "Variable", "examples_in"]

MOST_STATEMENTS = 400
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__", ast.Mod: "__mod__",
    ast.FloorDiv: "__floordiv__", ast.BitAnd: "__and__", ast.BitOr: "__or__", ast.BitXor: "__xor__",
    ast.Pow: "__pow__", ast.MatMult: "__matmul__", ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__",
    ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__", ast.Invert: "__invert__", ast.USub: "__neg__",
    ast.LShift: "__lshift__", ast.RShift: "__rshift__",
}  # fmt: skip
BUILTINS = {"len": "__len__", "list": "__iter__", "bool": "__bool__", "reversed": "__reversed__", "abs": "__abs__"}


@dataclass(frozen=True, slots=True)
class Value:
    """A literal."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A call of `name`, on `receiver` if there is one; `reads` if it is written as an attribute."""

    name: str
    receiver: Node | None
    arguments: tuple[Node, ...] = ()
    keywords: tuple[tuple[str, Node], ...] = ()
    reads: bool = False


Node: TypeAlias = Value | Variable | Shown


@dataclass(frozen=True, slots=True)
class Statement:
    """One call, whose result gets a name if the example gives it one."""

    target: str | None
    call: Shown


Example: TypeAlias = tuple[Statement, ...]
"""The statements of one docstring: they share their variables."""


def examples_in(things: list[Any]) -> list[Example]:
    """What the docstrings of modules, classes and functions show; what is inherited once."""
    parser = doctest.DocTestParser()
    found: list[Example] = []
    for said in dict.fromkeys(inspect.getdoc(thing) or "" for thing in things):
        try:
            sources = [example.source for example in parser.get_examples(said)]
        except ValueError:
            continue
        statements = tuple(statement for source in sources for statement in _statements(source))
        if statements:
            found.append(statements)
    return found


def _statements(source: str) -> Iterator[Statement]:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return
    for node in body[:MOST_STATEMENTS]:
        yield from _statement(node)


def _statement(node: ast.stmt) -> Iterator[Statement]:
    if isinstance(node, ast.Expr):
        call = _node(node.value)
        if isinstance(call, Shown):
            yield Statement(None, call)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        yield from _assigned(node.targets[0], node.value)
    elif isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Subscript):
        yield from _on_item("__delitem__", node.targets[0], ())
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        name, value = OPERATORS.get(type(node.op)), _node(node.value)
        if name and value:
            yield Statement(node.target.id, Shown(f"__i{name[2:]}", Variable(node.target.id), (value,)))


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[Statement]:
    found = _node(value)
    if isinstance(target, ast.Name) and isinstance(found, Shown):
        yield Statement(target.id, found)
    elif isinstance(target, ast.Subscript) and found is not None:
        yield from _on_item("__setitem__", target, (found,))
    elif isinstance(target, ast.Attribute) and found is not None:
        owner = _node(target.value)
        if owner is not None:
            yield Statement(None, Shown(f"{target.attr}=", owner, (found,)))


def _on_item(name: str, target: ast.Subscript, more: tuple[Node, ...]) -> Iterator[Statement]:
    owner, key = _node(target.value), _node(target.slice)
    if owner is not None and key is not None:
        yield Statement(None, Shown(name, owner, (key, *more)))


def _node(node: ast.expr) -> Node | None:
    """The expression as calls; nothing if it says something else."""
    literal = _literal(node)
    if literal is not None:
        return Value(literal)
    if isinstance(node, ast.Name):
        return Variable(node.id)
    for reader in READERS:
        found = reader(node)
        if found is not None:
            return found
    return None


def _literal(node: ast.expr) -> str | None:
    if isinstance(node, ast.Slice):
        parts = [_literal(part) if part else "None" for part in (node.lower, node.upper, node.step)]
        return None if None in parts else f"slice({', '.join(map(str, parts))})"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        return ast.unparse(node) if all(_literal(argument) for argument in node.args) else None
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return ast.unparse(node)


def _call(node: ast.expr) -> Shown | None:
    if not isinstance(node, ast.Call):
        return None
    arguments = tuple(_node(argument) for argument in node.args)
    keywords = tuple((keyword.arg or "", _node(keyword.value)) for keyword in node.keywords)
    if None in arguments or any(not name or value is None for name, value in keywords):
        return None
    if isinstance(node.func, ast.Name) and node.func.id in BUILTINS and len(arguments) == 1:
        return Shown(BUILTINS[node.func.id], arguments[0])
    receiver = _node(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if isinstance(node.func, ast.Attribute) and receiver is not None:
        return Shown(node.func.attr, receiver, arguments, keywords)  # type: ignore[arg-type]
    if isinstance(node.func, ast.Name):
        return Shown(node.func.id, None, arguments, keywords)  # type: ignore[arg-type]
    return None


def _operation(node: ast.expr) -> Shown | None:
    if isinstance(node, ast.BinOp):
        return _operator(type(node.op), node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return _operator(type(node.op), node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            owner, item = _node(node.comparators[0]), _node(node.left)
            return Shown("__contains__", owner, (item,)) if owner and item else None
        return _operator(type(node.ops[0]), node.left, node.comparators[0])
    return None


def _operator(kind: type[ast.AST], left: ast.expr, *rest: ast.expr) -> Shown | None:
    owner, others = _node(left), tuple(_node(side) for side in rest)
    if kind not in OPERATORS or owner is None or None in others:
        return None
    return Shown(OPERATORS[kind], owner, others)  # type: ignore[arg-type]


def _read(node: ast.expr) -> Shown | None:
    if isinstance(node, ast.Subscript):
        owner, key = _node(node.value), _node(node.slice)
        return Shown("__getitem__", owner, (key,)) if owner and key else None
    if isinstance(node, ast.Attribute):
        owner = _node(node.value)
        return Shown(node.attr, owner, reads=True) if owner else None
    return None


READERS = (_call, _operation, _read)
