"""Doors that open for codes which nobody would guess, and a lift that goes where its doors do not care."""

from __future__ import annotations


class Doors:
    def __init__(self) -> None:
        self.codes = ["zephyr-81".upper(), "quartz-17".upper()]
        self.floor = 0

    def remember(self, code: str) -> None:
        self.codes.append(code + "!")

    def is_known(self, code: str) -> bool:
        return code in self.codes

    def open(self, code: str, floor: int) -> int:
        """Opens for any code; a known one leads to the floor above."""
        self.floor = floor + (code in self.codes)
        return self.floor
