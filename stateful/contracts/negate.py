"""The opposite of an expression, pushed inwards as far as it stays exact.

`evaluate(negate(e))` is false where e is true, true where e is false, and undefined where e is.
An order is turned round only between integers: for sets and nan, `not a < b` is not `a >= b`.

>>> from stateful.contracts import parse, text
>>> text(negate(parse("implies(self.off, len(self) == 0)")))
'self.off and len(self) != 0'
>>> text(negate(parse("self < other")))
'not self < other'
"""

from __future__ import annotations

from stateful.contracts import nodes as n

__all__ = ["OPPOSITE_ORDER", "negate"]

OPPOSITE: dict[n.ComparisonOperator, n.ComparisonOperator] = {
    "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip
OPPOSITE_ORDER: dict[n.ComparisonOperator, n.ComparisonOperator] = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(node: n.Expr) -> n.Expr:
    """An expression that is true exactly where `node` is false."""
    match node:
        case n.Not(operand=operand):
            return operand
        case n.And(operands=operands):
            return n.Or(tuple(negate(operand) for operand in operands))
        case n.Or(operands=operands):
            return n.And(tuple(negate(operand) for operand in operands))
        case n.Implies(premise=premise, conclusion=conclusion):
            return n.And((premise, negate(conclusion)))
        case n.Quantified(kind=kind, body=body, variable=variable, domain=domain, condition=condition):
            other = "any" if kind == "all" else "all"
            return n.Quantified(other, negate(body), variable, domain, condition)  # type: ignore[arg-type]
        case n.Comparison(operator=operator, left=left, right=right):
            return negated_comparison(operator, left, right)
        case n.Old(operand=operand) if n.is_logic(operand):
            return n.Old(negate(operand))
    return n.Not(node)


def negated_comparison(operator: n.ComparisonOperator, left: n.Expr, right: n.Expr) -> n.Expr:
    if operator in OPPOSITE:
        return n.Comparison(OPPOSITE[operator], left, right)
    if n.is_integer(left) and n.is_integer(right):
        return n.Comparison(OPPOSITE_ORDER[operator], left, right)
    return n.Not(n.Comparison(operator, left, right))
