"""What comes before random calls: the examples of docstrings, and the calls of an older version of the subject."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from stateful.generate.calls import Called
from stateful.generate.drawing import Drawer, Drawn
from stateful.generate.operands import MISSING_OPERAND, Made, Operand, Ref, Stored
from stateful.generate.strategies import Strategy
from stateful.subject.discover import Live, LiveRoutine, class_name
from stateful.subject.examples import Example, Node, Shown, Value, Variable
from stateful.subject.program import MISSING, Argument, Program, Reference

__all__ = ["run_examples", "run_seeds"]

MOST_EXAMPLES = 120
MOST_SEEDS = 30
MOST_FURNITURE = 60


class Host(Protocol):
    drawer: Drawer
    furniture: list[Stored]
    strategy: Strategy

    def prepares(self) -> bool: ...

    def call(self, live: LiveRoutine, drawn: Drawn) -> Called | None: ...

    def keep(self, called: Called, pool: Any, *, certainly: bool = False) -> Stored | None: ...


def run_examples(examples: Sequence[Example], live: Live, host: Host) -> None:
    """Execute them call by call; what cannot be resolved is left out, with what depends on it."""
    names = _plain_names(live)
    for example in examples[:MOST_EXAMPLES]:
        running = _Running(live.routines, names, host)
        for statement in example:
            if not host.prepares():
                return
            found = running.operand(statement.call)
            if statement.target is not None:
                running.bind(statement.target, found)


def _plain_names(live: Live) -> dict[str, LiveRoutine]:
    """What a name without a dot calls: a class or a function."""
    found: dict[str, LiveRoutine] = {}
    for name, routine in live.routines.items():
        if routine.model.kind in ("constructor", "function"):
            found.setdefault(name.rpartition(":")[2].rpartition(".")[2], routine)
    return found


class _Running:
    """One docstring: its variables are objects of stored snapshots, or values."""

    def __init__(self, routines: Mapping[str, LiveRoutine], names: Mapping[str, LiveRoutine], host: Host) -> None:
        self.routines = routines
        self.names = names
        self.host = host
        self.variables: dict[str, Operand] = {}

    def bind(self, name: str, operand: Operand | None) -> None:
        if operand is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = operand

    def operand(self, node: Node) -> Operand | None:
        """The operand that an expression stands for; nothing if it cannot be had."""
        if isinstance(node, Value):
            try:
                return Made.of(node.text)
            except Exception:
                return None
        if isinstance(node, Variable):
            return self.variables.get(node.name)
        return self._called(node)

    def _called(self, shown: Shown) -> Operand | None:
        receiver = self.operand(shown.receiver) if shown.receiver is not None else None
        live = self._routine(shown, receiver)
        given = [self.operand(argument) for argument in shown.arguments]
        named = {name: self.operand(value) for name, value in shown.keywords}
        if live is None or None in given or None in named.values():
            return None
        operands = _arranged(live, receiver, given, named)  # type: ignore[arg-type]
        return self._executed(live, operands) if operands is not None else None

    def _routine(self, shown: Shown, receiver: Operand | None) -> LiveRoutine | None:
        """The routine that is meant: by the class of the receiver, or by its plain name."""
        if isinstance(receiver, Ref):
            cls = receiver.stored.classes[receiver.index]
            names = [f"{class_name(base)}.{shown.name}" for base in (cls.__mro__ if cls else ())]
            return next((self.routines[name] for name in names if name in self.routines), None)
        is_module = isinstance(shown.receiver, Variable) and receiver is None
        if receiver is not None or not (shown.receiver is None or is_module):
            return None
        owner = self.names.get(shown.receiver.name) if isinstance(shown.receiver, Variable) else None
        if owner is not None and owner.cls is not None:  # a class method
            return self.routines.get(f"{class_name(owner.cls)}.{shown.name}")
        return None if shown.reads else self.names.get(shown.name)

    def _executed(self, live: LiveRoutine, operands: tuple[Operand, ...]) -> Operand | None:
        called = self.host.call(live, Drawn(operands, ()))
        if called is None:
            return None
        self._learn(live, called)
        stored = self.host.keep(called, self.host.strategy.pool, certainly=True)
        if stored is None or called.after is None:
            return None
        self.host.furniture.append(stored)
        self._follow(called, stored)
        result = called.after.operands[len(live.model.parameters) + 1]
        return None if result is None else Ref(stored, result)

    def _learn(self, live: LiveRoutine, called: Called) -> None:
        """The literals are good arguments of this parameter."""
        shift = 0 if live.model.has_receiver else 1
        if called.verdict.outcome != "pass":
            return
        for slot, operand in enumerate(called.operands, shift):
            seeds = self.host.drawer.seeds.setdefault((live.model.name, slot), [])
            if isinstance(operand, Made) and operand is not MISSING_OPERAND and len(seeds) < MOST_SEEDS:
                seeds.append(operand)

    def _follow(self, called: Called, stored: Stored) -> None:
        """Variables whose object took part stand for it as it is now."""
        assert called.after is not None
        shift = 0 if called.routine.model.has_receiver else 1
        for name, variable in self.variables.items():
            for slot, operand in enumerate(called.operands, shift):
                index = called.after.operands[slot]
                if operand is variable and isinstance(operand, Ref) and index is not None:
                    self.variables[name] = Ref(stored, index)


def run_seeds(programs: Sequence[str], routines: Mapping[str, LiveRoutine], host: Host) -> None:
    """Make the calls of an older version of the subject again, as far as they still can be made."""
    for program in programs:
        if not host.prepares():
            return
        last = _Again(routines, host).made(Program.from_json(json.loads(program)))
        if last is not None and len(host.furniture) < MOST_FURNITURE:
            host.furniture.append(last)


class _Again:
    """One program; `places` says where the object in a slot of a step is now."""

    def __init__(self, routines: Mapping[str, LiveRoutine], host: Host) -> None:
        self.routines = routines
        self.host = host
        self.places: dict[tuple[int, int], Operand] = {}

    def made(self, program: Program) -> Stored | None:
        """The state after the last call that could be made."""
        last = None
        for here, step in enumerate(program.steps):
            live = self.routines.get(step.routine)
            operands = [self._operand(argument) for argument in step.arguments]
            if (
                live is None
                or None in operands
                or len(operands) != len(live.model.parameters) + live.model.has_receiver
            ):
                return last
            called = self.host.call(live, Drawn(tuple(operands), ()))  # type: ignore[arg-type]
            stored = self.host.keep(called, self.host.strategy.pool, certainly=True) if called is not None else None
            if called is None or stored is None:
                return last
            self._follow(here, called, stored)
            last = stored
        return last

    def _operand(self, argument: Argument) -> Operand | None:
        if isinstance(argument, Reference):
            return self.places.get((argument.step, argument.slot))
        try:
            return MISSING_OPERAND if argument.text == MISSING else Made.of(argument.text)
        except Exception:
            return None

    def _follow(self, here: int, called: Called, stored: Stored) -> None:
        """Objects that took part are now where the call left them."""
        assert called.after is not None
        shift = 0 if called.routine.model.has_receiver else 1
        slots = called.after.operands[shift:]
        moved = {
            (operand.stored.number, operand.index): Ref(stored, index)
            for operand, index in zip(called.operands, slots, strict=False)
            if isinstance(operand, Ref) and index is not None
        }
        for place, operand in self.places.items():
            if isinstance(operand, Ref):
                self.places[place] = moved.get((operand.stored.number, operand.index), operand)
        for slot, index in enumerate(slots):
            if index is not None:
                self.places[here, slot] = Ref(stored, index)


def _arranged(
    live: LiveRoutine, receiver: Operand | None, given: list[Operand], named: dict[str, Operand]
) -> tuple[Operand, ...] | None:
    """The operands by slot; nothing if they do not fit the parameters."""
    positional = [parameter for parameter in live.model.parameters if not parameter.keyword]
    if len(given) > len(positional) or (live.model.has_receiver and receiver is None):
        return None
    by_name = dict(zip([parameter.name for parameter in positional], given, strict=False)) | named
    if set(by_name) - {parameter.name for parameter in live.model.parameters}:
        return None
    slots = [by_name.get(parameter.name, MISSING_OPERAND) for parameter in live.model.parameters]
    if any(p.required and o is MISSING_OPERAND for p, o in zip(live.model.parameters, slots, strict=True)):
        return None
    return (receiver, *slots) if live.model.has_receiver and receiver is not None else tuple(slots)
