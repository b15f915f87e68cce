"""What is kept of the operands of a call, and whether the call changed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stateful.subject.snapshots import Uncopyable, dump

__all__ = ["Kept", "is_changed"]


@dataclass(slots=True)
class Kept:
    """A snapshot, and for each slot of a call the index of its operand there."""

    digest: bytes
    codec: str
    data: bytes
    operands: tuple[int | None, ...]
    objects: list[Any]


def is_changed(before: Kept, after: Kept) -> bool | None:
    """Whether the operands differ from what they were; None if that cannot be told, because what was before is kept as
    the calls that build it.

    Mostly the bytes show it. Where the result needed another codec than the operands, or dill took both apart, the
    operands are dumped once more without it."""
    if before.codec == "recipe":
        return None
    if before.codec == after.codec:
        if _begins(before, after):
            return False
        if before.codec == "pickle":
            return True
    try:
        return dump(before.objects) != (before.codec, before.data)
    except Uncopyable:
        return True


def _begins(before: Kept, after: Kept) -> bool:
    """The bytes of the operands begin the bytes after the call, which may have its result at the end."""
    if len(before.objects) == len(after.objects):
        return before.data == after.data
    first, second = _items(before.data), _items(after.data)
    if not before.objects:
        return True
    if len(before.objects) == 1:
        return second[1:].startswith(first[:-2])
    return second.startswith(first[:-2])


def _items(data: bytes) -> bytes:
    """The bytes of a pickled list behind its head: protocol, perhaps a frame, the empty list."""
    return data[13:] if data[2] == 0x95 else data[4:]
