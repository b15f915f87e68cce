"""Takes its process along in one state; uses `random`."""

from __future__ import annotations

import os
import random


class Fragile:
    def __init__(self) -> None:
        self.n = 0
        self.luck = 0

    def step(self) -> None:
        self.n += 1

    def go(self) -> None:
        if self.n == 2:
            os._exit(0)
        self.luck += 1

    def roll(self) -> None:
        self.luck = random.randrange(1000)
