"""Look at the objects of one snapshot: what they reach, and the value of every query on them.

Pure of databases and processes, so that a test can compare what is recorded with the live objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from operator import contains
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.contracts.values import Encoded, encode
from stateful.sandbox.worker import DeadlineReached
from stateful.subject.discover import class_name
from stateful.subject.program import consumed

__all__ = ["MOST_REACHED", "Queries", "Query", "Row", "observe", "reached"]

MOST_REACHED = 24
MOST_ROWS = 600
MOST_VIEWED = 60


@dataclass(frozen=True, slots=True)
class Query:
    """A routine whose value is evaluated: its class, its name, and whether it is called. `wants` are the kinds that
    passed for each parameter."""

    name: str
    called: bool
    wants: tuple[frozenset[str], ...] = ()

    @property
    def predicate(self) -> str:
        arguments = ", ".join("$" for _ in self.wants)
        return f"$.{self.name}({arguments})" if self.called else f"$.{self.name}"


@dataclass(frozen=True, slots=True)
class Row:
    """One evaluation: `value` is none where the predicate raises; `truth` is bool(value)."""

    predicate: str
    indices: tuple[int, ...]
    value: Encoded | None
    truth: bool | None


Queries = Mapping[type, Sequence[Query]]


def observe(
    objects: list[Any], queries: Queries, slots: int, announce: Callable[[type, Query], None] = lambda _, __: None
) -> tuple[list[Row], bool]:
    """Every row for these objects, of which the first `slots` are operands; and whether there would be more.

    `announce` is told which query is asked next, in case that it never answers."""
    rows = list(islice(_rows(objects, queries, _Places(objects), slots, announce), MOST_ROWS + 1))
    return rows[:MOST_ROWS], len(rows) > MOST_ROWS


def reached(objects: list[Any], queries: Queries) -> tuple[list[Any], bool]:
    """The objects, and behind them those of the subject's classes that they reach, breadth first."""
    found = list(objects)
    known = {id(value) for value in found}
    frontier = list(objects)
    visited = set(known)
    while frontier:
        following = []
        for value in frontier:
            for part in _parts(value):
                if is_atom(part) or id(part) in visited:
                    continue
                visited.add(id(part))
                following.append(part)
                if type(part) in queries and id(part) not in known:
                    if len(found) >= len(objects) + MOST_REACHED:
                        return found, True
                    known.add(id(part))
                    found.append(part)
        frontier = following
    return found, False


def _parts(value: Any) -> list[Any]:
    """What an object holds directly, without asking its own methods."""
    if type(value) in (list, tuple, set, frozenset):
        return list(value)
    if type(value) is dict:
        return [*value.keys(), *value.values()]
    parts = list((getattr(value, "__dict__", None) or {}).values())
    for cls in type(value).__mro__:
        parts += [getattr(value, name) for name in _slot_names(cls) if hasattr(value, name)]
    if isinstance(value, list | tuple):
        parts += list(value)
    elif isinstance(value, dict):
        parts += [*dict.keys(value), *dict.values(value)]
    return parts


def _slot_names(cls: type) -> list[str]:
    slots = vars(cls).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if not name.startswith("__")]


class _Places:
    """The index of a live object in the list."""

    def __init__(self, objects: list[Any]) -> None:
        self.by_id = {id(value): index for index, value in enumerate(objects) if not is_atom(value)}

    def __call__(self, value: object) -> int | None:
        return self.by_id.get(id(value))


def _rows(
    objects: list[Any], queries: Queries, place: _Places, slots: int, announce: Callable[[type, Query], None]
) -> Iterator[Row]:
    for index, value in enumerate(objects):
        yield _row("$", (index,), partial(_unchanged, value), place)
        yield from _views(index, value, place)
    for index, value in enumerate(objects):
        for query in queries.get(type(value), ()):
            announce(type(value), query)
            yield from _asked(query, index, value, objects, place)
    yield from _pairs(objects, queries, place, slots)


def _views(index: int, value: Any, place: _Places) -> Iterator[Row]:
    """What `len`, `list`, `set` and `dict` say of an object, if they say anything."""
    cls = type(value)
    if hasattr(cls, "__len__"):
        yield _row("len($)", (index,), partial(len, value), place)
    if isinstance(value, str | bytes) or not hasattr(cls, "__iter__") or hasattr(cls, "__next__"):
        return
    yield _row("list($)", (index,), partial(_viewed, value), place)
    if hasattr(cls, "keys") and hasattr(cls, "__getitem__"):
        yield _row("dict($)", (index,), partial(_mapping, value), place)
    else:
        yield _row("set($)", (index,), partial(_items, value), place)


def _unchanged(value: Any) -> Any:
    return value


def _are_equal(a: Any, b: Any) -> bool:
    return bool(a == b)


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


def _asked(query: Query, index: int, value: Any, objects: list[Any], place: _Places) -> Iterator[Row]:
    """The query on one object, with every combination of arguments that are of the wanted kinds."""
    choices = [[i for i, other in enumerate(objects) if _fits(other, wants)] for wants in query.wants]
    for combination in product(*choices):
        arguments = [objects[i] for i in combination]
        yield _row(query.predicate, (index, *combination), partial(_answer, query, value, arguments), place)


def _fits(value: Any, wants: frozenset[str]) -> bool:
    cls = type(value)
    names = (cls.__name__, class_name(cls)) if cls.__module__ == "builtins" else (class_name(cls),)
    return any(name in wants for name in names)


def _answer(query: Query, value: Any, arguments: list[Any]) -> Any:
    found = getattr(value, query.name)
    return consumed(found(*arguments)) if query.called else found


def _pairs(objects: list[Any], queries: Queries, place: _Places, slots: int) -> Iterator[Row]:
    """Equality between objects whose classes define it, and membership of operands in operands."""
    for i, a in enumerate(objects):
        for j, b in enumerate(objects):
            if _has_equality(a) and type(b) in queries and not is_atom(b):
                yield _row("$ == $", (i, j), partial(_are_equal, a, b), place)
            if i < slots and j < slots and i != j and type(b) in queries and hasattr(type(b), "__contains__"):
                yield _row("$ in $", (i, j), partial(contains, b, a), place)


def _has_equality(value: Any) -> bool:
    return not is_atom(value) and type(value).__eq__ is not object.__eq__  # type: ignore[comparison-overlap]


def _row(predicate: str, indices: tuple[int, ...], ask: Callable[[], Any], place: _Places) -> Row:
    try:
        value = ask()
        encoded = encode(value, place) if predicate != "$" else _itself(value, indices[0], place)
    except DeadlineReached:
        raise
    except BaseException:
        return Row(predicate, indices, None, None)
    try:
        return Row(predicate, indices, encoded, bool(value))
    except DeadlineReached:
        raise
    except BaseException:
        return Row(predicate, indices, encoded, None)


def _itself(value: Any, index: int, place: _Places) -> Encoded:
    return encode(value, place) if is_atom(value) or type(value) in CONTAINERS else ["object", index]


CONTAINERS = (list, tuple, set, frozenset, dict)
