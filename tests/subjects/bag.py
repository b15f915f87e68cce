"""A small class with all that the contract language can speak of."""

from __future__ import annotations

from collections.abc import Iterator


class Bag:
    """Numbers, a label that may be missing, and perhaps a partner."""

    def __init__(self, items: list[int], n: int = 0, label: str | None = None) -> None:
        self.items = list(items)
        self.n = n
        self.label = label
        self.partner: Bag | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[int]:
        return iter(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self.items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bag) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]

    def is_empty(self) -> bool:
        return not self.items

    def has(self, v: int) -> bool:
        return v in self.items

    def first(self) -> int:
        """Raises IndexError if there is none."""
        return self.items[0]

    @property
    def full(self) -> bool:
        return len(self.items) >= 3
