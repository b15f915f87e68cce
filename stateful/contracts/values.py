"""Values as the database records them: a JSON form that loses nothing of atoms and of containers of atoms.

Everything else is recorded as an object of its snapshot, or as `opaque` if it is none.

>>> encode([1, True, None])
['list', [['int', '1'], ['bool', '1'], ['none']]]
>>> decode(encode({"a": 1.5}))
{'a': 1.5}
>>> equality(encode(1)) == equality(encode(True)) == equality(encode(1.0))
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias

from stateful.contracts.evaluate import Opaque

__all__ = ["SCALARS", "SEQUENCES", "SETS", "Encoded", "decode", "encode", "equality", "is_opaque"]

Encoded: TypeAlias = list[Any]
IndexOf: TypeAlias = Callable[[object], "int | None"]

SCALARS = ("none", "bool", "int", "float", "str", "bytes")
SEQUENCES = ("list", "tuple")
SETS = ("set", "frozenset")
MOST_ITEMS = 60
DEEPEST = 3
MOST_BITS = 4096

PLAIN: dict[type, Callable[[Any], Encoded]] = {
    type(None): lambda _: ["none"],
    bool: lambda value: ["bool", str(int(value))],
    int: lambda value: ["int", str(value)],
    float: lambda value: ["float", repr(value)],
    str: lambda value: ["str", value],
    bytes: lambda value: ["bytes", value.hex()],
}


def encode(value: object, index_of: IndexOf = lambda _: None, depth: int = 0) -> Encoded:
    """The recorded form; `index_of` gives the index of an object in the snapshot at hand."""
    cls = type(value)
    if cls in PLAIN and (cls is not int or value.bit_length() <= MOST_BITS):  # type: ignore[attr-defined]
        return PLAIN[cls](value)
    kind = cls.__name__
    place = index_of(value)
    if place is not None and depth > 0:
        return ["object", place]
    if cls in (list, tuple, set, frozenset, dict) and len(value) <= MOST_ITEMS and depth < DEEPEST:  # type: ignore[arg-type]
        return [kind, _items(value, index_of, depth + 1)]
    return ["opaque"] if place is None else ["object", place]


def _items(value: Any, index_of: IndexOf, depth: int) -> list[Any]:
    if isinstance(value, dict):
        return [[encode(k, index_of, depth), encode(v, index_of, depth)] for k, v in dict.items(value)]
    items = [encode(item, index_of, depth) for item in value]
    return sorted(items, key=_order) if isinstance(value, set | frozenset) else items


def _order(item: Encoded) -> str:
    """The text of an item in JSON; that of most is put together quicker."""
    if len(item) == 2 and type(item[1]) is str:
        return f'["{item[0]}", {encode_basestring_ascii(item[1])}]'
    return json.dumps(item)


def decode(encoded: Encoded, *, old: bool = False) -> Any:
    """The value again; objects become `Opaque`, which know only their identity."""
    kind = encoded[0]
    if kind in SCALAR:
        return SCALAR[kind](encoded[-1])
    if kind in BUILD:
        return BUILD[kind]([decode(item, old=old) for item in encoded[1]])
    if kind == "dict":
        return {decode(key, old=old): decode(value, old=old) for key, value in encoded[1]}
    return _object(old, encoded[1]) if kind == "object" else Opaque()


SCALAR: dict[str, Callable[[str], Any]] = {
    "none": lambda _: None, "bool": lambda digits: digits == "1", "int": int, "float": float, "str": str,
    "bytes": bytes.fromhex,
}  # fmt: skip
BUILD: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


@lru_cache(maxsize=1024)
def _object(old: bool, index: int) -> Opaque:
    """One stand-in for each place: Python finds an object in a list by its identity before it asks `==`."""
    return Opaque((old, index))


def is_opaque(encoded: Encoded) -> bool:
    """True if the value is an object or holds one: what it equals is not known from its record."""
    kind, *rest = encoded
    if kind == "dict":
        return any(is_opaque(part) for pair in rest[0] for part in pair)
    return kind in ("object", "opaque") or (kind in (*SEQUENCES, *SETS) and any(map(is_opaque, rest[0])))


def equality(encoded: Encoded) -> str | None:
    """A text that two recorded values share exactly if Python's `==` holds; none for nan and for objects."""
    shape = _equal_shape(encoded)
    return None if shape is None else repr(shape)


def _equal_shape(encoded: Encoded) -> Any:
    kind, *rest = encoded
    if kind in ("bool", "int", "float"):
        return _number(kind, rest[0])
    if kind in ("none", "str", "bytes"):
        return encoded
    if kind == "dict":
        pairs = [[_equal_shape(key), _equal_shape(value)] for key, value in rest[0]]
        return None if any(None in pair for pair in pairs) else ["dict", sorted(pairs, key=repr)]
    if kind in (*SEQUENCES, *SETS):
        items = [_equal_shape(item) for item in rest[0]]
        if any(item is None for item in items):
            return None
        return [kind, items] if kind in SEQUENCES else ["set", sorted(items, key=repr)]
    return None


def _number(kind: str, digits: str) -> Any:
    if kind == "float":
        number = float(digits)
        if math.isnan(number):
            return None
        if math.isinf(number) or number != int(number):
            return ["number", digits]
        return ["number", str(int(number))]
    return ["number", digits]
