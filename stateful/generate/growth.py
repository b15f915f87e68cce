"""Which routines make objects larger. Called one after the other they fill what the same call again and again does not:
trees and graphs, where every new node wants the name of another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from stateful.generate.calls import Called
from stateful.sandbox.worker import Session
from stateful.subject.discover import LiveRoutine
from stateful.subject.snapshots import dump, load

__all__ = ["Growth"]

SAMPLES = 20  # calls of each routine that are looked at
MOSTLY = 0.5  # of them made their receiver larger


class Growth:
    """`note` calls; `of` a class are the routines that mostly made its objects larger."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.looked_at: Counter[str] = Counter()
        self.grew: Counter[str] = Counter()
        self.growing: dict[type, list[LiveRoutine]] = defaultdict(list)

    def note(self, called: Called) -> None:
        """Look at a call that passed, if it is one of the first of its routine."""
        live, name = called.routine, called.routine.model.name
        if live.cls is None or called.verdict.outcome != "pass" or self.looked_at[name] >= SAMPLES:
            return
        self.looked_at[name] += 1
        self.grew[name] += bool(called.changed) and self._is_larger(called)
        known = self.growing[live.cls]
        grows = self.grew[name] > MOSTLY * self.looked_at[name]
        if grows != (live in known):
            known.append(live) if grows else known.remove(live)

    def of(self, cls: type | None) -> Sequence[LiveRoutine]:
        return self.growing.get(cls, ()) if cls is not None else ()

    def _is_larger(self, called: Called) -> bool:
        """The bytes of the receiver alone are more than before. All together are not: what was an argument may be a
        part of it now."""
        before, after = called.before, called.after
        if before.codec == "recipe" or after is None or before.operands[0] is None or after.operands[0] is None:
            return False
        try:
            with self.session.calling(b"growth"):
                was = load(before.codec, before.data)[before.operands[0]]
                return len(dump([after.objects[after.operands[0]]])[1]) > len(dump([was])[1])
        except BaseException:
            return False
