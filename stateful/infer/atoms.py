"""What the holes of a template can be filled with: the recorded expressions over the operands of a routine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, UNDEFINED, UNKNOWN, Ids
from stateful.contracts.predicate import ITSELF, Predicate, bound, recorded
from stateful.contracts.values import SCALARS
from stateful.infer.columns import MOST_VARIABLES, RoutineColumns

__all__ = ["Atoms", "atoms_of", "kinds_of", "sometimes_none"]

SAID_BY_TEMPLATES = ("$ == $", "$ != $", "$ is $", "$ is not $", "$ is None", "$ is not None")
ITEMS = frozenset((*SCALARS, "tuple", "frozenset"))  # the kinds of plain values that can be in a set
FEW_SLOTS = 8  # three of them at a time are 336 combinations; of twenty they would be 6,840
KNOWN_SHARE = 0.25  # an expression that is known in fewer test cases than this is not worth a clause


@dataclass(slots=True)
class Atoms:
    """The expressions for each kind of hole."""

    booleans: list[n.Expr] = field(default_factory=list)
    integers: list[n.Expr] = field(default_factory=list)
    """Expressions that are integers wherever they are known."""
    operands: list[n.Expr] = field(default_factory=list)
    """Slots that hold objects, not plain values: only those can be identical, equal or None in an interesting way."""
    values: list[n.Expr] = field(default_factory=list)
    sequences: list[n.Expr] = field(default_factory=list)
    sets: list[n.Expr] = field(default_factory=list)
    mappings: list[n.Expr] = field(default_factory=list)
    items: list[n.Expr] = field(default_factory=list)
    positions: list[n.Expr] = field(default_factory=list)
    """Parameters that are integers: they may be a position in a list."""
    exceptions: list[n.Expr] = field(default_factory=list)


def atoms_of(columns: RoutineColumns, *, old: bool) -> Atoms:
    """The atoms over the operands before the call (`old`), or after it, with the result."""
    atoms = Atoms()
    slots = [name for name in columns.slots if not (old and name == "result")]
    order = {name: place for place, name in enumerate(slots)}
    known = sorted(_known(columns, slots, old), key=lambda asked: (asked.text, [order[name] for name in asked.slots]))
    for asked in known:
        _sort_in(atoms, asked, old, columns)
    return atoms


def sometimes_none(columns: RoutineColumns) -> list[n.Expr]:
    """What is asked of one operand and is None in some test cases, and something else in others: `self.key is None`."""
    found = []
    for asked in _known(columns, columns.slots, False):
        if len(asked.slots) == 1 and {"none"} < kinds_of(columns.coded(asked, False)[1], columns) - {""}:
            found.append(n.Comparison("is", bound(asked.text, asked.slots), n.Constant(None)))
    return sorted(found, key=repr)


def _known(columns: RoutineColumns, slots: Sequence[str], old: bool) -> Iterator[Predicate]:
    """What is known in enough test cases. The operands are different ones, but the condition of a branch may name one
    twice. Of a routine with twenty parameters only the first ones are looked at together."""
    least = KNOWN_SHARE * max(1, columns.rows)
    few = slots if len(slots) <= FEW_SLOTS else [*slots[: FEW_SLOTS - 1], slots[-1]]
    for count in range(1, MOST_VARIABLES + 1):
        for names in product(slots, repeat=count) if count <= 2 else permutations(few, count):
            for text, ids in columns.of(names, old).items():
                if (len(set(names)) == count or " " in text) and np.count_nonzero(ids != UNKNOWN) >= least:
                    yield Predicate(text, names)


def _sort_in(atoms: Atoms, asked: Predicate, old: bool, columns: RoutineColumns) -> None:
    text, names = asked.text, asked.slots
    if text == CLASS:  # its numbers are those of classes
        return
    numbers, different = columns.coded(asked, old)
    kinds = kinds_of(different, columns)
    expression = bound(text, names)
    whole = "int" in kinds and kinds <= {"int", "bool"}
    if text == ITSELF:
        if kinds & {"object", "opaque"}:
            atoms.operands.append(expression)
        may_be_item = names[0] != "self" and ((kinds <= ITEMS and kinds != {"bool"}) or names[0] != "result")
        if may_be_item and _are_mostly_plain(different, np.bincount(numbers), columns):
            atoms.items.append(expression)
        if whole and names[0] not in ("self", "result"):
            atoms.positions.append(expression)
    views = {"list($)": ("list", atoms.sequences), "set($)": ("set", atoms.sets), "dict($)": ("dict", atoms.mappings)}
    if text in views:
        kind, found = views[text]
        if kind == "list" and kinds_of(columns.coded(Predicate(ITSELF, names), old)[1], columns) & UNORDERED:
            return
        if kind in kinds and kinds <= {kind, "opaque", ""}:  # long ones are opaque: what they hold was not recorded
            found.append(expression)
        return
    if text in SAID_BY_TEMPLATES:
        return
    if kinds == {"bool"}:
        atoms.booleans.append(expression)
    if recorded(expression) is None or text == "$ in $":
        return  # the condition of a branch, or membership: a truth and nothing else
    if whole or kinds == {"int", "float"}:
        atoms.integers.append(expression)
    if kinds & {"bool", "int", "str", "float", "none"} and not kinds & {"object", "opaque"} and text != ITSELF:
        atoms.values.append(expression)


UNORDERED = {"set", "frozenset"}
"""Kinds of values whose items come in an order that the next process need not have."""


def _are_mostly_plain(different: Ids, counts: Ids, columns: RoutineColumns) -> bool:
    """Not objects, of which is only known where they are."""
    known: list[tuple[int, int]] = [
        (key, count) for key, count in zip(different.tolist(), counts.tolist(), strict=True) if key != UNKNOWN
    ]
    plain = sum(count for key, count in known if key >= 0 and columns.table.kinds[key] not in ("object", "opaque"))
    return plain >= KNOWN_SHARE * sum(count for _, count in known)


def kinds_of(different: Ids, columns: RoutineColumns) -> set[str]:
    """The kinds of the values that occur; the empty one stands for undefined."""
    keys = different.tolist()
    return {"" if key == UNDEFINED else columns.table.kinds[key] for key in keys if key != UNKNOWN}
