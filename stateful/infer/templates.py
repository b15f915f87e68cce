"""Read the templates and fill their holes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.negate import negate
from stateful.contracts.normalize import ordered
from stateful.errors import ExpressionError, UsageError
from stateful.infer.atoms import Atoms
from stateful.resources import folder

__all__ = [
    "ADDED",
    "CONSTANTS",
    "INTEGERS",
    "Template",
    "choices_of",
    "exchangeable",
    "holes_of",
    "substituted",
    "templates",
]

ADDED = "added"  # the family of the user's own templates
HOLE = re.compile(r"\{(\w)\}")
LONGER = re.compile(r"\{(\w\w+)\}")
HOLES = "pqnmlxyvzstuwdekabicfoTE"
INTEGERS = frozenset("nml")
OBJECTS = frozenset("xy")
CONSTANTS = frozenset("cfoT")
"""The holes whose content is learned: a constant, a factor, the values that occur, a class."""


@dataclass(frozen=True, slots=True)
class Template:
    """One line of the library: its family, the kinds of clauses it is for, and the expression with its holes."""

    family: str
    kinds: tuple[str, ...]
    text: str
    expression: n.Expr
    holes: tuple[str, ...]
    conditional: bool = False
    """Also tried behind a premise."""
    commands: bool = False
    """Only for routines that change something."""


@lru_cache(maxsize=8)
def templates(added: tuple[str, ...] = ()) -> tuple[Template, ...]:
    """All templates, in the order of the files; behind them those that a user added, as texts."""
    library = [template for file in sorted(folder("inference").glob("*.toml")) for template in _read(file.name)]
    return (*library, *(_template(ADDED, _kinds(text), text, "the added ones") for text in added))


def _kinds(text: str) -> list[str]:
    """What an added template is for, by what it speaks of."""
    if "raises(" in text:
        return ["raises"]
    return ["ensures"] if "old(" in text or "result" in text else ["requires", "ensures", "invariant"]


def _read(file: str) -> Iterator[Template]:
    data = tomllib.loads((folder("inference") / file).read_text(encoding="utf-8"))
    for family in data["family"]:
        for text in family["templates"]:
            made = _template(family["name"], family["kinds"], text, file)
            yield replace(made, conditional="conditional" in family, commands="commands" in family)


def _template(family: str, kinds: Sequence[str], text: str, file: str) -> Template:
    holes = tuple(dict.fromkeys(HOLE.findall(text)))
    unknown = [hole for hole in (*holes, *LONGER.findall(text)) if hole not in HOLES]
    if unknown:
        known = ", ".join(HOLES)
        raise UsageError(f"template {text!r} in {file}: no kind of hole is called {unknown[0]!r}; there are {known}")
    try:
        expression = parse(HOLE.sub(r"hole_\1", text))
    except ExpressionError as error:
        raise UsageError(f"template {text!r} in {file}: {error}") from None
    return Template(family, tuple(kinds), text, expression, holes)


def choices_of(template: Template, before: Atoms, after: Atoms) -> dict[str, list[n.Expr]]:
    """What each hole can be filled with. In `old(...)` that is what is known before the call.

    A parameter that is called as the variable of a quantifier would be taken for that."""
    old = _old_holes(template.expression)
    own = {part.variable for part in n.walk(template.expression) if isinstance(part, n.Quantified)}
    found = {hole: _choices(hole, before if hole in old else after) for hole in template.holes if hole not in CONSTANTS}
    return (
        {hole: [one for one in several if not own & {*n.slots_of(one)}] for hole, several in found.items()}
        if own
        else found
    )


@lru_cache(maxsize=512)
def _old_holes(expression: n.Expr) -> frozenset[str]:
    """The holes that are filled with what is known before the call."""
    return frozenset(hole for part in n.walk(expression) if isinstance(part, n.Old) for hole in holes_of(part))


def holes_of(node: n.Expr) -> set[str]:
    """The names of the holes in an expression."""
    return {part.name[5:] for part in n.walk(node) if isinstance(part, NAMED) and _is_hole(part.name)}


NAMED = n.Slot | n.Raises | n.IsInstance


def _is_hole(name: str) -> bool:
    return name.startswith("hole_")


def _choices(hole: str, atoms: Atoms) -> list[n.Expr]:
    match hole:
        case "p" | "q":
            return [*atoms.booleans, *(negate(atom) for atom in atoms.booleans)]
        case "n" | "m" | "l":
            return atoms.integers
        case "x" | "y":
            return atoms.operands
        case "v" | "z":
            return atoms.values
        case "s" | "t":
            return atoms.sequences
        case "u" | "w":
            return atoms.sets
        case "d" | "e":
            return atoms.mappings
        case "i":
            return atoms.positions
        case "a" | "b" | "k":
            return atoms.items
    return atoms.exceptions


@lru_cache(maxsize=512)
def exchangeable(expression: n.Expr) -> tuple[tuple[str, str], ...]:
    """The pairs of holes that can change places without a change of what is said. Objects cannot: classes say for
    themselves whether they are equal.

    >>> exchangeable(parse("hole_n == hole_m + hole_l"))
    (('l', 'm'),)
    """
    same = _commuted(expression)
    pairs = combinations(sorted(holes_of(expression) - CONSTANTS - OBJECTS), 2)
    return tuple(
        (one, other)
        for one, other in pairs
        if _commuted(substituted(expression, {one: _hole(other), other: _hole(one)})) == same
    )


def _hole(name: str) -> n.Slot:
    return n.Slot(f"hole_{name}")


def _commuted(node: n.Expr) -> n.Expr:
    """In one order, sums of integers, too."""
    match node:
        case n.Arithmetic(operator="+", left=n.Slot(name=left), right=n.Slot(name=right)):
            if left > right and holes_of(node) <= INTEGERS:
                return n.Arithmetic("+", node.right, node.left)
    return ordered(n.rebuilt(node, _commuted))


def substituted(node: n.Expr, holes: Mapping[str, n.Expr]) -> n.Expr:
    """The expression with its holes filled."""
    if isinstance(node, n.Raises) and node.name == "hole_E" and "E" in holes:
        return holes["E"]
    if isinstance(node, n.Slot) and _is_hole(node.name):
        return holes.get(node.name[5:], node)
    if isinstance(node, n.IsInstance) and node.name == "hole_T" and "T" in holes:
        return n.IsInstance(node.operand, holes["T"].name)  # type: ignore[union-attr]
    return n.rebuilt(node, lambda part: substituted(part, holes))
