"""Each method passes with arguments that its annotation means, and with hardly any others."""

from __future__ import annotations

import datetime
import decimal
import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self, TypedDict, TypeVar

from tests.subjects.annotated.base import Base

if TYPE_CHECKING:
    from tests.subjects.annotated.base import Kind

T = TypeVar("T", bound="Part")


class Area(TypedDict):
    width: int
    height: int


@dataclass
class Child(Base):
    label: str = ""

    def shown(self) -> str:
        return self.kind.name + self.label


class Part:
    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def bound(self, other: T) -> int:
        return other.number

    def same(self, other: Self) -> int:
        return other.number

    def checked(self, kind: Kind) -> str:
        return kind.name

    def at(self, time: datetime.datetime) -> int:
        return time.hour

    def exact(self, amount: decimal.Decimal) -> bool:
        return amount.is_signed()

    def path(self, path: Path) -> str:
        return path.name

    def pattern(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match("a") is not None

    def text(self, file: IO[str]) -> str:
        return file.read() + ""

    def queue(self, items: deque[int]) -> int:
        items.appendleft(1)
        return items[0]

    def ordered(self, items: OrderedDict[str, int]) -> int:
        items["z"] = 1
        items.move_to_end("z")
        return len(items)

    def defaults(self, items: defaultdict[str, int]) -> object:
        return items["no such key"]

    def counted(self, items: Counter[str]) -> list[tuple[str, int]]:
        return items.most_common(1)

    def taken(self, items: Iterator[int]) -> int:
        return next(items, 0)

    def area(self, area: Area) -> int:
        return area["width"] * area["height"]

    def modes(self, modes: list[Literal["r", "w"]]) -> int:
        return sum({"r": 1, "w": 2}[mode] for mode in modes)

    def kinds(self, kinds: list[Kind]) -> list[str]:
        return [kind.name for kind in kinds]

    def by_name(self, parts: dict[str, Part]) -> int:
        return sum(part.number for part in parts.values())

    def several(self, parts: set[Part]) -> int:
        return sum(part.number for part in parts)

    def made(self, part: type[Part]) -> int:
        return part(1).number


class Slotted:
    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0


class Defaulted:
    total = 0
    LIMIT = 10

    def add(self) -> None:
        self.total += 1


class Pair(NamedTuple):
    left: int
    right: str


@dataclass
class Account:
    balance: int = 0
    BANK: ClassVar[str] = "bank"

    def withdraw(self, amount: int) -> None:
        self.balance -= amount


class Registry(type):
    def __call__(cls, *args: object, **kwargs: object) -> object:
        return super().__call__(*args, **kwargs)


class Registered(metaclass=Registry):
    def __init__(self, name: str, *, size: int) -> None:
        self.name = name * size


class Fresh:
    def __new__(cls, *args: object, **kwargs: object) -> Self:
        return super().__new__(cls)

    def __init__(self, one: int, two: int, three: int, four: int) -> None:
        self.sum = one + two + three + four
