"""The small states of a class and all small calls on them: what a clause or a mutant is judged by.

States are kept as pickles, so that each call gets objects of its own. They are found breadth first from the
constructor; from each depth a deterministic sample goes on, so that there are larger states among them, too.
"""

from __future__ import annotations

import pickle
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from benchmarks.specifications.specification import Routine, Specification

State: TypeAlias = bytes
ALIAS, TWIN = "the object itself", "a copy of the object"
VALUES: dict[Any, tuple[Any, ...]] = {
    int: (-1, 0, 1, 2, 3),
    str: ("a", "b", "c"),
    bool: (False, True),
    object: (None, 0, 1),
}
DEPTH, EACH_DEPTH, VARIANTS = 5, 40, 2
OTHERS = 8
SECONDS = 0.25  # of the processor: a call that takes longer never ends


class Hang(BaseException):
    """The time is over; no subject catches it."""


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def ring(*_: object) -> None:
    raise Hang


signal.signal(signal.SIGVTALRM, ring)


@dataclass(frozen=True)
class Other:
    """An argument of the class itself: a state, the receiver, or a copy of it."""

    state: State | str


@dataclass(frozen=True)
class Call:
    """A routine on a state (none for the constructor), before anything happens."""

    routine: Routine
    state: State | None
    arguments: tuple[Any, ...]

    def operands(self) -> dict[str, Any]:
        """Fresh objects by the names of their slots."""
        loaded: dict[str, Any] = {} if self.state is None else {"self": pickle.loads(self.state)}
        for name, value in zip(self.routine.parameters, self.arguments, strict=True):
            loaded[name] = value if not isinstance(value, Other) else self.other(value, loaded)
        return loaded

    def other(self, value: Other, loaded: dict[str, Any]) -> Any:
        if value.state is ALIAS:
            return loaded["self"]
        return pickle.loads(self.state if value.state is TWIN else value.state)  # type: ignore[arg-type]

    def shown(self, specification: Specification) -> str:
        alias = " (aliases)" if any(isinstance(v, Other) and v.state is ALIAS for v in self.arguments) else ""
        return specification.shown(self.operands()) + alias


@dataclass
class Done:
    """What became of a call: the objects after it, with the result among them, or the exception's class."""

    after: dict[str, Any]
    raised: tuple[str, ...] = ()
    hung: bool = False


def perform(call: Call) -> Done:
    """A call that does not end gets more time, once: the machine may have been busy."""
    done = attempt(call, SECONDS)
    return attempt(call, 4 * SECONDS) if done.hung else done


def attempt(call: Call, seconds: float) -> Done:
    after = call.operands()
    function = call.routine.function
    try:
        with bounded(seconds):
            result = function(*after.values())
            if hasattr(result, "__next__"):
                result = list(result)
    except Hang:
        return Done(after, ("Hang",), hung=True)
    except Exception as error:
        return Done(after, tuple(cls.__name__ for cls in type(error).__mro__))
    if call.state is None:
        after["self"] = result
    after["result"] = result
    return Done(after)


def is_own(value: object) -> bool:
    return type(value).__module__.startswith("subject_")


@dataclass
class World:
    """The small states of a class, and the values of parameters."""

    specification: Specification
    states: list[State] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)

    def values(self, annotation: Any) -> tuple[Any, ...]:
        own = (Other(ALIAS), Other(TWIN), *self.others)
        if annotation is self.specification.cls:
            return own
        return (*VALUES[object], *own) if annotation is object else VALUES[annotation]

    def calls(self, routine: Routine, state: State | None) -> Iterator[Call]:
        for arguments in product(*(self.values(annotation) for annotation in routine.parameters.values())):
            yield Call(routine, state, arguments)

    def all_calls(self, routine: Routine) -> list[Call]:
        """On every small state, the simplest first."""
        states: list[State | None] = [None] if routine.is_constructor else list(self.states)
        calls = [call for state in states for call in self.calls(routine, state)]
        random.Random(routine.name).shuffle(calls)
        return sorted(calls, key=lambda call: len(call.state or b""))

    def successors(self, states: list[State | None]) -> Iterator[State]:
        for state in states:
            for routine in self.specification.commands:
                if routine.is_constructor == (state is None):
                    for call in self.calls(routine, state):
                        done = perform(call)
                        if not done.raised:
                            yield pickle.dumps(done.after["self"])


def explored(specification: Specification, each_depth: int = EACH_DEPTH, depths: int = DEPTH) -> World:
    """The world of a class; the objects for parameters are simple ones and some that are less so."""
    world = World(specification)
    draw = random.Random(specification.name)
    known: dict[str, set[State]] = {}
    frontier: list[State | None] = [None]
    for _ in range(depths + 1):
        found = list(fresh(world, frontier, known))
        frontier = list(found if len(found) <= each_depth else draw.sample(found, each_depth))
        world.states += [state for state in frontier if state is not None]
        world.others = [Other(state) for state in spread(world.states, OTHERS)]
    return world


def fresh(world: World, frontier: list[State | None], known: dict[str, set[State]]) -> Iterator[State]:
    """States not met before: at most so many inner variants of what looks the same."""
    for state in world.successors(frontier):
        variants = known.setdefault(repr(world.specification.view(pickle.loads(state))), set())
        if state not in variants and len(variants) < VARIANTS:
            variants.add(state)
            yield state


def spread(states: list[State], count: int) -> list[State]:
    """The first half of them from the beginning, the others from all over."""
    first = states[: count // 2]
    rest = states[count // 2 :]
    step = max(1, len(rest) // (count - len(first)))
    return first + rest[step - 1 :: step][: count - len(first)]
