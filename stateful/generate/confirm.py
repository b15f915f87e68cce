"""Confirm faults in a fresh worker, shrink their programs, and write the reproducers."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from stateful.errors import NoRecipe
from stateful.generate.doubts import doubt_of
from stateful.generate.limits import laws_of, limits_of
from stateful.generate.plan import targets_json
from stateful.generate.replayed import Replayed
from stateful.generate.shrink import shrunk, with_small_numbers
from stateful.judge.beliefs import ABOUT_A_TYPE, WRONG_KIND_INSIDE
from stateful.judge.ordinary import odd_literals
from stateful.sandbox import Limits, Worker, WorkerFailed
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_of
from stateful.subject.model import Routine
from stateful.subject.program import Literal, Program, Step
from stateful.subject.target import Target

__all__ = ["confirm_faults", "run_again"]

MOST_REPLAYS = 200
BROKEN = "breaks its worker"  # the answer that is none
FEW_REPLAYS = 8  # of what hangs or kills: each costs a deadline or a worker
MOST_WITNESSES = 3
PATIENCE, LEAST_PATIENCE = 6, 2  # seconds for what took longer than the deadline


WAITING = """
SELECT digest, kind, law, exception FROM faults WHERE confirmed IS NULL
ORDER BY list_position(['certain', 'likely', 'suspicious'], likelihood), calls, digest
"""


ORDINARY = "UPDATE faults SET likelihood = plain_likelihood, reason = plain_reason WHERE digest = ?"


WITNESSES = """
SELECT t.id FROM test_cases t
JOIN faults f ON f.digest = t.fault
LEFT JOIN recipes s ON s.test_case_id = t.id
LEFT JOIN snapshots o ON o.id = s.source_snapshot
WHERE t.fault = ?
GROUP BY t.id, t.odd, t.message, f.message
ORDER BY t.message IS DISTINCT FROM f.message, t.odd, sum(coalesce(o.recipe_calls, 1)), t.id LIMIT ?
"""
"""Those first that say what the fault was judged by: on one line an exception may be about different values."""
SHOWN_BY = """
UPDATE faults SET routine_id = coalesce((SELECT id FROM routines WHERE name = ?), routine_id) WHERE digest = ?
"""
"""What leads a fault's lines is what its reproducer calls, or the method that its law is about."""
UNUSUAL = "UPDATE faults SET likelihood = odd_likelihood, reason = odd_reason WHERE digest = ?"

SLOW = """
UPDATE faults SET likelihood = 'suspicious',
    reason = 'it takes longer than the deadline of a call, but it returns within ' || $1 || ' seconds' WHERE digest = $2
"""
LARGE = """
UPDATE faults SET likelihood = 'suspicious',
    reason = 'it does not return within the deadline, but it does with 100 for the larger numbers that are passed'
WHERE digest = ?
"""
PERHAPS_LARGE = """
UPDATE faults SET likelihood = 'suspicious',
    reason = 'it does not return within the deadline, but large numbers are passed, and none was tried smaller'
WHERE digest = ?
"""
ASSURED = """
UPDATE faults SET likelihood = 'likely', reason = 'every argument is what its annotation asks for'
WHERE digest = ? AND (starts_with(reason, ?) OR reason = ?)
"""
"""Where all that was passed, now and before, is of the right type, no wrong one can be the reason."""
DOUBTED = "UPDATE faults SET likelihood = 'suspicious', reason = ? WHERE digest = ? AND likelihood = 'likely'"


def confirm_faults(database: Database, targets: list[Target], *, seconds: float = 60.0) -> None:
    """Give every fault that has none yet a reproducer, and say whether it fails again as reported.

    The most believable ones come first; when the time is over, the rest gets its calls as they are."""
    rows = database.rows(WAITING)
    if not rows:
        return
    with _Confirming(database, targets, time.monotonic() + seconds) as confirming:
        for digest, kind, law, exception in rows:
            confirming.confirm(digest, kind, law, exception)


def run_again(database: Database, targets: list[Target], code: str) -> str | None:
    """How a reproducer ends now, in a fresh worker: an exception's name, 'hang', 'crash', or nothing if it passes."""
    with _Confirming(database, targets, math.inf) as confirming:
        ended = confirming.executed(code)
    return "hang" if ended == "DeadlineReached" else ended


class _Confirming:
    def __init__(self, database: Database, targets: list[Target], until: float) -> None:
        self.until = until
        self.database = database
        self.targets = targets
        self.routines: Mapping[str, Routine] = routines_of(database)
        self.recipes = Recipes(database)
        self.worker: Worker | None = None
        self.wanted: dict[str, str | None] = {}
        self.left = MOST_REPLAYS

    def __enter__(self) -> _Confirming:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def confirm(self, digest: UUID, kind: str, law: str | None, exception: str | None) -> None:
        """The shortest witness that shows the fault again, shrunk."""
        self.left = FEW_REPLAYS if kind in ("hang", "crash") else MOST_REPLAYS
        self.wanted = {"law": law, "fault": digest.hex}
        best: Program | None = None
        for program in self._witnesses(digest):
            best = best or program
            if self._is_over():
                self._write(digest, best, Replayed(None), kind, law, exception, confirmed=None)
                if kind == "hang" and with_small_numbers(best) is not None:
                    self.database.run(PERHAPS_LARGE, [digest])
                return
            shown = self._replayed(program)
            if shown.fault == digest.hex or (kind in ("hang", "crash") and shown.fault == kind):
                small, shown = self._shrunk(program, shown)
                self._write(digest, small, shown, kind, law, exception, confirmed=True)
                if kind == "hang":
                    self._doubt_its_end(digest, small)
                return
        self._write(digest, best, Replayed(None), kind, law, exception, confirmed=False)

    def _doubt_its_end(self, digest: UUID, program: Program) -> None:
        """What takes longer than a deadline need not be endless, and a large number may just be much to do."""
        calmer = with_small_numbers(program)
        if seconds := self._returns_within(program):
            self.database.run(SLOW, [seconds, digest])
        elif calmer is not None and time.monotonic() < self.until and self._replayed(calmer).fault is None:
            self.database.run(LARGE, [digest])

    def _returns_within(self, program: Program) -> int | None:
        """The whole seconds in which the program ends: what takes longer than a deadline need not be endless. At most
        half of what is left of the time goes into that."""
        seconds = int(min(PATIENCE, (self.until - time.monotonic()) / 2))
        if seconds < LEAST_PATIENCE:
            return None
        self._close()
        try:
            self._start(limits_of(self.database, seconds))
            shown = self._replayed(program).fault
        finally:
            self._close()
        return None if shown in (self.wanted["fault"], "hang", "crash", BROKEN) else seconds

    def _is_over(self) -> bool:
        return self.left <= 0 or time.monotonic() > self.until

    def _witnesses(self, digest: UUID) -> Iterator[Program]:
        rows = self.database.rows(WITNESSES, [digest, MOST_WITNESSES])
        for (test,) in rows:
            try:
                yield self.recipes.of_test(test)
            except NoRecipe:
                continue

    def _start(self, limits: Limits) -> Worker:
        self.worker = worker = Worker("stateful.generate.replay:main", limits)
        plan = {"targets": targets_json(self.targets), "folder": os.getcwd(), "laws": laws_of(self.database)}
        worker.send("plan", plan)
        worker.answer()
        return worker

    def _ask(self, kind: str, body: Any) -> Any:
        """One question to the worker; if it dies of it, how: 'hang' or 'crash'."""
        worker = self.worker or self._start(limits_of(self.database))
        worker.send(kind, body)
        try:
            answer = worker.answer()
        except WorkerFailed:  # the subject has broken it; the next question goes to a new one
            self._close()
            return BROKEN
        if answer is None:
            ended = worker.ended
            self._close()
            return ended.outcome if ended else None
        return answer.body

    def executed(self, code: str) -> str | None:
        """The name of the exception that the code ends with, nothing if it passes; if the worker dies of it, how."""
        ended = self._ask("code", code)
        return None if ended is None else str(ended)

    def _replayed(self, program: Program) -> Replayed:
        self.left -= 1
        answer = self._ask("program", {"steps": program.as_json(), **self.wanted})
        return Replayed(**answer) if isinstance(answer, dict) else Replayed(answer)

    def _shrunk(self, program: Program, shown: Replayed) -> tuple[Program, Replayed]:
        """The program without what the fault does not need, and what it shows then."""

        def shows(smaller: Program) -> Replayed | None:
            again = self._replayed(smaller)
            same = again.fault == shown.fault and _types_in(again.message) == _types_in(shown.message)
            return again if same and again.strays <= shown.strays else None

        small, again = shrunk(program, self.routines, shows, self._is_over)
        return small, again or shown

    def _write(
        self,
        digest: UUID,
        program: Program | None,
        shown: Replayed,
        kind: str,
        law: str | None,
        exception: str | None,
        *,
        confirmed: bool | None,
    ) -> None:
        code = None if program is None else self._code(program, shown)
        if program is not None and code is not None and confirmed and kind not in ("hang", "crash"):
            expected = [name for name in (exception, "AssertionError" if law else exception) if name]
            showing = code if self.executed(code) in expected else self._running(program, shown, expected)
            code, confirmed = showing or code, showing is not None
        self.database.run(
            "UPDATE faults SET reproducer = ?, confirmed = ?, calls = ?, message = coalesce(?, message) "
            "WHERE digest = ?",
            [code, confirmed, len(program.steps) if program else None, shown.message or None, digest],
        )
        if confirmed and program:
            self.database.run(SHOWN_BY, [shown.routine or program.steps[-1].routine, digest])
            self.database.run(UNUSUAL if shown.strays or self._is_odd(program) else ORDINARY, [digest])
            if shown.fits:
                self.database.run(ASSURED, [digest, ABOUT_A_TYPE, WRONG_KIND_INSIDE])
            if doubt := doubt_of(program, shown):
                self.database.run(DOUBTED, [doubt, digest])
        if confirmed is False:
            self.database.run("UPDATE test_cases SET outcome = 'flaky' WHERE fault = ?", [digest])

    def _is_odd(self, program: Program) -> bool:
        models = [self.routines[step.routine] for step in program.steps]
        return any(odd_literals(model, _given(model, step)) for model, step in zip(models, program.steps, strict=True))

    def _running(self, program: Program, shown: Replayed, expected: Sequence[str]) -> str | None:
        """The code with what runs the result of the last call, if that is an iterator or a coroutine: only then does
        its code run at all. None if that does not show the fault either."""
        for form, check in RUNNING.items() if not shown.code else ():
            if self.executed(self._code(program, shown, check)) is None:
                code = self._code(program, shown, form)
                return code if self.executed(code) in expected else None
        return None

    def _code(self, program: Program, shown: Replayed, form: str = "{call}") -> str:
        """The program as Python; for a law with the lines that show it, about the object that breaks it."""
        if not shown.code or not shown.places:
            imports = "import asyncio\n" if "asyncio" in form else ""
            return imports + code_of(program, self.routines, last=form)
        places, bound = _bound(shown.places)
        named = re.compile(rf"\b({'|'.join(places)})\b")
        breaking = named.sub(lambda name: places[name[1]], shown.code.replace("{", "{{").replace("}", "}}"))
        calling = "try:\n    {call}\nexcept Exception:\n    pass\n" if shown.raised else "{call}\n"
        imports = "".join(f"import {name}\n" for name in ("collections", "copy", "pickle") if f"{name}." in shown.code)
        taken = {*re.findall(r"[A-Za-z_]\w*", shown.code), ITEM} - set(places)
        return imports + code_of(program, self.routines, last=calling + bound + breaking, taken=taken)


ITEM = "item"
GIVEN = "given = {call}\nassert hasattr(given, "
RUNNING = {"list({call})": f"{GIVEN}'__next__')", "asyncio.run({call})": f"{GIVEN}'__await__')\ngiven.close()"}
"""How a call is written whose result has to be run, and what holds for such a result."""


def _bound(places: Mapping[str, str]) -> tuple[Mapping[str, str], str]:
    """An item of what a call gave gets a name, because that may be an iterator: the places then, and the line.

    >>> _bound({"x": "{1}[0]"})
    ({'x': 'item'}, 'item = list({1})[0]\\n')
    """
    slot, _, place = places["x"].partition("[")
    return ({**places, "x": ITEM}, f"{ITEM} = list({slot})[{place}\n") if place else (places, "")


def _types_in(message: str) -> list[str]:
    """The types of values that an exception speaks of: another type is another story, though on the same line."""
    return re.findall(r"'(\w+)' object", message)


def _given(model: Routine, step: Step) -> list[str | None]:
    """The literals that a step passes for the parameters."""
    given = step.arguments[1:] if model.has_receiver else step.arguments
    return [one.text if isinstance(one, Literal) else None for one in given]
