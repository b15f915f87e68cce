"""Numbers by digest, for as many states as hours of testing make: some thirty bytes for each, where a dictionary takes
ten times as many."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Digests"]

HALVES = struct.Struct(">QQ")
FEWEST_RECENT = 10_000
RECENT_SHARE = 4  # of those in the arrays: so each is moved a few times only


class Digests:
    """The recent ones are in a dictionary, the others in arrays, sorted by the first half of the digest.

    >>> known = Digests()
    >>> known.add("00" * 16, 1)
    >>> known.get("00" * 16), known.get("ff" * 16), len(known)
    (1, None, 1)
    """

    def __init__(self, known: Iterable[tuple[bytes, int]] = ()) -> None:
        self._recent = dict(known)
        self._firsts: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._seconds: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._settle()

    def __len__(self) -> int:
        return len(self._recent) + len(self._firsts)

    def __contains__(self, digest: str) -> bool:
        return self.get(digest) is not None

    def __getitem__(self, digest: str) -> int:
        number = self.get(digest)
        if number is None:
            raise KeyError(digest)
        return number

    def get(self, digest: str) -> int | None:
        """The number of a digest, which is written in hexadecimal digits."""
        data = bytes.fromhex(digest)
        number = self._recent.get(data)
        if number is not None:
            return number
        first, second = HALVES.unpack(data)
        place = int(self._firsts.searchsorted(np.uint64(first)))
        while place < len(self._firsts) and self._firsts[place] == first:
            if self._seconds[place] == second:
                return int(self._numbers[place])
            place += 1
        return None

    def add(self, digest: str, number: int) -> None:
        """The number of a digest that is not known yet."""
        self._recent[bytes.fromhex(digest)] = number
        if len(self._recent) > max(FEWEST_RECENT, len(self._firsts) // RECENT_SHARE):
            self._settle()

    def _settle(self) -> None:
        """Move the recent ones into the arrays."""
        halves = np.frombuffer(b"".join(self._recent), ">u8").reshape(-1, 2).astype(np.uint64)
        firsts = np.concatenate([self._firsts, halves[:, 0]])
        order = np.argsort(firsts, kind="stable")
        numbers = np.fromiter(self._recent.values(), np.int64, len(self._recent))
        self._firsts = firsts[order]
        self._seconds = np.concatenate([self._seconds, halves[:, 1]])[order]
        self._numbers = np.concatenate([self._numbers, numbers])[order]
        self._recent = {}
