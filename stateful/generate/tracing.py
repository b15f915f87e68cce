"""Coverage of a session, in the worker: what is new is executed again, in slices, with the tracer on.

The tracer makes Python code three times slower, so testing itself runs without it. Snapshots make repeating free of
side effects: each repetition loads its operands anew.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random
from typing import Any

import coverage

from stateful.generate.calls import Called, Caller
from stateful.generate.operands import loaded
from stateful.generate.pool import Pool
from stateful.judge.lawbook import LawBook
from stateful.subject.program import invoke

__all__ = ["Tracer"]

SHARE = 0.12  # of the time goes into repeating
SLICES_PER_SECOND = 4
FIRST_OF_A_KIND = 3  # calls that end alike are all repeated, up to this many; of the rest a sample
SAMPLED = 0.05
MOST_WAITING = 400
LONG = 0.05  # seconds
ERASED_EVERY = 50  # slices; starting after an erasure takes as long as some hundred calls
REPORT_SHARE = 0.03  # of the time goes into reporting


class Tracer:
    """`offer` it every call; `slice` repeats what is new; `report` says what is covered."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.laws = LawBook(random)
        self.total = coverage.Coverage(data_file=None, branch=True, config_file=False, messages=False)
        self.part = self.total
        self.files: list[str] = []
        self.waiting: deque[tuple[Called, Pool]] = deque(maxlen=MOST_WAITING)
        self.met: Counter[tuple[object, ...]] = Counter()
        self.known: set[tuple[str, tuple[int, int]]] = set()
        self.changed: set[str] = set()
        """The files of which more is covered than was reported ..."""
        self.sizes: dict[str, tuple[int, int]] = {}
        """... and how many statements and branches those have that were."""
        self.slices = 0
        self.spent = 0.0
        self.reporting = 0.0

    def imported(self, importing: Callable[[], object]) -> None:
        """Import the subject with the tracer on: class bodies run only then."""
        self.total.start()
        try:
            importing()
        finally:
            self.total.stop()

    def watch(self, files: Collection[str]) -> None:
        """From now on these files count."""
        self.files = sorted(files)
        self.changed = set(self.files)
        self.part = coverage.Coverage(
            data_file=None, branch=True, config_file=False, messages=False, include=self.files or ["-"]
        )

    def offer(self, called: Called, pool: Pool) -> None:
        """Take note of a call if it is of a new kind, and of a few of the others; of none that took long, because with
        the tracer on it takes longer still."""
        if called.seconds > LONG:
            return
        key = called.routine.model.name, called.verdict.outcome, type(called.error), called.kinds, called.changed
        self.met[key] += 1
        if self.met[key] <= FIRST_OF_A_KIND or self.random.random() < SAMPLED:
            self.waiting.append((called, pool))

    def slice(self, caller: Caller, most: int | None, elapsed: float) -> None:
        """Repeat what waits: `most` calls, or as many as the share of the time allows."""
        began = time.monotonic()
        until = began + SHARE * elapsed - self.spent
        while self.waiting and most != 0 and (most is not None or time.monotonic() < until):
            pool = self.waiting[0][1]
            self.slices += 1
            if not self.slices % ERASED_EVERY:
                self.part.erase()
            self.part.start()
            self.part.switch_context(str(self.slices))
            try:
                while self.waiting and self.waiting[0][1] is pool and (most is None or most > 0):
                    repeat(caller, self.waiting.popleft()[0], self.laws)
                    most = None if most is None else most - 1
                    if most is None and time.monotonic() > until:
                        break
            finally:
                self.part.stop()
            self._note(pool)
        self.spent += time.monotonic() - began

    def _note(self, pool: Pool) -> None:
        """What the last slice covered; it has a context of its own."""
        data = self.part.get_data()
        data.set_query_context(str(self.slices))
        arcs = {file: data.arcs(file) or () for file in self.files}
        covered = {(file, arc) for file, found in arcs.items() for arc in found}
        pool.covered |= covered
        if not covered <= self.known:
            self.changed |= {file for file, _ in covered - self.known}
            self.known |= covered
            self.total.get_data().add_arcs(arcs)

    def report(self, elapsed: float, *, last: bool = False) -> dict[str, Any] | None:
        """The statements and branches covered so far of files with new ones, if reporting does not cost too much:
        coverage.py parses each file again."""
        if not self.changed or (self.reporting > REPORT_SHARE * elapsed and not last):
            return None
        began = time.monotonic()
        files, self.changed = sorted(self.changed), set()
        try:
            self.total.json_report(morfs=files, outfile="coverage.json")
        except (coverage.CoverageException, OSError):  # the subject has removed its files, or its folder
            return None
        found = json.loads(Path("coverage.json").read_text(encoding="utf-8"))["files"]
        for file, each in found.items():
            self.sizes[file] = each["summary"]["num_statements"], each["summary"]["num_branches"]
        self.reporting += time.monotonic() - began
        return {
            "all": [sum(statements for statements, _ in self.sizes.values()), sum(b for _, b in self.sizes.values())],
            "files": {file: [each["executed_lines"], each["executed_branches"]] for file, each in found.items()},
        }


def repeat(caller: Caller, called: Called, laws: LawBook) -> None:
    """Execute a call again, and the laws on what it leaves; how it ends is known already."""
    live = called.routine
    call = b"\x1f".join([live.model.name.encode(), b"coverage"])
    with contextlib.suppress(BaseException), caller.session.calling(call):
        if caller.seeds:
            random.seed(called.before.digest)
        values = loaded(called.operands)
        result = invoke(live.model, live.function, values)
        for value in [*values, result] if called.changed is not False else [result]:
            if type(value) is live.cls:
                laws.check(value)
    caller.world.restore()
