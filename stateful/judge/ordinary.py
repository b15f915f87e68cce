"""How ordinary a value is. A fault is as believable as its most ordinary witness: states that were built from nan,
None, huge numbers or mixed kinds break everything downstream."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from stateful.subject.model import Routine
from stateful.subject.program import MISSING

__all__ = ["odd_literals", "oddness"]

HUGE = 10_000
PLAIN = re.compile(r"[\[({]?[-\d., ]*[\])}]?")  # numbers, and a container of numbers: odd only if one is huge
MANY_DIGITS = re.compile(r"\d{5}")


def odd_literals(routine: Routine, texts: Sequence[str | None]) -> int:
    """How unusual the literals are that are passed for the parameters of a routine; none stands for an object."""
    pairs = zip(routine.parameters, texts, strict=False)
    return sum(
        oddness(text)
        for parameter, text in pairs
        if text is not None and text != MISSING and not (parameter.wants_function and FUNCTION.fullmatch(text))
    )


FUNCTION = re.compile(r"(?!None$|True$|False$)[A-Za-z_][\w.]*(?::[\w.]+)?")


@lru_cache(maxsize=20_000)
def oddness(text: str) -> int:
    """How many parts of a literal are unusual.

    >>> [oddness(text) for text in ("[1, 2]", "{'a': 1}", "None", "[1, 'a']", "float('nan')", "2**63")]
    [0, 0, 1, 1, 1, 1]
    """
    if PLAIN.fullmatch(text) and not MANY_DIGITS.search(text):
        return 0
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return 0  # the name of a function or a class
    found = sum(map(_is_odd, ast.walk(tree))) + (isinstance(tree, ast.Constant) and tree.value is None)
    return found + isinstance(tree, ast.Name)  # a function: it may do anything when it is called


def _is_odd(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str() as text):
            return text.lower() in ("nan", "inf", "-inf", "infinity") or not text.isprintable()
        case ast.Constant(value=int() | float() as number):
            return abs(number) >= HUGE
        case ast.Constant(value=complex()):
            return True
        case ast.BinOp(op=ast.Pow() | ast.LShift()):
            return True
        case ast.List(elts=items) | ast.Set(elts=items):
            return len({kind for item in items if (kind := _kind(item))}) > 1 or any(map(_is_none, items))
        case ast.Dict(keys=keys):
            return len({kind for key in keys if (kind := _kind(key))}) > 1
        case ast.Tuple(elts=items):
            return any(map(_is_none, items))
    return False


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _kind(node: ast.AST | None) -> str:
    """Numbers are of one kind, whatever their type."""
    match node:
        case ast.UnaryOp(operand=operand):
            return _kind(operand)
        case ast.Constant(value=value):
            return "number" if isinstance(value, int | float) else type(value).__name__
        case None | ast.Call():
            return ""
    return type(node).__name__
