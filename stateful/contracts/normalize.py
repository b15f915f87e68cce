"""Conjunctive normal form: the conjuncts that together are equivalent to an expression; and one order for what
commutes.

>>> from stateful.contracts import parse, text
>>> [text(part) for part in conjuncts(parse("not (a or b) and implies(c, d and e)"))]
['not a', 'not b', 'not c or d', 'not c or e']
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from stateful.contracts import nodes as n
from stateful.contracts.negate import negate
from stateful.contracts.text import text

__all__ = ["conjuncts", "disjuncts", "inwards", "ordered"]

MOST = 64  # a disjunction that would give more conjuncts than this stays as it is: still equivalent, only not split


def conjuncts(node: n.Expr) -> tuple[n.Expr, ...]:
    """The conjuncts of the normal form, each once, in order."""
    return tuple(dict.fromkeys(_conjuncts(inwards(node))))


def _conjuncts(node: n.Expr) -> list[n.Expr]:
    if isinstance(node, n.And):
        return [part for operand in node.operands for part in _conjuncts(operand)]
    if isinstance(node, n.Or):
        return _distributed([_conjuncts(operand) for operand in node.operands], node)
    return [node]


def _distributed(choices: list[list[n.Expr]], whole: n.Or) -> list[n.Expr]:
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST:
        return [whole]
    return [joined(combination) for combination in product(*choices)]


def joined(parts: tuple[n.Expr, ...]) -> n.Expr:
    flat = tuple(dict.fromkeys(item for part in parts for item in disjuncts(part)))
    return flat[0] if len(flat) == 1 else n.Or(flat)


def disjuncts(node: n.Expr) -> tuple[n.Expr, ...]:
    return tuple(item for part in node.operands for item in disjuncts(part)) if isinstance(node, n.Or) else (node,)


def inwards(node: n.Expr) -> n.Expr:
    """The expression with implications dissolved and negations pushed to the atoms."""
    match node:
        case n.Implies(premise=premise, conclusion=conclusion):
            return n.Or((inwards(negate(premise)), inwards(conclusion)))
        case n.And(operands=operands):
            return n.And(tuple(inwards(operand) for operand in operands))
        case n.Or(operands=operands):
            return n.Or(tuple(inwards(operand) for operand in operands))
        case n.Not(operand=operand):
            pushed = negate(operand)
            return pushed if isinstance(pushed, n.Not) and not n.is_logic(pushed.operand) else inwards(pushed)
        case n.Old(operand=n.And() | n.Or() | n.Implies() | n.Not() as operand):
            return inwards(outwards(operand))
    return node


def outwards(node: n.Expr) -> n.Expr:
    """`old` moved from a logical expression to its parts: `old(a and b)` becomes `old(a) and old(b)`."""
    return n.rebuilt(node, n.Old)


@lru_cache(maxsize=1 << 16)
def ordered(node: n.Expr) -> n.Expr:
    """The expression with the sides of what commutes in one order."""
    node = n.rebuilt(node, ordered)
    match node:
        case n.Comparison(operator="==" | "!=" | "is" | "is not", left=left, right=right) if text(left) > text(right):
            return n.Comparison(node.operator, right, left)
        case n.Arithmetic(operator="|" | "&" | "^", left=left, right=right) if text(left) > text(right):
            return node if _holds_mapping(node) else n.Arithmetic(node.operator, right, left)
        case n.Builtin(name="sorted", arguments=(n.Arithmetic(operator="+", left=left, right=right),)) if text(
            left
        ) > text(right):
            return n.Builtin("sorted", (n.Arithmetic("+", right, left),))
    return node


def _holds_mapping(node: n.Expr) -> bool:
    """Of two mappings the right one says what a common key has."""
    return any(
        isinstance(part, n.DictDisplay) or (isinstance(part, n.Builtin) and part.name == "dict")
        for part in n.walk(node)
    )
