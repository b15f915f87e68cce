"""The worker's side of confirming faults: run a program, or the text of a reproducer, and say which fault it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from stateful.generate.calls import law_verdict
from stateful.generate.given import Own
from stateful.generate.plan import targets_from
from stateful.generate.unchecked import is_kept_by_record, kept_unchecked, reaches_itself
from stateful.generate.world import World
from stateful.judge import Experience, Verdict, decide
from stateful.judge.comparing import COMPARING
from stateful.judge.faults import fault_of
from stateful.judge.frames import Frames
from stateful.judge.kinds import all_fit, contradiction, kind_of
from stateful.judge.law import Rule
from stateful.judge.lawbook import LAWS, LawBook
from stateful.judge.outcome import Case, is_raised
from stateful.judge.own import law_from
from stateful.sandbox.worker import DeadlineReached, Session
from stateful.subject.discover import Live, LiveRoutine, discover
from stateful.subject.program import Program, Step, invoke

__all__ = ["main"]

Placed: TypeAlias = tuple[dict[str, str], list[Any]]
"""Objects of the subject, and where they are, by the names that laws use."""


def main(session: Session) -> None:
    """Answer every 'program' and every 'code' message."""
    message = session.channel.receive()
    if message is None:
        return
    live = discover(targets_from(message.body["targets"]))
    replay = _Replay(session, live, Frames(live.modules, message.body["folder"]), message.body["laws"]["own"])
    session.channel.send("ready")
    while (message := session.channel.receive()) is not None:
        if message.kind == "program":
            session.channel.send("replayed", replay.run(Program.from_json(message.body["steps"]), message.body))
        else:
            session.channel.send("executed", replay.execute(message.body))
        replay.world.restore()


class _Replay:
    def __init__(self, session: Session, live: Live, frames: Frames, own_laws: list[str]) -> None:
        self.session = session
        self.routines: Mapping[str, LiveRoutine] = live.routines
        self.frames = frames
        self.world = World(live)
        self.own_laws = [law_from(text) for text in own_laws]
        self.strays = False
        self.fits = True
        """An argument of the program contradicts its annotation."""
        self.calls: list[tuple[LiveRoutine, list[Any]]] = []
        """Those of the program so far, with their operands."""
        self.own = Own(live)

    def run(self, program: Program, wanted: Mapping[str, str | None]) -> dict[str, Any]:
        """Run all steps; the fault that the last one shows, and the slot of the object that breaks the wanted law."""
        done: list[list[Any]] = []
        self.strays = False
        self.fits = True
        self.calls = []
        for step in program.steps[:-1]:
            if not self._step(step, done):
                return {"fault": None}
        return {**self._last(program.steps[-1], done, wanted), "strays": self.strays, "fits": self.fits}

    def _step(self, step: Step, done: list[list[Any]]) -> bool:
        """An earlier step; one that raises builds nothing."""
        live = self.routines[step.routine]
        try:
            with self.session.calling(step.routine.encode()):
                operands = [Program.operand(argument, done) for argument in step.arguments]
                self._look_at(live, operands)
                done.append([*operands, invoke(live.model, live.function, operands)])
        except BaseException:
            return False
        return True

    def _look_at(self, live: LiveRoutine, operands: list[Any]) -> None:
        self.calls.append((live, operands))
        self.strays = self.strays or contradiction(live.model, operands, live.expected) is not None
        self.fits = self.fits and all_fit(live.model, operands, live.expected)

    def _last(self, step: Step, done: list[list[Any]], wanted: Mapping[str, str | None]) -> dict[str, Any]:
        live = self.routines[step.routine]
        operands: list[Any] = []
        try:
            with self.session.calling(step.routine.encode()):
                operands += [Program.operand(argument, done) for argument in step.arguments]
                self._look_at(live, operands)
                result = invoke(live.model, live.function, operands)
        except BaseException as error:
            if wanted["law"] is not None:  # the same line may raise for other reasons when it is called directly
                return {**self._unlawful(live, operands, wanted), "raised": True}
            verdict = decide(Case(live.model, operands, error, _Trusting(), self.frames, live.expected))
            return self._told(live, verdict, error, operands) if verdict.kind else {"fault": None}
        return self._unlawful(live, [*operands, result], wanted)

    def _unlawful(self, live: LiveRoutine, slots: list[Any], wanted: Mapping[str, str | None]) -> dict[str, Any]:
        """Which objects of the last call break the law, as places of a reproducer: `{0}` is the call's first slot."""
        single = [law for law in [*self.own_laws, *LAWS] if law.name == wanted["law"]]
        pair = [law for law in COMPARING if law.name == wanted["law"]]
        rules: list[Rule] = [*single, *pair]
        laws = LawBook(None, lambda error: is_raised(self.frames.of(error)), single)
        for places, values in self._pairs(slots) if pair else self._singles(slots):
            try:
                with self.session.calling(b"law"):
                    broken = laws.check(*values, all_laws=True) if len(values) == 1 else laws.compared(*values)
            except DeadlineReached:
                return {"fault": "hang", "places": places, "code": rules[0].example}
            except BaseException:
                continue
            for each in broken:
                verdict = law_verdict(each, type(values[0]), self.own, self.frames)
                told = self._told(live, verdict, each.error, slots)
                if told["fault"] == wanted["fault"]:
                    return {**told, "places": places, "code": each.code}
        return {"fault": None}

    def _singles(self, slots: list[Any]) -> Iterator[Placed]:
        for slot, value in enumerate(slots):
            if self.own.has(value):
                yield {"x": f"{{{slot}}}"}, [value]
        for slot, value in enumerate(slots):
            for place, item in self.own.given(value):
                yield {"x": f"{{{slot}}}{place}"}, [item]

    def _pairs(self, slots: list[Any]) -> Iterator[Placed]:
        if len(slots) > 1 and all(map(self.own.has, slots[:2])) and slots[0] is not slots[1]:
            yield {"x": "{0}", "y": "{1}"}, slots[:2]

    def _told(
        self, live: LiveRoutine, verdict: Verdict, error: BaseException | None, operands: list[Any]
    ) -> dict[str, Any]:
        kinds = [kind_of(value) for value in operands]
        name = verdict.routine(live.model.name, self.routines)
        fault = fault_of(verdict, name, error, kinds)
        about = self._unchecked(error, operands, verdict.law)
        return {"fault": fault.digest, "message": fault.message, "routine": name, **about}

    def _unchecked(self, error: BaseException | None, operands: list[Any], law: str | None) -> dict[str, Any]:
        """What an object keeps as it was given and the exception may be about: the type that it speaks of, and, where a
        law raises it, whether the object is a record."""
        if error is None:
            return {}
        objects = [one for one in operands if self.own.has(one)]
        try:
            with self.session.calling(b"unchecked"):
                if isinstance(error, RecursionError):
                    return {"cyclic": any(map(reaches_itself, objects))}
                kept = kept_unchecked(self.calls, objects, error)
                return {"unchecked": kept, "record": law is not None and is_kept_by_record(self.calls, objects)}
        except BaseException:
            return {}

    def execute(self, code: str) -> str | None:
        """The name of the exception that the code raises as a script of its own."""
        try:
            with self.session.calling(b"code"):
                exec(compile(code, "<reproducer>", "exec"), {"__name__": "__reproducer__"})
        except BaseException as error:
            return type(error).__name__
        return None


class _Trusting(Experience):
    """The fault was judged with all experience; here the kinds of the arguments are taken as they come."""

    def has_passed(self, routine: str, slot: int, kind: str) -> bool:
        return True
