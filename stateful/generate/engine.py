"""The worker's side of a session: choose a routine, draw operands, call, judge, record, again and again."""

from __future__ import annotations

import random
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from stateful.contracts import Moment
from stateful.generate.calls import Called, Caller, named
from stateful.generate.kinds import Wish, any_wishes, weights, wishes_of
from stateful.generate.operands import MISSING_OPERAND, Made, Operand, Ref, loaded
from stateful.generate.plan import Plan, targets_from
from stateful.generate.pool import Pool
from stateful.generate.recording import Recorder, length_of, stored_of
from stateful.generate.values import ORDINARY, Values
from stateful.judge import Experience
from stateful.judge.frames import Frames
from stateful.sandbox.worker import Session
from stateful.subject.discover import Live, LiveRoutine, Requirement, discover

__all__ = ["Engine", "main"]

MOST_CALLS_IN_RECIPE = 60
MOST_BYTES = 4096
RELATED = 0.2  # how often an operand is drawn from the snapshot of an earlier operand
ILL_TYPED = 0.02  # how often the type of a parameter is ignored
UNGUARDED = 0.2  # how often the written precondition is ignored: refusals teach, too
MOST_DRAWS = 8
MOST_REMEMBERED = 500
OMITTED = 0.5  # how often an optional parameter is left out
REPORT_EVERY = 0.5  # seconds
MOST_IDLE = 20_000  # after so many routines in a row without operands, there is nothing that can be called


def main(session: Session) -> None:
    """The program of a session's worker."""
    message = session.channel.receive()
    if message is None:
        return
    live = discover(targets_from(message.body["targets"]))
    session.channel.send("subject", live.described().as_json())
    Engine(session, live, Plan(**message.body["plan"]), message.body["folder"], message.body["given_up"]).run()


class Engine:
    """One session in one worker."""

    def __init__(self, session: Session, live: Live, plan: Plan, folder: str, given_up: list[str]) -> None:
        self.session = session
        self.plan = plan
        self.random = random.Random(plan.seed)
        self.pool = Pool(self.random)
        self.values = Values(self.random, live.literals)
        self.experience = Experience()
        self.recorder = Recorder(session.channel, most_passing=plan.kept)
        self.caller = Caller(session, live.routines, Frames(live.modules, folder), self.experience)
        self.routines = [r for r in live.routines.values() if r.model.name not in given_up and not r.model.helper]
        self.helpers = {r.cls: r for r in live.routines.values() if r.model.kind == "constructor" and r.cls}
        self.wishes = _all_wishes(live, [*self.helpers])
        self.own = [cls for cls in self.helpers if cls]
        self.demanding: dict[type | None, list[LiveRoutine]] = defaultdict(list)
        for routine in self.routines:
            if routine.model.has_receiver and any(
                requirement.slots == ("self",) for requirement in routine.requirements
            ):
                self.demanding[routine.cls].append(routine)
        self.satisfying: dict[str, deque[Ref]] = {}
        self.calls = 0
        self.states = 0
        self.number = 0
        self.started = time.monotonic()

    def run(self) -> None:
        """Until the time is over, or the number of calls is reached."""
        reported, idle = self.started, 0
        while not self._is_over():
            live = self.random.choice(self.routines)
            idle = 0 if self._test(live, 0) else idle + 1
            if idle > MOST_IDLE:
                break
            if self.plan.tests is None and time.monotonic() - reported > REPORT_EVERY:
                reported = time.monotonic()
                self._report()
        self._report()

    def _is_over(self) -> bool:
        if self.plan.tests is not None:
            return self.calls >= self.plan.tests
        return time.monotonic() - self.started >= self.plan.seconds

    def _report(self) -> None:
        learned = {
            f"{routine}\t{slot}": self.experience.learned(routine, slot) for routine, slot in self.experience.passed
        }
        self.session.channel.send("progress", {"calls": self.calls, "states": self.states, "learned": learned})

    def _test(self, live: LiveRoutine, depth: int) -> bool:
        """One call; False if there are no operands for it."""
        operands = self._draw_fitting(live, depth)
        if operands is None:
            return False
        self.calls += 1
        self.session.watch.tally = self.calls
        called = self.caller.call(live, operands)
        if called is None:
            return False
        passed = called.verdict.outcome == "pass"
        self.experience.note(live.model.name, called.kinds, passed=passed)
        self._absorb(called)
        return True

    def _absorb(self, called: Called) -> None:
        """Record the call; a new state after a passing call enters the pool."""
        after = called.after
        is_new = called.verdict.outcome == "pass" and after is not None and after.digest not in self.pool
        fits = is_new and after is not None and len(after.data) <= MOST_BYTES
        fits = fits and length_of(called.operands) < MOST_CALLS_IN_RECIPE and self._has_objects(called)
        fits = fits and called.well_typed
        sent = self.recorder.record(called)
        if not (is_new and fits and after is not None):
            return
        self.states += 1
        if sent is None and self.random.random() > 0.05:
            return
        if sent is None:
            self.recorder.record(called, needed=True)
        self.number += 1
        stored = stored_of(called, after, self.number)
        stored.routines = self.caller.routines
        self.session.channel.send("entry", [self.number, after.digest.hex()])
        self.pool.add(stored)
        self._remember(Ref(stored, index) for index in range(len(after.objects)))

    def _remember(self, refs: Iterable[Ref]) -> None:
        """Which routines' preconditions a new object satisfies, as far as they speak of the receiver alone."""
        for ref in refs:
            for live in self.demanding.get(ref.stored.classes[ref.index], ()):
                own = [requirement for requirement in live.requirements if requirement.slots == ("self",)]
                if self._are_true(own, ref):
                    self.satisfying.setdefault(live.model.name, deque(maxlen=MOST_REMEMBERED)).append(ref)

    def _are_true(self, requirements: list[Requirement], ref: Ref) -> bool:
        try:
            with self.session.calling(b"precondition"):
                moment = Moment({"self": loaded((ref,))[0]})
                return all(requirement.holds(moment) is True for requirement in requirements)
        except BaseException:
            return False

    def _has_objects(self, called: Called) -> bool:
        return called.after is not None and any(type(value) in self.helpers for value in called.after.objects)

    # Operands

    def _draw_fitting(self, live: LiveRoutine, depth: int) -> tuple[Operand, ...] | None:
        """Operands that satisfy the written precondition, if some tries find them; now and then any will do."""
        operands = self._draw(live, depth)
        if not live.requirements or self.random.random() < UNGUARDED:
            return operands
        for _ in range(MOST_DRAWS):
            if operands is None or self._satisfies(live, operands):
                break
            operands = self._draw(live, depth)
        return operands

    def _satisfies(self, live: LiveRoutine, operands: tuple[Operand, ...]) -> bool:
        try:
            with self.session.calling(b"precondition"):
                moment = Moment(named(live, loaded(operands)))
                return all(requirement.holds(moment) is not False for requirement in live.requirements)
        except BaseException:
            return False

    def _draw(self, live: LiveRoutine, depth: int) -> tuple[Operand, ...] | None:
        operands: list[Operand] = []
        if live.model.has_receiver:
            receiver = self._receiver(live, depth)
            if receiver is None:
                return None
            operands.append(receiver)
        for slot, parameter in enumerate(live.model.parameters, 1):
            if not parameter.required and self.random.random() < OMITTED:
                operands.append(MISSING_OPERAND)
                continue
            drawn = self._argument(live, slot, operands, depth)
            if drawn is None:
                return None
            operands.append(drawn)
        return tuple(operands)

    def _receiver(self, live: LiveRoutine, depth: int) -> Ref | None:
        """An object that is known to satisfy the written precondition, if there is one, or any object."""
        known = self.satisfying.get(live.model.name)
        if known and self.random.random() > UNGUARDED:
            drawn = [self.random.choice(known) for _ in range(3)]
            return min(drawn, key=lambda ref: ref.stored.calls)
        return self._object(live.cls, [], depth) if live.cls else None

    def _argument(self, live: LiveRoutine, slot: int, operands: list[Operand], depth: int) -> Operand | None:
        wishes = self.wishes[live.model.name, slot]
        if self.random.random() < ILL_TYPED:
            return Made.of(self.values.literal(self.random.choice(ORDINARY)))
        choices = weights(wishes, live.model.name, slot, self.experience)
        for _ in range(3):
            wish: Wish = self.random.choices([w for w, _ in choices], [weight for _, weight in choices])[0]
            if isinstance(wish, str):
                return Made.of(self.values.literal(wish))
            found = self._object(wish, operands, depth)
            if found is not None:
                return found
        return None

    def _object(self, cls: type, operands: list[Operand], depth: int) -> Ref | None:
        """An object of the class: related to an earlier operand, from the pool, or made now."""
        others = [operand for operand in operands if isinstance(operand, Ref)]
        if others and self.random.random() < RELATED:
            relative = self.pool.relative(self.random.choice(others), cls)
            if relative is not None:
                return relative
        if not self.pool.has(cls) and depth < 3:
            makers = [helper for made, helper in self.helpers.items() if made and issubclass(made, cls)]
            if makers:
                self._test(self.random.choice(makers), depth + 1)
        return self.pool.draw(cls)


def _all_wishes(live: Live, classes: list[Any]) -> Mapping[tuple[str, int], list[Wish]]:
    """For each parameter what it wants."""
    known = {cls: None for cls in classes if cls}
    found = {}
    for routine in live.routines.values():
        for slot, parameter in enumerate(routine.model.parameters, 1):
            wishes = wishes_of(routine.hints.get(parameter.name), known)
            found[routine.model.name, slot] = wishes or any_wishes([routine.cls] if routine.cls else [])
    return found
