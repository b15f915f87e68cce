"""Source files, each read and parsed once: a subject has hundreds of functions and classes in a few of them."""

from __future__ import annotations

import ast
import inspect
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

__all__ = ["Function", "SourceFile", "function_node", "read", "source_of_class"]

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


def source_of_class(cls: type) -> str:
    """The text of its definition; empty if that is not there."""
    try:
        path = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return ""
    file = read(path) if path else None
    if file is None or cls.__qualname__ not in file.classes:
        return ""
    node = file.classes[cls.__qualname__]
    return "".join(file.lines[_first_line(node) - 1 : node.end_lineno])
