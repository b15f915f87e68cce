"""Do clauses tell a mutant from the original? It is called on all small states."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from benchmarks.specifications.judging import Examined
from benchmarks.specifications.mutants import Mutant, in_place, mutants
from benchmarks.specifications.small import Call, Done, Hang, bounded, is_own, perform
from benchmarks.specifications.specification import Clause, Specification, canonical
from stateful.contracts import Moment

MEMORY = 2**28  # more than this no mutant gets


class Fate(Enum):
    EXCEPTION = "told by exceptions alone"  # it raises, or does not end, where the original does not
    ALIKE = "like the original"  # or differs only in that it refuses less
    KILLED = "killed"
    SURVIVED = "survived"


@dataclass
class Verdict:
    mutant: Mutant
    fate: Fate
    is_specified: bool = False  # the specification notices it
    example: str = ""  # a call that tells the mutant from the original, and no clause noticed


@dataclass
class Original:
    """A call, and what the original made of it."""

    call: Call
    raised: tuple[str, ...]
    seen: Any


def verdicts(examined: Examined, clauses: dict[str, list[Clause]]) -> list[Verdict]:
    """Of every mutant; the clauses are the postconditions of its routine, and the invariants."""
    specification = examined.specification
    originals: dict[str, list[Original]] = {}
    for name, cases in examined.cases.items():
        originals[name] = [
            Original(case.call, case.done.raised, None if case.done.raised else observed(specification, case.done))
            for case in cases
        ]
    with little_memory():
        return [
            verdict(specification, mutant, originals[mutant.routine], clauses[mutant.routine])
            for mutant in mutants(specification)
        ]


@contextmanager
def little_memory() -> Iterator[None]:
    """A list that is extended by itself grows in C, where no timer can stop it."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def verdict(specification: Specification, mutant: Mutant, originals: list[Original], clauses: list[Clause]) -> Verdict:
    found = Verdict(mutant, Fate.ALIKE)
    routine = specification.routines[mutant.routine]
    for original in originals:
        with in_place(specification, routine, mutant):
            done = perform(original.call)
        if done.raised and done.raised != original.raised:
            return Verdict(mutant, Fate.EXCEPTION)
        if original.raised or (found.fate is Fate.KILLED and found.is_specified):
            continue
        seen = observed(specification, done)
        if seen != original.seen:
            judge(found, original, done, clauses, specification)
            if not found.example:
                found.example = f"{original.call.shown(specification)}: {short(original.seen, seen)}"
    return found


def judge(found: Verdict, original: Original, done: Done, clauses: list[Clause], specification: Specification) -> None:
    """Of a call that tells the mutant from the original."""
    if found.fate is not Fate.KILLED:
        found.fate = Fate.KILLED if is_noticed(original.call, done, clauses) else Fate.SURVIVED
    if not found.is_specified:
        found.is_specified = is_noticed(original.call, done, specification.posts(original.call.routine.name))


def is_noticed(call: Call, done: Done, clauses: list[Clause]) -> bool:
    moment = Moment(call.operands(), done.after)
    try:
        with bounded():
            return not all(clause.holds(moment) for clause in clauses)
    except Hang:
        return True


def observed(specification: Specification, done: Done) -> dict[str, Any]:
    """What the public queries of the original class say of the objects, and the result."""
    return {slot: look(specification, value, done) for slot, value in done.after.items()}


def look(specification: Specification, value: Any, done: Done) -> Any:
    if not is_own(value):
        return typed(canonical(value))
    found: list[Any] = [[slot for slot, other in done.after.items() if other is value]]
    for ask in (specification.view, *(routine.function for routine in specification.observers)):
        try:
            with bounded():
                found.append(typed(answer(specification, ask(value), ask == specification.view)))
        except Hang:
            return [*found, "does not end"]
        except Exception as error:
            found.append(type(error).__name__)
    return found


def answer(specification: Specification, value: Any, is_model: bool) -> Any:
    """Order counts in the model only: a set has none."""
    if is_own(value):
        return specification.view(value)
    if hasattr(value, "__next__"):
        value = list(value)
    return sorted(map(repr, value)) if isinstance(value, list) and not is_model else value


def typed(value: Any) -> Any:
    """1 is not True here."""
    return repr(value)


def short(original: dict[str, Any], seen: dict[str, Any]) -> str:
    slot = next(slot for slot in original if original[slot] != seen[slot])
    parts = original[slot], seen[slot]
    if isinstance(parts[0], list) and isinstance(parts[1], list):
        parts = next((one, other) for one, other in zip(*parts, strict=False) if one != other)
    return f"{slot} is {parts[1]} instead of {parts[0]}"
