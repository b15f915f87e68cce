"""Contracts that the author wrote with icontract or deal: conditions to evaluate, and their text in our language."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stateful.contracts import parse, text
from stateful.errors import ExpressionError
from stateful.subject.model import Written

__all__ = ["call_as_written", "dealt_exceptions", "is_contract_error", "precondition_of", "written_clauses"]

NOTHING_KEPT: Mapping[str, str] = {}
Precondition = Callable[[Mapping[str, Any]], "bool | None"]


def checker_of(function: Any) -> Any:
    """The wrapper that holds the contracts of a function, if icontract made one."""
    while function is not None:
        if hasattr(function, "__preconditions__") and not hasattr(
            getattr(function, "__wrapped__", None), "__preconditions__"
        ):
            return function
        function = getattr(function, "__wrapped__", None)
    return None


def precondition_of(function: Any) -> Precondition | None:
    """The written precondition as a function of the operands: None where it cannot be evaluated.

    Groups are joined by `or` (a subclass weakens what it inherits), the conditions in a group by `and`."""
    groups = getattr(checker_of(function), "__preconditions__", None)
    if not groups:
        return _dealt_precondition(function)

    defaults = _defaults(function)

    def holds(operands: Mapping[str, Any]) -> bool | None:
        operands = {**defaults, **operands}
        try:
            return any(all(_evaluated(condition, operands) for condition in group) for group in groups)
        except Exception:
            return None

    return holds


def _dealt_precondition(function: Any) -> Precondition | None:
    """The same for deal: it wants its arguments in the order of the signature."""
    conditions = _dealt(function, "Pre")
    if not conditions:
        return None
    defaults = _defaults(function)
    names = list(inspect.signature(function).parameters)

    def holds(operands: Mapping[str, Any]) -> bool | None:
        known = {**defaults, **operands, **({names[0]: operands["self"]} if "self" in operands else {})}
        try:
            arguments = [known[name] for name in names if name in known]
            return all(_is_valid(condition, arguments) for condition in conditions)
        except Exception:
            return None

    return holds


def _is_valid(condition: Any, arguments: list[Any]) -> bool:
    try:
        condition.validate(*arguments)
    except Exception as error:
        if is_contract_error(error) or type(error) is condition.exception_type:
            return False
        raise
    return True


def _dealt(function: Any, kind: str) -> list[Any]:
    """The contracts of this kind that deal has for the function."""
    if function is None or "deal" not in sys.modules:
        return []
    introspection = importlib.import_module("deal.introspection")
    try:
        found = list(introspection.get_contracts(function))
    except Exception:
        return []
    return [contract for contract in found if type(contract).__name__ == kind]


def dealt_exceptions(function: Any) -> tuple[str, ...]:
    """The names of the exceptions that `deal.raises` announces."""
    return tuple(error.__name__ for contract in _dealt(function, "Raises") for error in contract.exceptions)


def call_as_written(cls: type) -> None:
    """`deal.inv` puts a subclass of its own in the place of a class; give it the name of the class again."""
    if cls.__module__.startswith("deal.") and len(cls.__mro__) > 2:
        written = cls.__mro__[2]
        for name in ("__module__", "__qualname__", "__name__", "__doc__"):
            setattr(cls, name, getattr(written, name))


def _defaults(function: Any) -> dict[str, Any]:
    """What parameters are that the caller leaves out."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {parameter.name: parameter.default for parameter in parameters if parameter.default is not parameter.empty}


def _evaluated(contract: Any, operands: Mapping[str, Any]) -> bool:
    return bool(contract.condition(**{name: operands[name] for name in contract.condition_args}))


def written_clauses(function: Any) -> list[Written]:
    """The written clauses of a routine, in the contract language where it can say them."""
    checker = checker_of(function)
    clauses = []
    groups = getattr(checker, "__preconditions__", None) or []
    if len(groups) == 1:
        clauses += [_clause("requires", contract) for contract in reversed(groups[0])]
    kept = _captured(getattr(checker, "__postcondition_snapshots__", None) or [])
    clauses += [
        _clause("ensures", contract, kept) for contract in reversed(getattr(checker, "__postconditions__", None) or [])
    ]
    clauses += [_dealt_clause("requires", contract) for contract in _dealt(function, "Pre")]
    return clauses + [_dealt_clause("ensures", contract) for contract in _dealt(function, "Post")]


def _dealt_clause(kind: Any, contract: Any) -> Written:
    condition = getattr(getattr(contract, "_wrapped", None), "raw_validator", None)
    source = condition_source(condition) if condition is not None else None
    if condition is None or source is None:
        return Written(kind, contract.message or "a condition without source", "deal", readable=False)
    first = next(iter(inspect.signature(condition).parameters), "")
    try:
        return Written(kind, text(parse(source.replace("_.", "") if first == "_" else source)), "deal")
    except ExpressionError:
        return Written(kind, source, "deal", readable=False)


def _captured(snapshots: Iterable[Any]) -> dict[str, str]:
    """For each name of icontract's `OLD` what it captures, in the contract language."""
    sources = {snapshot.name: condition_source(snapshot.capture) for snapshot in snapshots}
    return {name: f"old({source})" for name, source in sources.items() if source is not None}


def _clause(kind: Any, contract: Any, kept: Mapping[str, str] = NOTHING_KEPT) -> Written:
    source = condition_source(contract.condition)
    if source is None:
        return Written(kind, contract.description or "a condition without source", "icontract", readable=False)
    try:
        return Written(kind, text(parse(_with_old(source, kept))), "icontract")
    except ExpressionError:
        return Written(kind, source, "icontract", readable=False)


class _Old(ast.NodeTransformer):
    """`OLD.name` as what the name stands for."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        self.kept = kept

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id="OLD"), attr=name) if name in self.kept:
                return ast.parse(self.kept[name], mode="eval").body
        return self.generic_visit(node)


def _with_old(source: str, kept: Mapping[str, str]) -> str:
    """
    >>> _with_old("self.size == OLD.size + 1", {"size": "old(self.size)"})
    'self.size == old(self.size) + 1'
    """
    return ast.unparse(_Old(kept).visit(ast.parse(source, mode="eval"))) if kept else source


def condition_source(condition: Any) -> str | None:
    """The body of a lambda: of all lambdas in its module, the innermost that spans the positions of its code."""
    try:
        module = ast.parse(inspect.getsource(sys.modules[condition.__module__]))
    except (OSError, TypeError, SyntaxError, KeyError):
        return None
    places = [(line, column) for line, _, column, end in condition.__code__.co_positions() if line and end]
    if not places:
        return None
    spanning = [
        node.body
        for node in ast.walk(module)
        if isinstance(node, ast.Lambda) and _start(node.body) <= min(places) and max(places) <= _end(node.body)
    ]
    return ast.unparse(max(spanning, key=_start)) if spanning else None


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def is_contract_error(error: BaseException) -> bool:
    """Raised by a contract library because a written contract is broken."""
    return any(cls.__name__ in ("ViolationError", "ContractError") for cls in type(error).__mro__)
