"""Doors that open for codes which nobody would guess, too long to be taken from an object, and a lift that goes where
its doors do not care."""

from __future__ import annotations


class Doors:
    def __init__(self) -> None:
        self.codes = ["zephyr-81-of-the-tower".upper(), "quartz-17-of-the-yard".upper()]
        self.floor = 0

    def remember(self, code: str) -> None:
        self.codes.append(code + "!" * 17)

    def is_known(self, code: str) -> bool:
        return code in self.codes

    def open(self, code: str, floor: int) -> int:
        """Opens for any code; a known one leads to the floor above."""
        self.floor = floor + (code in self.codes)
        return self.floor
