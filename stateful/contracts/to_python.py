"""A quick reading of expressions, for where the values of all their parts are there: plain Python, compiled once.

Kleene's logic may be decided where Python's raises: then `evaluate` has to be asked. What holds no logic is undefined
where it raises. Expressions that differ in nothing but what their parts are called share one function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from stateful.contracts import nodes as n
from stateful.contracts.evaluate import MOST_ITEMS, UnknownValue, identified, same

__all__ = ["UNDEFINED", "UNKNOWN", "Plain", "to_python"]

UNDEFINED = -1
UNKNOWN = -2

TAKEN = frozenset((*n.BUILTINS, "all", "any", "same", "few", "names_of"))
Places: TypeAlias = Mapping[tuple[n.Expr, bool], int]
"""Which leaf stands for a part of an expression, before or after the call."""


@dataclass(frozen=True, slots=True)
class Plain:
    """`function` takes what tells the names of a class by its id, and then the values of all leaves in order; `used`
    are the places of those that it looks at. `decides` says that there is no logic in it."""

    function: Callable[..., object]
    used: tuple[int, ...]
    decides: bool

    def verdicts(
        self, names_of: object, rows: Iterable[Sequence[Any]], there: Iterable[int], slow: Callable[[Any], int]
    ) -> Iterator[int]:
        """1, 0, UNDEFINED or UNKNOWN for each row of values; `slow` is asked where that takes more. `there` is 1 where
        all used leaves have a value, or else what is undefined or unknown because one has none."""
        function, decides = self.function, self.decides
        for values, is_there in zip(rows, there, strict=True):
            if is_there == 1:
                try:
                    yield 1 if function(names_of, *values) else 0
                except UnknownValue:
                    yield UNKNOWN if decides else slow(values)
                except Exception:
                    yield UNDEFINED if decides else slow(values)
            else:
                yield is_there if decides else slow(values)


class _NotPlain(Exception):
    """There is more in it than values."""


def to_python(node: n.Expr, old: bool, places: Places, leaves: int) -> Plain | None:
    """The expression as a function of so many leaves; none if it has no such form."""
    writer = _Writer(places)
    try:
        body = writer.written(node, old)
    except _NotPlain:
        return None
    names = "".join(f", _{place}" for place in range(leaves))
    return Plain(_compiled(f"lambda names_of{names}: {body}"), tuple(sorted(writer.used)), not writer.has_logic)


@lru_cache(maxsize=1 << 14)
def _compiled(source: str) -> Callable[..., object]:
    function: Callable[..., object] = eval(source, {"same": same, "few": _few})
    return function


def _few(items: Iterable[Any]) -> list[Any]:
    drawn = list(islice(iter(items), MOST_ITEMS + 1))
    if len(drawn) > MOST_ITEMS:
        raise _NotPlain
    return drawn


@dataclass
class _Writer:
    places: Places
    used: set[int] = field(default_factory=set)
    has_logic: bool = False

    def written(self, node: n.Expr, old: bool) -> str:
        """In parentheses, if it is not a name."""
        place = self.places.get((node, old))
        if place is not None:
            self.used.add(place)
            return f"({node.name!r} in names_of(_{place}))" if isinstance(node, n.IsInstance) else f"_{place}"
        match node:
            case n.Old(operand=operand):
                return self.written(operand, True)
            case n.Bound(name=name):
                return name
            case n.Constant(value=value) if not isinstance(value, float) or math.isfinite(value):
                return f"({value!r})"
            case n.Comparison(operator="is" | "is not"):
                return self._identity(node, old)
            case n.Comparison(operator="!=", left=left, right=right):
                return f"(not {self.written(left, old)} == {self.written(right, old)})"
            case (
                n.Comparison(operator=symbol, left=left, right=right)
                | n.Arithmetic(operator=symbol, left=left, right=right)
            ):
                return f"({self.written(left, old)} {symbol} {self.written(right, old)})"
        return self._logic(node, old) if n.is_logic(node) else self._composed(node, old)

    def _logic(self, node: n.Expr, old: bool) -> str:
        self.has_logic = True
        match node:
            case n.Not(operand=operand):
                return f"(not {self.written(operand, old)})"
            case n.And(operands=operands):
                return f"bool({' and '.join(self._each(operands, old))})"
            case n.Or(operands=operands):
                return f"bool({' or '.join(self._each(operands, old))})"
            case n.Implies(premise=premise, conclusion=conclusion):
                return f"bool(not {self.written(premise, old)} or {self.written(conclusion, old)})"
            case n.Quantified(kind=kind, body=body, variable=name, domain=domain, condition=condition):
                if name in TAKEN or name.startswith("_"):
                    raise _NotPlain
                only = f" if {self.written(condition, old)}" if condition else ""
                return f"{kind}({self.written(body, old)} for {name} in few({self.written(domain, old)}){only})"
        raise _NotPlain

    def _composed(self, node: n.Expr, old: bool) -> str:
        match node:
            case n.Attribute(target=target, name=name):
                return f"{self.written(target, old)}.{name}"
            case n.Call(target=target, name=name, arguments=arguments):
                return f"{self.written(target, old)}.{name}({', '.join(self._each(arguments, old))})"
            case n.Builtin(name=name, arguments=arguments):
                return f"{name}({', '.join(self._each(arguments, old))})"
            case n.Item(target=target, index=index):
                return f"{self.written(target, old)}[{self.written(index, old)}]"
            case n.Slice(target=target, start=start, stop=stop, step=step):
                bounds = [self.written(part, old) if part else "" for part in (start, stop, step)]
                return f"{self.written(target, old)}[{':'.join(bounds)}]"
            case n.Display(kind=kind, items=items):
                return f"{kind}([{', '.join(self._each(items, old))}])"
            case n.Negative(operand=operand):
                return f"(-{self.written(operand, old)})"
        raise _NotPlain

    def _each(self, nodes: tuple[n.Expr, ...], old: bool) -> list[str]:
        return [self.written(node, old) for node in nodes]

    def _identity(self, node: n.Comparison, old: bool) -> str:
        left, right = identified(node.left, old), identified(node.right, old)
        if left[1] != right[1]:
            raise _NotPlain
        is_same = f"same({self.written(*left)}, {self.written(*right)})"
        return is_same if node.operator == "is" else f"(not {is_same})"
