"""Operands: objects of stored snapshots, and literals. A stored snapshot is never changed, only loaded again."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from stateful.contracts.evaluate import is_atom
from stateful.subject.program import (
    MISSING,
    Argument,
    Literal,
    Program,
    Reference,
    Step,
    argument_behind,
    argument_from,
    argument_json,
    literal_value,
)
from stateful.subject.snapshots import load

__all__ = [
    "MISSING_OPERAND",
    "LacksRecipe",
    "Made",
    "Operand",
    "Producer",
    "Recipe",
    "Ref",
    "Stored",
    "building",
    "load_snapshot",
    "loaded",
    "recipe_bytes",
]


class LacksRecipe(LookupError):
    """What a call leaves behind can only be kept as the calls that build it, and those of an operand are not known."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The calls that build objects of a snapshot, and where each of them is then, by its index."""

    program: Program
    places: Mapping[int, Argument]


@dataclass(slots=True)
class Stored:
    """A snapshot that operands are drawn from, and the call that it came from."""

    number: int
    digest: bytes
    codec: str
    data: bytes
    classes: tuple[type | None, ...]
    producer: Producer | None
    calls: int
    routines: Mapping[str, Any] | None = None
    inside: Mapping[int, frozenset[type]] = field(default_factory=dict)
    """For lists and tuples the classes of their items."""
    odd: int = 0
    """How many unusual values were passed to build it."""
    holders: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """For objects of the subject which others hold them, from near or far."""
    shapes: Mapping[int, Hashable] = field(default_factory=dict)
    """For objects that are drawn by their class what sort of object they are."""
    atoms: tuple[Made, ...] = ()
    """Plain values that were passed on the way to this state: keys and items that it may hold."""
    recipe: Recipe | None = None
    """What the database knows of a snapshot that comes from there, and has no `producer`."""

    def held(self, index: int) -> frozenset[type]:
        return self.inside.get(index, frozenset())

    def load(self) -> list[Any]:
        """The objects as new copies; where nothing could keep their bytes, the calls that build them run again."""
        return load_snapshot(self.codec, self.data, self.routines or {})


def load_snapshot(codec: str, data: bytes, routines: Mapping[str, Any]) -> list[Any]:
    """The objects of a snapshot, whatever its codec."""
    if codec != "recipe":
        return load(codec, data)
    steps, places = json.loads(data)
    program = Program.from_json(steps)
    done = list(program.run(routines))
    return [program.operand(argument_from(place), done) for place in places]


def recipe_bytes(program: Program, places: Sequence[Argument]) -> bytes:
    """A snapshot that is kept as the calls which build it, and where each of its objects is then found."""
    return json.dumps([program.as_json(), [argument_json(place) for place in places]]).encode()


@dataclass(frozen=True, slots=True)
class Ref:
    """An object of a stored snapshot."""

    stored: Stored
    index: int

    @property
    def note(self) -> str:
        return f"@{self.stored.number}.{self.index}"


@dataclass(frozen=True, slots=True)
class Made:
    """A value made from a literal. Atoms are made once, everything else anew for each call."""

    text: str
    make: Callable[[], Any]
    kind: str = ""
    """For a plain value its class."""

    @property
    def note(self) -> str:
        return self.text

    @classmethod
    def of(cls, text: str) -> Made:
        value = literal_value(text)
        return cls(text, (lambda: value) if is_atom(value) or value is Ellipsis else (lambda: literal_value(text)))


Operand: TypeAlias = Ref | Made
MISSING_OPERAND = Made(MISSING, lambda: Ellipsis)


@dataclass(frozen=True, slots=True)
class Producer:
    """The call whose post-snapshot it is; `slots` gives the index of each argument there, and of the result.

    `carried` are objects that the call does not take but whose state was kept with that of its operands."""

    routine: str
    operands: tuple[Operand, ...]
    slots: tuple[int | None, ...]
    carried: tuple[Operand, ...] = ()
    carried_slots: tuple[int, ...] = ()


def loaded(operands: tuple[Operand, ...]) -> list[Any]:
    """The objects; operands of one snapshot are loaded together, so that what they share is shared."""
    copies: dict[int, list[Any]] = {}
    objects = []
    for operand in operands:
        if isinstance(operand, Made):
            objects.append(operand.make())
        else:
            number = operand.stored.number
            if number not in copies:
                copies[number] = operand.stored.load()
            objects.append(copies[number][operand.index])
    return objects


def calling(
    routine: str, operands: tuple[Operand, ...], carried: tuple[Operand, ...]
) -> tuple[Program, list[Argument]]:
    """The calls that build the operands, and what is only carried along, and the call of the routine; and where each of
    those that are carried along is found then."""
    steps: list[Step] = []
    arguments = _add_operands(steps, (*operands, *carried))
    steps.append(Step(routine, tuple(arguments[: len(operands)])))
    return Program(tuple(steps)), arguments[len(operands) :]


def building(operands: tuple[Operand, ...]) -> tuple[Program, list[Argument]]:
    """The calls that build the operands, and where each is found then."""
    steps: list[Step] = []
    arguments = _add_operands(steps, operands)
    return Program(tuple(steps)), arguments


def _add_operands(steps: list[Step], operands: tuple[Operand, ...]) -> list[Argument]:
    """What comes from one snapshot is built once, what comes from different ones apart: so it was loaded."""
    sources: dict[int, dict[int, Argument]] = {}
    arguments: list[Argument] = []
    for operand in operands:
        if isinstance(operand, Made):
            arguments.append(Literal(operand.text))
            continue
        if operand.stored.number not in sources:
            sources[operand.stored.number] = _add_snapshot(steps, operand.stored)
        arguments.append(sources[operand.stored.number][operand.index])
    return arguments


def _add_snapshot(steps: list[Step], stored: Stored) -> dict[int, Argument]:
    producer = stored.producer
    if producer is None:
        return _add_recipe(steps, stored)
    arguments = _add_operands(steps, (*producer.operands, *producer.carried))
    steps.append(Step(producer.routine, tuple(arguments[: len(producer.operands)])))
    carried = zip(producer.carried_slots, arguments[len(producer.operands) :], strict=True)
    slots = enumerate(producer.slots)
    return dict(carried) | {index: Reference(len(steps) - 1, slot) for slot, index in slots if index is not None}


def _add_recipe(steps: list[Step], stored: Stored) -> dict[int, Argument]:
    if stored.recipe is None:
        raise LacksRecipe(f"nothing is known of how snapshot {stored.number} was built")
    behind = len(steps)
    steps += stored.recipe.program.behind(behind).steps
    return {index: argument_behind(place, behind) for index, place in stored.recipe.places.items()}
