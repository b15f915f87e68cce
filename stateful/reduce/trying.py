"""The worker's side of reduction: load the operands, check the negation on them, call, judge."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from stateful.contracts import Moment, compiled, parse
from stateful.contracts import nodes as n
from stateful.contracts.evaluate import is_atom, valued
from stateful.generate.calls import Called, Caller, named
from stateful.generate.holding import values_in
from stateful.generate.kept import Kept
from stateful.generate.operands import LacksRecipe, Made, Operand, Recipe, Ref, Stored, load_snapshot, loaded
from stateful.generate.plan import targets_from
from stateful.generate.recording import Recorder, stored_of
from stateful.judge import Experience
from stateful.judge.faults import ILL_TYPED
from stateful.judge.frames import Frames
from stateful.judge.kinds import contradiction
from stateful.sandbox.worker import Session
from stateful.subject.discover import Live, LiveRoutine, discover
from stateful.subject.program import Program, argument_from

__all__ = ["main"]


def main(session: Session) -> None:
    """Answer every 'try' message with what happened."""
    message = session.channel.receive()
    if message is None:
        return
    plan = message.body
    trying = _Trying(session, discover(targets_from(plan["targets"])), plan)
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        if message.kind == "snapshot":
            trying.keep(message.body, message.blobs[0])
        elif message.kind == "recipe":
            trying.learn(message.body)
        elif message.kind == "look":
            session.channel.send("looked", trying.look(message.body))
        elif message.kind == "relate":
            session.channel.send("related", trying.relate(message.body))
        elif message.kind == "solve":
            session.channel.send("solved", trying.solve(message.body))
        else:
            session.channel.send("tried", trying.attempt(message.body))


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[[Moment], bool | None]:
    return compiled(parse(text))


@lru_cache(maxsize=4096)
def _valued(text: str) -> Callable[[Moment], Any]:
    return valued(parse(text))


def _is_literal(value: Any) -> bool:
    """Whether its repr makes it again."""
    if type(value) is tuple:
        return all(map(_is_literal, value))
    return type(value) in LITERAL and value == value and abs(value if type(value) is float else 0) < math.inf


LITERAL = (int, bool, str, bytes, float, type(None))


def _satisfies(objects: Mapping[str, Any], violated: list[str], required: list[str]) -> bool:
    """Everything required is true, and nothing of the negation is false."""
    moment = Moment(objects)
    if not all(_compiled(text)(moment) is True for text in required):
        return False
    return all(_compiled(text)(moment) is not False for text in violated)


@lru_cache(maxsize=4096)
def _speaks_of(text: str) -> frozenset[str]:
    return frozenset(n.slots_of(parse(text)))


@lru_cache(maxsize=4096)
def _is_about_identity(text: str) -> bool:
    """`x is y`, `type(x) is type(y)`, `isinstance(x, C)`."""
    parts = n.walk(parse(text))
    return any(isinstance(p, n.IsInstance) or (isinstance(p, n.Comparison) and p.operator in IDENTITY) for p in parts)


IDENTITY = ("is", "is not")


@lru_cache(maxsize=4096)
def _relates_times(text: str) -> bool:
    """Compares something before the call with something after it."""
    comparisons = [
        part for part in n.walk(parse(text)) if isinstance(part, n.Comparison) and part.operator in RELATIONS
    ]
    return any(_has_old(part.left) != _has_old(part.right) for part in comparisons)


RELATIONS = ("==", "!=", "in", "not in")


def _has_old(node: n.Expr) -> bool:
    return any(isinstance(part, n.Old) for part in n.walk(node))


def _holds_strangers(value: Any, depth: int = 0) -> bool:
    """Iterating gives objects that are equal to themselves only."""
    if is_atom(value) or depth > 2 or not hasattr(type(value), "__iter__"):
        return not is_atom(value) and depth > 0 and type(value).__eq__ is object.__eq__  # type: ignore[comparison-overlap]
    return any(_holds_strangers(item, depth + 1) for item in islice(value, MOST_LOOKED_AT))


MOST_LOOKED_AT = 100


def _held_by(value: Any) -> Iterator[Any]:
    """The items of a container, and the plain values that an object's attributes hold."""
    if hasattr(type(value), "__iter__"):
        yield from islice(value, MOST_LOOKED_AT)
    if type(value).__module__ != "builtins":
        yield from values_in(value, (type(value),))


Times: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""The operands by name, before a call and after it."""
MOST_SOLUTIONS = 3
Found = TypeVar("Found")


class _Trying:
    def __init__(self, session: Session, live: Live, plan: dict[str, Any]) -> None:
        self.session = session
        self.routines = live.routines
        self.stored: dict[int, Stored] = {}
        self.number = 0
        experience = Experience()
        for place, kinds in plan["learned"].items():
            routine, _, slot = place.partition("\t")
            experience.passed[routine, int(slot)] = Counter(dict.fromkeys(kinds, 1))
        self.experience = experience
        self.caller = Caller(session, live, Frames(live.modules, plan["folder"]), experience, plan["laws"])
        self.recorder = Recorder(session.channel, live.routines)

    def keep(self, body: dict[str, Any], data: bytes) -> None:
        """A snapshot of the database that operands will be taken from."""
        digest = bytes.fromhex(body["digest"])
        stored = Stored(body["id"], digest, body["codec"], data, (), None, body["calls"])
        stored.routines = self.routines
        self.stored[body["id"]] = stored

    def learn(self, body: dict[str, Any]) -> None:
        """How those objects of a snapshot are built that the next call takes."""
        places = {index: argument_from(place) for index, place in body["places"]}
        self.stored[body["id"]].recipe = Recipe(Program.from_json(body["steps"]), places)

    def look(self, body: dict[str, Any]) -> list[str] | None:
        """The reprs of objects that satisfy everything that is wanted; those of one snapshot are loaded together."""
        try:
            with self.session.calling(b"look"):
                states = {snapshot: self.stored[snapshot].load() for _, snapshot, _ in body["objects"]}
                values = {name: states[snapshot][index] for name, snapshot, index in body["objects"]}
                if not all(_compiled(text)(Moment(values)) is True for text in body["wanted"]):
                    return None
                return [repr(value)[:2000] for value in values.values()]
        except BaseException:
            return None

    def relate(self, body: dict[str, Any]) -> list[bool]:
        """For each tuple of objects whether they satisfy what is wanted; nothing of the negation may be false.

        Each state is loaded once: what is called is checked again, on objects that nothing was asked yet."""
        states: dict[int, list[Any]] = {}
        return _each(body, lambda item: self._related(body, item, states), False)

    def _related(self, body: dict[str, Any], item: list[list[int]], states: dict[int, list[Any]]) -> bool:
        try:
            with self.session.calling(b"relate"):
                objects = self._objects_at(body["names"], item, states)
                return _satisfies(objects, body["violated"], body["required"])
        except BaseException:
            return False

    def solve(self, body: dict[str, Any]) -> list[list[str]]:
        """For each tuple of objects some values of a term, or of its items, as literals: those with which the objects
        are what is wanted. One that contradicts its annotation would be called in vain."""
        return _each(body, lambda item: self._solutions(body, item), [])

    def _solutions(self, body: dict[str, Any], item: list[list[int]]) -> list[str]:
        solutions: list[str] = []
        with suppress(BaseException), self.session.calling(b"solve"):  # what was found before it ended is as good
            objects = self._objects_at(body["names"], item, {})
            found = _valued(body["term"])(Moment(objects))
            several = _held_by(found) if body["each"] else [found]
            for value in {repr(one): one for one in several if _is_literal(one)}.values():
                if self._solves(body, objects, value):
                    solutions.append(repr(value))
                if len(solutions) == MOST_SOLUTIONS:
                    break
        return solutions

    def _solves(self, body: dict[str, Any], objects: Mapping[str, Any], value: object) -> bool:
        live, given = self.routines.get(body["routine"]), {body["slot"]: value}
        if live is not None and not any(map(_is_about_identity, body["violated"])):
            values = [given.get(name, ...) for name in live.model.slots]
            if contradiction(live.model, values, live.expected):
                return False
        return _satisfies({**objects, **given}, body["violated"], body["required"])

    def _objects_at(self, names: Sequence[str], item: list[list[int]], states: dict[int, list[Any]]) -> dict[str, Any]:
        for snapshot, _ in item:
            if snapshot not in states:
                states[snapshot] = self.stored[snapshot].load()
        return {name: states[snapshot][index] for name, (snapshot, index) in zip(names, item, strict=True)}

    def attempt(self, body: dict[str, Any]) -> dict[str, Any]:
        """One attempt: perhaps a transition, then the check, then the call.

        What it leaves behind may be kept as calls only: then the answer is that the recipes of operands are lacking."""
        try:
            return self._attempted(body)
        except LacksRecipe:
            violates = not body["first"]  # else it may be a first call that lacks them: nobody knows
            return {"violates": violates, "outcome": None, "lacks": True}

    def _attempted(self, body: dict[str, Any]) -> dict[str, Any]:
        self.recorder.found_by = body["found_by"]
        live = self.routines.get(body["routine"])
        if live is None:  # it was renamed or removed since
            return {"violates": False, "outcome": None}
        operands = tuple(self._operand(item) for item in body["operands"])
        for first in body["first"]:
            then = self._after_first(first, operands)
            if then is None:
                return {"violates": False, "outcome": None}
            operands = then
        if not self._holds(live, operands, body["violated"], body["required"]):
            return {"violates": False, "outcome": None}
        called = self.caller.call(live, operands)
        if called is None:
            return {"violates": True, "outcome": None}
        return self._reported(called, body["clauses"])

    def _operand(self, item: list[Any]) -> Operand:
        return Made.of(item[1]) if item[0] == "literal" else Ref(self.stored[item[1]], item[2])

    def _holds(self, live: LiveRoutine, operands: Sequence[Operand], violated: list[str], required: list[str]) -> bool:
        """On live copies: everything required is true, and nothing of the negation is false. A call with an argument
        that contradicts its annotation would say nothing, neither here nor in inference, unless the clause is about
        which object that is or of which class."""
        try:
            with self.session.calling(b"check"):
                values = loaded(tuple(operands))
                if contradiction(live.model, values, live.expected) and not any(map(_is_about_identity, violated)):
                    return False
                return _satisfies(named(live, values), violated, required)
        except BaseException:
            return False

    def _after_first(self, first: dict[str, Any], operands: tuple[Operand, ...]) -> tuple[Operand, ...] | None:
        """Call the first routine on some of the operands, carry the others along; the operands as they are then."""
        routine = self.routines.get(first["routine"])
        if routine is None:
            return None
        given = [operands[item[1]] if item[0] == "operand" else self._operand(item) for item in first["operands"]]
        taken = {item[1]: slot for slot, item in enumerate(first["operands"]) if item[0] == "operand"}
        carried = {slot: o for slot, o in enumerate(operands) if slot not in taken and isinstance(o, Ref)}
        called = self.caller.call(routine, tuple(given), tuple(carried.values()))
        if called is None or called.after is None or called.verdict.outcome != "pass":
            return None
        self.recorder.record(called, needed=True)
        return self._operands_after(called, called.after, operands, taken, list(carried))

    def _operands_after(
        self, called: Called, after: Kept, operands: tuple[Operand, ...], taken: dict[int, int], carried: list[int]
    ) -> tuple[Operand, ...]:
        self.number -= 1  # the numbers of the database's snapshots are positive
        stored = stored_of(called, after, self.number)
        stored.routines = self.routines
        model = called.routine.model
        shift = 0 if model.has_receiver else 1
        behind = len(model.parameters) + 2
        then = list(operands)
        for slot, place in taken.items():
            then[slot] = Ref(stored, after.operands[place + shift] or 0)
        for position, slot in enumerate(carried):
            then[slot] = Ref(stored, after.operands[behind + position] or 0)
        return tuple(then)

    def _reported(self, called: Called, clauses: list[list[Any]]) -> dict[str, Any]:
        digest = self.recorder.record(called, needed=True)
        passed = called.verdict.outcome == "pass"
        falsified = self._falsified(called, clauses) if called.after is not None else []
        return {
            "violates": True,
            "outcome": called.verdict.outcome,
            "reason": called.verdict.reason,
            "test": digest.hex() if digest else None,
            "fault": self.recorder.last_fault if called.verdict.kind else None,
            "falsified": falsified if passed or called.raised else [],
        }

    def _falsified(self, called: Called, clauses: list[list[Any]]) -> list[int]:
        """The clauses of the routine that are not true of this call. Asking may change the objects: only what is not
        true of others, which nothing was asked yet, counts."""
        passed = called.verdict.outcome == "pass"
        asked = [
            (key, kind, text)
            for key, kind, text in clauses
            if (_says_something(called, text) if kind == "raises" else passed)
        ]
        times = self._times(called) if asked else None
        if times is None:
            return []
        doubtful = [one for one in asked if self._is_false(called, times, *one[1:])]
        return [
            one[0] for one in doubtful if (fresh := self._times(called)) and self._is_false(called, fresh, *one[1:])
        ]

    def _times(self, called: Called) -> Times | None:
        """The operands before the call and after it, by name."""
        assert called.after is not None
        try:
            with self.session.calling(b"clause"):
                before, after = (
                    _placed(called.routine, kept.operands, load_snapshot(kept.codec, kept.data, self.routines))
                    for kept in (called.before, called.after)
                )
                return before, after
        except BaseException:
            return None

    def _is_false(self, called: Called, times: Times, kind: str, text: str) -> bool:
        """False or undefined. What cannot be judged is not: a clause about an argument that was left out, as in
        inference, one that takes too long, and one that compares objects before the call with those after it, which are
        copies and know each other only by an `==` of their own."""
        before, now = times
        if not _speaks_of(text) <= (now.keys() | before.keys()):
            return False
        try:
            with self.session.calling(b"clause"):
                raised = tuple(called.raised or ())
                if _compiled(text)(Moment(before, before if kind == "requires" else now, raised)) is True:
                    return False
                return not (_relates_times(text) and any(map(_holds_strangers, now.values())))
        except BaseException:
            return False


def _each(body: Mapping[str, Any], look: Callable[[Any], Found], none: Found) -> list[Found]:
    """What is found of each tuple of objects; those for which there is no time left are as if nothing was."""
    until = time.monotonic() + body["seconds"]
    return [look(item) if time.monotonic() < until else none for item in body["tuples"]]


def _says_something(called: Called, clause: str) -> bool:
    """Whether a call can refute an exceptional clause; one that is refused for its types is about these only."""
    if called.verdict.outcome not in ("pass", "refuse"):
        return False
    ill_typed = ILL_TYPED & {*(called.raised or ())}
    return not ill_typed or any(f"raises({name})" in clause for name in ill_typed)


def _placed(live: LiveRoutine, slots: Sequence[int | None], objects: list[Any]) -> dict[str, Any]:
    """The operands by name; in a constructor `self` is the result."""
    names = (*live.model.slots, "result")
    found = {name: objects[index] for name, index in zip(names, slots, strict=False) if index is not None}
    if live.model.kind == "constructor" and "result" in found:
        found["self"] = found["result"]
    return found
