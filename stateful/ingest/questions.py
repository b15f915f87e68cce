"""What is asked of the objects of a snapshot: the queries of each class, what built-in functions say, conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stateful.contracts import nodes as n
from stateful.contracts import parse, text
from stateful.contracts.evaluate import Moment, Undefined, compiled
from stateful.contracts.predicate import Predicate, asking_pattern, predicate_of
from stateful.subject.discover import class_name
from stateful.subject.program import consumed

__all__ = ["Condition", "Query", "Questions", "View"]

MOST_VIEWED = 60
PLAIN_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
PLAIN_TERMS = (n.Slot, n.Constant, n.Attribute)


@dataclass(frozen=True, slots=True)
class Query:
    """A routine whose value is evaluated: its name, and whether it is called. `wants` are the kinds that passed for
    each parameter."""

    name: str
    called: bool
    wants: tuple[frozenset[str], ...] = ()

    @property
    def predicate(self) -> str:
        arguments = ", ".join("$" for _ in self.wants)
        return f"$.{self.name}({arguments})" if self.called else f"$.{self.name}"

    def ask(self, value: Any, *arguments: Any) -> Any:
        found = getattr(value, self.name)
        if not self.called:
            return found
        found = found(*arguments)
        return consumed(found) if _runs(type(found)) else found


RUNS: dict[type, bool] = {}


def _runs(cls: type) -> bool:
    """Generators, coroutines and the like, whose code has not run yet."""
    if cls not in RUNS:
        RUNS[cls] = any(hasattr(cls, name) for name in ("__next__", "__anext__", "__await__"))
    return RUNS[cls]


@dataclass(frozen=True, slots=True)
class View:
    """What a built-in function says of an object, such as its `len`; asked like a query."""

    predicate: str
    ask: Callable[[Any], Any]


class Condition:
    """An expression of the source over operands. `wants` are the kinds of each name in it."""

    def __init__(self, expression: str, wants: Mapping[str, frozenset[str]]) -> None:
        node = parse(expression)
        self.recorded: Predicate = predicate_of(node)
        self.wants = dict(wants)
        self.ask = _plainly(node, list(wants)) or _kleene(node, list(wants))


def _plainly(node: n.Expr, names: list[str]) -> Callable[..., bool] | None:
    """A comparison of plain terms means in Python what it means in the contract language, and is quicker there."""
    if not isinstance(node, n.Comparison) or not (node.operator in PLAIN_COMPARISONS or node.right == n.Constant(None)):
        return None
    if not all(isinstance(part, PLAIN_TERMS) for part in n.walk(node) if part is not node):
        return None
    ask: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {text(node)}")
    return lambda *values: bool(ask(*values))


def _kleene(node: n.Expr, names: list[str]) -> Callable[..., bool]:
    """By the contract language itself: what raises may not matter."""
    ask = compiled(node)

    def decided(*values: Any) -> bool:
        truth = ask(Moment(dict(zip(names, values, strict=True))))
        if truth is None:
            raise Undefined
        return truth

    return decided


@dataclass
class Questions:
    """All that is asked: the queries of each class, and the conditions of branches."""

    queries: dict[type, list[Query]] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    views: dict[type, list[View]] = field(default_factory=dict)
    dropped: set[tuple[str, str]] = field(default_factory=set)
    """Class and predicate of what is not asked, of classes that may only be met later, too."""
    quiet: set[tuple[type, str]] = field(default_factory=set)
    """Class and predicate of what writes to its object, such as to a cache, but nothing that is asked shows it."""

    def of(self, cls: type) -> Sequence[Query | View]:
        """The views of a class, and then its queries."""
        if cls not in self.views:
            self.views[cls] = [one for one in _views(cls) if (class_name(cls), one.predicate) not in self.dropped]
        return [*self.views[cls], *self.queries.get(cls, ())]

    def drop(self, cls: type, predicate: str) -> bool:
        """Ask this no more, of that class; true if it was asked until now."""
        before = len(self.of(cls))
        self.dropped.add((class_name(cls), predicate))
        self.views[cls] = [view for view in self.views[cls] if view.predicate != predicate]
        if cls in self.queries:
            dropped = [query.name for query in self.queries[cls] if query.predicate == predicate]
            self.queries[cls] = [query for query in self.queries[cls] if query.predicate != predicate]
            gone = [re.compile(asking_pattern(f"$.{name}")) for name in dropped]
            self.conditions = [one for one in self.conditions if not any(ask.search(one.recorded.text) for ask in gone)]
        return len(self.of(cls)) < before

    def some(self, wanted: Callable[[type, str], bool]) -> Questions:
        """Of all classes that were met the wanted ones, without conditions."""
        return Questions(
            {cls: [one for one in asked if wanted(cls, one.predicate)] for cls, asked in self.queries.items()},
            [],
            {cls: [one for one in asked if wanted(cls, one.predicate)] for cls, asked in self.views.items()},
        )

    def is_quiet(self, condition: Condition) -> bool:
        """It asks a quiet query, perhaps."""
        text = condition.recorded.text
        return any(re.search(asking_pattern(predicate.partition("(")[0]), text) for _, predicate in self.quiet)


def _views(cls: type) -> list[View]:
    """What `len`, `list`, `set` and `dict` say of objects of a class, if they say anything."""
    found = [View("len($)", len)] if hasattr(cls, "__len__") else []
    if issubclass(cls, str | bytes) or not hasattr(cls, "__iter__") or hasattr(cls, "__next__"):
        return found
    whole = (
        View("dict($)", _mapping) if hasattr(cls, "keys") and hasattr(cls, "__getitem__") else View("set($)", _items)
    )
    return [*found, View("list($)", _viewed), whole]


def _items(value: Any) -> set[Any]:
    return set(_viewed(value))


def _mapping(value: Any) -> dict[Any, Any]:
    return {key: value[key] for key in _viewed(value)}


def _viewed(value: Any) -> list[Any]:
    items = []
    for item in value:
        items.append(item)
        if len(items) > MOST_VIEWED:
            break
    return items
