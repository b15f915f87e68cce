"""The worker's side of reduction: load the operands, check the negation on them, call, judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stateful.contracts import Moment, compiled, parse
from stateful.generate.calls import Called, Caller, Kept, named
from stateful.generate.operands import Made, Operand, Ref, Stored, load_snapshot, loaded
from stateful.generate.plan import targets_from
from stateful.generate.recording import Recorder, stored_of
from stateful.judge import Experience
from stateful.judge.frames import Frames
from stateful.sandbox.worker import Session
from stateful.subject.discover import Live, LiveRoutine, discover

__all__ = ["main"]


def main(session: Session) -> None:
    """Answer every 'try' message with what happened."""
    message = session.channel.receive()
    if message is None:
        return
    plan = message.body
    trying = _Trying(session, discover(targets_from(plan["targets"])), plan["folder"], plan["learned"])
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        if message.kind == "snapshot":
            trying.keep(message.body, message.blobs[0])
        elif message.kind == "look":
            session.channel.send("looked", trying.look(message.body))
        else:
            session.channel.send("tried", trying.attempt(message.body))


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of the routine that a new passing test may refute."""

    id: int
    kind: str
    holds: Callable[[Moment], bool | None]


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[[Moment], bool | None]:
    return compiled(parse(text))


class _Trying:
    def __init__(self, session: Session, live: Live, folder: str, learned: dict[str, list[str]]) -> None:
        self.session = session
        self.routines = live.routines
        self.stored: dict[int, Stored] = {}
        self.number = 0
        experience = Experience()
        for place, kinds in learned.items():
            routine, _, slot = place.partition("\t")
            experience.passed[routine, int(slot)] = Counter(dict.fromkeys(kinds, 1))
        self.experience = experience
        self.caller = Caller(session, live.routines, Frames(live.modules, folder), experience)
        self.recorder = Recorder(session.channel)

    def keep(self, body: dict[str, Any], data: bytes) -> None:
        """A snapshot of the database that operands will be taken from."""
        digest = bytes.fromhex(body["digest"])
        stored = Stored(body["id"], digest, body["codec"], data, (), None, body["calls"])
        stored.routines = self.routines
        self.stored[body["id"]] = stored
        self.number = max(self.number, body["id"])

    def look(self, body: dict[str, Any]) -> str | None:
        """The repr of an object that satisfies everything that is wanted."""
        try:
            with self.session.calling(b"look"):
                value = self.stored[body["snapshot"]].load()[body["index"]]
                moment = Moment({"self": value})
                return repr(value)[:2000] if all(_compiled(text)(moment) is True for text in body["wanted"]) else None
        except BaseException:
            return None

    def attempt(self, body: dict[str, Any]) -> dict[str, Any]:
        """One attempt: perhaps a transition, then the check, then the call."""
        self.recorder.found_by = body["found_by"]
        live = self.routines[body["routine"]]
        operands = tuple(self._operand(item) for item in body["operands"])
        if body["first"] is not None:
            moved = self._moved(body["first"], live, operands)
            if moved is None:
                return {"violates": False, "outcome": None, "why": "the transition did not come off"}
            operands = moved
        violates = self._holds(live, operands, body["violated"], body["required"])
        if not violates:
            return {"violates": False, "outcome": None}
        called = self.caller.call(live, operands)
        if called is None:
            return {"violates": True, "outcome": None}
        return self._reported(called, body["clauses"])

    def _operand(self, item: list[Any]) -> Operand:
        return Made.of(item[1]) if item[0] == "literal" else Ref(self.stored[item[1]], item[2])

    def _holds(self, live: LiveRoutine, operands: Sequence[Operand], violated: list[str], required: list[str]) -> bool:
        """On live copies: everything required is true, and nothing of the negation is false."""
        try:
            with self.session.calling(b"check"):
                before = named(live, loaded(tuple(operands)))
                moment = Moment(before)
                if not all(_compiled(text)(moment) is True for text in required):
                    return False
                return all(_compiled(text)(moment) is not False for text in violated)
        except BaseException:
            return False

    def _moved(
        self, first: dict[str, Any], live: LiveRoutine, operands: tuple[Operand, ...]
    ) -> tuple[Operand, ...] | None:
        """Call the first routine on some of the operands, and carry the others along."""
        mover = self.routines.get(first["routine"])
        if mover is None:
            return None
        given = [operands[item[1]] if item[0] == "operand" else self._operand(item) for item in first["operands"]]
        taken = {item[1]: slot for slot, item in enumerate(first["operands"]) if item[0] == "operand"}
        carried = {slot: o for slot, o in enumerate(operands) if slot not in taken and isinstance(o, Ref)}
        called = self.caller.call(mover, tuple(given), tuple(carried.values()))
        if called is None or called.after is None or called.verdict.outcome != "pass":
            return None
        self.recorder.record(called, needed=True)
        return self._after_move(called, called.after, operands, taken, list(carried))

    def _after_move(
        self, called: Called, after: Kept, operands: tuple[Operand, ...], taken: dict[int, int], carried: list[int]
    ) -> tuple[Operand, ...]:
        self.number += 1
        stored = stored_of(called, after, self.number)
        stored.routines = self.routines
        model = called.routine.model
        shift = 0 if model.has_receiver else 1
        behind = len(model.parameters) + 2
        moved = list(operands)
        for slot, place in taken.items():
            moved[slot] = Ref(stored, after.operands[place + shift] or 0)
        for position, slot in enumerate(carried):
            moved[slot] = Ref(stored, after.operands[behind + position] or 0)
        return tuple(moved)

    def _reported(self, called: Called, clauses: list[list[Any]]) -> dict[str, Any]:
        digest = self.recorder.record(called, needed=True)
        passed = called.verdict.outcome == "pass"
        falsified = self._falsified(called, clauses) if called.after is not None else []
        return {
            "violates": True,
            "outcome": called.verdict.outcome,
            "reason": called.verdict.reason,
            "test": digest.hex() if digest else None,
            "falsified": falsified if passed or called.raised else [],
        }

    def _falsified(self, called: Called, clauses: list[list[Any]]) -> list[int]:
        """The clauses of the routine that are not true of this call."""
        assert called.after is not None
        found = []
        passed = called.verdict.outcome == "pass"
        for key, kind, text in clauses:
            if kind != "raises" and not passed:
                continue
            if kind == "raises" and called.verdict.outcome not in ("pass", "refuse"):
                continue
            if self._truth(called, called.after, kind, text) is not True:
                found.append(key)
        return found

    def _truth(self, called: Called, after: Kept, kind: str, text: str) -> bool | None:
        live = called.routine
        try:
            with self.session.calling(b"clause"):
                before = _placed(live, called.before.operands, self._objects(called.before))
                now = _placed(live, after.operands, self._objects(after))
                raised = tuple(called.raised or ())
                return _compiled(text)(Moment(before, before if kind == "requires" else now, raised))
        except BaseException:
            return None

    def _objects(self, kept: Kept) -> list[Any]:
        return load_snapshot(kept.codec, kept.data, self.routines)


def _placed(live: LiveRoutine, slots: Sequence[int | None], objects: list[Any]) -> dict[str, Any]:
    """The operands by name; in a constructor `self` is the result."""
    names = (*live.model.slots, "result")
    found = {name: objects[index] for name, index in zip(names, slots, strict=False) if index is not None}
    if live.model.kind == "constructor" and "result" in found:
        found["self"] = found["result"]
    return found
