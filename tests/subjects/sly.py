"""Queries that are not what they seem."""

from __future__ import annotations


class Sly:
    def __init__(self) -> None:
        self._n = 0

    def grow(self) -> None:
        self._n += 1

    def honest(self) -> int:
        return self._n

    def counts(self) -> int:
        """Changes its object each time."""
        self._n += 1
        return self._n

    def sly(self) -> int:
        """Changes its object only in some states."""
        if self._n == 2:
            self._n = 3
        return 1
