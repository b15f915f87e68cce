"""Classes that compare wrongly, each in its own way, and what gives objects in lists."""

from __future__ import annotations

from collections import UserDict, UserList
from collections.abc import Iterator
from functools import total_ordering


class Length:
    """Compares as it should."""

    def __init__(self, metres: int) -> None:
        self.metres = metres

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and self.metres == other.metres

    def __lt__(self, other: Length) -> bool:
        return self.metres < other.metres

    def __gt__(self, other: Length) -> bool:
        return self.metres > other.metres

    def __hash__(self) -> int:
        return hash(self.metres)


class OneSided(Length):
    """Equals what is a little longer."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and 0 <= other.metres - self.metres <= 1

    __hash__ = None  # type: ignore[assignment]


class Both(Length):
    """Unequal to what it equals, but for itself."""

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = Length.__hash__


class Rounded(Length):
    """Equals what is about as long, but hashes by the metre."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and self.metres // 10 == other.metres // 10

    __hash__ = Length.__hash__


class Circular(Length):
    """Each is less than the others."""

    def __lt__(self, other: Length) -> bool:
        return self.metres != other.metres

    def __gt__(self, other: Length) -> bool:
        return self.metres != other.metres


class Impatient(Length):
    """Less than its equals."""

    def __lt__(self, other: Length) -> bool:
        return self.metres <= other.metres


class Mirrored(Length):
    """Greater is what is not less."""

    def __gt__(self, other: Length) -> bool:
        return self.metres >= other.metres


@total_ordering
class Weight:
    def __init__(self, grams: int) -> None:
        self.grams = grams

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weight) and self.grams == other.grams

    def __lt__(self, other: Weight) -> bool:
        return self.grams < other.grams


class Nameless:
    """Has no name, if it holds nothing."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __repr__(self) -> str:
        return "abc"[self.size % 4]


class Shelf:
    """Its parts are never built by hand."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes

    def parts(self) -> Iterator[Nameless]:
        return (Nameless(size) for size in self.sizes)


class Lenient(UserList):  # type: ignore[type-arg]
    """Gives the last item for any place behind it."""

    def __getitem__(self, place: int | slice) -> object:  # type: ignore[override]
        if isinstance(place, int) and self.data and place >= len(self.data):
            return self.data[-1]
        return self.data[place]

    def __iter__(self) -> Iterator[object]:
        return iter(self.data)


class Willing(UserDict):  # type: ignore[type-arg]
    """Gives a value of its own for what is not there."""

    def pop(self, key: object, *default: object) -> object:
        return self.data.pop(key, *(default or (0,)))


class Lopsided(UserList):  # type: ignore[type-arg]
    """Puts what comes from the left behind the first item."""

    def appendleft(self, item: object) -> None:
        self.data.insert(1, item)

    def popleft(self) -> object:
        return self.data.pop(0)

    def extendleft(self, items: object) -> None:
        self.data[:0] = list(items)  # type: ignore[call-overload]


class Scores(UserDict):  # type: ignore[type-arg]
    """Shows nothing if nobody says how much."""

    def best(self, n: int | None = None) -> list[object]:
        return sorted(self.data)[: n or 0]

    def worst(self, n: int | None = None) -> list[object]:
        return sorted(self.data, reverse=True)[:n]


class Stretching(Length):
    """Some of its operators do in place what they do not do elsewhere."""

    def __sub__(self, other: Length) -> Stretching:
        return Stretching(self.metres - other.metres)

    def __isub__(self, other: Length) -> Stretching:
        self.metres -= other.metres
        return self

    def __add__(self, other: Length) -> Stretching:
        return Stretching(self.metres + other.metres)

    def __iadd__(self, other: Length) -> Stretching:
        self.metres += max(other.metres, 3)
        return self

    def __mul__(self, other: Length) -> Stretching:
        return Stretching(self.metres * other.metres)

    def __imul__(self, other: Length) -> None:
        self.metres *= other.metres
