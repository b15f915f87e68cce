"""Read the templates and fill their holes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.negate import negate
from stateful.errors import UsageError
from stateful.infer.atoms import Atoms
from stateful.resources import folder

__all__ = ["CONSTANT", "Template", "filled", "substituted", "templates"]

HOLE = re.compile(r"\{(\w)\}")
CONSTANT = "hole_c"


@dataclass(frozen=True, slots=True)
class Template:
    """One line of the library: its family, the kinds of clauses it is for, and the expression with its holes."""

    family: str
    kinds: tuple[str, ...]
    text: str
    expression: n.Expr
    holes: tuple[str, ...]


@lru_cache(maxsize=1)
def templates() -> tuple[Template, ...]:
    """All templates, in the order of the files."""
    return tuple(template for file in sorted(folder("inference").glob("*.toml")) for template in _read(file.name))


def _read(file: str) -> Iterator[Template]:
    data = tomllib.loads((folder("inference") / file).read_text(encoding="utf-8"))
    for entry in data["template"]:
        text = entry["text"]
        holes = tuple(dict.fromkeys(HOLE.findall(text)))
        unknown = [hole for hole in holes if hole not in "pqnmxyvstuwdkacE"]
        if unknown:
            raise UsageError(f"template {text!r} in {file}: no kind of hole is called {unknown[0]!r}")
        expression = parse(HOLE.sub(r"hole_\1", text))
        yield Template(entry["family"], tuple(entry["kinds"]), text, expression, holes)


def filled(template: Template, before: Atoms, after: Atoms) -> Iterator[n.Expr]:
    """Every filling of the template but for its constant, which is learned from the data.

    What stands in `old(...)` is filled with expressions that are known before the call."""
    old_holes = {hole for part in n.walk(template.expression) if isinstance(part, n.Old) for hole in _holes(part)}
    names = [hole for hole in template.holes if hole != "c"]
    choices = [_choices(hole, before if hole in old_holes else after) for hole in names]
    for choice in product(*choices):
        if len(set(choice)) == len(choice):
            yield substituted(template.expression, dict(zip(names, choice, strict=True)))


def _holes(node: n.Expr) -> set[str]:
    return {part.name[5:] for part in n.walk(node) if isinstance(part, n.Slot) and part.name.startswith("hole_")}


def _choices(hole: str, atoms: Atoms) -> list[n.Expr]:
    match hole:
        case "p" | "q":
            return [*atoms.booleans, *(negate(atom) for atom in atoms.booleans)]
        case "n" | "m":
            return atoms.integers
        case "x" | "y":
            return atoms.operands
        case "v":
            return atoms.values
        case "s" | "t":
            return atoms.sequences
        case "u" | "w":
            return atoms.sets
        case "d":
            return atoms.mappings
        case "a" | "k":
            return atoms.items
    return [n.Raises(name) for name in atoms.exceptions]


def substituted(node: n.Expr, holes: Mapping[str, n.Expr]) -> n.Expr:
    """The expression with its holes filled."""
    if isinstance(node, n.Raises) and node.name == "hole_E":
        return holes["E"]
    if isinstance(node, n.Slot) and node.name.startswith("hole_"):
        return holes.get(node.name[5:], node)
    return n.rebuilt(node, lambda part: substituted(part, holes))
