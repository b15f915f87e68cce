"""Source files, each read and parsed once: a subject has hundreds of functions and classes in a few of them."""

from __future__ import annotations

import ast
import inspect
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

__all__ = ["Function", "SourceFile", "asked_in", "class_node", "function_node", "is_managed", "read", "source_of_class"]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
MOST_FILES = 256


@dataclass(frozen=True, slots=True)
class SourceFile:
    lines: list[str]
    tree: ast.Module
    functions: Mapping[int, Function]
    """By the line on which they begin, decorators included."""
    classes: Mapping[str, ast.ClassDef]
    """By qualified name; of two with the same name the first one."""


@lru_cache(maxsize=MOST_FILES)
def read(path: str) -> SourceFile | None:
    """The file; none if it is not there, or is no Python."""
    try:
        with tokenize.open(path) as source:
            lines = source.readlines()  # not `splitlines`: to Python a form feed ends no line
        tree = ast.parse("".join(lines))
    except (OSError, SyntaxError, ValueError):
        return None
    functions: dict[int, Function] = {}
    classes: dict[str, ast.ClassDef] = {}
    for name, node in _definitions(tree, ""):
        if isinstance(node, ast.ClassDef):
            classes.setdefault(name, node)
        else:
            functions[_first_line(node)] = node
    return SourceFile(lines, tree, functions, classes)


def _definitions(node: ast.AST, owner: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield f"{owner}{child.name}", child
            yield from _definitions(child, f"{owner}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{owner}{child.name}", child
            yield from _definitions(child, f"{owner}{child.name}.<locals>.")
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _definitions(child, owner)


def _first_line(node: Function | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def function_node(function: Any) -> Function | None:
    """The definition of a function; none if its source is not there, or it is a lambda."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    file = read(code.co_filename) if code is not None else None
    if code is None or file is None:
        return None
    node = file.functions.get(code.co_firstlineno)
    return node if node is not None and node.name == code.co_name else None


def is_managed(path: str, line: int) -> bool:
    """The function stands under `@contextmanager`: what it gives is entered and left."""
    file = read(path) if line else None
    node = file.functions.get(line) if file is not None else None
    names = [ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list] if node else []
    return "contextmanager" in names


OPERATIONS: Mapping[type[ast.AST], tuple[str, ...]] = {
    ast.For: ("__iter__", "__len__"), ast.comprehension: ("__iter__", "__len__"), ast.Starred: ("__iter__", "__len__"),
    ast.In: ("__contains__", "__iter__", "__eq__"), ast.NotIn: ("__contains__", "__iter__", "__eq__"),
    ast.Eq: ("__eq__",), ast.NotEq: ("__eq__", "__ne__"), ast.Subscript: ("__getitem__", "__setitem__", "__delitem__"),
    ast.With: ("__enter__",), ast.BoolOp: ("__bool__", "__len__"), ast.Not: ("__bool__", "__len__"),
    ast.If: ("__bool__", "__len__"), ast.While: ("__bool__", "__len__"), ast.IfExp: ("__bool__", "__len__"),
}  # fmt: skip
BY_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "len": ("__len__",), "bool": ("__bool__", "__len__"), "abs": ("__abs__",), "int": ("__int__", "__index__"),
    "reversed": ("__reversed__", "__len__", "__getitem__"), "next": ("__next__",),
}  # fmt: skip


def asked_in(path: str, line: int) -> set[str] | None:
    """The names of routines that a function may call, whatever object it calls them on; none if its source is not
    there. Any other function that it calls may iterate what it is given."""
    file = read(path)
    node = file.functions.get(line) if file is not None else None
    if node is None:
        return None
    found: set[str] = set()
    for part in ast.walk(node):
        found.update(OPERATIONS.get(type(part), ()))
        if isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.Call):
            name = part.func.id if isinstance(part.func, ast.Name) else ""
            found.update(BY_FUNCTIONS.get(name, ("__iter__", "__len__", name)))
    return found


def class_node(cls: type) -> ast.ClassDef | None:
    """The definition of a class; none if that is not there."""
    file = _file_of_class(cls)
    return file.classes.get(cls.__qualname__) if file is not None else None


def source_of_class(cls: type) -> str:
    """The text of its definition; empty if that is not there."""
    file, node = _file_of_class(cls), class_node(cls)
    return "".join(file.lines[_first_line(node) - 1 : node.end_lineno]) if file and node else ""


def _file_of_class(cls: type) -> SourceFile | None:
    try:
        path = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return None
    return read(path) if path else None
