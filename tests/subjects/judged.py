"""Routines that raise, each for another reason; the comment says what the judge should make of it."""

from __future__ import annotations

from typing import Any

import icontract


class Judged:
    def __init__(self) -> None:
        self.items: list[int] = []
        self.node: Any = None

    def announces(self) -> None:
        raise KeyError("announced")

    def documents(self, d: dict[str, int]) -> int:
        """Raises ZeroDivisionError if it must."""
        return 1 // len(d)

    def warns(self, d: dict[str, int]) -> int:
        """Of an empty mapping: a `ZeroDivisionError` can be raised."""
        return 1 // len(d)

    def passes_on(self, *arguments: int) -> int:
        return self.adds(*arguments)

    def passes_nothing(self) -> int:
        return self.adds()  # type: ignore[call-arg]

    def divides(self) -> float:
        return 1 / len(self.items)

    def follows_none(self) -> int:
        return self.node.value  # type: ignore[no-any-return]

    def adds(self, other: int) -> int:
        return len(self.items) + other

    def looks_up(self, index: int) -> int:
        return self.items[index]

    def has_looked_for(self, index: int) -> int:
        """Raises IndexError, KeyError."""
        if index not in (3, 4, self.node):
            raise KeyError(index)
        return self.items[index] if index == 4 else {}[index]

    def has_looked(self) -> int:
        """Raises KeyError if there is nothing."""
        if not self.items == []:
            raise KeyError
        return {}[self.node]

    def untyped(self, other):  # type: ignore[no-untyped-def]
        return other.value

    def compares(self, other):  # type: ignore[no-untyped-def]
        return sorted([1, other])

    def asserts_first(self, n: int) -> int:
        assert n > 0
        return n

    def asserts_later(self, n: int) -> int:
        n = n * 2
        assert n < 0
        return n

    def asserts_twice(self, n: int) -> int:
        assert n > 0
        self.items.append(n)
        assert n > 10, "not a precondition: something has happened"
        return n

    def hands_on(self, n: int) -> int:
        self.items.append(1)
        return self._checked(n)

    def _checked(self, number: int) -> int:
        place = len(self.items) - 1
        assert place > 5, f"no place for {number}"
        return place

    def counts_wrongly(self, n: int) -> int:
        self.items.append(n)
        return self._counted(n)

    def _counted(self, number: int) -> int:
        assert len(self.items) > 5, "the items are lost"
        return number

    def chooses(self, n: int) -> str:
        if n == 1:
            return "one"
        if n == 2:
            return "two"
        assert False, "no such number"  # noqa: B011, PT015 - as some people write it

    def unfinished(self) -> None:
        raise NotImplementedError

    def deep(self) -> int:
        return self.deep()

    @icontract.require(lambda n: n > 0)
    def needs(self, n: int) -> int:
        return n

    def calls_wrongly(self) -> int:
        return self.needs(0)

    @icontract.ensure(lambda result: result > 0)
    def promises(self) -> int:
        return 0
