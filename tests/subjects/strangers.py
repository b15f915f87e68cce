"""Classes that inherit much from others, rely on Python's library, or stand beside lazy objects."""

from __future__ import annotations

import argparse
import configparser
import queue
import statistics
import sys
import threading
from dataclasses import dataclass
from typing import Any


class Unready:
    """A lazy object that nobody has set up: it raises whatever it is asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("not set up")

    @property
    def __class__(self) -> Any:
        raise RuntimeError("not set up")


class Untold(type):
    """Has an `==` of its own, and forgot the hash."""

    def __eq__(cls, other: object) -> bool:
        return cls is other


class Nameless(metaclass=Untold):
    def name(self) -> str:
        return ""


lazy: Any = Unready()


class Parser(argparse.ArgumentParser):
    def __init__(self) -> None:
        super().__init__(prog="parser")


class Settings(configparser.ConfigParser):
    def flag(self, section: str, option: str) -> bool:
        return self.getboolean(section, option)


class Worker(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)


class Statistics:
    def __init__(self) -> None:
        self.values: list[int] = []
        self.waiting: queue.Queue[int] = queue.Queue()

    def add(self, value: int) -> None:
        self.values.append(value)

    def mean(self) -> float:
        return statistics.mean(self.values)

    def best(self) -> int:
        return max(self.values)

    def next(self) -> int:
        return self.waiting.get_nowait()

    def leave(self) -> None:
        sys.exit(3)

    def table(self) -> Any:
        import no_such_module_of_anybody as other

        return other.table(self.values)


@dataclass
class Price:
    cents: int
    text: str = ""

    def __post_init__(self) -> None:
        self.text = f"{self.text}{self.cents:04d}"
        self.cents = str(self.cents)  # type: ignore[assignment]

    def __rich_repr__(self) -> list[str]:
        return [1 / 0]  # type: ignore[list-item]


class Noted:
    """Its annotations are examples, and no types."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def add(self, sizes: [int], either: (int, str), table: {0: 1}) -> None:  # type: ignore[valid-type,syntax]
        self.sizes += sizes
