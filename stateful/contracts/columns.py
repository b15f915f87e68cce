"""What the database recorded of a routine's test cases, by columns: for each predicate its values on all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stateful.contracts import nodes as n
from stateful.contracts.evaluate import Undefined, UnknownValue
from stateful.contracts.predicate import Predicate
from stateful.contracts.to_python import UNDEFINED, UNKNOWN

if TYPE_CHECKING:
    from stateful.contracts.leaves import Leaf

__all__ = ["CLASS", "UNDEFINED", "UNKNOWN", "Bits", "Columns", "Ids", "Values", "Verdicts", "untrue"]

CLASS = "type($)"
"""The predicate whose value is the class of an object: it is known of every object, by the id of the class."""
Ids: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[np.object_]
Verdicts: TypeAlias = NDArray[np.int8]
"""For each test case 1, 0, UNDEFINED or UNKNOWN."""

LARGEST_INTEGER = 1 << 30  # sums and products of a few such integers fit in 64 bits


def untrue(verdicts: Verdicts) -> Bits:
    """Where it is known to be false or undefined: these test cases refute a clause."""
    return np.asarray((verdicts == 0) | (verdicts == UNDEFINED), bool)


class Columns(ABC):
    """What the reading asks of its caller: the recorded values of a routine's test cases.

    What was once worked out is remembered, and may be shared with columns that are the same but for what `at` says."""

    def __init__(self) -> None:
        self.verdicts: dict[tuple[n.Expr, bool], Verdicts] = {}
        """What is known of parts of expressions: most expressions share their parts."""
        self.codes: dict[tuple[Predicate, bool], tuple[Ids, Ids]] = {}
        self.leaves: dict[tuple[n.Expr, bool], Leaf] = {}
        self.objects: dict[tuple[Predicate, bool], tuple[Values, Verdicts]] = {}
        self.numbers: dict[tuple[Predicate, bool], Ids | None] = {}
        self.classes: dict[tuple[Predicate, bool], Ids | None] = {}

    def at(self, old: bool) -> bool:
        """Whether it is looked up before the call: always, where only that matters."""
        return old

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many test cases there are."""

    def place(self, slot: str, old: bool) -> Ids | None:
        """For each test case which object of its state stands in the slot, -1 if none does; None if nobody knows."""
        return None

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
        key = (asked, self.at(old))
        if key not in self.codes:
            different, numbers = np.unique(self.ids(*key), return_inverse=True)
            self.codes[key] = numbers.reshape(-1).astype(np.int64), different
        return self.codes[key]

    def values(self, asked: Predicate, old: bool) -> tuple[Values, Verdicts]:
        """For each of the different ids of `coded` the value and 1, or the reason why there is none and its number."""
        key = (asked, self.at(old))
        if key not in self.objects:
            different = self.coded(asked, old)[1].tolist()
            found, there = np.empty(len(different), object), np.empty(len(different), np.int8)
            for place, number in enumerate(different):
                value = self._value(number, key[1]) if asked.text != CLASS or number == UNKNOWN else number
                found[place] = value
                there[place] = UNKNOWN if value is UnknownValue else UNDEFINED if value is Undefined else 1
            self.objects[key] = found, there
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
        key = (asked, self.at(old))
        if key not in self.numbers:
            spread, different = self.coded(asked, old)
            found = [self.integer(value) if value >= 0 else None for value in different.tolist()]
            plain = [value for value in found if value is not None and abs(value) < LARGEST_INTEGER]
            whole = len(plain) == len(found)
            self.numbers[key] = np.array(plain, np.int64)[spread] if whole else None
        return self.numbers[key]

    def equalities(self, asked: Predicate, old: bool) -> Ids | None:
        """What each value is equal to, if that is known of all of them."""
        key = (asked, self.at(old))
        if key not in self.classes:
            spread, different = self.coded(asked, old)
            found = [self.equality(value) if value >= 0 else None for value in different.tolist()]
            plain = [value for value in found if value is not None]
            whole = len(plain) == len(found)
            self.classes[key] = np.array(plain, np.int64)[spread] if whole else None
        return self.classes[key]
