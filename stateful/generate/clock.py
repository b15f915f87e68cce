"""How long a session has been testing: in real seconds, or counted in calls so that a seed gives the same tests."""

from __future__ import annotations

import time

__all__ = ["CALLS_PER_SECOND", "Clock"]

CALLS_PER_SECOND = 1000
"""With a number of calls as the limit, so many of them count as one second."""


class Clock:
    def __init__(self, *, counting: bool) -> None:
        self.counting = counting
        self.calls = 0
        self.started = time.monotonic()

    def now(self) -> float:
        """Seconds since the beginning."""
        return self.calls / CALLS_PER_SECOND if self.counting else time.monotonic() - self.started
