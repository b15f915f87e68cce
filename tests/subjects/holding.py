"""Objects that hold functions which do not know their own names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def traced(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def inside(value: Any) -> Any:
        return function(value)

    return inside


@traced
def traced_length(value: Any) -> int:
    return len(value)


KEYS: dict[str, Callable[[Any], Any]] = {"text": lambda value: str(value)}


class Sorter:
    """Its function is held by its class, by a table or by the module."""

    by_size = staticmethod(lambda value: len(value))

    def __init__(self, how: str) -> None:
        self.key = {"size": self.by_size, "table": KEYS["text"], "wrapped": traced_length}[how]
