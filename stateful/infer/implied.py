"""Drop what another clause of the same routine says already, and order the rest: what says most comes first."""

from __future__ import annotations

from stateful.contracts import nodes as n
from stateful.infer.candidates import Candidate

__all__ = ["without_implied"]


def without_implied(candidates: list[Candidate]) -> list[Candidate]:
    """Drop an order between two terms that are equal, and what a list says better than its set or its length."""
    equal = {(c.kind, _ends(c.expression)) for c in candidates if _is_equation(c.expression)}
    listed = {_viewed(c.expression, "list") for c in candidates if c.family == "sequence"}
    mapped = {_viewed(c.expression, "dict") for c in candidates if c.family == "mapping"}
    return [
        c
        for c in candidates
        if not (_is_order(c.expression) and (c.kind, _ends(c.expression)) in equal)
        and not (c.family == "set algebra" and _viewed(c.expression, "set") in listed)
        and not (c.family in ("change", "frame") and _viewed(c.expression, "len") in (listed | mapped) - {None})
    ]


def _viewed(node: n.Expr, view: str) -> n.Expr | None:
    """The operand of which an equation gives this view."""
    match node:
        case n.Comparison(operator="==", left=n.Builtin(name=name, arguments=(operand,))) if name == view:
            return operand
    return None


def _is_equation(node: n.Expr) -> bool:
    return isinstance(node, n.Comparison) and node.operator == "=="


def _is_order(node: n.Expr) -> bool:
    return isinstance(node, n.Comparison) and node.operator in ("<=", ">=")


def _ends(node: n.Expr) -> frozenset[n.Expr]:
    return frozenset((node.left, node.right)) if isinstance(node, n.Comparison) else frozenset()
