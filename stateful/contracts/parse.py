"""Python-syntax text to tree. What is not in the language is refused by one sentence that quotes it.

>>> from stateful.contracts.parse import parse
>>> parse("not self.is_empty()")
Not(operand=Call(target=Slot(name='self'), name='is_empty', arguments=()))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

from stateful.contracts import nodes as n
from stateful.errors import ExpressionError

__all__ = ["parse"]

COMPARISONS: dict[type, n.ComparisonOperator] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
ARITHMETIC: dict[type, n.ArithmeticOperator] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^",
}  # fmt: skip


ALWAYS = ("self", "result")


def parse(source: str, operands: Collection[str] = ()) -> n.Expr:
    """The expression tree of `source`. What is one of the `operands`, as `self` and `result` always are, is no class,
    and so is no part of it."""
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise ExpressionError(f"cannot read the expression {source!r}: {reason}") from None
    return _Reader(source, frozenset(), frozenset((*ALWAYS, *operands))).read(tree.body)


class _Reader:
    """Reads one Python syntax tree; `bound` are the variables of the quantifiers around, and `operands` other names of
    what is no class."""

    def __init__(self, source: str, bound: frozenset[str], operands: frozenset[str]) -> None:
        self.source = source
        self.bound = bound
        self.operands = operands

    def read(self, node: ast.expr) -> n.Expr:
        reader: Callable[[Any], n.Expr] | None = getattr(self, f"read_{type(node).__name__.lower()}", None)
        if reader is None:
            raise self.refusal(node, "is not part of the contract language")
        return reader(node)

    def refusal(self, node: ast.AST, why: str) -> ExpressionError:
        part = ast.unparse(node)
        where = "" if part == self.source.strip() else f" in {self.source!r}"
        return ExpressionError(f"cannot read {part!r}{where}: it {why}")

    def read_all(self, items: list[ast.expr]) -> tuple[n.Expr, ...]:
        return tuple(self.read(item) for item in items)

    def read_name(self, node: ast.Name) -> n.Expr:
        return n.Bound(node.id) if node.id in self.bound else n.Slot(node.id)

    def read_constant(self, node: ast.Constant) -> n.Expr:
        if node.value is Ellipsis or isinstance(node.value, complex):
            raise self.refusal(node, "is not a constant of the contract language")
        return n.Constant(node.value)

    def read_attribute(self, node: ast.Attribute) -> n.Expr:
        return n.Attribute(self.read(node.value), node.attr)

    def read_unaryop(self, node: ast.UnaryOp) -> n.Expr:
        if isinstance(node.op, ast.Not):
            return n.Not(self.read(node.operand))
        if not isinstance(node.op, ast.USub):
            raise self.refusal(node, "uses an operator that is not part of the contract language")
        operand = self.read(node.operand)
        if isinstance(operand, n.Constant) and type(operand.value) in (int, float):
            return n.Constant(-operand.value)  # type: ignore[operator]
        return n.Negative(operand)

    def read_boolop(self, node: ast.BoolOp) -> n.Expr:
        operands = self.read_all(node.values)
        return n.And(operands) if isinstance(node.op, ast.And) else n.Or(operands)

    def read_binop(self, node: ast.BinOp) -> n.Expr:
        operator = ARITHMETIC.get(type(node.op))
        if operator is None:
            raise self.refusal(node, "uses an operator that is not part of the contract language")
        return n.Arithmetic(operator, self.read(node.left), self.read(node.right))

    def read_compare(self, node: ast.Compare) -> n.Expr:
        links = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            links.append(self.read_link(left, operator, right))
            left = right
        return links[0] if len(links) == 1 else n.And(tuple(links))

    def read_link(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> n.Expr:
        name = self.class_name(right)
        if name and is_type_call(left) and isinstance(operator, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
            test = n.TypeIs(self.read(left.args[0]), name)  # type: ignore[attr-defined]
            return test if isinstance(operator, ast.Is | ast.Eq) else n.Not(test)
        return n.Comparison(COMPARISONS[type(operator)], self.read(left), self.read(right))

    def class_name(self, node: ast.expr) -> str:
        """The dotted name, or nothing if the node is no name of a class."""
        if isinstance(node, ast.Name):
            return "" if node.id in self.bound | self.operands else node.id
        if isinstance(node, ast.Attribute):
            owner = self.class_name(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return ""

    def read_call(self, node: ast.Call) -> n.Expr:
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.refusal(node, "has keyword or starred arguments, which the contract language has not")
        if isinstance(node.func, ast.Attribute):
            return n.Call(self.read(node.func.value), node.func.attr, self.read_all(node.args))
        if not isinstance(node.func, ast.Name):
            raise self.refusal(node, "calls something that has no name")
        return self.read_function(node, node.func.id)

    def read_function(self, node: ast.Call, name: str) -> n.Expr:
        match name, node.args:
            case "old", [operand]:
                return n.Old(self.read(operand))
            case "implies", [premise, conclusion]:
                return n.Implies(self.read(premise), self.read(conclusion))
            case "raises", [exception] if self.class_name(exception):
                return n.Raises(self.class_name(exception))
            case "isinstance", [operand, cls] if self.class_name(cls):
                return n.IsInstance(self.read(operand), self.class_name(cls))
            case (("all" | "any"), [ast.GeneratorExp() as generator]):
                return self.read_quantified("all" if name == "all" else "any", generator)
        if name in ("old", "implies", "raises", "isinstance", "all", "any"):
            raise self.refusal(node, f"is not how `{name}` is written: {FORMS[name]}")
        if name not in n.BUILTINS:
            raise self.refusal(node, f"calls `{name}`; the functions are {', '.join((*FORMS, *n.BUILTINS))}")
        return n.Builtin(name, self.read_all(node.args))

    def read_quantified(self, kind: Any, node: ast.GeneratorExp) -> n.Expr:
        loop = node.generators[0]
        if len(node.generators) > 1 or not isinstance(loop.target, ast.Name) or len(loop.ifs) > 1 or loop.is_async:
            raise self.refusal(node, "has more than one variable or condition")
        inner = _Reader(self.source, self.bound | {loop.target.id}, self.operands)
        condition = inner.read(loop.ifs[0]) if loop.ifs else None
        return n.Quantified(kind, inner.read(node.elt), loop.target.id, self.read(loop.iter), condition)

    def read_subscript(self, node: ast.Subscript) -> n.Expr:
        target = self.read(node.value)
        if not isinstance(node.slice, ast.Slice):
            return n.Item(target, self.read(node.slice))
        start, stop, step = (part and self.read(part) for part in (node.slice.lower, node.slice.upper, node.slice.step))
        return n.Slice(target, start or None, stop or None, step or None)

    def read_list(self, node: ast.List) -> n.Expr:
        return n.Display("list", self.read_all(node.elts))

    def read_tuple(self, node: ast.Tuple) -> n.Expr:
        return n.Display("tuple", self.read_all(node.elts))

    def read_set(self, node: ast.Set) -> n.Expr:
        return n.Display("set", self.read_all(node.elts))

    def read_dict(self, node: ast.Dict) -> n.Expr:
        if any(key is None for key in node.keys):
            raise self.refusal(node, "unpacks a mapping, which the contract language has not")
        return n.DictDisplay(self.read_all([key for key in node.keys if key]), self.read_all(node.values))


FORMS = {
    "old": "old(expression)",
    "implies": "implies(premise, conclusion)",
    "raises": "raises(ExceptionName)",
    "isinstance": "isinstance(expression, ClassName)",
    "all": "all(condition for name in expression)",
    "any": "any(condition for name in expression)",
}


def is_type_call(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
    )
