"""Evaluations in the making, as columns of small numbers: each predicate and each value is told once.

The worker writes millions of these rows; so a row is two numbers and the places of its objects, and a value that
was met before costs one look into a dictionary.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from stateful.contracts.values import Encoded, encode
from stateful.sandbox.worker import DeadlineReached

__all__ = ["UNDEFINED", "Ledger", "Row"]

UNDEFINED = -1
MOST_VALUES = 200_000  # that a ledger remembers; then it begins anew
PLAIN = frozenset((int, str, bool, bytes, type(None)))
"""Values of these classes are equal only if they are the same value: floats are not among them, for 0.0 is -0.0."""
ITEMS: dict[type, Callable[[Any], Hashable]] = {list: tuple, tuple: tuple, set: frozenset, frozenset: frozenset}
KNOWN = frozenset((*ITEMS, dict))
SHOWN = frozenset(cls.__name__ for cls in ITEMS)

IndexOf: TypeAlias = Callable[[object], "int | None"]


@dataclass(frozen=True, slots=True)
class Row:
    """One evaluation: `value` is none where the predicate raises; `truth` is bool(value)."""

    predicate: str
    indices: tuple[int, ...]
    value: Encoded | None
    truth: bool | None


class Ledger:
    """The columns since `start`; the numbers of predicates and values hold for longer."""

    def __init__(self) -> None:
        self.predicates: dict[str, int] = {}
        self.values: dict[Hashable, int] = {}
        self.shown: list[tuple[Encoded, bool | None]] = []
        self.told = [0, 0]
        self.start()

    def start(self) -> None:
        """Begin new columns. `places` holds as many indices for each row as its predicate has `$`."""
        self.which = array("i")
        self.found = array("i")
        self.places = array("B")

    def add(self, which: array[int], found: list[int], places: array[int]) -> None:
        """Rows by columns."""
        self.which.extend(which)
        self.found.extend(found)
        self.places.extend(places)

    def news(self) -> tuple[list[str], list[tuple[Encoded, bool | None]]]:
        """The predicates and values that were numbered since the last time."""
        predicates, values = list(self.predicates)[self.told[0] :], self.shown[self.told[1] :]
        self.told = [len(self.predicates), len(self.shown)]
        return predicates, values

    def forget(self) -> bool:
        """Begin anew with the numbers of values if there are too many of them; true if so."""
        if len(self.values) <= MOST_VALUES:
            return False
        self.values, self.shown, self.told[1] = {}, [], 0
        return True

    def predicate(self, text: str) -> int:
        return self.predicates.setdefault(text, len(self.predicates))

    def truncate(self, rows: int, most: int) -> None:
        """Only the first `most` rows after the first `rows`."""
        arities = [text.count("$") for text in self.predicates]
        surplus = sum(arities[which] for which in self.which[rows + most :])
        del self.which[rows + most :], self.found[rows + most :]
        if surplus:
            del self.places[-surplus:]

    def rows(self) -> Iterator[Row]:
        """The rows in words, for people and tests."""
        texts, place = list(self.predicates), 0
        for which, found in zip(self.which, self.found, strict=True):
            text = texts[which]
            indices = tuple(self.places[place : place + text.count("$")])
            place += len(indices)
            value, truth = self.shown[found] if found != UNDEFINED else (None, None)
            yield Row(text, indices, value, truth)

    # Values

    def value(self, value: Any, place: IndexOf) -> int:
        """The number of a value. Asking an object for its truth may raise; then that is unknown."""
        cls = type(value)
        key: Hashable
        if cls in PLAIN:
            key = cls, value
        elif cls is float:
            key = cls, repr(value)
        elif cls not in KNOWN and place(value) is None:
            return self._numbered(("opaque", truth := _truth(value)), lambda: (["opaque"], truth))
        elif cls in ITEMS:
            key = _key_of_items(cls, value)
        else:
            key = None
        number = self.values.get(key) if key is not None else None
        return self._new(key, value, place) if number is None else number

    def object(self, index: int, value: Any) -> int:
        """The number of an object of the snapshot."""
        return self._numbered(("object", index, truth := _truth(value)), lambda: (["object", index], truth))

    def _new(self, key: Hashable, value: Any, place: IndexOf) -> int:
        encoded, truth = encode(value, place), _truth(value)
        if key is None or encoded[0] in ("object", "opaque") or not _is_self_contained(encoded):
            key = json.dumps([encoded, truth])
        return self._numbered(key, lambda: (encoded, truth))

    def _numbered(self, key: Hashable, shown: Callable[[], tuple[Encoded, bool | None]]) -> int:
        number = self.values.get(key)
        if number is None:
            number = self.values[key] = len(self.shown)
            self.shown.append(shown())
        return number


def _key_of_items(cls: type, value: Any) -> Hashable | None:
    """A key of a list, tuple or set of plain items: 1 and True must not be taken for each other."""
    kinds = set(map(type, value))
    if not kinds <= PLAIN or (len(kinds) > 1 and ITEMS[cls] is frozenset):
        return None
    return cls, (kinds.pop() if len(kinds) == 1 else tuple(map(type, value))), ITEMS[cls](value)


def _is_self_contained(encoded: Encoded) -> bool:
    """No list of objects, which would mean others in the next snapshot."""
    return encoded[0] not in SHOWN or all(item[0] not in ("object", "opaque") for item in encoded[1])


def _truth(value: Any) -> bool | None:
    try:
        return bool(value)
    except DeadlineReached:
        raise
    except BaseException:
        return None
