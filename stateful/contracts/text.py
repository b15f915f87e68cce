"""Tree to Python-syntax text, with no more parentheses than Python needs.

>>> from stateful.contracts.nodes import Call, Not, Slot
>>> text(Not(Call(Slot("self"), "is_empty")))
'not self.is_empty()'
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import lru_cache

from stateful.contracts import nodes as n

__all__ = ["text"]

COMPARISONS: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
    "is": ast.Is, "is not": ast.IsNot, "in": ast.In, "not in": ast.NotIn,
}  # fmt: skip
ARITHMETIC: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "//": ast.FloorDiv, "%": ast.Mod,
    "|": ast.BitOr, "&": ast.BitAnd, "^": ast.BitXor,
}  # fmt: skip


@lru_cache(maxsize=1 << 14)
def text(node: n.Expr) -> str:
    """The expression as a Python programmer would write it."""
    return ast.unparse(ast.fix_missing_locations(syntax(node)))


def syntax(node: n.Expr) -> ast.expr:
    """The Python syntax tree of an expression."""
    match node:
        case n.Slot(name=name) | n.Bound(name=name):
            return ast.Name(name)
        case n.Constant(value=value):
            return constant(value)
        case n.Attribute(target=target, name=name):
            return ast.Attribute(syntax(target), name)
        case n.Call(target=target, name=name, arguments=arguments):
            return ast.Call(ast.Attribute(syntax(target), name), listed(arguments), [])
        case n.Builtin(name=name, arguments=arguments):
            return function(name, *listed(arguments))
        case n.Item(target=target, index=index):
            return ast.Subscript(syntax(target), syntax(index))
        case n.Slice(target=target, start=start, stop=stop, step=step):
            bounds = [syntax(part) if part else None for part in (start, stop, step)]
            return ast.Subscript(syntax(target), ast.Slice(*bounds))
        case n.Display(kind=kind, items=items):
            return display(kind, listed(items))
        case n.DictDisplay(keys=keys, values=values):
            return ast.Dict([syntax(key) for key in keys], listed(values))
        case n.Negative(operand=operand):
            return ast.UnaryOp(ast.USub(), syntax(operand))
        case n.Arithmetic(operator=operator, left=left, right=right):
            return ast.BinOp(syntax(left), ARITHMETIC[operator](), syntax(right))
        case n.Comparison(operator=comparison, left=left, right=right):
            return ast.Compare(syntax(left), [COMPARISONS[comparison]()], [syntax(right)])
    return logic_syntax(node)


def logic_syntax(node: n.Expr) -> ast.expr:
    match node:
        case n.TypeIs(operand=operand, name=name):
            return ast.Compare(function("type", syntax(operand)), [ast.Is()], [dotted(name)])
        case n.IsInstance(operand=operand, name=name):
            return function("isinstance", syntax(operand), dotted(name))
        case n.Old(operand=operand):
            return function("old", syntax(operand))
        case n.Raises(name=name):
            return function("raises", dotted(name))
        case n.Not(operand=operand):
            return ast.UnaryOp(ast.Not(), syntax(operand))
        case n.And(operands=operands):
            return ast.BoolOp(ast.And(), listed(operands))
        case n.Or(operands=operands):
            return ast.BoolOp(ast.Or(), listed(operands))
        case n.Implies(premise=premise, conclusion=conclusion):
            return function("implies", syntax(premise), syntax(conclusion))
        case n.Quantified(kind=kind, body=body, variable=variable, domain=domain, condition=condition):
            conditions = [syntax(condition)] if condition else []
            loop = ast.comprehension(ast.Name(variable), syntax(domain), conditions, 0)
            return function(kind, bare(ast.GeneratorExp(syntax(body), [loop])))
    raise AssertionError(f"no text for {node!r}")


def listed(items: tuple[n.Expr, ...]) -> list[ast.expr]:
    return [syntax(item) for item in items]


def function(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(arguments), [])


def bare(node: ast.GeneratorExp) -> ast.expr:
    """A generator as the only argument of a call needs no parentheses of its own, but `ast.unparse` writes them."""
    return ast.Name(ast.unparse(ast.fix_missing_locations(node))[1:-1])


def dotted(name: str) -> ast.expr:
    first, *rest = name.split(".")
    tree: ast.expr = ast.Name(first)
    for part in rest:
        tree = ast.Attribute(tree, part)
    return tree


DISPLAYS: dict[str, Callable[[list[ast.expr]], ast.expr]] = {"list": ast.List, "tuple": ast.Tuple, "set": ast.Set}


def display(kind: str, items: list[ast.expr]) -> ast.expr:
    return DISPLAYS[kind](items) if items or kind != "set" else function("set")


def constant(value: object) -> ast.expr:
    if isinstance(value, float) and math.isinf(value):  # 1e999 is how Python writes infinity as a literal
        value, sign = math.inf, value < 0
        return ast.UnaryOp(ast.USub(), ast.Constant(value)) if sign else ast.Constant(value)
    return ast.Constant(value)  # type: ignore[arg-type]
