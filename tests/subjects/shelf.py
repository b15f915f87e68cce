"""A container with a query whose result nothing can keep: its calls are kept as the calls that build them."""

from __future__ import annotations


class Shelf:
    def __init__(self) -> None:
        self.titles: list[str] = []

    def put(self, title: str) -> None:
        self.titles.append(title)

    def take(self, title: str) -> None:
        self.titles.remove(title)

    def __contains__(self, title: str) -> bool:
        return title in self.titles

    def scan(self) -> memoryview:
        return memoryview("".join(self.titles).encode())

    def count(self) -> int:
        return len(self.titles)
