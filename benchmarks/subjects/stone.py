"""A stone that can only be split and joined: what one starts with decides for long what one has."""

from __future__ import annotations


class Stone:
    """Its size lies between 0 and 255."""

    def __init__(self, size: int) -> None:
        if not 0 <= size <= 255:
            raise ValueError("size")
        self.size = size

    def split(self) -> Stone:
        """A stone of half the size."""
        return Stone(self.size // 2)

    def join(self, other: Stone) -> Stone:
        """A stone as large as both, but no larger than the largest."""
        return Stone(min(255, self.size + other.size))

    def is_large(self) -> bool:
        return self.size > 200
