"""Bytes of a snapshot without a dump: those of its first object are known, and plain values follow it.

`spliced(dump([x]), [3, "a"])` is `dump([x, 3, "a"])`, byte for byte, or nothing where that is not certain. It is so for
a copy of `x` only if every copy gives the same bytes: `bytes_alone` makes sure of that.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Sequence
from typing import Any

from stateful.subject.snapshots import PROTOCOL, REDUCERS, dump, load

__all__ = ["bytes_alone", "spliced"]

HEAD = b"\x80\x05\x95"
"""Protocol 5, and the beginning of a frame; the eight bytes of its length and an empty list follow."""
BODY = 13  # where the first object begins
LARGEST = 60_000  # beyond 64 KiB there is more than one frame
FRAME = struct.Struct("<Q")
REAL = struct.Struct(">d")
CONSTANTS = {None: b"N", True: b"\x88", False: b"\x89"}
SIGNS_OF_SETS = (b"\x8f", b"\x91", b"\x8c\x03set", b"\x8c\x09frozenset")
"""Bytes of which one is in every pickle of a set; elsewhere they may stand for something else."""
CONTAINERS = frozenset((list, tuple, set, frozenset, dict))
SIGNS_OF_SHARING = (b"\x8c", b"X", b"h", b"j", b"R", b"\x81")
"""Strings, what was met before, and whatever is not plain; elsewhere these bytes may stand for something else."""
MOST_PIECES = 20_000
PIECES: dict[int | str, bytes] = {}


def bytes_alone(value: Any) -> bytes | None:
    """The bytes of the object alone, if every copy of it has the same: not so, where sets are ordered by address."""
    codec, data = dump([value])
    if codec != "pickle" or not data.startswith(HEAD) or len(data) > LARGEST:
        return None
    copy = load(codec, data)[0]
    if dump([copy]) != (codec, data):
        return None
    if any(sign in data for sign in SIGNS_OF_SETS) and _Hashes.of(value) != _Hashes.of(copy):
        return None
    return data


def spliced(first: bytes, others: Sequence[Any]) -> bytes | None:
    """The bytes of a list of the object whose bytes alone are `first`, and of others; nothing if one is not plain.

    A string could be the very one that the object holds only if its letters are in the bytes of the object."""
    if not others:
        return first
    parts = []
    for value in others:
        part = _piece(value, first)
        if part is None:
            return None
        parts.append(part)
    body = b"".join((b"]\x94(", first[BODY:-2], *parts, b"e."))
    return b"".join((HEAD, FRAME.pack(len(body)), body)) if len(body) < LARGEST else None


def _piece(value: Any, first: bytes) -> bytes | None:
    cls = type(value)
    if cls is int:
        return PIECES.get(value) or _pickled(value)
    if cls is bool or value is None:
        return CONSTANTS[value]
    if cls is float:
        return b"G" + REAL.pack(value)
    if cls is str and value.encode("utf-8", "surrogatepass") not in first:
        return PIECES.get(value) or _pickled(value)
    if cls in CONTAINERS:
        body = _body(value)
        return None if any(sign in body for sign in SIGNS_OF_SHARING) else body
    return None


def _pickled(value: int | str) -> bytes:
    if len(PIECES) >= MOST_PIECES:
        PIECES.clear()
    PIECES[value] = _body(value)
    return PIECES[value]


def _body(value: Any) -> bytes:
    data = pickle.dumps([value], PROTOCOL)
    return data[BODY if data.startswith(HEAD) else BODY - 9 : -2]


class _Hashes(pickle.Pickler):
    """Goes through all that an object holds and takes down the hashes of what is in sets."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), PROTOCOL)
        self.dispatch_table = REDUCERS
        self.found: list[list[int]] = []

    @classmethod
    def of(cls, value: Any) -> list[list[int]]:
        hashes = cls()
        hashes.dump(value)
        return sorted(hashes.found)

    def persistent_id(self, value: Any) -> None:
        if isinstance(value, set | frozenset):
            items = set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value)
            self.found.append(sorted(map(hash, items)))
