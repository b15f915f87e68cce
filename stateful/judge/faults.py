"""Faults: which failing calls show the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from stateful.judge.frames import Frame
from stateful.judge.outcome import Verdict
from stateful.subject.model import Routine

__all__ = ["ILL_TYPED", "Fault", "fault_of", "iterates"]

ILL_TYPED = frozenset(("TypeError", "AttributeError"))
"""What calls with arguments of a wrong type raise: they say nothing of when another exception is raised."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A distinct reason for failing tests. `digest` is what makes it this one and no other."""

    digest: str
    kind: str
    routine: str
    exception: str | None
    message: str
    file: str
    line: int
    law: str | None
    trace: tuple[Frame, ...]
    arguments: tuple[str, ...] = ()
    """The kinds of the arguments that it was seen with; an empty one for an argument that was left out."""
    cls: str = ""
    """For a broken law the class that breaks it."""
    strict: bool = True
    """For a broken law that nobody breaks it on purpose."""
    form: str = ""
    """For a broken law that has several forms, which one."""
    elsewhere: str = ""
    """Who else is behind it, in words."""
    fitting: tuple[bool, ...] = ()
    """For each argument, whether it is what an annotation asks for."""
    lacking: bool = False
    """The object is asked for an attribute that nothing gives it."""
    guarded: bool = False
    """The routine looks at its object first, and leaves if that is empty, or announces what it raises then."""

    def as_json(self) -> dict[str, Any]:
        names = ("digest", "kind", "routine", "exception", "message", "file", "line", "law")
        return {
            **{name: getattr(self, name) for name in names},
            "trace": [frame.as_json() for frame in self.trace],
            "arguments": list(self.arguments),
            "source": self.trace[-1].source if self.trace else "",
            "class": self.cls,
            "strict": self.strict,
            "form": self.form,
            "elsewhere": self.elsewhere,
            "fitting": list(self.fitting),
            "lacking": self.lacking,
            "guarded": self.guarded,
        }


def fault_of(verdict: Verdict, routine: str, error: BaseException | None, kinds: Sequence[str]) -> Fault:
    """The fault behind a verdict: a law of a class, or an exception at the innermost line of the subject."""
    inner = verdict.trace[-1] if verdict.trace else None
    exception = type(error).__name__ if error is not None else None
    if verdict.kind == "hang":  # where it was when the time was over is chance
        identity: tuple[object, ...] = ("hang", verdict.law, verdict.kin) if verdict.law else ("hang", routine)
    elif verdict.form:
        identity = ("law", verdict.law, verdict.form, verdict.kin, exception)
    elif inner is not None:
        identity = (
            "at",
            exception or verdict.kind,
            inner.file,
            inner.function,
            inner.source or str(inner.line),
        )
    elif verdict.kind == "clause":
        identity = ("clause", routine, verdict.message.partition(" (where")[0])
    else:
        identity = (verdict.kind, verdict.law or exception, verdict.kin if verdict.law else routine)
    return Fault(
        digest=blake2b(repr(identity).encode(), digest_size=16).hexdigest(),
        kind=str(verdict.kind),
        routine=routine,
        exception=exception,
        message=verdict.message or verdict.reason,
        file=inner.file if inner else "",
        line=inner.line if inner else 0,
        law=verdict.law,
        trace=verdict.trace,
        arguments=tuple(kinds),
        cls=verdict.cls,
        strict=verdict.strict,
        form=verdict.form,
        elsewhere=verdict.elsewhere,
        fitting=verdict.fitting,
        lacking=verdict.lacking,
        guarded=verdict.guarded,
    )


def iterates(routine: Routine) -> bool:
    """The call is what takes the items of a generator or an iterator."""
    return routine.generator or routine.short in ("__iter__", "__next__")
