"""Classes that read texts, and take few."""

from __future__ import annotations

import re
from collections.abc import Mapping


class Release:
    """Read by a regular expression."""

    FORM = re.compile(r"v?(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)(?:-(?P<stage>alpha|beta)\.(\d+))?")

    def __init__(self, text: str) -> None:
        found = self.FORM.fullmatch(text)
        if not found:
            raise ValueError("no release")
        self.major, self.minor, self.stage = int(found["major"]), int(found["minor"]), found["stage"]


class Style:
    """Read by hand: `weight:12; angle:3`."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, int] = {}
        for rule in text.split(";"):
            name, colon, value = rule.strip().partition(":")
            if not colon or not name.isidentifier() or not value.isdigit():
                raise ValueError("no rule")
            self.rules[name] = int(value)

    def merged(self) -> int:
        if len(self.rules) < 2:
            raise ValueError("too few rules")
        return sum(self.rules.values())


class Quantity:
    """Such as ``"2.5 cm"`` or '3 ft'; neither ``text`` nor ``Quantity.text``.

    For example:

        12 km = 12000 m
        Quantity("1 in")
        >>> Quantity("1 pt").unit
        'pt'

    This is no example.
    """

    def __init__(self, text: str) -> None:
        number, unit = text.split()
        if unit not in (other for word in (type(self).__doc__ or "").split() for other in word.split('"')):
            raise ValueError("no unit")
        self.number, self.unit = float(number), unit


class Form:
    """Wants what its fields are called."""

    user = ""
    age = 0

    def __init__(self, data: Mapping[str, str]) -> None:
        if not set(data) >= {name for name in vars(type(self)) if name in ("user", "age")}:
            raise ValueError("a field is missing")
        self.data = dict(data)
