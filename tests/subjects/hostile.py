"""Routines that misbehave, each in its own way."""

from __future__ import annotations

import ctypes
import os
import sys
import time


class Hostile:
    def __init__(self) -> None:
        self.n = 0

    def fine(self) -> int:
        self.n += 1
        return self.n

    def dies(self) -> None:
        ctypes.string_at(0)

    def leaves(self) -> None:
        os._exit(0)

    def exits(self) -> None:
        sys.exit(3)

    def loops(self) -> None:
        while True:
            pass

    def swallows(self) -> None:
        while True:
            try:
                time.sleep(0.01)
            except:  # noqa: E722
                pass

    def counts_in_c(self) -> int:
        return sum(range(10**12))

    def recurses(self) -> int:
        return self.recurses()

    def hoards(self) -> list[bytes]:
        return [bytes(1 << 28) for _ in range(100)]

    def prints(self) -> None:
        print("x" * 10_000_000)

    def raises_base(self) -> None:
        raise BaseException("base")
