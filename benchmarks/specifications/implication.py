"""Do clauses say all that others say? Asked over small calls with outcomes real and imagined.

Every imagined state is one that the class can reach: clauses need not say what is true of all states anyway.
"""

from __future__ import annotations

import builtins
import pickle
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, get_origin

from benchmarks.specifications.judging import Case, Examined
from benchmarks.specifications.small import ALIAS, Call, Other, State, explored
from benchmarks.specifications.specification import Clause, Specification, canonical
from stateful.contracts import Moment

CALLS = 300  # of each routine
SAME_ITEMS, SAME_SIZE, ANY, PAIRS = 15, 10, 15, 40  # candidates for the state after a call
CANDIDATE_DEPTH, CANDIDATES = 4, 700
RESULTS: tuple[Any, ...] = (None, False, True, -1, 0, 1, 2, 3, "a", "b", [], [0], [1], ["a"])


@dataclass
class Candidates:
    """States that could be there after a call, near the real one and not."""

    specification: Specification
    states: list[State]
    by_items: dict[str, list[State]] = field(default_factory=lambda: defaultdict(list))
    by_size: dict[int, list[State]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for state in self.states:
            items = self.items(pickle.loads(state))
            self.by_items[repr(items)].append(state)
            self.by_size[len(items)].append(state)

    def items(self, value: Any) -> list[str]:
        return sorted(map(repr, flat(self.specification.view(value))))

    def near(self, real: Any, draw: random.Random) -> list[State]:
        items = self.items(real)
        pools = (self.by_items[repr(items)], SAME_ITEMS), (self.by_size[len(items)], SAME_SIZE), (self.states, ANY)
        return [state for pool, count in pools for state in (pool if len(pool) <= count else draw.sample(pool, count))]


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


def candidates(specification: Specification) -> Candidates:
    return Candidates(specification, explored(specification, CANDIDATES, CANDIDATE_DEPTH).states)


def possible(case: Case, pool: Candidates, draw: random.Random) -> Iterator[dict[str, Any]]:
    """Operands after the call, real or not: another state with the real result, another result, and both."""
    call, real = case.call, case.done.after
    yield real
    if call.routine.is_constructor:
        for state in pool.near(real["self"], draw) + pool.states[:CALLS]:
            yield replaced(case, "self", state)
        return
    results = list(possible_results(case, pool))
    for result in results:
        yield {**real, "result": result}
    if call.routine.is_query:
        return
    assert call.state is not None
    states = [*pool.near(real["self"], draw), call.state]
    for state in states:
        yield replaced(case, "self", state)
    for name in others(call):
        for state in [pickle.dumps(case.moment.before[name]), *pool.near(real[name], draw)[-ANY:]]:
            yield replaced(case, name, state)
    for _ in range(PAIRS):
        yield {**replaced(case, "self", draw.choice(states)), "result": draw.choice(results)}


def others(call: Call) -> list[str]:
    """The parameters that are objects of their own."""
    named = zip(call.routine.parameters, call.arguments, strict=True)
    return [name for name, value in named if isinstance(value, Other) and value.state is not ALIAS]


def replaced(case: Case, slot: str, state: State) -> dict[str, Any]:
    """The objects after the call with another state in one slot, and wherever that is the same object."""
    real, value = case.done.after, pickle.loads(state)
    return {name: value if known is real[slot] else known for name, known in real.items()}


def possible_results(case: Case, pool: Candidates) -> Iterator[Any]:
    real = case.done.after
    yield from RESULTS
    yield from (value for name, value in real.items() if name != "result")
    yield pickle.loads(pickle.dumps(real["self"]))
    yield from map(pickle.loads, pool.states[:4])
    yield from neighbours(real["result"])


def neighbours(result: Any) -> Iterator[Any]:
    if isinstance(result, int):
        yield from (result - 1, result + 1, -result)
    elif isinstance(result, list):
        yield from (result[:-1], result[::-1], [*result, *result[:1]], [*result, 0])
    yield result


class Premises:
    """Clauses that must all hold; the one that failed last is asked first."""

    def __init__(self, clauses: list[Clause]) -> None:
        self.clauses = list(clauses)

    def hold(self, moment: Moment) -> bool:
        for index, clause in enumerate(self.clauses):
            if not clause.holds(moment):
                self.clauses.insert(0, self.clauses.pop(index))
                return False
        return True


def sampled(cases: list[Case], draw: random.Random) -> list[Case]:
    """Some of them, in their order."""
    return [cases[index] for index in sorted(draw.sample(range(len(cases)), min(CALLS, len(cases))))]


def allowed(
    examined: Examined, routine: str, clauses: list[Clause], pool: Candidates, *, is_annotated: bool = False
) -> Iterator[tuple[Case, Moment]]:
    """What could be after passing calls as far as the clauses go; with each, the call as it really was.

    `is_annotated`: the result has the type that it is annotated with."""
    returns = examined.specification.routines[routine].returns
    draw, premises = random.Random(routine), Premises(clauses)
    for case in sampled(examined.passing(routine), draw):
        for after in possible(case, pool, draw):
            moment = Moment(case.moment.before, after)
            if is_annotated and not is_typed(after["result"], returns):
                continue
            if premises.hold(moment):
                yield case, moment


def allowed_outcomes(examined: Examined, routine: str, clauses: list[Clause]) -> Iterator[tuple[Case, Moment]]:
    """The same for exceptions, or none, of every call."""
    specification, premises = examined.specification, Premises(clauses)
    names = sorted({name for known in specification.raises for name in specification.exceptions(known)})
    outcomes = [(), *(tuple(cls.__name__ for cls in getattr(builtins, name).__mro__) for name in names)]
    for case in examined.cases[routine]:
        for raised in outcomes:
            moment = Moment(case.moment.before, case.done.after, raised)
            if premises.hold(moment):
                yield case, moment


def not_implied(allowed: Iterator[tuple[Case, Moment]], goals: list[Clause]) -> dict[str, tuple[Case, Moment]]:
    """The goals that do not follow, by text, each with what is allowed and should not be."""
    left, missing = list(goals), {}
    for case, moment in allowed:
        for goal in list(left):
            if not goal.holds(moment):
                left.remove(goal)
                missing[goal.text] = (case, moment)
        if not left:
            break
    return missing


def incomplete(examined: Examined, pool: Candidates) -> Iterator[str]:
    """Where a specification leaves open what is after a call."""
    specification = examined.specification
    for name, routine in specification.routines.items():
        clauses = specification.ensures.get(name, [])
        slots = [slot for slot in ("self", *others_of(routine.parameters, specification)) if clauses]
        for case, moment in allowed(examined, name, clauses, pool, is_annotated=True) if clauses else ():
            real = case.done.after
            wrong = [slot for slot in slots if differs(specification, moment.after[slot], real[slot])]
            if routine.returns is not type(None) and differs(specification, moment.after["result"], real["result"]):
                wrong.append("result")
            if wrong:
                allows = specification.shown(dict(moment.after))
                yield f"{name} leaves open {wrong[0]}: {allows}; {examined.example(case)}"
                break


def is_typed(value: Any, annotation: Any) -> bool:
    kind = annotation if isinstance(annotation, type) else get_origin(annotation)
    return annotation is type(None) or not isinstance(kind, type) or type(value) is kind


def others_of(parameters: dict[str, Any], specification: Specification) -> list[str]:
    return [name for name, annotation in parameters.items() if annotation is specification.cls]


def differs(specification: Specification, one: Any, other: Any) -> bool:
    own = [isinstance(value, specification.cls) for value in (one, other)]
    if own[0] and own[1]:
        return bool(specification.view(one) != specification.view(other))
    return own[0] != own[1] or bool(canonical(one) != canonical(other))
