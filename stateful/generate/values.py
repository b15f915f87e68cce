"""Values: for each kind of value a source of literals, special ones and random ones mixed, ordinary ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

__all__ = ["ORDINARY", "SOURCES", "Values"]

SPECIAL: Mapping[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "-1", "3", "10", "-2", "100", "5", "7"),
    "float": ("0.0", "1.0", "-1.0", "0.5", "2.5", "1e10"),
    "str": ("''", "'a'", "'b'", "'abc'", "' '", "'hello'", "'A'", "'1'"),
    "bytes": ("b''", "b'a'", "b'abc'"),
    "bool": ("True", "False"),
    "NoneType": ("None",),
}
ODD: Mapping[str, tuple[str, ...]] = {
    "int": ("2**31", "-2**63", "10**30"),
    "float": ("float('inf')", "float('nan')", "-0.0"),
    "str": ("'\\x00'", "'\\u20ac'", "'a' * 1000"),
}
ODD_SHARE = 0.02
ORDINARY = (
    "int",
    "str",
    "list[int]",
    "bool",
    "float",
    "list[str]",
    "tuple[int]",
    "dict[str, int]",
    "set[int]",
    "NoneType",
)
"""The kinds that a parameter without any type is tried with."""


class Values:
    """Draws literals. `mined` are constants found in the subject's source."""

    def __init__(self, random: Random, mined: Iterable[Any]) -> None:
        self.random = random
        self.mined: dict[str, list[str]] = {}
        for value in mined:
            self.mined.setdefault(type(value).__name__, []).append(repr(value))

    def literal(self, kind: str) -> str:
        """A Python expression for a value of this kind, such as 'int' or 'list[str]'."""
        outer, _, inner = kind.partition("[")
        if outer in SOURCES:
            return SOURCES[outer](self, inner.removesuffix("]"))
        return self.atom(kind)

    def atom(self, kind: str) -> str:
        choice = self.random.random()
        if choice < ODD_SHARE and kind in ODD:
            return self.random.choice(ODD[kind])
        if choice < 0.15 and self.mined.get(kind):
            return self.random.choice(self.mined[kind])
        if choice < 0.4 and kind == "int":
            return str(self.random.randint(-20, 100))
        if choice < 0.25 and kind == "str":
            return repr("".join(self.random.choices("abcxyz 01", k=self.random.randint(1, 6))))
        return self.random.choice(SPECIAL.get(kind, SPECIAL["int"]))

    def items(self, inner: str, *, most: int = 6) -> list[str]:
        kind = inner if inner and inner != "mixed" else self.random.choice(("int", "int", "str"))
        return [self.literal(kind) for _ in range(self.random.randint(0, most))]


def _list(values: Values, inner: str) -> str:
    return f"[{', '.join(values.items(inner))}]"


def _tuple(values: Values, inner: str) -> str:
    kinds = [kind.strip() for kind in inner.split(",") if kind.strip()]
    items = [values.literal(kind) for kind in kinds] if len(kinds) > 1 else values.items(inner)
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _set(values: Values, inner: str) -> str:
    items = values.items(inner)
    return f"{{{', '.join(items)}}}" if items else "set()"


def _frozenset(values: Values, inner: str) -> str:
    return f"frozenset({_list(values, inner)})"


def _dict(values: Values, inner: str) -> str:
    key, _, value = inner.partition(",")
    pairs = (
        f"{values.literal(key.strip() or 'str')}: {values.literal(value.strip() or 'int')}"
        for _ in range(values.random.randint(0, 4))
    )
    return f"{{{', '.join(pairs)}}}"


def _slice(values: Values, _: str) -> str:
    bounds = (values.random.choice(("None", "0", "1", "2", "-1", "-2", "5")) for _ in range(2))
    return f"slice({', '.join(bounds)}, {values.random.choice(('None', '1', '2', '-1'))})"


def _callable(values: Values, _: str) -> str:
    return values.random.choice(("builtins:len", "builtins:abs", "builtins:bool", "builtins:str", "operator:neg"))


SOURCES: Mapping[str, Callable[[Values, str], str]] = {
    "list": _list,
    "tuple": _tuple,
    "set": _set,
    "frozenset": _frozenset,
    "dict": _dict,
    "slice": _slice,
    "callable": _callable,
}
