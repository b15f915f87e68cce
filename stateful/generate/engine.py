"""The worker's side of a session: the strategy chooses, the engine calls, judges and records, again and again."""

from __future__ import annotations

import ast
import gc
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from stateful.contracts import Moment
from stateful.generate.calls import Called, Caller
from stateful.generate.clock import Clock
from stateful.generate.drawing import Drawer, Drawn
from stateful.generate.growth import Growth
from stateful.generate.holding import holders_of, values_in
from stateful.generate.kept import Kept
from stateful.generate.operands import Made, Operand, Ref, Stored, loaded
from stateful.generate.patience import Patience
from stateful.generate.plan import TRACE, Plan, targets_from
from stateful.generate.pool import Pool
from stateful.generate.recording import Recorder, length_of, stored_of
from stateful.generate.seeding import run_examples, run_seeds
from stateful.generate.shape import shape_of
from stateful.generate.strategies import strategy_for
from stateful.generate.trace import TraceWriter
from stateful.generate.tracing import Tracer
from stateful.generate.values import Values, atoms_in, made_of
from stateful.judge import Experience
from stateful.judge.frames import Frames
from stateful.sandbox.memory import is_nearly_full
from stateful.sandbox.worker import Session
from stateful.subject.discover import Live, LiveRoutine, Requirement, bring, discover
from stateful.subject.program import ITERATING

__all__ = ["Engine", "main"]

MOST_CALLS_IN_RECIPE = 60
MOST_BYTES = 4096
MOST_IDLE = 20_000  # after so many routines in a row without operands, there is nothing that can be called
MOST_STATES = 300_000  # remembered, to tell new ones
POOL_GROWTH = 400  # all of a pool's first states enter it, then ever fewer, so that it grows by the logarithm ...
LEAST_GROWTH = 30  # ... and later pools less: what enters is recorded, and a session must not grow with its length
REPEATING_POOLS = 30  # repeat calls as often as the strategy wants, later ones ever more seldom, for the same reason
PREPARING = 0.25  # of the time at most goes into examples and what an older version was called with
EACH = 0.25  # seconds between two looks at the clock for what is done now and then
TOLD_EACH = 1.0  # seconds between two reports of what was learned
TRACED_EACH = 30  # calls that are repeated for coverage each time, when time is counted in calls
LARGEST_STEP = 200  # bytes by which one call may make a record: a long argument is none
CARRYING = 0.2  # of the calls on an object that others hold
TRIALS = 10  # calls of a function that might build objects, before it has built one


def main(session: Session) -> None:
    """The program of a session's worker."""
    message = session.channel.receive()
    if message is None:
        return
    plan = Plan(**message.body["plan"])
    tracer = Tracer(random.Random(plan.seed)) if plan.coverage else None
    targets = targets_from(message.body["targets"])
    if tracer:
        tracer.imported(lambda: bring(targets))
    live = discover(targets)
    if tracer:
        tracer.watch(live.files)
    session.channel.send("subject", live.described().as_json())
    session.channel.hold(session.watch.outbox)
    Engine(session, live, plan, message.body["folder"], message.body["given_up"], tracer).run()


class Engine:
    """One session in one worker."""

    def __init__(
        self, session: Session, live: Live, plan: Plan, folder: str, given_up: list[str], tracer: Tracer | None = None
    ) -> None:
        self.session = session
        self.plan = plan
        self.clock = Clock(counting=plan.tests is not None)
        self.random = random.Random(plan.seed)
        self.tracer = tracer
        self.experience = Experience.from_json(plan.experience)
        self.recorder = Recorder(session.channel, live.routines, most_passing=plan.kept)
        self.caller = Caller(session, live, Frames(live.modules, folder), self.experience, plan.laws)
        usable = [routine for name, routine in live.routines.items() if name not in given_up]
        left = replace(live, routines={routine.model.name: routine for routine in usable})
        self.routines = [routine for routine in usable if not routine.model.helper]
        self.trials = [routine for routine in usable if _may_build(routine)]
        values = Values(self.random, live.literals, map(ast.literal_eval, plan.values), live.vocabulary.names)
        self.drawer = Drawer(self.random, left, values, session, self.make)
        self.counts: Counter[str] = Counter()
        self.growth = Growth(session)
        self.patience = Patience(self.random, len(self.routines))
        self.wanted = {*live.classes, *self.drawer.makers}
        self.demanding = _demanding(self.routines)
        self.seen: set[bytes] = set()
        self.trace = TraceWriter(Path(TRACE).absolute()) if plan.traced else None
        self.states = 0
        self.number = 0
        self.told = 0.0
        self.looked = 0.0
        self.furniture: list[Stored] = []
        self.pools = 0
        self.restarting = False
        self.strategy = strategy_for(plan.strategy, plan.settings, self)
        run_examples(self.random.sample(live.examples, len(live.examples)), left, self)
        run_seeds(plan.seeds, left.routines, self)

    # The loop

    def run(self) -> None:
        """Until the time is over, or the number of calls is reached, or the strategy wants a fresh start."""
        try:
            idle = self._loop()
        except MemoryError:  # what calls left behind fills this process; another one goes on
            idle = 0
            gc.collect()
        self._look(last=True)
        if self.trace is not None:
            self.trace.flush()
        if not self.routines or idle > MOST_IDLE:
            self.session.channel.send("idle")

    def _loop(self) -> int:
        """Gives how often in a row, at the end, there was nothing that could be called."""
        idle = 0
        while self.routines and not (self._is_over() or self.restarting or idle > MOST_IDLE):
            if self.trials and self.random.random() < 0.02:
                self._try_to_build()
            idle = 0 if self.strategy.step() else idle + 1
            self._look_now_and_then()
        return idle

    def _look_now_and_then(self) -> None:
        if self.now() - self.looked > EACH:
            self.looked = self.now()
            self._look()

    def now(self) -> float:
        return self.clock.now()

    def prepares(self) -> bool:
        """There is time for more examples and seeds: random calls come after them, and want most of it."""
        self._look_now_and_then()
        return self.plan.tests is not None or self.now() < PREPARING * self.plan.seconds

    @property
    def measures(self) -> bool:
        return self.tracer is not None

    def restart(self) -> None:
        """Ask for a new process."""
        self.restarting = True

    def _is_over(self) -> bool:
        if self.plan.tests is not None:
            return self.clock.calls >= self.plan.tests
        return self.now() >= self.plan.seconds

    def _look(self, *, last: bool = False) -> None:
        """What is done now and then: repeat new calls with the tracer on, and report."""
        covered = None
        if self.tracer is not None:
            self.tracer.slice(self.caller, TRACED_EACH if self.clock.counting else None, self.now())
            covered = self.tracer.report(self.now(), last=last)
        tells = last or self.now() - self.told > TOLD_EACH
        self.told = self.now() if tells else self.told
        self.session.channel.send("progress", {
            "calls": self.clock.calls, "states": self.states, "covered": covered,
            "changed": list(self.caller.world.changed), "iterating": sorted(ITERATING),
            "experience": self.experience.as_json() if tells else None,
            "laws": self.caller.laws.as_json() if tells else None,
        })  # fmt: skip
        self.session.channel.flush()

    def _try_to_build(self) -> None:
        """Call a function of the package that may be what builds the objects that are wanted."""
        live = self.random.choice(self.trials)
        self.make(live, self.strategy.pool, 1, None)
        if self.counts[live.model.name] >= TRIALS:
            self.trials.remove(live)

    # What strategies use

    def make(self, live: LiveRoutine, pool: Pool, depth: int, drawn: Drawn | None) -> Stored | None:
        """Call a routine for the object that it builds; on these operands, if they are given."""
        drawn = drawn or self.drawer.draw(live, pool, depth)
        called = self.call(live, drawn) if drawn else None
        return self.keep(called, pool) if called else None

    def is_tiring(self, live: LiveRoutine) -> bool:
        """Its calls cost too much: leave it out, mostly."""
        return self.patience.is_over(live.model.name)

    def call(self, live: LiveRoutine, drawn: Drawn) -> Called | None:
        """One call; None if its operands cannot be loaded, or if all calls were made."""
        if self.plan.tests is not None and self.clock.calls >= self.plan.tests:
            return None
        self.clock.calls += 1
        self.counts[live.model.name] += 1
        self.session.watch.tally = self.clock.calls
        began = self.now()
        called = self.caller.call(live, drawn.operands, self._companions(drawn.operands))
        self.session.channel.check()
        if called is None:
            return None
        if self.trace is not None:
            self.trace.note(called)
        passed = called.verdict.outcome == "pass"
        called.seconds = self.now() - began
        self.patience.note(live.model.name, called.seconds, hung=called.verdict.outcome == "hang")
        if isinstance(called.error, MemoryError) and is_nearly_full():
            self.restart()  # what it left behind fills this process
        self.experience.note(live.model.name, called.kinds, passed=passed)
        self.drawer.learn(live, drawn, passed=passed)
        if passed and not live.model.has_receiver and live.makes is None:
            self._learn_maker(live, called.result_class)
        return called

    def _companions(self, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Now and then an object that holds an operand is carried along, and sees what the call does."""
        taken = {(one.stored.number, one.index) for one in operands if isinstance(one, Ref)}
        free = [
            Ref(one.stored, index)
            for one in operands
            if isinstance(one, Ref) and one.stored.holders
            for index in one.stored.holders.get(one.index, ())
            if (one.stored.number, index) not in taken
        ]
        return (self.random.choice(free),) if free and self.random.random() < CARRYING else ()

    def _learn_maker(self, live: LiveRoutine, made: type | None) -> None:
        if made is not None and made in self.wanted and live.model.kind != "display":
            self.drawer.makes(live, made)

    def keep(self, called: Called, pool: Pool, *, certainly: bool = False) -> Stored | None:
        """Record the call; a new state after a passing call may enter the pool, or has to if it is `certainly` kept.

        Gives the pool's entry for the state after the call, if there is one."""
        self.recorder.since = self.plan.since + self.now()
        after = self._new_state(called, pool)
        stored = None
        if after is not None and (certainly or self._may_enter(called, after, pool)):
            self.number += 1
            stored = stored_of(called, after, self.number)
            stored.atoms = self._known(called, after)
            stored.holders = holders_of(after.objects, self.wanted)
            stored.shapes = {i: shape_of(one) for i, one in enumerate(after.objects) if type(one) in self.wanted}
        self.recorder.record(called, needed=stored is not None, share=self._share())
        if stored is not None:
            self._store(stored, pool)
        if self.tracer is not None:
            self.tracer.offer(called, pool)
        if stored is None and called.after is not None and called.verdict.outcome == "pass":
            return pool.entries.get(called.after.digest)
        return stored

    def _known(self, called: Called, after: Kept) -> tuple[Made, ...]:
        """The plain values that an object of the state may know: what the call gave, what was passed on the way, and
        what its objects hold; each once."""
        index = after.operands[len(called.routine.model.parameters) + 1]
        given = [] if index is None else [after.objects[index]]
        try:
            result = [made_of(repr(value), value) for one in given for value in values_in(one, ())]
            held = [made_of(repr(each), each) for one in after.objects for each in values_in(one, self.wanted)]
        except Exception:  # an object whose attributes cannot be read
            result, held = [], []
        found: dict[str, Made] = {}
        for atom in (*result, *_passed(called.operands), *held):
            found.setdefault(atom.text, atom)
        return tuple(found.values())[:MOST_ATOMS]

    def _share(self) -> float:
        """How much of the session is over, with what workers before this one did of it."""
        if self.plan.tests is not None:
            return (self.plan.calls + self.clock.calls) / (self.plan.calls + self.plan.tests)
        whole = self.plan.since + self.plan.seconds
        return (self.plan.since + self.now()) / whole if whole else 1.0

    def _may_enter(self, called: Called, after: Kept, pool: Pool) -> bool:
        """By lot, ever more seldom; but always what holds more than all of its kind so far: containers get filled."""
        kind = called.routine.cls or called.result_class
        size = len(after.data)
        if called.changed and size > pool.largest.get(kind, 0) and size - len(called.before.data) < LARGEST_STEP:
            pool.largest[kind] = size
            return True
        return self.random.random() * pool.met < pool.growth

    def _new_state(self, called: Called, pool: Pool) -> Kept | None:
        """The state after the call, if it is fit for the pool and not in it."""
        after = called.after
        if called.verdict.outcome != "pass" or after is None or after.digest in pool:
            return None
        wanted = called.result_class in self.wanted or called.routine.model.kind == "display"
        if called.changed is False and not wanted:
            return None
        if after.digest not in self.seen:
            if len(self.seen) > MOST_STATES:
                self.seen.clear()
            self.seen.add(after.digest)
            self.states += 1
        if len(after.data) > MOST_BYTES or length_of(called.operands) >= MOST_CALLS_IN_RECIPE or not called.well_typed:
            return None
        pool.met += 1
        return after

    def _store(self, stored: Stored, pool: Pool) -> None:
        stored.routines = self.caller.routines
        self.session.channel.send("entry", [stored.number, stored.digest.hex()])
        pool.add(stored)
        for index, cls in enumerate(stored.classes):
            for live in self.demanding.get(cls, ()):
                if self._is_fit(live, Ref(stored, index)):
                    pool.satisfies(live.model.name, Ref(stored, index))

    def furnish(self, pool: Pool) -> Pool:
        """A new pool begins with what the examples built; each grows less than those before it."""
        self.pools += 1
        pool.growth = max(LEAST_GROWTH, POOL_GROWTH / math.sqrt(self.pools))
        pool.repeating = min(1.0, REPEATING_POOLS / self.pools)
        for stored in self.furniture:
            pool.add(stored)
        return pool

    def _is_fit(self, live: LiveRoutine, ref: Ref) -> bool:
        """The object satisfies the routine's written precondition, as far as that speaks of the receiver alone."""
        try:
            with self.session.calling(b"precondition"):
                moment = Moment({"self": loaded((ref,))[0]})
                return all(requirement.holds(moment) is True for requirement in _own(live))
        except BaseException:
            return False


def _passed(operands: tuple[Operand, ...]) -> Iterator[Made]:
    """The plain values among the operands, and what was known of them; the last ones first."""
    for operand in reversed(operands):
        yield from atoms_in(operand) if isinstance(operand, Made) else operand.stored.atoms


MOST_ATOMS = 16


def _own(live: LiveRoutine) -> list[Requirement]:
    return [requirement for requirement in live.requirements if requirement.slots == ("self",)]


def _demanding(routines: list[LiveRoutine]) -> dict[type | None, list[LiveRoutine]]:
    """For each class the routines with a written precondition about the receiver alone."""
    found: dict[type | None, list[LiveRoutine]] = {}
    for live in routines:
        if live.model.has_receiver and _own(live):
            found.setdefault(live.cls, []).append(live)
    return found


def _may_build(live: LiveRoutine) -> bool:
    return live.model.helper and live.model.kind == "function" and live.makes is None
