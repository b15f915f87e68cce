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


def pasted(
    node: n.Expr, prefix: str, plain_values: Collection[str] = (), taken: dict[str, str] | None = None
) -> Pasted | None:
    """The expression with the names of old values after `prefix`; nothing for what speaks of exceptions, or cannot be
    said where a parameter has that name.

    `plain_values` are the predicates whose values no call can change: they need no copy. `taken` are the names of old
    values that stand for something already, with what they stand for; it is not changed."""
    if any(isinstance(part, n.Raises) for part in n.walk(node)) or _compares_old_operand(node):
        return None
    if {part.name for part in n.walk(node) if isinstance(part, n.Builtin)} & {*n.slots_of(node)}:
        return None  # where a parameter is called `list`, nobody can call `list`
    olds = _Olds(prefix, _guard(node), frozenset(plain_values), dict(taken or {}))
    plain = olds.plain(node)
    made = {f"{prefix}{name}" for name, _ in olds.known.values()}
    names = tuple(name for name in n.slots_of(plain) if name not in made)
    kept = tuple((name, value, olds.operands(operand)) for operand, (name, value) in olds.known.items())
    return Pasted(text(plain), names, kept)


class _Olds:
    """The old values of one expression: for each its name and how it is kept."""

    def __init__(self, prefix: str, guard: n.Expr | None, plain_values: frozenset[str], taken: dict[str, str]) -> None:
        self.prefix = prefix
        self.guard = guard
        self.plain_values = plain_values
        self.taken = taken
        self.known: dict[n.Expr, tuple[str, str]] = {}

    def plain(self, node: n.Expr) -> n.Expr:
        """Without what only the contract language has."""
        match node:
            case n.Old(operand=operand):
                return n.Slot(f"{self.prefix}{self._name(operand)}")
            case n.Implies(premise=premise, conclusion=conclusion):
                return n.Or((self.plain(n.Not(premise)), self.plain(conclusion)))
            case n.Comparison(operator="!=", left=left, right=right):
                return n.Not(n.Comparison("==", self.plain(left), self.plain(right)))
            case n.Not(operand=n.Not(operand=operand)):
                return self.plain(operand)
        return n.rebuilt(node, self.plain)

    def _name(self, operand: n.Expr) -> str:
        if operand not in self.known:
            value = self._kept(operand)
            base = re.sub(r"\W+", "_", text(operand)).strip("_").lower() or "value"
            name, number = base, 1
            while self.taken.get(name, value) != value:
                number += 1
                name = f"{base}_{number}"
            self.taken[name] = value
            self.known[operand] = name, value
        return self.known[operand][0]

    def _kept(self, operand: n.Expr) -> str:
        """The value before the call, copied if a call can change it; where the premise fails nobody asks for it."""
        fresh = isinstance(operand, FRESH) or predicate_of(operand).text in self.plain_values
        plain = text(_without_old(operand))
        value = plain if fresh else f"copy.deepcopy({plain})"
        return (
            f"{value} if {text(_without_old(self.guard))} else None" if self._guards(operand) and self.guard else value
        )

    def _guards(self, operand: n.Expr) -> bool:
        """What the premise itself asks is asked in any case."""
        return self.guard is not None and operand not in n.walk(self.guard)

    def operands(self, operand: n.Expr) -> tuple[str, ...]:
        names = n.slots_of(operand) + (n.slots_of(self.guard) if self._guards(operand) and self.guard else ())
        return tuple(dict.fromkeys(names))


def _guard(node: n.Expr) -> n.Expr | None:
    """The premise of an implication, as it is asked before the call; nothing if it speaks of what is there after."""
    if not isinstance(node, n.Implies):
        return None
    return None if n.slots_of(_outside_old(node.premise)) else _stripped(node.premise)


def _outside_old(node: n.Expr) -> n.Expr:
    return n.Constant(None) if isinstance(node, n.Old) else n.rebuilt(node, _outside_old)


def _stripped(node: n.Expr) -> n.Expr:
    return _stripped(node.operand) if isinstance(node, n.Old) else n.rebuilt(node, _stripped)


def _without_old(node: n.Expr) -> n.Expr:
    """As Python, of one moment."""
    return _Olds("", None, frozenset(), {}).plain(_stripped(node))


def _compares_old_operand(node: n.Expr) -> bool:
    """`result == old(self)`: the object itself has changed since, and a copy of it need not be equal."""
    for part in n.walk(node):
        if isinstance(part, n.Comparison) and part.operator not in ("is", "is not"):
            sides = (part.left, part.right)
            if any(isinstance(side, n.Old) and isinstance(side.operand, n.Slot) for side in sides):
                return True
    return False
