"""Options that several commands share, and how a user writes them."""

from __future__ import annotations

import re
from pathlib import Path

from stateful.errors import UsageError

__all__ = ["DEFAULT_DATABASE", "seconds_from"]

DEFAULT_DATABASE = Path(".stateful/stateful.db")
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_from(text: str) -> float:
    """A duration in seconds.

    >>> seconds_from("90"), seconds_from("1.5m"), seconds_from("1h")
    (90.0, 90.0, 3600.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip())
    if not found:
        raise UsageError(f"{text!r} is no duration; write seconds, or a number with s, m or h, such as 90s or 5m")
    return float(found[1]) * UNITS[found[2]]
