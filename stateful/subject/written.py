"""Contracts that the author wrote with icontract: conditions to evaluate, and their text in the contract language."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from stateful.contracts import parse, text
from stateful.errors import ExpressionError
from stateful.subject.model import Written

__all__ = ["is_contract_error", "precondition_of", "written_clauses"]

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
        return None

    defaults = _defaults(function)

    def holds(operands: Mapping[str, Any]) -> bool | None:
        operands = {**defaults, **operands}
        try:
            return any(all(_evaluated(condition, operands) for condition in group) for group in groups)
        except Exception:
            return None

    return holds


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
    clauses += [
        _clause("ensures", contract) for contract in reversed(getattr(checker, "__postconditions__", None) or [])
    ]
    return clauses


def _clause(kind: Any, contract: Any) -> Written:
    source = condition_source(contract.condition)
    if source is None:
        return Written(kind, contract.description or "a condition without source", "icontract", readable=False)
    try:
        return Written(kind, text(parse(source)), "icontract")
    except ExpressionError:
        return Written(kind, source, "icontract", readable=False)


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
