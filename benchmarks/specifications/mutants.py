"""Mutants of the public methods of a subject: each is changed in one place."""

from __future__ import annotations
import __future__

import ast
import copy
import difflib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from benchmarks.specifications.specification import Routine, Specification

Edit: TypeAlias = tuple[Any, Any, Any]  # an object or a list, the attribute or the index in it, what is there instead

SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
}  # fmt: skip
DROPPED = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Return, ast.Raise, ast.Break)


@dataclass(frozen=True)
class Mutant:
    routine: str
    change: str
    function: Callable[..., Any] = field(compare=False)


def mutants(specification: Specification) -> Iterator[Mutant]:
    module = sys.modules[specification.cls.__module__]
    tree = ast.parse(inspect.getsource(module))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name in specification.routines:
            node.decorator_list = []
            for text, change in changed(node):
                yield Mutant(node.name, change, function_of(text, node.name, vars(module)))


def changed(node: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The text of each mutant, and its one line that differs."""
    original = ast.unparse(node)
    seen = {original}
    for owner, key, new in list(edits(node)):
        before = replaced(owner, key, new)
        text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
        replaced(owner, key, before)
        if text not in seen:
            seen.add(text)
            yield text, difference(original, text)


def replaced(owner: Any, key: Any, new: Any) -> Any:
    """What was there."""
    if isinstance(owner, list):
        before, owner[key] = owner[key], new
    else:
        before = getattr(owner, key)
        setattr(owner, key, new)
    return before


def difference(original: str, text: str) -> str:
    lines = list(difflib.ndiff(original.splitlines(), text.splitlines()))
    gone, come = (" / ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{gone}  ->  {come}"


def function_of(text: str, name: str, module: dict[str, Any]) -> Callable[..., Any]:
    """It sees the module of the original."""
    code = compile(text, "mutant", "exec", __future__.annotations.compiler_flag)
    made: dict[str, Any] = {}
    exec(code, module, made)
    function: Callable[..., Any] = made[name]
    return function


def edits(function: ast.FunctionDef) -> Iterator[Edit]:
    yield from dropped(function)
    for node in inner(function.body):
        yield from dropped(node)
        for maker in MAKERS.get(type(node), ()):
            yield from maker(node)


def inner(items: list[Any]) -> Iterator[ast.AST]:
    """The nodes below, without annotations and what is said when raising."""
    for item in items:
        yield item
        if not isinstance(item, ast.Raise):
            parts = [value for name, value in ast.iter_fields(item) if name not in ("annotation", "ctx")]
            below = [part for value in parts for part in (value if isinstance(value, list) else [value])]
            yield from inner([part for part in below if isinstance(part, ast.AST)])


def dropped(node: ast.AST) -> Iterator[Edit]:
    """A statement that does nothing."""
    for name in ("body", "orelse"):
        statements = getattr(node, name, None)
        for index, statement in enumerate(statements if isinstance(statements, list) else []):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, DROPPED) and not is_text:
                yield statements, index, ast.Pass()


def swapped_comparison(node: ast.Compare) -> Iterator[Edit]:
    for index, operator in enumerate(node.ops):
        yield node.ops, index, SWAPPED[type(operator)]()


def swapped_arithmetic(node: ast.BinOp | ast.AugAssign) -> Iterator[Edit]:
    if type(node.op) in SWAPPED:
        yield node, "op", SWAPPED[type(node.op)]()


def other_constant(node: ast.Constant) -> Iterator[Edit]:
    if isinstance(node.value, bool):
        yield node, "value", not node.value
    elif isinstance(node.value, int):
        yield from ((node, "value", node.value + step) for step in (1, -1))


def negated(node: ast.If | ast.While | ast.IfExp) -> Iterator[Edit]:
    yield node, "test", ast.UnaryOp(ast.Not(), node.test)


def negated_filter(node: ast.comprehension) -> Iterator[Edit]:
    for index, test in enumerate(node.ifs):
        yield node.ifs, index, ast.UnaryOp(ast.Not(), test)


def returns_none(node: ast.Return) -> Iterator[Edit]:
    if node.value is not None:
        yield node, "value", None


def off_by_one(node: ast.Subscript) -> Iterator[Edit]:
    places: list[tuple[Any, str]] = [(node, "slice")]
    if isinstance(node.slice, ast.Slice):
        places = [(node.slice, "lower"), (node.slice, "upper")]
    for owner, name in places:
        index = getattr(owner, name)
        if index is not None:
            yield from ((owner, name, ast.BinOp(index, sign, ast.Constant(1))) for sign in (ast.Add(), ast.Sub()))


MAKERS: dict[type, tuple[Callable[[Any], Iterator[Edit]], ...]] = {
    ast.Compare: (swapped_comparison,),
    ast.BinOp: (swapped_arithmetic,),
    ast.AugAssign: (swapped_arithmetic,),
    ast.Constant: (other_constant,),
    ast.If: (negated,),
    ast.While: (negated,),
    ast.IfExp: (negated,),
    ast.comprehension: (negated_filter,),
    ast.Return: (returns_none,),
    ast.Subscript: (off_by_one,),
}


@contextmanager
def in_place(specification: Specification, routine: Routine, mutant: Mutant) -> Iterator[None]:
    """The class has the mutant instead of its method."""
    original = vars(specification.cls)[routine.name]
    function: Any = mutant.function
    setattr(specification.cls, routine.name, property(function) if isinstance(original, property) else function)
    try:
        yield
    finally:
        setattr(specification.cls, routine.name, original)
