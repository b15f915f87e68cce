"""What the pool of a worker holds, as far as its supervisor has to know it."""

from __future__ import annotations

from array import array
from bisect import bisect_left

__all__ = ["Entries"]

SIZE = 16


class Entries:
    """The digests of snapshots by the numbers that a worker gave them, which only grow; 24 bytes for each, since there
    are as many as test cases. When a call kills the worker, nobody else knows what it was made on.

    >>> entries = Entries()
    >>> entries.add(7, "ab" * 16)
    >>> entries[7] == "ab" * 16
    True
    """

    def __init__(self) -> None:
        self._numbers = array("q")
        self._digests = bytearray()

    def add(self, number: int, digest: str) -> None:
        self._numbers.append(number)
        self._digests += bytes.fromhex(digest)

    def __getitem__(self, number: int) -> str:
        place = bisect_left(self._numbers, number)
        if place == len(self._numbers) or self._numbers[place] != number:
            raise KeyError(number)
        return self._digests[SIZE * place : SIZE * (place + 1)].hex()
