"""Which routines are called less often because of what their calls cost: those that hang, and those that are slow.

One slow routine takes the time in which all others could be called thousands of times. So none gets more than a few
times what would be its share if all took equally long; what it costs shows only after it was called, so the first calls
are free.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

__all__ = ["Patience"]

FEW_HANGS = 3
MOST_SHARES = 3  # of the time that each routine would have if all had the same
UNNOTICED = 0.2  # seconds that any routine may take


class Patience:
    """`note` each call; `is_over` says whether to call something else instead."""

    def __init__(self, random: Random, routines: int) -> None:
        self.random = random
        self.routines = routines
        self.calls: Counter[str] = Counter()
        self.hangs: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.total = 0.0

    def note(self, routine: str, seconds: float, *, hung: bool) -> None:
        self.calls[routine] += 1
        self.hangs[routine] += hung
        self.seconds[routine] += seconds
        self.total += seconds

    def is_over(self, routine: str) -> bool:
        """It often hangs, or has had more than its time so far."""
        spent = self.seconds[routine]
        slow = spent > UNNOTICED and spent > MOST_SHARES * self.total / self.routines
        return slow or self.hangs_often(routine)

    def hangs_often(self, routine: str) -> bool:
        """Each time by lot: it is called now and then."""
        hangs = self.hangs[routine]
        return hangs >= FEW_HANGS and self.random.random() < min(0.98, 50 * hangs / self.calls[routine])
