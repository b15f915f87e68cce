"""What the source says about texts that it takes: its literals, its regular expressions, the names of its fields, and
the examples in its documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from stateful.subject.files import class_node, read
from stateful.subject.looking import is_class
from stateful.subject.source import literals_of, tree_of

__all__ = ["Pattern", "Vocabulary", "vocabulary_in", "vocabulary_near"]

Pattern: TypeAlias = tuple[str, int]
"""A regular expression and its flags."""

MOST_PATTERNS = 60
MOST_NAMES = 60
MOST_SHOWN = 40
LONGEST_PATTERN = 2000


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The texts that a piece of source mentions."""

    literals: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    names: tuple[str, ...] = ()
    """What its classes call their fields, columns, members."""
    shown: tuple[str, ...] = ()
    """What its docstrings quote, and the indented lines in them."""

    @classmethod
    def together(cls, several: Iterable[Vocabulary]) -> Vocabulary:
        each = list(several)
        return cls(
            tuple(dict.fromkeys(text for one in each for text in one.literals)),
            tuple(dict.fromkeys(pattern for one in each for pattern in one.patterns)),
            tuple(dict.fromkeys(name for one in each for name in one.names)),
            tuple(dict.fromkeys(text for one in each for text in one.shown)),
        )

    def __bool__(self) -> bool:
        return bool(self.literals or self.patterns or self.shown)


def vocabulary_in(module: Any) -> Vocabulary:
    """What a module knows."""
    file = read(getattr(module, "__file__", None) or "")
    return _vocabulary(file.tree if file else None, vars(module))


def vocabulary_near(cls: type | None, function: Any) -> Vocabulary:
    """What a class knows, or a function that stands alone."""
    if cls is None:
        return _vocabulary(tree_of(function), {})
    return _vocabulary(class_node(cls), vars(cls))


def _vocabulary(tree: ast.AST | None, held: Mapping[str, Any]) -> Vocabulary:
    patterns = dict.fromkeys([*_held(held), *(_written(tree) if tree else ())])
    return Vocabulary(
        tuple(value for value in literals_of(tree) if isinstance(value, str)) if tree else (),
        tuple(pattern for pattern in patterns if 1 < len(pattern[0]) <= LONGEST_PATTERN)[:MOST_PATTERNS],
        tuple(dict.fromkeys(_names(tree)))[:MOST_NAMES] if tree else (),
        tuple(dict.fromkeys(_shown(tree)))[:MOST_SHOWN] if tree else (),
    )


def _held(names: Mapping[str, Any]) -> Iterator[Pattern]:
    for value in list(names.values()):
        if type(value) is re.Pattern and isinstance(value.pattern, str):
            yield value.pattern, value.flags & ~re.UNICODE
        elif is_class(value) and "__name__" in names and vars(value).get("__module__") == names["__name__"]:
            yield from _held(vars(value))


def _written(tree: ast.AST) -> Iterator[Pattern]:
    """`re.match(r"...", text, re.IGNORECASE)`, wherever it stands."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=str() as text), *others]
            ):
                yield text, _flags([*others, *(keyword.value for keyword in node.keywords)])


def _flags(expressions: list[ast.expr]) -> int:
    named = [part.attr for one in expressions for part in ast.walk(one) if isinstance(part, ast.Attribute)]
    flags = re.RegexFlag(0)
    for name in named:
        flag = getattr(re, name, None)
        flags |= flag if isinstance(flag, re.RegexFlag) else 0
    return int(flags)


def _names(tree: ast.AST) -> Iterator[str]:
    """The public names that class bodies give to what is no routine."""
    for node in ast.walk(tree):
        for statement in node.body if isinstance(node, ast.ClassDef) else ():
            match statement:
                case ast.Assign(targets=targets):
                    names = [target.id for target in targets if isinstance(target, ast.Name)]
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names = [name]
                case _:
                    names = []
            yield from (name for name in names if not name.startswith("_"))


QUOTED = re.compile(r"``([^`\n]{1,60})``|(?<!\w)(\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')(?!\w)")
NAME = re.compile(r"[A-Za-z_][\w.]*(?:\(.*\))?")
PROSE = re.compile(r"\w+(?: \([^)]*\))?:(?: |$)|>>> |\.\.\. |[-*:] ?|.*(?:[^.]\.|:)$|(?:\S+ ){7}|#|.*\w\(|for |if ")
"""What an indented line looks like that is no example of a text: an entry of a list, a doctest, a sentence, code."""


def _shown(tree: ast.AST) -> Iterator[str]:
    """Quotations in docstrings that are no names, and indented lines that are no prose."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node) or ""
            for backquoted, quoted in QUOTED.findall(doc):
                if backquoted and not NAME.fullmatch(backquoted):
                    yield backquoted[1:-1] if backquoted[0] == backquoted[-1] in ("'", '"') else backquoted
                elif quoted:
                    yield quoted[1:-1]
            for line in doc.splitlines():
                if line.startswith("    ") and not PROSE.match(line.strip()):
                    yield line.strip()
