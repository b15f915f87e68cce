"""Tree to Python that people paste: decorators of icontract and deal, and plain asserts.

`old(x)` becomes a name that is bound before the call; `implies(a, b)` becomes `not a or b`, so that Python's short
circuit guards what is undefined where the premise is false.

>>> from stateful.contracts import parse
>>> said = pasted(parse("implies(old(self.is_empty()), len(self) == old(len(other)))"), "OLD.", {"$.is_empty()"})
>>> said.text
'not OLD.self_is_empty or len(self) == OLD.len_other'
>>> [value for _, value, _ in said.olds]
['self.is_empty()', 'len(other) if self.is_empty() else None']
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from stateful.contracts import nodes as n
from stateful.contracts.predicate import predicate_of
from stateful.contracts.text import text

__all__ = ["Pasted", "pasted"]

FRESH = (
    n.Slot, n.Builtin, n.Comparison, n.Not, n.And, n.Or, n.Constant, n.Arithmetic, n.Slice, n.Display,
)  # fmt: skip
"""What makes a value of its own, or is an operand itself; anything else may be changed by the call, and is copied."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """The text, the operands that it speaks of, and what has to be kept before the call: name, text, operands."""

    text: str
    names: tuple[str, ...]
    olds: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


def pasted(node: n.Expr, prefix: str, plain_values: Collection[str] = ()) -> Pasted | None:
    """The expression with the names of old values after `prefix`; nothing for what speaks of exceptions.

    `plain_values` are the predicates whose values no call can change: they need no copy."""
    if any(isinstance(part, n.Raises) for part in n.walk(node)):
        return None
    premise = node.premise.operand if isinstance(node, n.Implies) and isinstance(node.premise, n.Old) else None
    olds: dict[n.Expr, str] = {}
    plain = _plain(node, olds, prefix)
    kept = []
    for value, name in olds.items():
        guard = premise if premise is not None and value != premise else None
        copied = not (isinstance(value, FRESH) or predicate_of(value).text in plain_values)
        kept.append((name, _kept(value, guard, copied=copied), n.slots_of(value) + _others(guard, value)))
    made = {f"{prefix}{name}" for name in olds.values()}
    names = tuple(name for name in n.slots_of(plain) if name not in made)
    return Pasted(text(plain), names, tuple(kept))


def _others(guard: n.Expr | None, value: n.Expr) -> tuple[str, ...]:
    known = n.slots_of(value)
    return tuple(name for name in n.slots_of(guard) if name not in known) if guard is not None else ()


def _plain(node: n.Expr, olds: dict[n.Expr, str], prefix: str) -> n.Expr:
    """Without what only the contract language has."""
    match node:
        case n.Old(operand=operand):
            if operand not in olds:
                olds[operand] = _name(operand, set(olds.values()))
            return n.Slot(f"{prefix}{olds[operand]}")
        case n.Implies(premise=premise, conclusion=conclusion):
            return n.Or((_plain(n.Not(premise), olds, prefix), _plain(conclusion, olds, prefix)))
        case n.Comparison(operator="!=", left=left, right=right):
            return n.Not(n.Comparison("==", _plain(left, olds, prefix), _plain(right, olds, prefix)))
        case n.Not(operand=n.Not(operand=operand)):
            return _plain(operand, olds, prefix)
    return n.rebuilt(node, lambda part: _plain(part, olds, prefix))


def _name(node: n.Expr, taken: set[str]) -> str:
    base = re.sub(r"\W+", "_", text(node)).strip("_").lower() or "value"
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _kept(node: n.Expr, guard: n.Expr | None, *, copied: bool) -> str:
    """The value before the call; where the premise fails nobody asks for it."""
    plain = text(_plain(node, {}, ""))
    value = f"copy.deepcopy({plain})" if copied else plain
    return f"{value} if {text(_plain(guard, {}, ''))} else None" if guard is not None else value
