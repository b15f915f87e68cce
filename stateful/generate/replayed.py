"""What the replay of a program showed: plain data, as the worker says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Replayed"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a program showed: the fault's digest, the routine to blame and the message, and for a law the Python that
    shows it for an `x`, the places of such names among the slots of the last call, and whether that call raised before.
    It strays if an argument contradicts its annotation, and fits if each is all that its annotation asks for;
    `unchecked` is the type of what an object keeps as it was given, if the fault speaks of that, a `record` keeps
    everything, and something `cyclic` reaches itself."""

    fault: str | None
    routine: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    code: str = ""
    raised: bool = False
    strays: bool = False
    fits: bool = False
    unchecked: str | None = None
    record: bool = False
    cyclic: bool = False
