"""Values: for each kind of value a source, special ones and random ones mixed, ordinary ones first and most."""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import islice
from keyword import iskeyword
from random import Random
from typing import Any, TypeAlias

from stateful.contracts.evaluate import is_atom
from stateful.generate.operands import Made
from stateful.generate.swarm import PLAIN, Swarm
from stateful.judge.ordinary import oddness
from stateful.subject.program import literal_value

__all__ = ["ORDINARY", "SOURCES", "Values", "atoms_in", "made_of"]

Piece: TypeAlias = tuple[str, Any]
"""A Python expression and its value."""
Source: TypeAlias = "Callable[[Values, str], Piece]"
"""Draws a value; the text says of which kind its items are to be."""


def _pieces(*texts: str) -> tuple[Piece, ...]:
    return tuple((text, literal_value(text)) for text in texts)


SPECIAL: Mapping[str, tuple[Piece, ...]] = {
    "int": _pieces("0", "1", "2", "-1", "3", "10", "-2", "100", "5", "7"),
    "index": _pieces("0", "1", "-1", "2", "3", "-2", "5", "10"),
    "float": _pieces("0.0", "1.0", "-1.0", "0.5", "2.5", "1e10"),
    "str": _pieces("''", "'a'", "'b'", "'abc'", "' '", "'hello'", "'A'", "'1'"),
    "bytes": _pieces("b''", "b'a'", "b'abc'"),
    "bool": _pieces("True", "False"),
    "NoneType": _pieces("None"),
    "complex": _pieces("0j", "1j", "1+2j"),
}
ODD: Mapping[str, tuple[Piece, ...]] = {
    "int": _pieces("2**31", "-2**63", "10**30"),
    "index": _pieces("2**31", "-2**63"),
    "float": _pieces("float('inf')", "float('nan')", "-0.0"),
    "str": _pieces("'\\x00'", "'\\u20ac'", "'a' * 1000"),
}
CALLABLES = _pieces("len", "abs", "bool", "str", "repr", "max", "min", "int", "list", "sum", "sorted", "type", "pow")
BOUNDS = (None, None, 0, 1, 2, 3, -1, -2, 5, 10)
ORDINARY = (
    "element", "int", "str", "iterable", "bool", "float", "list[str]", "pairs", "mapping", "tuple", "set", "callable",
    "NoneType",
)  # fmt: skip
"""The kinds that a parameter without any type is tried with."""
ATOMS = ("int", "str", "float", "bool", "NoneType", "tuple[int, int]", "bytes")
MINED_SHARE = 0.12


class Values:
    """Draws values. `mined` are constants of the subject's source, `names` what its classes call their fields, and
    `given` is what the user wants to be drawn, too."""

    def __init__(
        self,
        random: Random,
        mined: Sequence[Any],
        given: Iterable[Any] = (),
        names: Iterable[str] = (),
        *,
        random_share: float = 0.5,
    ) -> None:
        self.random = random
        self.random_share = random_share
        self.swarm = PLAIN
        words = [text for text in mined if isinstance(text, str) and text.isidentifier() and not text.startswith("_")]
        self.names: Sequence[str] = list(dict.fromkeys([*words, *names]))
        self.near: Sequence[str] = ()
        """Those of the class whose routine is called, rather than any others ..."""
        self.phrased = 0.0
        """... and how often they are wanted."""
        self.mined: dict[str, list[Piece]] = {}
        self.odd: dict[str, list[Piece]] = {kind: list(pieces) for kind, pieces in ODD.items()}
        for value in mined:  # a huge number of the source may be a version or a mask, and make calls without end
            places = self.odd if oddness(repr(value)) and type(value).__name__ in ODD else self.mined
            places.setdefault(type(value).__name__, []).append((_literal(value), value))
        for value in given:
            self.mined.setdefault(type(value).__name__, []).append((_literal(value), value))

    def made(self, kind: str, swarm: Swarm = PLAIN) -> Made:
        """An operand of this kind, such as 'int' or 'list[str]'."""
        self.swarm = swarm
        return made_of(*self.piece(kind))

    def piece(self, kind: str) -> Piece:
        if kind == "element":
            kind = self.swarm.elements
        if kind == "mixed":
            kind = self.random.choice(ATOMS)
        outer, _, inner = kind.partition("[")
        if outer in SOURCES:
            return SOURCES[outer](self, inner.removesuffix("]"))
        return self.atom(kind)

    def atom(self, kind: str) -> Piece:
        choice = self.random.random()
        if choice < self.swarm.odd and kind in self.odd:
            return self.random.choice(self.odd[kind])
        if self.random.random() < self.random_share and kind in RANDOM:
            return RANDOM[kind](self)
        mined = self.mined.get(kind)
        if choice > 1 - MINED_SHARE and mined:
            return self.random.choice(mined)
        return self.random.choice(SPECIAL.get(kind, SPECIAL["int"]))

    def several(self, inner: str) -> list[Piece]:
        """Items of a container: all of one kind, or of the pool's kind if none is named."""
        kind = inner or "element"
        return [self.piece(kind) for _ in range(self.random.randint(0, self.swarm.items))]


def _literal(value: Any) -> str:
    """`1e999` in a source is infinite, which has no literal.

    >>> _literal(1e999), _literal(5)
    ("float('inf')", '5')
    """
    return f"float('{value}')" if isinstance(value, float) and not math.isfinite(value) else repr(value)


def made_of(text: str, value: Any) -> Made:
    return Made(text, maker_of(value), type(value).__name__ if is_atom(value) else "")


def atoms_in(made: Made) -> list[Made]:
    """A plain value itself, or the first of those that a container holds."""
    if made.kind:
        return [made] if made.kind in ("int", "str", "float", "bytes") else []
    value = made.make()
    items = list(islice(value, MOST_ITEMS)) if isinstance(value, list | tuple | set | dict | range) else []
    flat = [part for item in items for part in (item if isinstance(item, tuple) else (item,))]
    return [made_of(repr(item), item) for item in flat if type(item) in (int, str, bytes)]


MOST_ITEMS = 6


def maker_of(value: Any) -> Callable[[], Any]:
    """What gives the value anew for each call, so that no two calls share a list."""
    cls = type(value)
    if is_atom(value) or value is Ellipsis or cls in (slice, range) or callable(value):
        return lambda: value
    if cls in (tuple, frozenset) and all(map(is_atom, value)):
        return lambda: value
    if cls in (list, set) and all(map(is_atom, value)):
        return value.copy  # type: ignore[no-any-return]
    return lambda: deepcopy(value)


def _split(inner: str) -> list[str]:
    """The kinds between the commas, but for those within brackets.

    >>> _split("int, tuple[int, str]")
    ['int', 'tuple[int, str]']
    """
    return [part.strip() for part in re.split(r",(?![^\[]*\])", inner) if part.strip()]


def _shown(values: list[Piece]) -> str:
    return ", ".join([text for text, _ in values])


def _list(values: Values, inner: str) -> Piece:
    items = values.several(inner)
    return f"[{_shown(items)}]", [value for _, value in items]


def _iterable(values: Values, inner: str) -> Piece:
    """Whatever can be iterated: mostly a list, often a long one that is short to write."""
    form = values.random.random()
    if form < 0.2 and (inner or values.swarm.elements) == "int":
        size = values.random.randint(0, 4 * values.swarm.items)
        return f"range({size})", range(size)
    if form < 0.3:
        return _tuple(values, f"{inner or 'element'}, ...")
    return _set(values, inner) if form < 0.35 else _list(values, inner)


def _tuple(values: Values, inner: str) -> Piece:
    """`tuple[int, str]` has two items, `tuple[int, ...]` any number, and a bare one is a pair, mostly."""
    kinds = _split(inner)
    if not kinds:
        kinds = ["element"] * values.random.choice((2, 2, 2, 1, 3))
    if kinds[-1] == "...":
        items = values.several(kinds[0])
    else:
        items = [values.piece(kind) for kind in kinds]
    return f"({_shown(items)}{',' if len(items) == 1 else ''})", tuple(value for _, value in items)


def _set(values: Values, inner: str) -> Piece:
    items = _keys(values, inner)
    return (f"{{{', '.join(items.values())}}}", set(items)) if items else ("set()", set())


def _keys(values: Values, inner: str) -> dict[Any, str]:
    """Distinct hashable values as they were first written. None and nan hash by their address: no seed repeats that."""
    found: dict[Any, str] = {}
    for text, value in values.several(inner):
        if _hashable(value) and value is not None and value == value:
            found.setdefault(value, text)
    return found


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _frozenset(values: Values, inner: str) -> Piece:
    items = _keys(values, inner)
    return f"frozenset([{', '.join(items.values())}])", frozenset(items)


def _dict(values: Values, inner: str) -> Piece:
    key, item = (*_split(inner), "", "")[:2]
    names = values.near or values.names
    is_of_names = names and (key or values.swarm.elements) == "str"
    if is_of_names and values.random.random() < values.phrased:
        most = min(len(names), values.swarm.items)
        size = values.random.choice((most, values.random.randint(0, most)))  # a form wants all of its fields
        keys: dict[Any, str] = {name: repr(name) for name in values.random.sample(names, size)}
    else:
        keys = _keys(values, key)
    items = {value: values.piece(item or "element") for value in keys}
    shown = ", ".join(f"{text}: {items[value][0]}" for value, text in keys.items())
    return f"{{{shown}}}", {value: item for value, (_, item) in items.items()}


def _keywords(values: Values, _: str) -> Piece:
    """Names with values, for `**kwargs`; those that the source knows are good ones."""
    chosen = values.random.sample([*values.names, "a", "b", "x"], values.random.choice((1, 1, 2, 3)))
    found = {name: values.piece("element") for name in chosen if not iskeyword(name)}
    shown = ", ".join(f"{name!r}: {text}" for name, (text, _) in found.items())
    return f"{{{shown}}}", {name: value for name, (_, value) in found.items()}


def _pairs(values: Values, inner: str) -> Piece:
    """What a mapping is made from: pairs, or a mapping."""
    if values.random.random() < 0.4:
        return _dict(values, inner)
    key, item = (*_split(inner), "", "")[:2]
    pair = f"{key or 'element'}, {item or 'element'}"
    found = [_tuple(values, pair) for _ in range(values.random.randint(0, values.swarm.items))]
    return f"[{_shown(found)}]", [value for _, value in found]


def _slice(values: Values, _: str) -> Piece:
    start, stop = values.random.choice(BOUNDS), values.random.choice(BOUNDS)
    step = values.random.choice((None, None, None, 1, 2, -1, -2))
    return f"slice({start}, {stop}, {step})", slice(start, stop, step)


def _range(values: Values, _: str) -> Piece:
    size = values.random.randint(0, 2 * values.swarm.items)
    return f"range({size})", range(size)


def _callable(values: Values, _: str) -> Piece:
    return values.random.choice(CALLABLES)


def _int(values: Values) -> Piece:
    low = 0 if values.random.random() < 0.8 else -values.swarm.spread
    number = values.random.randint(low, values.swarm.spread)
    return str(number), number


def _float(values: Values) -> Piece:
    number = values.random.randint(0, 2 * values.swarm.spread) / 2
    return repr(number), number


LETTERS = "abcxyz 01"


def _str(values: Values) -> Piece:
    """Few letters where numbers lie close together, too, so that equal strings are met."""
    if values.swarm.spread < 20:
        text = values.random.choice(LETTERS[: values.swarm.spread])
    else:
        text = "".join(values.random.choices(LETTERS, k=values.random.randint(1, 6)))
    return repr(text), text


def _wrapped(maker: Callable[..., Any], form: str, source: Callable[[Values, str], Piece]) -> Source:
    """What is made from a value of another kind, and written so."""

    def draw(values: Values, inner: str) -> Piece:
        text, value = source(values, inner)
        return form.format(text), maker(value)

    return draw


def _hashables(values: Values, inner: str) -> Piece:
    """A list of what a dict can count, some of it more than once."""
    items: list[Piece] = []
    for value, text in _keys(values, inner).items():
        items += [(text, value)] * values.random.randint(1, 3)
    return f"[{_shown(items)}]", [value for _, value in items]


def _bytes(values: Values, _: str) -> Piece:
    return values.random.choice(SPECIAL["bytes"])


def _defaulting(values: Values, inner: str) -> Piece:
    """The default for an unknown key is a number or a list."""
    name, default = values.random.choice((("int", int), ("list", list)))
    text, value = _dict(values, inner)
    return f"collections.defaultdict({name}, {text})", collections.defaultdict(default, value)


RANDOM: Mapping[str, Callable[[Values], Piece]] = {"int": _int, "index": _int, "float": _float, "str": _str}
SOURCES: Mapping[str, Source] = {
    "list": _list,
    "iterable": _iterable,
    "tuple": _tuple,
    "set": _set,
    "frozenset": _frozenset,
    "dict": _dict,
    "mapping": _dict,
    "pairs": _pairs,
    "slice": _slice,
    "range": _range,
    "callable": _callable,
    "keywords": _keywords,
    "bytearray": _wrapped(bytearray, "bytearray({})", _bytes),
    "iterator": _wrapped(iter, "iter({})", _list),
    "deque": _wrapped(collections.deque, "collections.deque({})", _list),
    "counter": _wrapped(collections.Counter, "collections.Counter({})", _hashables),
    "ordered": _wrapped(collections.OrderedDict, "collections.OrderedDict({})", _dict),
    "defaulting": _defaulting,
}
