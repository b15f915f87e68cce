"""A program: the calls that build objects, one after the other. Recipes, reproducers and tests are programs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from stateful.subject.model import Routine

__all__ = [
    "MISSING",
    "MOST_CONSUMED",
    "Argument",
    "Literal",
    "Program",
    "Reference",
    "Step",
    "consumed",
    "invoke",
    "literal_value",
]

MISSING = "..."  # the literal of an argument that is left out
MOST_CONSUMED = 200  # this many items of a generator or iterator are taken


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written as a Python expression."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The object in a slot of an earlier step: slot 0 is its receiver, the slot after the last parameter its result."""

    step: int
    slot: int


Argument: TypeAlias = Literal | Reference


@dataclass(frozen=True, slots=True)
class Step:
    """One call. `arguments` has one entry for each slot of the routine, the receiver first if it has one."""

    routine: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in the order in which they run."""

    steps: tuple[Step, ...]

    def as_json(self) -> list[Any]:
        return [[step.routine, [argument_json(argument) for argument in step.arguments]] for step in self.steps]

    @classmethod
    def from_json(cls, data: list[Any]) -> Program:
        return cls(tuple(Step(name, tuple(argument_from(item) for item in arguments)) for name, arguments in data))

    def run(self, routines: Mapping[str, Any]) -> Iterator[list[Any]]:
        """Execute the steps on the imported routines; gives for each the objects in its slots, the result last."""
        done: list[list[Any]] = []
        for step in self.steps:
            live = routines[step.routine]
            operands = [self.operand(argument, done) for argument in step.arguments]
            result = invoke(live.model, live.function, operands)
            done.append([*operands, result])
            yield done[-1]

    def uses(self, place: int, slot: int) -> bool:
        """True if a later step takes the object in this slot of the step at `place`."""
        wanted = Reference(place, slot)
        return any(argument == wanted for step in self.steps[place + 1 :] for argument in step.arguments)

    def without(self, place: int) -> Program | None:
        """The program without one step; nothing if a later step needs its result.

        Later uses of an operand of the step become uses of what the operand was before it."""
        gone = self.steps[place]
        if self.uses(place, len(gone.arguments)):
            return None

        def moved(argument: Argument) -> Argument:
            if isinstance(argument, Reference) and argument.step == place:
                argument = gone.arguments[argument.slot]
            if isinstance(argument, Reference) and argument.step > place:
                return Reference(argument.step - 1, argument.slot)
            return argument

        kept = (*self.steps[:place], *self.steps[place + 1 :])
        return Program(tuple(Step(step.routine, tuple(map(moved, step.arguments))) for step in kept))

    def connected(self) -> Program:
        """Without the steps whose objects have nothing to do with those of the last one."""
        reached = {len(self.steps) - 1}
        taken = [(place, argument) for place, step in enumerate(self.steps) for argument in step.arguments]
        links = [(place, argument.step) for place, argument in taken if isinstance(argument, Reference)]
        grown = True
        while grown:  # ends because it only goes on when a step was added
            touching = {place for link in links if reached & set(link) for place in link}
            grown = not touching <= reached
            reached |= touching
        moved = {old: new for new, old in enumerate(sorted(reached))}
        return Program(tuple(_renumbered(self.steps[place], moved) for place in moved))

    @staticmethod
    def operand(argument: Argument, done: list[list[Any]]) -> Any:
        """The value of an argument, given what the steps so far left in their slots."""
        return literal_value(argument.text) if isinstance(argument, Literal) else done[argument.step][argument.slot]


def _renumbered(step: Step, moved: Mapping[int, int]) -> Step:
    return Step(step.routine, tuple(
        Reference(moved[a.step], a.slot) if isinstance(a, Reference) else a for a in step.arguments
    ))  # fmt: skip


def argument_json(argument: Argument) -> list[Any]:
    return ["literal", argument.text] if isinstance(argument, Literal) else ["slot", argument.step, argument.slot]


def argument_from(item: list[Any]) -> Argument:
    return Literal(item[1]) if item[0] == "literal" else Reference(item[1], item[2])


def literal_value(text: str) -> Any:
    """The value of a literal, anew each time, so that no two operands share a list by accident."""
    if text == MISSING:
        return Ellipsis
    module, _, name = text.partition(":")
    if name.isidentifier() and module.replace(".", "").isidentifier():
        return getattr(importlib.import_module(module), name)
    return eval(
        text,
        {"__builtins__": {"float": float, "set": set, "frozenset": frozenset, "slice": slice, "len": len, "abs": abs}},
    )


def invoke(model: Routine, function: Callable[..., Any], operands: list[Any]) -> Any:
    """Call the routine as its kind wants to be called; operands that are left out are `...`."""
    if model.kind in ("property", "attribute"):
        return getattr(operands[0], model.short)
    given = operands[1:] if model.has_receiver else operands
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    skipped = False
    for parameter, operand in zip(model.parameters, given, strict=True):
        if operand is Ellipsis:
            skipped = True
        elif parameter.keyword or skipped:
            keywords[parameter.name] = operand
        else:
            positional.append(operand)
    called = getattr(operands[0], model.short) if model.has_receiver else function
    result = called(*positional, **keywords)
    return result if model.kind == "constructor" else consumed(result)


def consumed(result: Any) -> Any:
    """Iterators and generators are run, up to a bound, into a list: only so does their code run at all."""
    if hasattr(type(result), "__next__"):
        return list(islice(result, MOST_CONSUMED))
    return result
