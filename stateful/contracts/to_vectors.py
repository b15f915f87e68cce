"""Truth over all test cases of a routine at once, from what the database recorded.

Each atom that the database may know is a column of value ids. Logic is computed on whole columns, with Kleene's
tables, and so is the order of integers. Everything else is evaluated once for every distinct combination of values
that occurs, by the same compiled function that runs on live objects, and the verdicts are spread over the rows. So
the reading agrees with `evaluate`, and its cost is the number of distinct combinations, not of test cases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stateful.contracts import nodes as n
from stateful.contracts.evaluate import Bindings, Moment, Undefined, UnknownValue, Value, compiled, identified
from stateful.contracts.predicate import Predicate, predicate_of, recorded

__all__ = [
    "CLASS",
    "NOTHING",
    "UNDEFINED",
    "UNKNOWN",
    "Atom",
    "Bits",
    "Columns",
    "Ids",
    "Truths",
    "Verdicts",
    "atoms_in",
    "integers_of",
    "is_refuted",
    "quickly",
    "to_vectors",
    "verdicts_of",
]

UNDEFINED = -1
UNKNOWN = -2
CLASS = "type($)"
"""The predicate whose value is the class of an object: it is known of every object, by the id of the class."""
Ids: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[np.object_]
Verdicts: TypeAlias = NDArray[np.int8]
"""For each test case 1, 0, UNDEFINED or UNKNOWN."""

LARGEST_CODE = 1 << 40
LARGEST_INTEGER = 1 << 30  # sums and products of a few such integers fit in 64 bits


class Columns(ABC):
    """What the reading asks of its caller: the recorded values of a routine's test cases."""

    def __init__(self) -> None:
        self.verdicts: dict[tuple[n.Expr, bool], Verdicts] = {}
        """What is known of parts of expressions: most expressions share their parts."""
        self.codes: dict[tuple[Predicate, bool], tuple[Ids, Ids]] = {}
        self.objects: dict[tuple[Predicate, bool], Values] = {}
        self.numbers: dict[tuple[Predicate, bool], Ids | None] = {}
        self.classes: dict[tuple[Predicate, bool], Ids | None] = {}

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many test cases there are."""

    @abstractmethod
    def ids(self, asked: Predicate, old: bool) -> Ids:
        """For each test case the id of the predicate's value, UNDEFINED or UNKNOWN."""

    @abstractmethod
    def knows(self, text: str) -> bool:
        """Whether this predicate was evaluated at all."""

    @abstractmethod
    def value(self, value_id: int, old: bool) -> Any:
        """The value with this id, objects as `Opaque`."""

    @abstractmethod
    def integer(self, value_id: int) -> int | None:
        """The value with this id, if it is an integer or a truth value."""

    @abstractmethod
    def equality(self, value_id: int) -> int | None:
        """A number that the values have in common which `==` finds equal to this one; none if that is not known."""

    @abstractmethod
    def names_of(self, class_id: int) -> frozenset[str]:
        """What `isinstance` may call the objects of a class: its names and those of its bases."""

    @abstractmethod
    def raised(self) -> tuple[Ids, list[tuple[str, ...]]]:
        """For each test case a number, and for each number the exception's class and its bases."""

    def coded(self, asked: Predicate, old: bool) -> tuple[Ids, Ids]:
        """The ids numbered from 0, and the different ones."""
        key = (asked, old)
        if key not in self.codes:
            different, numbers = np.unique(self.ids(asked, old), return_inverse=True)
            self.codes[key] = numbers.reshape(-1).astype(np.int64), different
        return self.codes[key]

    def values(self, asked: Predicate, old: bool) -> Values:
        """For each of the different ids of `coded` the value, or the reason why there is none."""
        key = (asked, old)
        if key not in self.objects:
            different = self.coded(asked, old)[1].tolist()
            found = self.objects[key] = np.empty(len(different), object)
            for place, number in enumerate(different):
                found[place] = self._value(number, old) if asked.text != CLASS or number == UNKNOWN else number
        return self.objects[key]

    def _value(self, number: int, old: bool) -> Any:
        if number < 0:
            return UnknownValue if number == UNKNOWN else Undefined
        try:
            return self.value(number, old)
        except UnknownValue:
            return UnknownValue

    def integers(self, asked: Predicate, old: bool) -> Ids | None:
        """The values themselves, if all of them are known, integers and not too large."""
        key = (asked, old)
        if key not in self.numbers:
            spread, different = self.coded(asked, old)
            found = [self.integer(value) if value >= 0 else None for value in different.tolist()]
            plain = [value for value in found if value is not None and abs(value) < LARGEST_INTEGER]
            whole = len(plain) == len(found)
            self.numbers[key] = np.array(plain, np.int64)[spread] if whole else None
        return self.numbers[key]

    def equalities(self, asked: Predicate, old: bool) -> Ids | None:
        """What each value is equal to, if that is known of all of them."""
        key = (asked, old)
        if key not in self.classes:
            spread, different = self.coded(asked, old)
            found = [self.equality(value) if value >= 0 else None for value in different.tolist()]
            plain = [value for value in found if value is not None]
            whole = len(plain) == len(found)
            self.classes[key] = np.array(plain, np.int64)[spread] if whole else None
        return self.classes[key]


@dataclass(frozen=True, slots=True)
class Truths:
    """One verdict for each test case: `true`, `false`, or neither, and then `unknown` if the records do not suffice."""

    true: Bits
    false: Bits
    unknown: Bits

    @property
    def undefined(self) -> Bits:
        return ~(self.true | self.false | self.unknown)


class _Nothing(dict[str, Any]):
    """Operands that are not loaded."""

    def __missing__(self, name: str) -> Any:
        raise UnknownValue


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True)
class Atom:
    """One column: a predicate, before or after the call; or the exception, where there is no predicate."""

    predicate: Predicate | None
    old: bool


def to_vectors(node: n.Expr, columns: Columns) -> Truths:
    """The truth of `node` on every test case of `columns`."""
    verdicts = verdicts_of(node, columns)
    return Truths(verdicts == 1, verdicts == 0, verdicts == UNKNOWN)


def is_refuted(node: n.Expr, columns: Columns) -> bool:
    """False or undefined on some test case."""
    verdicts = verdicts_of(node, columns)
    return bool(((verdicts == 0) | (verdicts == UNDEFINED)).any())


def quickly(node: n.Expr, columns: Columns, old: bool = False) -> Verdicts | None:
    """The verdicts, if whole columns can be compared for them; remembered, too."""
    key = (node, old)
    if key not in columns.verdicts:
        quick = _numeric(node, old, columns)
        quick = _equated(node, old, columns) if quick is None else quick
        if quick is None:
            return None
        columns.verdicts[key] = quick
    return columns.verdicts[key]


def verdicts_of(node: n.Expr, columns: Columns, old: bool = False) -> Verdicts:
    """The same as one number for each test case; what is no logic is remembered, for it may be a part of more."""
    match node:
        case n.Not(operand=operand):
            return _negation(verdicts_of(operand, columns, old))
        case n.And(operands=operands):
            return _conjunction([verdicts_of(operand, columns, old) for operand in operands])
        case n.Or(operands=operands):
            return _disjunction([verdicts_of(operand, columns, old) for operand in operands])
        case n.Implies(premise=premise, conclusion=conclusion):
            return _disjunction([_negation(verdicts_of(premise, columns, old)), verdicts_of(conclusion, columns, old)])
        case n.Old(operand=operand):
            return verdicts_of(operand, columns, True)
    found = quickly(node, columns, old)
    if found is None:
        found = columns.verdicts[node, old] = _combined(node, old, columns)
    return found


# Logic: UNKNOWN is less than UNDEFINED is less than false is less than true, which makes Kleene's tables short


def _negation(verdicts: Verdicts) -> Verdicts:
    return np.where(verdicts >= 0, 1 - verdicts, verdicts)


def _disjunction(parts: list[Verdicts]) -> Verdicts:
    decided = reduce(np.maximum, parts) == 1
    return np.where(decided, np.int8(1), reduce(np.minimum, parts))


def _conjunction(parts: list[Verdicts]) -> Verdicts:
    decided = reduce(np.logical_or, (part == 0 for part in parts))
    return np.where(decided, np.int8(0), reduce(np.minimum, parts))


# Integers

ORDERS: dict[str, Callable[[Ids, Ids], Bits]] = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
SUMS: dict[str, Callable[[Ids, Ids], Ids]] = {"+": np.add, "-": np.subtract}


def _numeric(node: n.Expr, old: bool, columns: Columns) -> Verdicts | None:
    """The comparison of two terms that are integers in every test case."""
    if not (isinstance(node, n.Comparison) and node.operator in ORDERS):
        return None
    left = integers_of(node.left, columns, old)
    right = None if left is None else integers_of(node.right, columns, old)
    if left is None or right is None:
        return None
    asked = _asked(node, columns)
    if asked is not None and (columns.ids(asked, old) != UNKNOWN).any():
        return None
    return np.broadcast_to(ORDERS[node.operator](left, right), (columns.rows,)).astype(np.int8)


def _equated(node: n.Expr, old: bool, columns: Columns) -> Verdicts | None:
    """Whether two recorded values are equal, which the database knows of plain ones."""
    if not (isinstance(node, n.Comparison) and node.operator in ("==", "!=")) or _asked(node, columns) is not None:
        return None
    left = _equality_of(node.left, old, columns)
    right = None if left is None else _equality_of(node.right, old, columns)
    return None if left is None or right is None else ORDERS[node.operator](left, right).astype(np.int8)


def _equality_of(node: n.Expr, old: bool, columns: Columns) -> Ids | None:
    if isinstance(node, n.Old):
        return _equality_of(node.operand, True, columns)
    asked = recorded(node)
    return None if asked is None else columns.equalities(asked, old)


def integers_of(node: n.Expr, columns: Columns, old: bool = False) -> Ids | None:
    """The values of a term in each test case, if it is known to be an integer, and a small one, in all of them."""
    match node:
        case n.Constant(value=int(value)) if abs(value) < LARGEST_INTEGER:
            return np.full(columns.rows, int(value), np.int64)
        case n.Old(operand=operand):
            return integers_of(operand, columns, True)
        case n.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
            parts = integers_of(left, columns, old), integers_of(right, columns, old)
            return None if parts[0] is None or parts[1] is None else SUMS[operator](parts[0], parts[1])
        case n.Arithmetic(operator="*", left=n.Constant(value=int(factor)), right=right) if abs(factor) < 1000:
            values = integers_of(right, columns, old)
            return None if values is None else factor * values
    asked = recorded(node)
    return None if asked is None else columns.integers(asked, old)


# Everything else


def _combined(node: n.Expr, old: bool, columns: Columns) -> Verdicts:
    """One verdict for each combination of values that occurs."""
    atoms = list(dict.fromkeys(_atoms(node, old, columns)))
    asked = _asked(node, columns)
    if asked is not None and not (columns.ids(asked, old) == UNKNOWN).any():
        atoms = [Atom(asked, old)]
    code = np.zeros(columns.rows, np.int64)
    size = 1
    for atom in atoms:
        numbers, count = _coded(atom, columns)
        code, size = code * count + numbers, size * count
        if size > LARGEST_CODE:
            code = np.unique(code, return_inverse=True)[1].reshape(-1)
            size = columns.rows
    _, first, spread = np.unique(code, return_index=True, return_inverse=True)
    return _verdicts(node, old, atoms, first, columns)[spread.reshape(-1)]


def _coded(atom: Atom, columns: Columns) -> tuple[Ids, int]:
    """Numbers of the values of an atom, and how many there are."""
    numbers, different = columns.coded(atom.predicate, atom.old) if atom.predicate else columns.raised()
    return numbers, len(different)


def atoms_in(node: n.Expr, columns: Columns) -> list[Atom]:
    """The atoms of an expression, each once."""
    return list(dict.fromkeys(_atoms(node, False, columns)))


def _asked(node: n.Expr, columns: Columns) -> Predicate | None:
    """The predicate that may be recorded for a node: a query, or the condition of a branch as a whole."""
    if isinstance(node, n.IsInstance):
        return Predicate(CLASS, (node.operand.name,)) if isinstance(node.operand, n.Slot) else None
    asked = recorded(node)
    if asked is None and isinstance(node, n.Comparison):
        whole = predicate_of(node)
        return whole if columns.knows(whole.text) else None
    return asked


def _atoms(node: n.Expr, old: bool, columns: Columns) -> Iterator[Atom]:
    """The recorded atoms below `node`, the atoms inside a recorded one too: its record may be missing."""
    asked = _asked(node, columns)
    if asked is not None:
        yield Atom(asked, old)
    if isinstance(node, n.Raises):
        yield Atom(None, False)
    if isinstance(node, n.Comparison) and node.operator in ("is", "is not"):
        for side in (node.left, node.right):
            yield from _atoms(*identified(side, old), columns)
        return
    for child in n.children(node):
        yield from _atoms(child, old or isinstance(node, n.Old), columns)


def _verdicts(node: n.Expr, old: bool, atoms: list[Atom], rows: Ids, columns: Columns) -> Verdicts:
    """The verdicts on these rows."""
    current: list[Any] = []
    places = {atom: place for place, atom in enumerate(atoms)}

    def leaf(part: n.Expr, at: bool) -> Value | None:
        asked = _asked(part, columns)
        place = None if asked is None else places.get(Atom(asked, at))
        if place is None:
            return None
        return (
            _class_test(part.name, place, current, columns) if isinstance(part, n.IsInstance) else _at(place, current)
        )

    verdict = compiled(n.Old(node) if old else node, leaf)
    raised, names = columns.raised()
    moments = [Moment(NOTHING, NOTHING, name) for name in names]
    known = [_values(atom, rows, columns) for atom in atoms]
    combinations = zip(*known, strict=True) if known else iter([()] * len(rows))
    found = np.empty(len(rows), np.int8)
    for position, (combination, number) in enumerate(zip(combinations, raised[rows].tolist(), strict=True)):
        current[:] = combination
        moment = moments[number]
        moment.unknown = False
        truth = verdict(moment)
        found[position] = truth if truth is not None else UNKNOWN if moment.unknown else UNDEFINED
    return found


def _values(atom: Atom, rows: Ids, columns: Columns) -> list[Any]:
    """The values of an atom in these rows, or the reason why there is none."""
    if atom.predicate is None:
        return [None] * len(rows)
    numbers, _ = columns.coded(atom.predicate, atom.old)
    found: list[Any] = columns.values(atom.predicate, atom.old)[numbers[rows]].tolist()
    return found


def _at(place: int, current: list[Any]) -> Value:
    def value(_: Moment, __: Bindings) -> Any:
        found = current[place]
        if found is UnknownValue or found is Undefined:
            raise found
        return found

    return value


def _class_test(name: str, place: int, current: list[Any], columns: Columns) -> Value:
    def value(_: Moment, __: Bindings) -> bool:
        if current[place] is UnknownValue:
            raise UnknownValue
        return name in columns.names_of(current[place])

    return value
