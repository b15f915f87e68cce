"""One call: load fresh operands, keep their state, call under the deadline, keep the state after it, judge."""

from __future__ import annotations

import contextlib
import random
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from stateful.generate.given import Own
from stateful.generate.kept import Kept, is_changed, is_open
from stateful.generate.operands import LacksRecipe, Operand, building, calling, loaded, recipe_bytes
from stateful.generate.world import World
from stateful.judge import Experience, Verdict, decide
from stateful.judge.comparing import COMPUTING
from stateful.judge.elsewhere import stranger_behind
from stateful.judge.frames import Frames
from stateful.judge.kinds import contradiction, kind_of
from stateful.judge.law import Broken
from stateful.judge.outcome import Case, is_raised, without_addresses
from stateful.judge.own import lawbook_from
from stateful.sandbox.worker import DeadlineReached, Session
from stateful.subject.discover import Live, LiveRoutine, class_name
from stateful.subject.program import MISSING, Literal, Reference, invoke
from stateful.subject.snapshots import Uncopyable, digest_of, distinct, dump, load

__all__ = ["Called", "Caller", "law_verdict"]

Asking: TypeAlias = tuple[Any, Callable[[], Broken | None]]
"""An object, and what asks for the law that it breaks."""

PASSED = Verdict("pass", "returned")
UNANSWERED = Verdict("refuse", "gives NotImplemented: between these operands it says nothing")
LARGEST = 1 << 16
MOST_JUDGED = 200_000


@dataclass(slots=True)
class Called:
    """One executed call and all that is known of it."""

    routine: LiveRoutine
    operands: tuple[Operand, ...]
    before: Kept
    after: Kept | None
    verdict: Verdict
    error: BaseException | None
    changed: bool | None
    """Whether the operands differ from what they were; None if nobody can tell."""
    kinds: tuple[str | None, ...]
    carried: tuple[Operand, ...] = ()
    message: str = ""
    seconds: float = 0.0
    """What it took, where real time counts."""

    @property
    def result_class(self) -> type | None:
        """The class of what the call returned."""
        after = self.after
        index = after.operands[len(self.routine.model.parameters) + 1] if after and self.error is None else None
        return None if after is None or index is None else type(after.objects[index])

    @property
    def well_typed(self) -> bool:
        """No argument contradicts its annotation."""
        kept = self.before.operands[1:]
        given = [... if index is None else self.before.objects[index] for index in kept]
        values = [None, *given] if self.routine.model.has_receiver else given
        return contradiction(self.routine.model, values, self.routine.expected) is None

    @property
    def raised(self) -> list[str] | None:
        return [cls.__name__ for cls in type(self.error).__mro__[:-1]] if self.error is not None else None


@dataclass(slots=True)
class _Making:
    """A call in the making: the routine, its operands and what was loaded for them, and the objects carried along."""

    live: LiveRoutine
    operands: tuple[Operand, ...]
    values: list[Any]
    carried: tuple[Operand, ...]
    others: list[Any]

    def called(
        self, before: Kept, after: Kept | None, verdict: Verdict, error: BaseException | None, changed: bool | None
    ) -> Called:
        kinds = _kinds(self.live, self.values)
        return Called(self.live, self.operands, before, after, verdict, error, changed, kinds, self.carried)

    def recipe(self, slots: list[int | None], before: bool) -> bytes:
        """The bytes of a snapshot that neither pickle nor dill can keep: how to build its objects, each once."""
        indices = [index for index in slots if index is not None]
        if before:
            program, found = building((*self.operands, *self.carried))
            places = [place for place in found if place != Literal(MISSING)]
        else:
            program, carried = calling(self.live.model.name, self.operands, self.carried)
            last = program.steps[-1]
            present = [slot for slot, argument in enumerate(last.arguments) if argument != Literal(MISSING)]
            made = (Reference(len(program.steps) - 1, slot) for slot in [*present, len(last.arguments)])
            places = [*made, *(place for place in carried if place != Literal(MISSING))]
        first = dict(reversed(list(zip(indices, places, strict=False))))
        return recipe_bytes(program, [first[index] for index in sorted(first)])


class Caller:
    """Makes calls, one at a time."""

    def __init__(
        self,
        session: Session,
        live: Live,
        frames: Frames,
        experience: Experience,
        laws: dict[str, list[str]] | None = None,
    ) -> None:
        self.session = session
        self.routines = live.routines
        self.world = World(live)
        self.frames = frames
        self.experience = experience
        self.own = Own(live)
        self.laws = lawbook_from(laws or {}, random.Random(0), lambda error: is_raised(frames.of(error)))
        self.judged: set[bytes] = set()
        self.unloadable: set[bytes] = set()
        """States that could be dumped, but not loaded again."""
        self.seeds = uses_random(frames.roots)

    def call(
        self, live: LiveRoutine, operands: tuple[Operand, ...], carried: tuple[Operand, ...] = ()
    ) -> Called | None:
        """Execute the call; None if its operands cannot be loaded. The state of `carried` objects is kept, too.

        `LacksRecipe` says that the call was made, and what it gave cannot be kept."""
        note = "\x1f".join([live.model.name, *[operand.note for operand in operands]]).encode(errors="replace")
        self.session.watch.begin(note)
        try:
            made = self._made(live, operands, carried)
            return self._executed(*made) if made else None
        finally:
            self.session.watch.end()

    def _made(
        self, live: LiveRoutine, operands: tuple[Operand, ...], carried: tuple[Operand, ...]
    ) -> tuple[_Making, Kept] | None:
        try:
            with self.session.limit:
                values = loaded((*operands, *carried))
                given, others = values[: len(operands)], values[len(operands) :]
                making = _Making(live, operands, given, carried, others)
                return making, self._kept(making, values, None)
        except LacksRecipe:
            raise
        except BaseException:
            return None

    def _executed(self, making: _Making, before: Kept) -> Called:
        live = making.live
        if live.precondition is not None and self._precondition(making) is False:
            return making.called(before, None, Verdict("refuse", "a written precondition is false"), None, False)
        error: BaseException | None = None
        result: Any = None
        if self.seeds:
            random.seed(before.digest)
        try:
            with self.session.limit:
                result = invoke(live.model, live.function, making.values)
        except BaseException as raised:
            error = raised
        self.world.restore()
        if error is None:
            return self._returned(making, result, before)
        verdict, said = self._judged(making, error)
        if isinstance(error, DeadlineReached | MemoryError | RecursionError):
            self._release(error)
        after = None if verdict.outcome in ("hang", "crash") else self._after(making, making.values, before)
        changed = after is None or self._is_changed(making, before, after)
        if after is not None and changed is not False:
            verdict = self._refused(after, verdict, error)
        called = making.called(before, after, verdict, error, changed)
        called.message = said
        return called

    def _judged(self, making: _Making, error: BaseException) -> tuple[Verdict, str]:
        """The verdict on a call that raised, and the exception's message; asking for that may hang, too."""
        live = making.live
        try:
            with self.session.limit:
                said = message_of(error)
                case = Case(live.model, making.values, error, self.experience, self.frames, live.expected)
                return decide(case), said
        except DeadlineReached as late:
            trace = self.frames.of(late)
            return Verdict("hang", "the message of its exception does not return", "hang", trace=trace), ""
        except BaseException as failure:
            return Verdict("refuse", f"its exception cannot be looked at: {type(failure).__name__}"), ""
        finally:
            self.world.restore()

    def _release(self, error: BaseException) -> None:
        """What the frames of a call hold that went on for too long, or grew too large, would fill this process."""
        with contextlib.suppress(BaseException), self.session.limit:
            traceback.clear_frames(error.__traceback__)
        self.world.restore()

    def _precondition(self, making: _Making) -> bool | None:
        assert making.live.precondition is not None
        try:
            with self.session.limit:
                return making.live.precondition(named(making.live, making.values))
        except BaseException:
            return None
        finally:
            self.world.restore()

    def _returned(self, making: _Making, result: Any, before: Kept) -> Called:
        after = self._after(making, [*making.values, result, *making.others], before)
        if after is None:
            reason = "its operands cannot be kept after the call: they are too large or too deep"
            return making.called(before, None, Verdict("refuse", reason), None, True)
        changed = self._is_changed(making, before, after)
        verdict, error = PASSED, None
        if after.digest in self.unloadable:
            after = self._kept(making, [*making.values, result, *making.others], before, copyable=False)
        elif (changed is not False or self.own.has(result) or self.own.given(result)) and self._is_new(after.digest):
            copies = self._copies(after)
            if copies is None:
                self.unloadable.add(after.digest)
                after = self._kept(making, [*making.values, result, *making.others], before, copyable=False)
            verdict, error = self._lawful(copies or [])
        if verdict is PASSED and self._compares(making) and self._is_new(b"compared" + before.digest):
            verdict, error = self._comparable(before, equal=result is True and making.live.model.short == "__eq__")
        if verdict is PASSED and result is NotImplemented and making.live.model.short.startswith("__"):
            verdict = UNANSWERED
        return making.called(before, after, verdict, error, changed)

    def _is_new(self, state: bytes) -> bool:
        """It was not judged before; it is, from now on."""
        if state in self.judged:
            return False
        if len(self.judged) > MOST_JUDGED:
            self.judged.clear()
        self.judged.add(state)
        return True

    def _compares(self, making: _Making) -> bool:
        """The call compared two objects of the subject, or computed something of them."""
        is_of_two = making.live.model.short in COMPUTING and len(making.values) == 2
        return is_of_two and all(map(self.own.has, making.values))

    def _comparable(self, before: Kept, *, equal: bool) -> tuple[Verdict, BaseException | None]:
        """The laws of comparing, on copies of the two objects that were compared."""
        places = [index for index in before.operands if index is not None]
        copies = self._copies(before) if places[0] != places[1] else None
        if not copies:
            return PASSED, None
        one, other = copies[places[0]], copies[places[1]]
        return self._asked([(one, partial(self.laws.worst_of_two, one, other, always=equal))])

    def _refused(self, after: Kept, verdict: Verdict, error: BaseException) -> Verdict:
        """Who refuses a call on purpose may not leave its operands broken."""
        on_purpose = verdict.outcome == "refuse" and is_raised(self.frames.of(error))
        if not on_purpose or not self._is_new(after.digest):
            return verdict
        lawful, _ = self._lawful(self._copies(after) or [])
        return lawful if lawful.outcome == "fail" else verdict

    def _copies(self, after: Kept) -> list[Any] | None:
        """The objects of a new state, loaded; none if what could be dumped cannot be loaded."""
        if after.codec == "recipe":
            return []
        try:
            with self.session.limit:
                return load(after.codec, after.data)
        except BaseException:
            return None

    def _lawful(self, copies: list[Any]) -> tuple[Verdict, BaseException | None]:
        """The laws, on a copy of every object of the new state that is the subject's; the cheap ones of what else it
        gives."""
        asked: list[Asking] = [(value, partial(self.laws.worst, value)) for value in copies if self.own.has(value)]
        items = [item for value in copies for _, item in self.own.given(value)]
        return self._asked([*asked, *((item, partial(self.laws.worst_in_passing, item)) for item in items)])

    def _asked(self, asked: list[Asking]) -> tuple[Verdict, BaseException | None]:
        """The verdict on the first of these objects that breaks a law."""
        value: Any = None
        try:
            with self.session.limit:
                for value, asking in asked:
                    if broken := asking():
                        return law_verdict(broken, type(value), self.own, self.frames), broken.error
        except DeadlineReached as error:
            law, cls = self.laws.asked, class_name(type(value))
            said = f"asking for the law {law!r} does not return"
            kin = class_name(self.own.kin_of(type(value)))
            return Verdict("hang", said, "hang", law, trace=self.frames.of(error), cls=cls, kin=kin), error
        except BaseException as error:
            return Verdict("refuse", f"a law cannot be checked: {type(error).__name__}: {error}"), error
        finally:
            self.world.restore()
        return PASSED, None

    def _is_changed(self, making: _Making, before: Kept, after: Kept) -> bool | None:
        try:
            with self.session.limit:
                return is_changed(before, after, carries=bool(making.others))
        except BaseException:
            return None

    def _after(self, making: _Making, values: list[Any], before: Kept) -> Kept | None:
        try:
            with self.session.limit:
                kept = self._kept(making, values, before)
        except LacksRecipe:
            raise
        except BaseException:
            return None
        return kept if len(kept.data) <= LARGEST else None

    def _kept(self, making: _Making, values: list[Any], before: Kept | None, *, copyable: bool = True) -> Kept:
        """The snapshot of the values; as a recipe, if neither pickle nor dill can keep them."""
        objects, slots = distinct(values)
        try:
            codec, data = dump(objects) if copyable else ("recipe", making.recipe(slots, before is None))
        except Uncopyable:
            codec, data = "recipe", making.recipe(slots, before is None)
        if not making.live.model.has_receiver:
            slots.insert(0, None)
        may_go_on = before is None and any(map(is_open, objects))
        return Kept(digest_of(data), codec, data, tuple(slots), objects, may_go_on)


def law_verdict(broken: Broken, cls: type, own: Own, frames: Frames) -> Verdict:
    """The verdict on a call after which an object of this class breaks a law."""
    return Verdict(
        "fail", "a law is broken", "law", broken.law, without_addresses(broken.message),
        frames.of(broken.error) if broken.error else (),
        code=broken.code, cls=class_name(cls), kin=class_name(own.kin_of(cls)), blamed=broken.method,
        strict=broken.strict, form=broken.form, error=broken.error, elsewhere=_stranger(broken.method, cls, frames),
    )  # fmt: skip


def _stranger(method: str, cls: type, frames: Frames) -> str:
    stranger = stranger_behind(cls, method, frames) if method else ""
    return f"a law is broken by what the class inherits from {stranger}" if stranger else ""


def message_of(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception:
        return ""


def uses_random(roots: tuple[str, ...]) -> bool:
    """Some module of the subject knows Python's `random`: then each call gets its seed from the state before it."""
    modules = [m for m in list(sys.modules.values()) if str(getattr(m, "__file__", None) or "").startswith(roots)]
    names = (value for module in modules for value in vars(module).values())
    return any(value is random or getattr(value, "__module__", None) == "random" for value in names)


def _kinds(live: LiveRoutine, values: list[Any]) -> tuple[str | None, ...]:
    """The kind of value in each slot; None for what is left out."""
    kinds = [None if value is Ellipsis else kind_of(value) for value in values]
    return tuple(kinds) if live.model.has_receiver else (None, *kinds)


def named(live: LiveRoutine, values: list[Any]) -> dict[str, Any]:
    """The operands by the names that written conditions use: also all of `*args` together."""
    names = live.model.slots if live.model.has_receiver else live.model.slots[1:]
    found = {name: value for name, value in zip(names, values, strict=True) if value is not Ellipsis}
    several = [parameter for parameter in live.model.parameters if parameter.variadic]
    if several:
        given = tuple(found[parameter.name] for parameter in several if parameter.name in found)
        found.setdefault(several[0].base_name, given)
    return found
