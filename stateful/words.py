"""How numbers are said to users."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, thing: str) -> str:
    """The number and what is counted, which is written as of one; several get an s.

    >>> counted(1, "new fault"), counted(1200, "test case"), counted(0, "object")
    ('1 new fault', '1,200 test cases', '0 objects')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
