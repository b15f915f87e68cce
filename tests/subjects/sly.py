"""Queries that are not what they seem."""

from __future__ import annotations

import os
import sys


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

    def leaves(self) -> int:
        """Kills its process in some state."""
        if self._n == 1:
            os._exit(0)
        return 1

    def loops(self) -> int:
        """Does not return in some state."""
        while self._n == 1:
            pass
        return 1

    def exits(self) -> int:
        sys.exit(1)

    def sly(self) -> int:
        """Changes its object only in some states."""
        if self._n == 2:
            self._n = 3
        return 1
