"""Is a clause true of all small calls? Is a specification true, and is it complete?"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from benchmarks.specifications.small import Call, Done, World, is_own, perform
from benchmarks.specifications.specification import Clause, Specification
from stateful.contracts import Moment

Counterexample: TypeAlias = str


@dataclass
class Case:
    """A call that was made."""

    call: Call
    done: Done
    moment: Moment


@dataclass
class Examined:
    """The calls of all routines on all small states."""

    world: World
    cases: dict[str, list[Case]] = field(default_factory=dict)

    @property
    def specification(self) -> Specification:
        return self.world.specification

    def passing(self, routine: str) -> list[Case]:
        return [case for case in self.cases[routine] if not case.done.raised]

    def example(self, case: Case) -> Counterexample:
        told = {name: value for name, value in case.done.after.items() if is_own(value) or name == "result"}
        after = case.done.raised[0] if case.done.raised else self.specification.shown(told)
        return f"{case.call.shown(self.specification)} -> {after}"


def examined(world: World) -> Examined:
    found = Examined(world)
    gc.unfreeze()
    gc.collect()
    gc.disable()
    for routine in world.specification.routines.values():
        found.cases[routine.name] = [made(call) for call in world.all_calls(routine)]
    gc.freeze()  # they stay: looking for garbage among them takes long
    gc.enable()
    return found


def made(call: Call) -> Case:
    before, done = call.operands(), perform(call)
    return Case(call, done, Moment(before, done.after, done.raised))


def refuted(examined: Examined, what: Clause) -> Counterexample | None:
    """A call, or a state, of which it is not true."""
    if what.kind == "invariant":
        for state in examined.world.states:
            if not what.holds(Moment({"self": pickle.loads(state)})):
                return examined.specification.show(pickle.loads(state))
        return None
    announced = examined.specification.exceptions(what.routine)
    for case in examined.cases[what.routine]:
        moment = Moment(case.moment.before) if what.kind == "requires" else case.moment
        is_judged = not case.done.raised or (what.kind == "raises" and bool(announced & set(case.done.raised)))
        if is_judged and not what.holds(moment):
            return examined.example(case)
    return None


# Does the specification itself hold?


def complaints(examined: Examined) -> Iterator[str]:
    """What is wrong with a specification, or with its subject."""
    specification = examined.specification
    for kinds in (specification.ensures, specification.raises):
        for routine in kinds.keys() - specification.routines.keys():
            yield f"{routine} is specified, but not there"
    everything = [*specification.invariants]
    for kinds in (specification.ensures, specification.raises):
        everything += [what for found in kinds.values() for what in found]
    for what in everything:
        example = refuted(examined, what)
        if example is not None:
            yield f"{what.routine} {what.kind} {what.text}: {example}"
    for name, cases in examined.cases.items():
        yield from misbehaved(examined, name, cases)


def misbehaved(examined: Examined, name: str, cases: list[Case]) -> Iterator[str]:
    view, announced = examined.specification.view, examined.specification.exceptions(name)
    for case in cases:
        if case.done.raised and not announced & set(case.done.raised):
            yield f"{name} raises what is not announced: {examined.example(case)}"
        is_to_stay = case.call.routine.is_query or bool(case.done.raised)
        if is_to_stay and any(
            is_own(value) and view(value) != view(case.done.after[slot]) for slot, value in case.moment.before.items()
        ):
            yield f"{name} changes what it should not: {examined.example(case)}"
            return
