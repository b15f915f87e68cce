"""Intern values and predicates: each once, with the columns that SQL computes with."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from stateful.contracts import values as v
from stateful.contracts.values import Encoded, decode
from stateful.store.database import Database
from stateful.store.writer import clean

__all__ = ["Interned"]

ITEMISED = (*v.SEQUENCES, *v.SETS)


@dataclass
class Interned:
    """The ids of values and predicates; new ones are collected and written with `flush`."""

    database: Database
    values: dict[tuple[str, bool | None], int] = field(default_factory=dict)
    predicates: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    equalities: dict[int, int | None] = field(default_factory=dict)
    plain: dict[tuple[str, str], int] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        d = self.database
        self.predicates = {text: key for key, text in d.rows("SELECT id, text FROM predicates")}
        known = "SELECT id, record, truth, items, equality FROM values ORDER BY id"
        for key, record, truth, items, equality in d.rows(known):
            encoded = json.loads(record)
            self.values[repr(encoded), truth] = key
            self.equalities[key] = equality
            if equality is not None:
                self.classes.setdefault(_shape(encoded, items) or "", equality)

    def predicate(self, text: str) -> int:
        if text not in self.predicates:
            self.predicates[text] = len(self.predicates) + 1
            self.rows["predicates"].append({"id": self.predicates[text], "text": text, "arity": text.count("$")})
        return self.predicates[text]

    def value(self, encoded: Encoded, truth: bool | None) -> int:
        """The id of a value; the values in a container are interned before it."""
        key = repr(encoded), truth
        if key in self.values:
            return self.values[key]
        items = self._items(encoded)
        number = self.values[key] = len(self.values) + 1
        shape = _shape(encoded, items)
        equality = self.equalities[number] = None if shape is None else self.classes.setdefault(shape, number)
        columns = _columns(encoded, truth, opaque=items is None and v.is_opaque(encoded))
        self.rows["values"].append({"id": number, "items": items, "equality": equality, **columns})
        return number

    def _items(self, encoded: Encoded) -> list[int] | None:
        """The equality classes of the items; sets as sorted lists of distinct ones."""
        if encoded[0] not in ITEMISED:
            return None
        found = []
        for item in encoded[1]:
            equality = self.plain.get((item[0], item[-1])) if type(item[-1]) is str else None
            if equality is None and (equality := self._equality_of_item(item)) is None:
                return None
            found.append(equality)
        return sorted(set(found)) if encoded[0] in v.SETS else found

    def _equality_of_item(self, item: Encoded) -> int | None:
        """The id of the first value that equals the item; plain ones are remembered, for most lists hold them."""
        key = (item[0], item[-1]) if item[0] in v.SCALARS else None
        if _shape(item, self._items(item)) is None:
            return None
        equality = self.equalities[self.value(item, _truth_of(item))]
        if key is not None and equality is not None:
            self.plain[key] = equality
        return equality

    def flush(self) -> None:
        """Write what is new."""
        for table, rows in self.rows.items():
            self.database.append_rows(table, rows)
        self.rows.clear()


def _shape(encoded: Encoded, items: list[int] | None) -> str | None:
    """What values share that are equal. What equals a list or a set is known from its items, which are told apart
    already; to look into them again took half of the time of ingest's supervisor."""
    if encoded[0] not in ITEMISED:
        return v.equality(encoded)
    return None if items is None else f"{'set' if encoded[0] in v.SETS else encoded[0]} {items}"


def _truth_of(encoded: Encoded) -> bool | None:
    return None if v.is_opaque(encoded) else bool(decode(encoded))


def _columns(encoded: Encoded, truth: bool | None, *, opaque: bool) -> dict[str, Any]:
    kind = encoded[0]
    whole = int(encoded[1]) if kind in ("int", "bool") else None
    return {
        "kind": kind,
        "integer": whole if whole is not None and -(2**63) <= whole < 2**63 else None,
        "real": _real(kind, whole, encoded),
        "text": _text(encoded, opaque=opaque),
        "truth": truth,
        "object": encoded[1] if kind == "object" else None,
        "record": json.dumps(encoded),
    }


def _real(kind: str, whole: int | None, encoded: Encoded) -> float | None:
    """The number as a float, where that is exact."""
    if whole is not None:
        return float(whole) if abs(whole) <= 2**53 else None
    return float(encoded[1]) if kind == "float" else None


def _text(encoded: Encoded, *, opaque: bool) -> str:
    if encoded[0] == "str":
        return clean(encoded[1])
    if encoded[0] in ("object", "opaque"):
        return f"object {encoded[1]}" if encoded[0] == "object" else "an object"
    if opaque:
        return json.dumps(encoded)
    return clean(repr(decode(encoded)))[:1000]
