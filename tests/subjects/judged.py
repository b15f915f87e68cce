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

    def divides(self) -> float:
        return 1 / len(self.items)

    def follows_none(self) -> int:
        return self.node.value  # type: ignore[no-any-return]

    def adds(self, other: int) -> int:
        return len(self.items) + other

    def looks_up(self, index: int) -> int:
        return self.items[index]

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
