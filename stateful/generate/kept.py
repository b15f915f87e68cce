"""What is kept of the operands of a call, and whether the call changed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stateful.contracts.evaluate import is_atom
from stateful.subject.snapshots import Uncopyable, dump

__all__ = ["Kept", "is_changed", "is_open"]


@dataclass(slots=True)
class Kept:
    """A snapshot, and for each slot of a call the index of its operand there."""

    digest: bytes
    codec: str
    data: bytes
    operands: tuple[int | None, ...]
    objects: list[Any]
    is_open: bool = False
    """The bytes of some object would go on if it came to hold something."""


def is_changed(before: Kept, after: Kept, *, carries: bool = False) -> bool | None:
    """Whether the operands differ from what they were; None if that cannot be told, because what was before is kept as
    the calls that build it.

    Mostly the bytes show it. Where the result needed another codec than the operands, where dill took both apart, or
    where the bytes of an operand may only go on, these are dumped once more without the result; and where objects are
    carried along, which stand behind the result."""
    if before.codec == "recipe":
        return None
    if before.codec == after.codec and not carries:
        nothing_new = len(before.objects) == len(after.objects)
        begins = before.data == after.data if nothing_new else _begins(before, after)
        if begins and (nothing_new or not before.is_open):
            return False
        if not begins and before.codec == "pickle":
            return True
    try:
        return dump(before.objects) != (before.codec, before.data)
    except Uncopyable:
        return True


def is_open(value: Any) -> bool:
    """An object without attributes is taken apart into its class, and more follows as soon as it has one; so do the
    items of what is an empty container now.

    >>> is_open([]), is_open(3), is_open(Kept(b"", "", b"", (), []))
    (True, False, True)
    """
    if is_atom(value):
        return False
    return not (type(value).__dictoffset__ and object.__getattribute__(value, "__dict__"))


def _begins(before: Kept, after: Kept) -> bool:
    """The bytes of the operands begin the bytes after the call, which have its result behind them."""
    first, second = _items(before.data), _items(after.data)
    if not before.objects:
        return True
    if len(before.objects) == 1:
        return second[1:].startswith(first[:-2])
    return second.startswith(first[:-2])


def _items(data: bytes) -> bytes:
    """The bytes of a pickled list behind its head: protocol, perhaps a frame, the empty list."""
    return data[13:] if data[2] == 0x95 else data[4:]
