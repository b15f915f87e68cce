"""What the database records: expressions with `$` for the objects, stored once for all slots.

>>> from stateful.contracts import parse
>>> recorded(parse("self.has(v)"))
Predicate(text='$.has($)', slots=('self', 'v'))
>>> recorded(parse("len(self) + 1")) is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from stateful.contracts import nodes as n
from stateful.contracts.parse import parse
from stateful.contracts.text import text

__all__ = ["ITSELF", "VIEWS", "Predicate", "asking_pattern", "bound", "named", "predicate_of", "recorded"]

REMEMBERED = 1 << 16  # expressions whose predicates are known already
ITSELF = "$"  # the predicate whose value is the object itself
VIEWS = ("len", "list", "set", "dict")
"""The built-in functions whose value is recorded for every object that has one."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A normalized text, and the slots that stand for its `$`, in order."""

    text: str
    slots: tuple[str, ...]


@lru_cache(maxsize=REMEMBERED)
def recorded(node: n.Expr) -> Predicate | None:
    """The predicate whose value the database may hold for this expression, if it has such a form."""
    match node:
        case n.Slot() | n.Attribute(target=n.Slot()):
            return predicate_of(node)
        case n.Call(target=n.Slot(), arguments=arguments) if _are_slots(arguments):
            return predicate_of(node)
        case n.Builtin(name=name, arguments=(n.Slot(),)) if name in VIEWS:
            return predicate_of(node)
        case n.Comparison(operator="==" | "in", left=n.Slot(), right=n.Slot()):
            return predicate_of(node)
    return None


def asking_pattern(start: str) -> str:
    """The pattern of the texts that ask this, and not something whose name only begins so.

    >>> [bool(re.search(asking_pattern("$.pop"), asked)) for asked in ("$.pop() > 2", "$.popular > 2")]
    [True, False]
    """
    return re.escape(start) + r"\b"


@lru_cache(maxsize=REMEMBERED)
def bound(predicate: str, names: tuple[str, ...]) -> n.Expr:
    """The expression of a predicate's text with these names for its `$`.

    >>> from stateful.contracts import text
    >>> text(bound("$.has($)", ("self", "v")))
    'self.has(v)'
    """
    return parse(named(predicate, names))


def named(predicate: str, names: tuple[str, ...]) -> str:
    """The text of that expression.

    >>> named("$.has($)", ("self", "v"))
    'self.has(v)'
    """
    return "".join(part + name for part, name in zip(predicate.split("$"), (*names, ""), strict=True))


def _are_slots(arguments: tuple[n.Expr, ...]) -> bool:
    return all(isinstance(argument, n.Slot) for argument in arguments)


@lru_cache(maxsize=REMEMBERED)
def predicate_of(node: n.Expr) -> Predicate:
    """Any expression as a predicate: conditions of branches are recorded in this way, too.

    >>> predicate_of(parse("len(self) > self.limit"))
    Predicate(text='len($) > $.limit', slots=('self', 'self'))
    """
    names = tuple(part.name for part in n.walk(node) if isinstance(part, n.Slot))
    return Predicate(text(_blank(node)).replace(_HOLE, "$"), names)


_HOLE = "__operand__"


def _blank(node: n.Expr) -> n.Expr:
    return n.Slot(_HOLE) if isinstance(node, n.Slot) else n.rebuilt(node, _blank)
