"""Where it is written."""

from __future__ import annotations


class Parcel:
    def __init__(self, weight: int) -> None:
        self.weight = weight


class Hidden:
    """Nobody is offered this."""


def wrap(weight: int) -> Parcel:
    return Parcel(weight)
