"""Is an inferred clause true of small states? Its routine is called on what a few calls with small arguments make.

It imports and calls the subject without a sandbox, and prints nothing:

    python benchmarks/validation.py REQUEST.json ANSWER.json
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import json
import random
import re
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from stateful.contracts import Moment, compiled, parse
from stateful.contracts import nodes as n
from stateful.contracts.evaluate import is_atom
from stateful.infer.columns import ANNOTATED
from stateful.judge.frames import Frames
from stateful.judge.lawbook import LawBook
from stateful.judge.outcome import is_raised
from stateful.sandbox.worker import DeadlineReached
from stateful.subject.discover import LiveRoutine, class_name, discover
from stateful.subject.program import invoke, literal_value
from stateful.subject.snapshots import dump, load
from stateful.subject.target import parse_target

ILL_TYPED = frozenset(("TypeError", "AttributeError"))
"""What calls with arguments of a wrong type raise: they say nothing of when another exception is raised."""


class Claim(NamedTuple):
    """An inferred clause; it is known by this in every database."""

    routine: str
    kind: str
    text: str


def raised_in(expression: n.Expr) -> set[str]:
    """The exceptions that a clause speaks of."""
    return {part.name for part in n.walk(expression) if isinstance(part, n.Raises)}


# What the arguments are

SMALL: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "-1"), "bool": ("False", "True"), "str": ("'a'", "'ab'"), "NoneType": ("None",),
    "float": ("1.0",), "bytes": ("b'a'",), "range": ("range(2)",), "slice": ("slice(0, 1)", "slice(None, None)"),
    "list": ("[]", "[1]", "[2, 0]"), "tuple": ("()", "(1, 2)"), "set": ("set()", "{1, 2}"),
    "frozenset": ("frozenset()", "frozenset({1, 2})"), "dict": ("{}", "{1: 0}"), "list[str]": ("['a']",),
    "dict[str, int]": ("{'a': 1}",), "set[str]": ("{'a'}",), "list[tuple[int]]": ("[(0, 1), (2, 3)]",),
}  # fmt: skip
UNLEARNED = ("int", "str", "NoneType", "list[int]")
MISSING, ALIAS = "...", "the object itself"
MOST_STATES, DEPTH, MOST_VALUES, MOST_CALLS = 60, 3, 9, 24
EACH_DEPTH = (20, 15, 15, 10)
SECONDS_OF_CALL, MEGABYTES = 0.5, 2048
State: TypeAlias = "tuple[str, bytes]"
Argument: TypeAlias = "str | State"


def ring(*_: object) -> None:
    raise DeadlineReached


@contextmanager
def bounded(seconds: float = SECONDS_OF_CALL) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@dataclass(frozen=True)
class Call:
    """A routine and what to call it with: literals, states of objects, or the receiver once more."""

    live: LiveRoutine
    arguments: tuple[Argument, ...]

    def operands(self) -> list[Any]:
        """Fresh objects, the receiver first."""
        found: list[Any] = []
        for argument in self.arguments:
            if argument == ALIAS:
                found.append(found[0])
            else:
                found.append(literal_value(argument) if isinstance(argument, str) else load(*argument)[0])
        return found

    def named(self, operands: Sequence[Any]) -> dict[str, Any]:
        model = self.live.model
        names = model.slots if model.has_receiver else model.slots[1:]
        return {name: value for name, value in zip(names, operands, strict=True) if value is not Ellipsis}


@dataclass
class Done:
    """What became of a call; `refused` if the subject raised on purpose."""

    before: dict[str, Any]
    after: dict[str, Any]
    raised: tuple[str, ...] = ()
    refused: bool = False


@dataclass
class Rule:
    """A clause with its reading on live objects."""

    claim: Claim
    expression: n.Expr
    holds: Callable[[Moment], bool | None]
    slots: frozenset[str]
    relates: bool
    is_false: bool = False
    """Where it was refuted last: false, and not undefined."""

    @classmethod
    def of(cls, claim: Claim) -> Rule:
        expression = parse(claim.text)
        slots = frozenset(n.slots_of(expression))
        return cls(claim, expression, compiled(expression), slots, relates_times(expression))

    def is_refuted(self, done: Done) -> bool:
        """False or undefined. Copies of objects without an `==` of their own cannot be compared with the originals."""
        if not self.is_about(done) or not self.slots <= done.before.keys() | done.after.keys():
            return False
        after = done.before if self.claim.kind == "requires" else done.after
        if self.relates and any(map(holds_strangers, (*done.before.values(), *after.values()))):
            return False
        truth = self.holds(Moment(done.before, after, done.raised))
        self.is_false = truth is False
        return truth is not True

    def is_about(self, done: Done) -> bool:
        """Passing calls are judged, and of exceptional clauses refused ones, but for wrong types."""
        if not done.raised:
            return True
        ill_typed = bool(ILL_TYPED & {*done.raised}) and not ILL_TYPED & raised_in(self.expression)
        return self.claim.kind == "raises" and done.refused and not ill_typed


def relates_times(expression: n.Expr) -> bool:
    """Compares something before the call with something after it."""
    compared = [part for part in n.walk(expression) if isinstance(part, n.Comparison)]
    return any(has_old(part.left) != has_old(part.right) for part in compared)


def has_old(node: n.Expr) -> bool:
    return any(isinstance(part, n.Old) for part in n.walk(node))


def holds_strangers(value: Any, depth: int = 0) -> bool:
    """It, or something in it, is equal to itself only."""
    if is_atom(value) or depth > 2:
        return False
    items = value.values() if isinstance(value, dict) else value if hasattr(type(value), "__iter__") else ()
    if type(value).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
        return True
    return any(holds_strangers(item, depth + 1) for item in islice(items, 50))


# Exploring


@dataclass
class World:
    """The small states of the classes under test, and objects of other classes for parameters."""

    target: str
    learned: Mapping[str, list[str]]
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    states: list[State] = field(default_factory=list)
    others: dict[str, list[State]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        live = discover([parse_target(self.target)])
        self.frames = Frames(live.modules, ".")
        self.makers = [one for one in live.routines.values() if one.model.kind == "constructor"]
        self.routines = {
            name: one for name, one in live.routines.items() if not (one.model.helper or one.model.asynchronous)
        }
        self.own = {one.cls for one in live.routines.values() if one.cls}
        self.classes = {one.cls for one in self.routines.values() if one.cls}
        self.laws = LawBook(None, lambda error: is_raised(self.frames.of(error)))
        self.habits: set[str] = set()

    def explore(self, until: float) -> None:
        """Breadth first; from each depth a sample goes on."""
        for maker in self.makers:
            for call in self.some_calls(maker, None, MOST_CALLS):
                self.others[class_name(maker.cls or object)] += self.kept(self.made(call))
        frontier = [state for maker in self.makers if not maker.model.helper for state in self.others_of(maker)]
        for depth in range(DEPTH + 1):
            frontier = self.draw.sample(frontier, min(len(frontier), EACH_DEPTH[depth]))
            self.states += frontier
            known = {data for _, data in self.states}
            fresh = {}
            for state in frontier if depth < DEPTH else ():
                for live in self.routines.values() if time.monotonic() < until else ():
                    for call in self.some_calls(live, state, 4, plain=True):
                        fresh.update({kept[1]: kept for kept in self.kept(self.made(call)) if kept[1] not in known})
            frontier = list(fresh.values())
        self.learn_habits()

    def others_of(self, maker: LiveRoutine) -> list[State]:
        return list({state[1]: state for state in self.others[class_name(maker.cls or object)]}.values())

    def learn_habits(self) -> None:
        """Laws that half of the states break are no laws of the class."""
        broken = Counter(law for state in self.states for law in {*self.broken_laws([load(*state)[0]])})
        self.habits = {law for law, count in broken.items() if 2 * count >= len(self.states)}

    def broken_laws(self, objects: Sequence[Any]) -> list[str]:
        """A law whose answer never comes is not asked again."""
        found = []
        for value in objects:
            try:
                with bounded():
                    asked = type(value) in self.own
                    found += [broken.law for broken in self.laws.check(value, all_laws=True)] if asked else []
            except BaseException:
                found.append(self.laws.asked)
        return found

    def made(self, call: Call) -> Any:
        """The receiver after a call, or what was constructed; None if it does not pass."""
        done = perform(call, self.frames)
        return None if done is None or done.raised else done.after.get("self")

    def kept(self, value: Any) -> list[State]:
        """The state of an object, if it can be kept."""
        try:
            return [] if type(value) not in self.own else [dump([value])]
        except BaseException:
            return []

    def some_calls(self, live: LiveRoutine, state: State | None, most: int, *, plain: bool = False) -> list[Call]:
        """Of all calls with small arguments at most so many; on a state, if there is one."""
        model = live.model
        if model.has_receiver != (state is not None) or model.kind in ("function", "display"):
            return []
        choices = [self.values(live, slot, plain) for slot in range(1, len(model.parameters) + 1)]
        found = list(islice(product(*choices), 5000))
        self.draw.shuffle(found)
        found.sort(key=lambda arguments: arguments.count(MISSING), reverse=True)  # the fewest arguments first
        simple, rest = found[: most // 2], found[most // 2 :]
        chosen = simple + self.draw.sample(rest, min(len(rest), most - len(simple)))
        return [Call(live, (*([state] if state else []), *arguments)) for arguments in chosen]

    def values(self, live: LiveRoutine, slot: int, plain: bool) -> list[Argument]:
        """Small values of the kinds that passed and fit a plain annotation; `plain`: no objects if values will do."""
        parameter = live.model.parameters[slot - 1]
        kinds: Sequence[str] = self.learned.get(f"{live.model.name}\t{slot}") or UNLEARNED
        if parameter.annotation in ANNOTATED:
            kinds = [kind for kind in kinds if kind in ANNOTATED[parameter.annotation]]
        if plain:
            kinds = [kind for kind in kinds if kind.partition("[")[0] in SMALL] or kinds
        found: list[Argument] = [] if parameter.required else [MISSING]
        for kind in ("dict[str, int]",) if parameter.keywords else kinds:
            if ":" in kind:
                known = self.others.get(kind, [])
                found += [ALIAS] if live.cls and class_name(live.cls) == kind and live.model.has_receiver else []
                found += self.draw.sample(known, min(3, len(known)))
            else:
                found += SMALL.get(kind, SMALL.get(kind.partition("[")[0], ()))
        distinct = list(dict.fromkeys(found))
        return distinct if len(distinct) <= MOST_VALUES else self.draw.sample(distinct, MOST_VALUES)

    def calls(self) -> Iterator[Call]:
        """All routines by turns, each on all states in some order."""
        turns = []
        for live in self.routines.values():
            states = self.states if live.model.has_receiver else [None]
            made = [call for state in states for call in self.some_calls(live, state, MOST_CALLS)]
            self.draw.shuffle(made)
            turns.append(made)
        return (call for turn in zip_longest(*turns) for call in turn if call is not None)


def perform(call: Call, frames: Frames) -> Done | None:
    """None if it hangs, or its operands cannot be made."""
    try:
        with bounded():
            before, operands = call.named(call.operands()), call.operands()
            required = call.live.precondition
            if required is not None and required(before) is False:
                return None
            try:
                result = invoke(call.live.model, call.live.function, operands)
            except Exception as error:
                raised = tuple(cls.__name__ for cls in type(error).__mro__[:-1])
                return Done(before, call.named(operands), raised, is_raised(frames.of(error)))
            made = {"self": result} if call.live.model.kind == "constructor" else {}
            return Done(before, {**call.named(operands), **made, "result": result})
    except BaseException:
        return None


@dataclass
class Judge:
    """Tries the clauses on small calls, until each is refuted or the time is over."""

    world: World
    rules: dict[str, list[Rule]]
    refuted: list[tuple[Claim, str, bool]] = field(default_factory=list)
    calls: int = 0

    def judge(self, until: float) -> Iterator[None]:
        for call in self.world.calls():
            if time.monotonic() > until or not any(self.rules.values()):
                return
            failing = self.failing(call, self.rules.get(call.live.model.name, []))
            for rule in failing if failing and self.is_lawful(call) else ():
                if self.failing(call, [rule]):  # alone on fresh objects, too
                    self.rules[rule.claim.routine].remove(rule)
                    self.refuted.append((rule.claim, shown(call, perform(call, self.world.frames)), rule.is_false))
            self.calls += 1
            yield

    def failing(self, call: Call, rules: Sequence[Rule]) -> list[Rule]:
        done = perform(call, self.world.frames) if rules else None
        if done is None:
            return []
        found = []
        for rule in rules:
            try:
                with bounded():
                    found += [rule] if rule.is_refuted(done) else []
            except BaseException:  # it takes too long: nothing is known
                continue
        return found

    def is_lawful(self, call: Call) -> bool:
        """The objects after the call are as their class wants them: else it is a fault."""
        done = perform(call, self.world.frames)
        return done is not None and set(self.world.broken_laws([*done.after.values()])) <= self.world.habits


def shown(call: Call, done: Done | None) -> str:
    """The call for people to read."""
    if done is None:
        return call.live.model.name
    told = [f"{name}={short(value)}" for name, value in done.before.items()]
    after = done.raised[0] if done.raised else short(done.after.get("result"))
    receiver = f", self={short(done.after['self'])}" if "self" in done.before else ""
    return f"{call.live.model.name.rpartition(':')[2]}({', '.join(told)}) -> {after}{receiver}"


def short(value: Any) -> str:
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:120]
    except Exception:
        return f"<{type(value).__name__}>"


def main(request: str, answer: str) -> None:
    signal.signal(signal.SIGALRM, ring)
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    asked, until = json.loads(Path(request).read_text()), time.monotonic()
    world = World(asked["target"], asked["learned"])
    world.explore(until + asked["seconds"] / 3)
    rules: dict[str, list[Rule]] = defaultdict(list)
    for row in asked["claims"]:
        rules[row[0]].append(Rule.of(Claim(*row)))
    judge, written = Judge(world, rules), 0.0
    for _ in judge.judge(until + asked["seconds"]):
        if time.monotonic() > written + 1:  # what is found is kept, should a call kill us
            written = time.monotonic()
            write(answer, judge)
    write(answer, judge)


def write(answer: str, judge: Judge) -> None:
    found = {"states": len(judge.world.states), "calls": judge.calls, "refuted": judge.refuted}
    Path(answer + ".new").write_text(json.dumps(found))
    Path(answer + ".new").replace(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
