"""Classes that break one law each, for the tests of laws."""

from __future__ import annotations

from collections import UserDict, UserList
from collections.abc import Iterator, MutableSet
from typing import Any


class BadRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class BadStr:
    def __str__(self) -> str:
        raise RuntimeError("no")


class NeverEqual:
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class EqualToNone:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class BothUnequal:
    def __ne__(self, other: object) -> bool:
        return True


class RandomHash:
    def __init__(self) -> None:
        self.n = 0

    def __hash__(self) -> int:
        self.n += 1
        return self.n


class WrongLength(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 7


class Stranger(list):  # type: ignore[type-arg]
    def __contains__(self, item: object) -> bool:
        return False


class Restless:
    def __init__(self) -> None:
        self.times = 0

    def __iter__(self) -> Iterator[int]:
        self.times += 1
        yield self.times

    def __len__(self) -> int:
        return 1


class AlwaysTrue:
    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True


class LessThanItself:
    def __lt__(self, other: object) -> bool:
        return True


class Forgetful(UserList):  # type: ignore[type-arg]
    """Its copies are empty."""

    def __copy__(self) -> Forgetful:
        return Forgetful()

    def __deepcopy__(self, memo: Any) -> Forgetful:
        return Forgetful()


class Unloadable:
    """It cannot be loaded again."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __getstate__(self) -> dict[str, Any]:
        return {"width": self.size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.size = state["size"]


class Sharing(UserList):  # type: ignore[type-arg]
    """Its copy holds the same list."""

    def copy(self) -> Sharing:
        twin = Sharing()
        twin.data = self.data
        return twin


class Careless:
    """Its copy has other options."""

    def __init__(self, separator: str = "/") -> None:
        self.separator = separator

    def copy(self) -> Careless:
        return Careless()


class Tidy:
    """Its copy says nothing in another way."""

    def __init__(self, host: str | None = None) -> None:
        self.host = host

    def copy(self) -> Tidy:
        return Tidy(self.host or "")


class LateEqual(UserList):  # type: ignore[type-arg]
    """Compares but the first items."""

    def __eq__(self, other: Any) -> bool:
        return other is not None and list(self)[:1] == list(other)[:1]

    __hash__ = None  # type: ignore[assignment]


class FirstOnly(UserList):  # type: ignore[type-arg]
    """Counts from the end one too far."""

    def __getitem__(self, index: Any) -> Any:
        return self.data[index - 1] if isinstance(index, int) and index < -1 else self.data[index]

    def insert(self, index: int, item: Any) -> None:
        raise NotImplementedError("not so, on purpose")


class Skipping(UserList):  # type: ignore[type-arg]
    """Does not understand steps."""

    def __delitem__(self, index: Any) -> None:
        del self.data[slice(index.start, index.stop) if isinstance(index, slice) else index]


class Hoarder(MutableSet):  # type: ignore[type-arg]
    """Discards nothing."""

    def __init__(self, items: Any = ()) -> None:
        self.items = set(items)

    def __contains__(self, item: object) -> bool:
        return item in self.items

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: Any) -> None:
        self.items.add(item)

    def discard(self, item: Any) -> None: ...

    def clear(self) -> None:
        self.items.clear()


class Grudging(UserDict):  # type: ignore[type-arg]
    """Forgets its defaults."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.data.get(key, default)


class Clinging(UserDict):  # type: ignore[type-arg]
    """Gives an item and keeps it."""

    def popitem(self) -> tuple[Any, Any]:
        return next(iter(self.data.items()))

    def clear(self) -> None:
        self.data.clear()


class Ledger:
    def __init__(self, total: int) -> None:
        self.total = total

    def _check(self) -> None:
        assert self.total >= 0, "a debt"


class Polite(Ledger):
    def check_rep(self) -> bool:
        return self.total < 5

    def _check(self) -> None: ...


class Mistaken:
    """A container, but no collection of Python's, that is wrong about what it holds, unless it holds nothing."""

    def __init__(self, items: list[int]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[int]:
        return iter(self.items)

    def __getitem__(self, place: int) -> int:
        return self.items[place]

    def is_empty(self) -> bool:
        return not self.items or self.items[0] == 0

    @property
    def empty(self) -> bool:
        return self.is_empty()

    def to_list(self) -> list[int]:
        return [item for item in self.items if item]

    def clear(self) -> None:
        self.items = [item for item in self.items if not item]
