"""A program: the calls that build objects, one after the other. Recipes, reproducers and tests are programs."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import _GeneratorContextManager
from dataclasses import dataclass
from itertools import islice
from types import CoroutineType
from typing import Any, TypeAlias

from stateful.subject.model import Routine

__all__ = [
    "ITERATING",
    "KEYS",
    "MISSING",
    "MOST_CONSUMED",
    "Argument",
    "Literal",
    "Program",
    "Reference",
    "Step",
    "argument_behind",
    "argument_from",
    "argument_json",
    "consumed",
    "invoke",
    "literal_value",
    "modules_in",
    "name_in",
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


def argument_behind(argument: Argument, count: int) -> Argument:
    """The same, when so many other steps run before."""
    return Reference(argument.step + count, argument.slot) if isinstance(argument, Reference) else argument


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

    def behind(self, count: int) -> Program:
        """The same steps, when so many others run before them."""
        moved = {place: place + count for place in range(len(self.steps))}
        return Program(tuple(_renumbered(step, moved) for step in self.steps))

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
    named = name_in(text)
    if named is not None:
        found: Any = importlib.import_module(named[0])
        for part in named[1].split("."):
            found = getattr(found, part)
        return found
    return eval(
        text, {"__builtins__": IN_LITERALS, **{name: importlib.import_module(name) for name in modules_in(text)}}
    )


def modules_in(text: str) -> list[str]:
    """The modules of Python's library that a literal uses, such as `datetime.date(2024, 2, 29)`.

    >>> modules_in("[datetime.date(2024, 2, 29), 'io.StringIO']"), modules_in("{1: 'a'}")
    (['datetime'], [])
    """
    if not IN_LIBRARY.search(text):
        return []
    used = [node.value for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Attribute)]
    return sorted({each.id for each in used if isinstance(each, ast.Name) and each.id in LIBRARY})


LIBRARY = ("collections", "datetime", "decimal", "fractions", "io", "pathlib", "re", "uuid")
IN_LIBRARY = re.compile(rf"\b(?:{'|'.join(LIBRARY)})\.")


def name_in(text: str) -> tuple[str, str] | None:
    """The module and the name in it, for a literal such as 'operator:neg' or 'package.colors:Color.RED'."""
    module, _, name = text.partition(":")
    is_name = name.replace(".", "").isidentifier() and module.replace(".", "").isidentifier()
    return (module, name) if is_name else None


IN_LITERALS: dict[str, Any] = {
    made.__name__: made
    for made in (
        float, set, frozenset, slice, range, list, tuple, dict, len, abs, bool, str, repr, max, min, int, sum, sorted,
        type, pow, bytes, bytearray, iter,
    )
}  # fmt: skip
"""The names that literals may use."""


def invoke(model: Routine, function: Callable[..., Any], operands: list[Any]) -> Any:
    """Call the routine as its kind wants to be called; operands that are left out are `...`."""
    special = SPECIAL.get(model.kind)
    if special is not None:
        return special(model, operands)
    given = operands[1:] if model.has_receiver else operands
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    skipped = False
    for parameter, operand in zip(model.parameters, given, strict=True):
        if operand is Ellipsis:
            skipped = skipped or not parameter.variadic
        elif parameter.variadic and skipped:
            continue  # nothing can be passed behind a positional parameter that is left out
        elif parameter.keywords:
            if keywords.keys() & operand.keys():
                raise TypeError("an argument is given twice")
            keywords.update(operand)
        elif parameter.keyword or skipped:
            keywords[parameter.name] = operand
        else:
            positional.append(operand)
    called = getattr(operands[0], model.short) if model.has_receiver else function
    result = called(*positional, **keywords)
    if model.kind == "constructor":
        return result
    found = consumed(result, always=model.short == "__iter__")
    if type(found) is list and found is not result and hasattr(type(result), "__next__"):
        ITERATING.add(model.name)
    return found


ITERATING: set[str] = set()
"""The routines that gave an iterator, which was run into a list, whether they are generators or not."""


def _read(model: Routine, operands: list[Any]) -> Any:
    return getattr(operands[0], model.short)


def _assign(model: Routine, operands: list[Any]) -> None:
    setattr(operands[0], model.short, operands[1])


def _enter(_: Routine, operands: list[Any]) -> Any:
    with operands[0] as value:
        return value


def _display(model: Routine, operands: list[Any]) -> Any:
    items = [operand for operand in operands if operand is not Ellipsis]
    match model.short:
        case "tuple_of":
            return tuple(items)
        case "set_of":
            return set(items)
        case "dict_of":
            return dict(zip(KEYS, items, strict=False))
    return items


KEYS = "abc"
"""Under which a display of a dict holds its objects."""


SPECIAL: Mapping[str, Callable[[Routine, list[Any]], Any]] = {
    "property": _read, "attribute": _read, "setter": _assign, "context": _enter, "display": _display,
}  # fmt: skip


def consumed(result: Any, *, always: bool = False) -> Any:
    """What `contextmanager` made is entered and left; coroutines run to their end; generators and other iterators of
    Python's own are run, up to a bound, into a list.

    Only so does their code run at all. An iterator of a class in Python is an object like others, unless it is
    `always` to be run."""
    cls = type(result)
    if cls is _GeneratorContextManager:
        with result as value:
            return value
    if cls is CoroutineType:
        return LOOP.get().run_until_complete(result)
    if hasattr(cls, "__next__") and hasattr(cls, "__iter__") and (always or "__module__" not in vars(cls)):
        return list(islice(result, MOST_CONSUMED))
    if hasattr(cls, "__anext__"):
        return LOOP.get().run_until_complete(_taken(result))
    return result


async def _taken(items: Any) -> list[Any]:
    found: list[Any] = []
    async for item in items:
        found.append(item)
        if len(found) >= MOST_CONSUMED:
            break
    return found


class _Loop:
    """One event loop for all coroutines of a worker, made when the first one comes."""

    def __init__(self) -> None:
        self.loop: Any = None

    def get(self) -> Any:
        if self.loop is None or self.loop.is_closed():
            self.loop = importlib.import_module("asyncio").new_event_loop()
        return self.loop


LOOP = _Loop()
