"""Truth over all test cases of a routine at once, from what the database recorded.

Each atom that the database may know is a column of value ids. The expression is evaluated once for every
distinct combination of values that occurs, by the same compiled function that runs on live objects, and the
verdicts are spread over the rows. So the reading agrees with `evaluate` by construction, and its cost is the
number of distinct combinations, not of test cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stateful.contracts import nodes as n
from stateful.contracts.evaluate import Bindings, Moment, Undefined, UnknownValue, Value, compiled, identified
from stateful.contracts.predicate import Predicate, predicate_of, recorded

__all__ = ["UNDEFINED", "UNKNOWN", "Atom", "Columns", "Ids", "Truths", "atoms_in", "to_vectors"]

UNDEFINED = -1
UNKNOWN = -2
Ids: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.bool_]


class Columns(Protocol):
    """What the reading asks of its caller: the recorded values of a routine's test cases."""

    @property
    def rows(self) -> int:
        """How many test cases there are."""

    def ids(self, asked: Predicate, old: bool) -> Ids:
        """For each test case the id of the predicate's value, UNDEFINED or UNKNOWN."""

    def knows(self, text: str) -> bool:
        """Whether this predicate was evaluated at all."""

    def value(self, value_id: int, old: bool) -> Any:
        """The value with this id, objects as `Opaque`."""

    def raised(self) -> tuple[Ids, list[tuple[str, ...]]]:
        """For each test case a number, and for each number the exception's class and its bases."""


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
    atoms = atoms_in(node, columns)
    table = np.stack([_column(atom, columns) for atom in atoms]) if atoms else np.zeros((1, columns.rows), np.int64)
    combinations, spread = np.unique(table, axis=1, return_inverse=True)
    verdicts = _verdicts(node, atoms, combinations, columns)[np.asarray(spread).reshape(-1)]
    return Truths(verdicts == 1, verdicts == 0, verdicts == UNKNOWN)


def atoms_in(node: n.Expr, columns: Columns) -> list[Atom]:
    """The atoms of an expression, each once."""
    return list(dict.fromkeys(_atoms(node, False, columns)))


def _asked(node: n.Expr, columns: Columns) -> Predicate | None:
    """The predicate that may be recorded for a node: a query, or the condition of a branch as a whole."""
    if isinstance(node, n.Comparison) and recorded(node) is None:
        whole = predicate_of(node)
        return whole if columns.knows(whole.text) else None
    return recorded(node)


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


def _column(atom: Atom, columns: Columns) -> Ids:
    return columns.ids(atom.predicate, atom.old) if atom.predicate else columns.raised()[0]


def _verdicts(node: n.Expr, atoms: list[Atom], combinations: Ids, columns: Columns) -> Ids:
    row: dict[Atom, int] = {}

    def leaf(part: n.Expr, old: bool) -> Value | None:
        asked = _asked(part, columns)
        return None if asked is None else _looked_up(Atom(asked, old), row, columns)

    verdict = compiled(node, leaf)
    names = columns.raised()[1]
    found = np.empty(combinations.shape[1], np.int64)
    for position, combination in enumerate(combinations.T.tolist()):
        row.update(zip(atoms, combination, strict=False))
        raised = row.get(Atom(None, False))
        found[position] = _verdict(verdict, Moment(NOTHING, NOTHING, () if raised is None else names[raised]))
    return found


def _verdict(verdict: Callable[[Moment], bool | None], moment: Moment) -> int:
    truth = verdict(moment)
    if truth is None:
        return UNKNOWN if moment.unknown else UNDEFINED
    return int(truth)


def _looked_up(atom: Atom, row: dict[Atom, int], columns: Columns) -> Value:
    def value(_: Moment, __: Bindings) -> Any:
        value_id = row[atom]
        if value_id == UNKNOWN:
            raise UnknownValue
        if value_id == UNDEFINED:
            raise Undefined
        return columns.value(value_id, atom.old)

    return value
