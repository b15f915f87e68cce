"""What the source of a routine says: exceptions it announces, guards and asserts at its beginning, literals."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar

from stateful.contracts import negate, parse, text
from stateful.contracts.nodes import slots_of
from stateful.errors import ExpressionError
from stateful.subject.files import Function, function_node, read
from stateful.subject.model import Written

__all__ = [
    "announced_by", "asserted_names", "assigned_by", "branch_conditions", "documented_by", "is_given",
    "leading_conditions", "leaves_if_empty", "literals_in", "literals_of", "nodes_of", "once", "openings",
    "raising_lines", "tree_of",
]  # fmt: skip

MOST_LITERALS = 60
MOST_KNOWN = 20_000
Said = TypeVar("Said")


def once(ask: Callable[[Any], Said]) -> Callable[[Any], Said]:
    """Asked of a function of the subject, it is answered the same each time: a hundred classes may inherit it."""
    known: dict[int, tuple[Any, Said]] = {}

    @wraps(ask)
    def answer(function: Any) -> Said:
        found = known.get(id(function))
        if found is None:
            if len(known) >= MOST_KNOWN:  # a subject may make functions and classes as it goes
                known.clear()
            found = known[id(function)] = function, ask(function)
        return found[1]

    return answer


@once
def tree_of(function: Any) -> Function | None:
    """The syntax tree of a function, if its source is there."""
    return function_node(function)


@once
def nodes_of(tree: Function) -> tuple[ast.AST, ...]:
    """Everything in the definition of a function."""
    return tuple(ast.walk(tree))


@once
def announced_by(function: Any) -> tuple[str, ...]:
    """The exceptions that the routine raises by `raise X`, or that its docstring names."""
    tree = tree_of(function)
    raised = [_exception_name(node) for node in nodes_of(tree) if isinstance(node, ast.Raise)] if tree else []
    return tuple(dict.fromkeys(name for name in [*raised, *documented_by(function)] if name))


def _exception_name(node: ast.Raise) -> str:
    exception = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return ast.unparse(exception) if isinstance(exception, ast.Name | ast.Attribute) else ""


@once
def documented_by(function: Any) -> list[str]:
    """Names of exceptions after `Raises:` or `:raises` in the docstring, or in a sentence such as 'Raises KeyError if
    ...' or 'a RuntimeError can be raised'."""
    doc = inspect.getdoc(function) or ""
    lines = re.findall(r"(?:^\s*:raises?|\b[Rr]aises?:?)\s+((?:.|\n\s+)*?)(?:\n\s*\n|$)", doc, flags=re.M)
    passive = re.findall(rf"\b{EXCEPTION}\b\W+(?:is|are|can be|may be|will be)\s+(?:raised|thrown)", doc)
    return [*re.findall(rf"\b{EXCEPTION}\b", " ".join(lines)), *passive]


EXCEPTION = r"([A-Z]\w*(?:Error|Exception|Warning|Exit|Iteration|Interrupt))"


@once
def leading_conditions(function: Any) -> Sequence[Written]:
    """Preconditions written as guards (`if C: raise ...`) or asserts before anything else happens."""
    tree = tree_of(function)
    if tree is None:
        return []
    speaker = _Speaker.of(function, tree)
    found = []
    for statement in tree.body:
        lines = tuple(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
        if isinstance(statement, ast.Assert):
            found.append(replace(_clause(statement.test, speaker, False, "assert"), lines=lines))
        elif _is_guard(statement):
            found.append(replace(_clause(statement.test, speaker, True, "guard"), lines=lines))  # type: ignore[attr-defined]
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            break
    return found


@once
def leaves_if_empty(function: Any) -> bool:
    """Before anything else, the routine raises or returns if something of its object is empty: `if not self._items`,
    `if len(self) == 0`, `if self._size == 0`."""
    receiver, tests = _leaving(function)
    return any(_is_of_emptiness(test, receiver) for test in tests)


def looked_for(function: Any) -> tuple[str, ...]:
    """The parameters without which the routine leaves before anything else: `if key not in self._items: raise`."""
    receiver, tests = _leaving(function)
    return tuple(
        test.left.id
        for test in tests
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and isinstance(test.ops[0], ast.NotIn)
        if any(isinstance(part, ast.Name) and part.id == receiver for part in ast.walk(test.comparators[0]))
    )


def _leaving(function: Any) -> tuple[str, list[ast.expr]]:
    """The name of the receiver, and the conditions at the beginning on which the routine raises or returns."""
    tree = tree_of(function)
    if tree is None or not tree.args.args:
        return "", []
    tests = []
    for statement in tree.body:
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise | ast.Return):
            tests.append(statement.test)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            break
    return tree.args.args[0].arg, tests


def _is_of_emptiness(test: ast.expr, receiver: str) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=subject):
            pass
        case ast.Compare(left=subject, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            pass
        case ast.Call(func=ast.Attribute(attr=name) as subject) if "empty" in name.lower():
            pass
        case ast.Attribute(attr=name) as subject if "empty" in name.lower():
            pass
        case _:
            return False
    return any(isinstance(part, ast.Name) and part.id == receiver for part in ast.walk(subject))


@dataclass(frozen=True, slots=True)
class _Speaker:
    """What the names in a condition mean that stands in a routine."""

    given: frozenset[str]
    """Its operands; the receiver is called `self` in contracts."""
    renamed: Mapping[str, str]
    constants: Mapping[str, Any]
    """Plain values that its module knows by name."""

    @classmethod
    def of(cls, function: Any, tree: Function) -> _Speaker:
        arguments = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs, tree.args.vararg, tree.args.kwarg]
        names = [argument.arg for argument in arguments if argument is not None]
        function = inspect.unwrap(function)
        code, known = getattr(function, "__code__", None), getattr(function, "__globals__", {})
        own = {*names, *(code.co_varnames if code else ()), *(code.co_freevars if code else ())}
        named = {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)} - own
        constants = {name: known[name] for name in named if type(known.get(name)) in (int, str, bool, float)}
        receiver = names[0] if names and names[0] in ("self", "this") else None
        return cls(
            frozenset({*names, "self"} - {"cls", "mcs", "metacls"} - {receiver if receiver != "self" else None}),
            {receiver: "self"} if receiver else {},
            constants,
        )

    def said(self, condition: ast.expr) -> ast.expr:
        """A copy of the condition in these words."""
        copied = ast.parse(ast.unparse(condition), mode="eval").body
        return _Telling(self).visit(copied)  # type: ignore[no-any-return]


class _Telling(ast.NodeTransformer):
    def __init__(self, speaker: _Speaker) -> None:
        self.speaker = speaker

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.speaker.constants:
            return ast.parse(repr(self.speaker.constants[node.id]), mode="eval").body
        return ast.Name(self.speaker.renamed.get(node.id, node.id), node.ctx)


def _is_guard(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If)
        and not statement.orelse
        and len(statement.body) == 1
        and isinstance(statement.body[0], ast.Raise)
    )


def _clause(condition: ast.expr, speaker: _Speaker, negated: bool, source: str) -> Written:
    """What the author wrote; readable if it is in the contract language and speaks of the operands alone."""
    said = speaker.said(condition)
    with suppress(ExpressionError):
        expression = parse(ast.unparse(said), speaker.given)
        if speaker.given.issuperset(slots_of(expression)):
            return Written("requires", text(negate(expression) if negated else expression), source)
    return Written("requires", _negation(said) if negated else ast.unparse(said), source, readable=False)


def _negation(condition: ast.expr) -> str:
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return ast.unparse(condition.operand)
    return f"not ({ast.unparse(condition)})"


@once
def branch_conditions(function: Any) -> tuple[str, ...]:
    """The conditions of a routine's branches and their parts, if they speak of public members and parameters only."""
    tree = tree_of(function)
    if tree is None:
        return ()
    speaker = _Speaker.of(function, tree)
    tests = [node.test for node in nodes_of(tree) if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert)]
    found = [_public(part, speaker) for test in tests for part in _parts(test)]
    return tuple(dict.fromkeys(filter(None, found)))[:MOST_CONDITIONS]


MOST_CONDITIONS = 20


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand)
    yield test


def _public(test: ast.expr, speaker: _Speaker) -> str:
    """The condition in the contract language; nothing if it needs local names or private members."""
    said = speaker.said(test)
    inner = {node.id for node in ast.walk(said) if isinstance(node, ast.Name)}
    private = any(isinstance(node, ast.Attribute) and node.attr.startswith("_") for node in ast.walk(test))
    called = {node.func.id for node in ast.walk(said) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    if private or not inner - called or not inner - called <= speaker.given:
        return ""
    clause = _clause(test, speaker, False, "branch")
    return clause.text if clause.readable else ""


def literals_in(module: Any) -> list[Any]:
    """Numbers and strings that the module's source mentions outside docstrings."""
    file = read(getattr(module, "__file__", None) or "")
    return literals_of(file.tree) if file else []


def literals_of(tree: ast.AST) -> list[Any]:
    """Those of a piece of source."""
    found: dict[tuple[type, Any], Any] = {}
    for node in _constants(tree):
        value = node.value
        if type(value) in (int, float, str) and (not isinstance(value, str) or len(value) < 40):
            found[type(value), value] = value
    return list(found.values())[:MOST_LITERALS]


def _constants(tree: ast.AST) -> Iterator[ast.Constant]:
    """Constants, but for docstrings and the pieces of f-strings."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Constant):
            yield node
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) and not isinstance(
            node, ast.JoinedStr
        ):
            yield from _constants(node)


@once
def assigned_by(function: Any) -> Sequence[str]:
    """The names that a method assigns to on its first parameter."""
    tree = tree_of(function)
    if tree is None or not tree.args.args:
        return []
    receiver = tree.args.args[0].arg
    targets = [t for node in ast.walk(tree) for t in _targets(node)]
    names = [t.attr for t in targets if isinstance(t.value, ast.Name) and t.value.id == receiver]
    return list(dict.fromkeys(names))


def _targets(node: ast.AST) -> list[ast.Attribute]:
    if isinstance(node, ast.Assign):
        parts = [part for target in node.targets for part in ast.walk(target)]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        parts = [node.target]
    else:
        return []
    return [part for part in parts if isinstance(part, ast.Attribute)]


@lru_cache(maxsize=1024)
def is_given(file: str, name: str) -> bool:
    """Somewhere in a file an object gets an attribute of this name, or a string says the name."""
    source = read(file)
    if source is None:
        return True
    for node in ast.walk(source.tree):
        match node:
            case ast.Attribute(attr=attribute, ctx=ast.Store() | ast.Del()) if attribute == name:
                return True
            case ast.Name(id=variable, ctx=ast.Store()) if variable == name:
                return True
            case ast.FunctionDef(name=defined) | ast.AsyncFunctionDef(name=defined) if defined == name:
                return True
            case ast.ClassDef(name=defined) | ast.Constant(value=defined) | ast.alias(name=defined) if defined == name:
                return True
    return False


@lru_cache(maxsize=1024)
def raising_lines(file: str) -> frozenset[int]:
    """The lines of a file on which a `raise` statement stands."""
    source = read(file)
    if source is None:
        return frozenset()
    raises = (node for node in ast.walk(source.tree) if isinstance(node, ast.Raise))
    return frozenset(line for node in raises for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))


@dataclass(frozen=True, slots=True)
class Openings:
    """The lines on which the functions of a file begin: those of asserts before anything else, and those of these and
    of what comes then."""

    asserts: frozenset[int]
    first: frozenset[int]


@cache
def openings(file: str) -> Openings:
    source = read(file)
    asserts: set[int] = set()
    first: set[int] = set()
    for function in source.functions.values() if source else ():
        for statement in function.body:
            lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            first.update(lines)
            if isinstance(statement, ast.Assert):
                asserts.update(lines)
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                break
    return Openings(frozenset(asserts), frozenset(first))


@dataclass(frozen=True, slots=True)
class Asserted:
    """The names that an `assert` speaks of: in its condition, and in its message."""

    tested: frozenset[str]
    told: frozenset[str]


@cache
def asserted_names(file: str) -> Mapping[int, Asserted]:
    """For each line of an `assert` statement the names that it speaks of."""
    source = read(file)
    found: dict[int, Asserted] = {}
    for node, tests in _asserts(source.tree, ()) if source else ():
        asserted = Asserted(_names(*tests), _names(node.msg))
        found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), asserted))
    return found


def _asserts(node: ast.AST, tests: tuple[ast.expr, ...]) -> Iterator[tuple[ast.Assert, tuple[ast.expr, ...]]]:
    """Each with its condition; `assert False` has those of the branches that lead to it, or that left before."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert):
            yield child, tests if isinstance(child.test, ast.Constant) else (child.test,)
        elif isinstance(child, ast.If):
            tests = (*tests, child.test)
            yield from _asserts(child, tests)
        elif isinstance(child, ast.stmt):
            yield from _asserts(child, () if isinstance(child, ast.FunctionDef | ast.ClassDef) else tests)
        else:
            yield from _asserts(child, tests)


def _names(*nodes: ast.expr | None) -> frozenset[str]:
    return frozenset(part.id for node in nodes if node for part in ast.walk(node) if isinstance(part, ast.Name))
