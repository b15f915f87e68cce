"""Which objects are judged: those of the subject's classes by all laws, and by the cheap ones what else its modules
define and calls give to their callers."""

from __future__ import annotations

from typing import Any

from stateful.subject.discover import Live

__all__ = ["Own"]

MOST_LOOKED_AT = 20  # items of a list that a call gave, in search of such objects ...
MOST_GIVEN = 4  # ... of which so many are judged


class Own:
    """The classes of the subject, and what its modules define."""

    def __init__(self, live: Live) -> None:
        self.classes = frozenset(routine.cls for routine in live.routines.values() if routine.cls)
        self.modules = frozenset(module.__name__ for module in live.modules)
        self.near: dict[type, bool] = {}

    def has(self, value: Any) -> bool:
        """It is an object of a class of the subject."""
        return type(value) in self.classes

    def given(self, result: Any) -> list[tuple[str, Any]]:
        """What a call gave, if only the subject's modules know its class, or such objects, and the subject's, in a list
        or tuple, some of the first ones; each with its place behind the result's name."""
        if type(result) not in (list, tuple):
            return [("", result)] if type(result) not in self.classes and self._is_near(type(result)) else []
        items = enumerate(result[:MOST_LOOKED_AT])
        return [(f"[{place}]", item) for place, item in items if self._is_near(type(item))][:MOST_GIVEN]

    def _is_near(self, cls: type) -> bool:
        if cls not in self.near:
            told = getattr(cls, "__module__", None) in self.modules and not issubclass(cls, BaseException)
            self.near[cls] = cls in self.classes or told
        return self.near[cls]

    def kin_of(self, cls: type) -> type:
        """The first base of a class that is one of the subject's, or the class itself."""
        return next((base for base in reversed(cls.__mro__) if base in self.classes), cls)
