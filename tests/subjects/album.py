"""What may be asked of an album depends on the album, not on the type of what is asked."""

from __future__ import annotations


class Album:
    """Titles in the order in which they came."""

    def __init__(self) -> None:
        self._titles: list[str] = []

    def add(self, title: str) -> None:
        """One more."""
        self._titles.append(title)

    def holds(self, title: str) -> bool:
        """Is it there?"""
        return title in self._titles

    def place(self, title: str | None = None) -> int:
        """Where it is; how many there are, without a title."""
        if title is None:
            return len(self._titles)
        if title not in self._titles:
            raise KeyError(title)
        return self._titles.index(title)
