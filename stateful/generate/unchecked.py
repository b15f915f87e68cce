"""Whether an object keeps what it was given without looking at it.

A constructor that only stores its argument passes with values of any type, so nothing is learned of the right one, and
what the object does with a wrong one fails later, far away. An exception that speaks of the type of such a value may be
the caller's mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stateful.judge.law import attributes_of
from stateful.subject.discover import LiveRoutine

__all__ = ["kept_unchecked"]

NAMED = re.compile(r"'(\w+)'")


def kept_unchecked(
    calls: Iterable[tuple[LiveRoutine, Sequence[Any]]], objects: Sequence[Any], message: str
) -> str | None:
    """The name of a type that the message speaks of, if one of the objects holds a value of it that a call passed for a
    parameter without annotation."""
    named = {*NAMED.findall(message)} - {"NoneType"}
    attributes = [value for one in objects for several in attributes_of(one) for value in several]
    held = [value for value in attributes if type(value).__name__ in named]
    if not held:
        return None
    given = [value for live, operands in calls for value in _unannotated(live, operands)]
    return next((type(one).__name__ for one in held if any(one is value for value in given)), None)


def _unannotated(live: LiveRoutine, operands: Sequence[Any]) -> Iterator[Any]:
    """The arguments of a call whose parameters say nothing of their type."""
    given = operands[1:] if live.model.has_receiver else operands
    for parameter, value in zip(live.model.parameters, given, strict=False):
        if parameter.annotation is None:
            yield value
