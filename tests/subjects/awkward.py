"""Faults whose calls are awkward to write down: each is in one place only."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


class Color(enum.Enum):
    """Nobody makes its members."""

    RED = 1
    BLACK = 0

    def share(self) -> float:
        """Fails for one of them."""
        return 1 / self.value


class Ratios:
    """What it gives has to be run before it fails."""

    def lazily(self) -> Iterator[float]:
        """A generator expression: no generator function."""
        return (1 / number for number in range(2))


class Shown:
    """One method for each type."""

    @functools.singledispatchmethod
    def show(self, value: object) -> str:
        """Any object."""
        return str(value)

    @show.register
    def _(self, value: bool) -> str:
        return str(1 // value)


class Scaled:
    """An operator with an argument that needs brackets."""

    def __mul__(self, factor: complex) -> float:
        return 1 / (factor.imag - 2.0)


class Entered:
    """What `with` gives is closed at its end."""

    def __init__(self) -> None:
        self.rest: dict[str, int] | None = {}
        self.inner: Entered | None = None

    def __enter__(self) -> Entered:
        self.inner = Entered()
        return self.inner

    def __exit__(self, *_: object) -> None:
        assert self.inner is not None
        self.inner.rest = None

    def count(self) -> int:
        """Fails when it is closed."""
        return len(self.rest)  # type: ignore[arg-type]


@dataclass
class Span:
    """Its arguments are checked as its own attributes."""

    low: int
    high: int

    def __post_init__(self) -> None:
        assert self.low <= self.high


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that hides what it wraps."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    return call


class Later:
    """A coroutine behind a decorator."""

    @logged
    async def get(self) -> int:
        """Fails when it is awaited."""
        return {}["never"]  # type: ignore[no-any-return]


def _meter(unit: str) -> type:
    class Meter:
        """Its own name says where it was made, and not where it is."""

        def __init__(self, value: int) -> None:
            self.value = value

        def shown(self) -> str:
            return f"{100 // self.value} {unit}"

    return Meter


Watt = _meter("W")
Volt = _meter("V")


class Locked:
    """Something that is entered and left."""

    def __init__(self, size: int) -> None:
        self.size = size

    @contextmanager
    def held(self) -> Iterator[float]:
        yield 1 / self.size
