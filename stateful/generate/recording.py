"""What a session tells its supervisor: test cases that carry information, each state once, witnesses of faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from hashlib import blake2b
from typing import Any

from stateful.generate.calls import Called
from stateful.generate.kept import Kept
from stateful.generate.operands import Made, Operand, Producer, Ref, Stored
from stateful.judge.faults import fault_of, iterates
from stateful.judge.ordinary import odd_literals
from stateful.sandbox.channel import Channel
from stateful.subject.discover import class_name, model_of
from stateful.subject.model import Routine

__all__ = ["Recorder"]

MOST_ALIKE = 20  # refusals and failures of one routine for one reason
MOST_REMEMBERED = 300_000
FIRST_PASSING = 100  # passing calls of each routine that are kept at once
ONE_IN = 8  # of the others so many are kept


class Recorder:
    """Decides what is kept and sends it; a killed worker loses nothing that was judged."""

    def __init__(self, channel: Channel, routines: Collection[str] = (), *, most_passing: int = 0) -> None:
        """`routines` are those that faults may be reported of."""
        self.channel = channel
        self.routines = routines
        self.most_passing = most_passing
        self.found_by = "run"
        self.since = 0.0
        """Seconds of testing so far."""
        self.sent: set[bytes] = set()
        self.classes: set[type] = set()
        self.seen: set[bytes] = set()
        self.kept: Counter[tuple[str, ...]] = Counter()
        self.passed: dict[str, tuple[int, int]] = {}
        """For each routine how many passing calls were met, and how many of them were kept as examples."""
        self.recipes: dict[tuple[str, ...], tuple[int, int]] = {}
        self.last_fault: str | None = None

    def record(self, called: Called, *, needed: bool = False, share: float = 1.0) -> bytes | None:
        """Send the test case if it is worth keeping, or if it is `needed`; its digest if it was sent.

        `share` is how much of the session is over: examples of passing calls are taken all along, not just at first."""
        if called.verdict.outcome == "pass" and not called.verdict.kind:
            if not needed and not self._is_sampled(called.routine.model.name, share):
                return None
        elif not self._is_rare(called) and not needed:
            return None
        digest = test_digest(called)
        if digest in self.seen and not called.verdict.kind and not needed:
            return None
        if len(self.seen) > MOST_REMEMBERED:
            self.seen.clear()
        self.seen.add(digest)
        self._send(called, digest)
        return digest

    def _is_sampled(self, routine: str, share: float) -> bool:
        """The first passing calls of a routine, and of the others one in some, up to so many in the whole session."""
        met, kept = self.passed.get(routine, (0, 0))
        most = min(self.most_passing * share, met / ONE_IN)
        sampled = kept < max(most, min(self.most_passing, FIRST_PASSING))
        self.passed[routine] = met + 1, kept + sampled
        return sampled

    def _is_rare(self, called: Called) -> bool:
        """Few calls ended like this before, or this one has the shortest recipe of them."""
        key = self._reason(called)
        self.kept[key] += 1
        return self.kept[key] <= MOST_ALIKE or self._is_shorter(called)

    @staticmethod
    def _reason(called: Called) -> tuple[str, ...]:
        name = type(called.error).__name__ if called.error is not None else ""
        line = str(called.verdict.trace[-1].line) if called.verdict.trace else ""
        verdict = called.verdict
        return called.routine.model.name, verdict.outcome, verdict.law or name, verdict.cls, verdict.form, line

    def _is_shorter(self, called: Called) -> bool:
        """A fault's witness with more ordinary values, or a shorter recipe, than any before."""
        if not called.verdict.kind:
            return False
        key, size = self._reason(called), (_oddness_of(called), length_of(called.operands))
        shorter = size < self.recipes.get(key, (1_000_000, 0))
        self.recipes[key] = min(size, self.recipes.get(key, size))
        return shorter

    def _send(self, called: Called, digest: bytes) -> None:
        fault = None
        model = called.routine.model
        if called.verdict.kind and not model.helper:
            error = called.verdict.error if called.verdict.law else called.error
            name = called.verdict.routine(called.routine.model.name, self.routines)
            fault = fault_of(called.verdict, name, error, [kind or "" for kind in called.kinds[1:]])
            self.last_fault = fault.digest
            calls, odd = length_of(called.operands) + 1, _oddness_of(called)
            about = {"calls": calls, "odd": odd, "found_by": self.found_by, "iterates": iterates(model)}
            self.channel.send("fault", {**fault.as_json(), **about})
        snapshots = [kept for kept in (called.before, called.after) if kept is not None]
        blobs = tuple(self._snapshot_blob(kept) for kept in snapshots)
        self.channel.send("test", {
            "digest": digest.hex(),
            "routine": called.routine.model.name,
            "snapshots": [self._snapshot_body(kept) for kept in snapshots],
            "outcome": called.verdict.outcome,
            "reason": called.verdict.reason,
            "raised": called.raised,
            "message": called.verdict.message or called.message,
            "changed": called.changed,
            "fault": fault.digest if fault else None,
            "found_by": self.found_by,
            "seconds": round(self.since, 3),
            "operands": _sources(called),
            "calls": length_of((*called.operands, *called.carried)) + 1,
            "odd": _oddness_of(called),
        }, blobs)  # fmt: skip
        self.sent.update(kept.digest for kept in snapshots)

    def _snapshot_blob(self, kept: Kept) -> bytes:
        return b"" if kept.digest in self.sent else kept.data

    def _snapshot_body(self, kept: Kept) -> dict[str, Any]:
        for value in kept.objects:
            self._send_class(type(value))
        classes = [class_name(type(value)) for value in kept.objects]
        return {"digest": kept.digest.hex(), "codec": kept.codec, "operands": list(kept.operands), "classes": classes}

    def _send_class(self, cls: type) -> None:
        if cls in self.classes:
            return
        self.classes.add(cls)
        model = model_of(cls)
        self.channel.send("class", {"name": model.name, "conforms": list(model.conforms)})


def test_digest(called: Called) -> bytes:
    """What makes a test case this one: routine, states, operands and how it ended."""
    after = called.after
    parts = (
        called.routine.model.name,
        called.before.digest,
        called.before.operands,
        after.digest if after else None,
        after.operands if after else None,
        called.verdict.outcome,
        type(called.error).__name__,
    )
    return blake2b(repr(parts).encode(), digest_size=16).digest()


def length_of(operands: tuple[Operand, ...]) -> int:
    """Calls that it takes to build the operands."""
    return sum({o.stored.number: o.stored.calls for o in operands if isinstance(o, Ref)}.values())


def odd_of(model: Routine, operands: tuple[Operand, ...], carried: tuple[Operand, ...]) -> int:
    """Unusual values among the operands, and among those that were passed to build them."""
    given = operands[1:] if model.has_receiver else operands
    own = odd_literals(model, [one.text if isinstance(one, Made) else None for one in given])
    operands = (*operands, *carried)
    return own + sum({o.stored.number: o.stored.odd for o in operands if isinstance(o, Ref)}.values())


def _oddness_of(called: Called) -> int:
    """Unusual values behind a call; one that contradicts an annotation is unusual, too."""
    return odd_of(called.routine.model, called.operands, called.carried) + (not called.well_typed)


def sources_json(operands: tuple[Operand, ...], *, shift: int) -> list[list[Any]]:
    """For each slot where its operand came from: a snapshot and an index there, or a literal."""
    found: list[list[Any]] = []
    for slot, operand in enumerate(operands, shift):
        if isinstance(operand, Made):
            found.append([slot, None, None, operand.text])
        else:
            found.append([slot, operand.stored.digest.hex(), operand.index, None])
    return found


def _sources(called: Called) -> list[list[Any]]:
    """Where the operands came from, and behind the slot of the result where the carried objects came from."""
    model = called.routine.model
    own = sources_json(called.operands, shift=0 if model.has_receiver else 1)
    return own + sources_json(called.carried, shift=len(model.parameters) + 2)


def _classes_in(container: Any) -> frozenset[type]:
    return frozenset(map(type, container.values() if type(container) is dict else container))


def stored_of(called: Called, kept: Kept, number: int) -> Stored:
    """The pool entry for the state after a call."""
    model = called.routine.model
    slots = kept.operands[0 if model.has_receiver else 1 : len(model.parameters) + 2]
    behind = [index for index in kept.operands[len(model.parameters) + 2 :] if index is not None]
    producer = Producer(model.name, called.operands, slots, called.carried, tuple(behind))
    calls = length_of((*called.operands, *called.carried)) + 1
    classes = tuple(type(value) for value in kept.objects)
    inside = {i: _classes_in(value) for i, value in enumerate(kept.objects) if type(value) in (list, tuple, set, dict)}
    odd = odd_of(model, called.operands, called.carried)
    return Stored(number, kept.digest, kept.codec, kept.data, classes, producer, calls, None, inside, odd)
