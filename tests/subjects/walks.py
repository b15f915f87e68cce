"""Walks give steps, of a class that nobody can name; a step that leads nowhere cannot be shown."""

from __future__ import annotations

from collections.abc import Iterator


class Walk:
    class _Step:
        def __init__(self, place: str, onward: str | None) -> None:
            self.place = place
            self.onward = onward

        def __repr__(self) -> str:
            return f"{self.place} -> {self.onward.upper()}"  # type: ignore[union-attr]

    def __init__(self) -> None:
        self.places = ["home"]

    def go(self, place: str) -> None:
        self.places.append(place)

    def steps(self) -> Iterator[_Step]:
        for place, onward in zip(self.places, [*self.places[1:], None], strict=True):
            yield self._Step(place, onward)
