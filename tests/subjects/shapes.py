"""Classes of many makes, for discovery and snapshots."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self, left: Any = None) -> None:
        self.left = left


class OwnPickling:
    """Rebuilds itself by its own way, and loses the order on it."""

    def __init__(self, items: list[int]) -> None:
        self.items = list(items)

    def __getstate__(self) -> dict[str, list[int]]:
        return {"items": sorted(self.items)}


class Keyed(OrderedDict):  # type: ignore[type-arg]
    """Its own way of setting items must not run when it is loaded."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, [value])


class Numbers(list):  # type: ignore[type-arg]
    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.extra = len(self)

    def append(self, item: Any) -> None:
        raise RuntimeError("loading must not append")


class Celsius(float):
    def __new__(cls, degrees: float) -> Celsius:
        return super().__new__(cls, degrees)


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0


class Locked:
    """Neither pickle nor dill keeps it faithfully."""

    def __init__(self, n: int = 0) -> None:
        self.n = n
        self.lock = threading.Lock()
        self.feed = (i for i in range(3))

    def add(self, k: int) -> None:
        self.n += k


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    """A square."""

    def __init__(self, side: int, *, name: str = "s") -> None:
        self.side = side
        self.name = name
        self._hidden = 1

    def area(self) -> int:
        return self.side**2

    def scale(self, factor: int) -> None:
        """Make it larger.

        Raises:
            OverflowError: if it gets too large
        """
        if factor <= 0:
            raise ValueError("factor")
        assert self.side < 100
        self.side *= factor

    @property
    def diagonal(self) -> float:
        return self.side * 2**0.5

    @classmethod
    def unit(cls) -> Square:
        return cls(1)

    @staticmethod
    def corners() -> int:
        return 4

    async def wait(self) -> None: ...

    def __lt__(self, other: Square) -> bool:
        return self.side < other.side

    class Part:
        def weigh(self) -> int:
            return 7


def build(side: int = 2) -> Square:
    return Square(side)
