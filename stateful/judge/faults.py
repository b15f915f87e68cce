"""Faults: which failing calls show the same one, and how much each is to be believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from stateful.judge.frames import Frame
from stateful.judge.outcome import Verdict

__all__ = ["Fault", "Likelihood", "fault_of", "likelihood_of"]

Likelihood: TypeAlias = Literal["certain", "likely", "suspicious"]


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
    """The kinds of the arguments that it was seen with."""

    def as_json(self) -> dict[str, Any]:
        names = ("digest", "kind", "routine", "exception", "message", "file", "line", "law")
        return {
            **{name: getattr(self, name) for name in names},
            "trace": [frame.as_json() for frame in self.trace],
            "arguments": list(self.arguments),
        }


def fault_of(verdict: Verdict, routine: str, owner: str, error: BaseException | None, kinds: Sequence[str]) -> Fault:
    """The fault behind a verdict: a law of a class, or an exception at the innermost line of the subject."""
    inner = verdict.trace[-1] if verdict.trace else None
    exception = type(error).__name__ if error is not None else None
    if inner is not None:
        identity: tuple[object, ...] = (
            "at",
            exception or verdict.kind,
            inner.file,
            inner.function,
            inner.source or str(inner.line),
        )
    elif verdict.kind == "clause":
        identity = ("clause", routine, verdict.message.partition(" (where")[0])
    else:
        identity = (verdict.kind, verdict.law or exception, owner if verdict.law else routine)
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
    )


def likelihood_of(fault: dict[str, Any], learned: Sequence[Sequence[str]]) -> tuple[Likelihood, str]:
    """How much to believe a fault, and why; `learned` are the kinds that passed, for each argument of its routine."""
    if fault["kind"] == "clause":
        return "certain", "a contract that the author wrote is broken"
    if fault["kind"] == "hang":
        return "certain", "the call does not return"
    if fault["kind"] == "crash":
        return ("likely", fault["message"]) if fault["exception"] else ("certain", "the call kills its process")
    if fault["kind"] == "law":
        return _about_law(fault)
    if "'NoneType' object" in fault["message"]:
        return "likely", "None is used where the subject expects an object"
    if not fault["arguments"]:
        return _without_arguments(fault)
    if _blames_an_argument(fault):
        return "suspicious", "the exception speaks of a value of the kind that was passed"
    strange = [kind for kind, passed in zip(fault["arguments"], learned, strict=False) if kind not in passed]
    if strange:
        return "suspicious", f"values of kind {strange[0]} hardly ever pass here"
    if fault["exception"] == "AssertionError":
        return "likely", "an assert in the subject is broken"
    return "likely", "no argument to blame: all are of kinds that pass elsewhere"


def _about_law(fault: dict[str, Any]) -> tuple[Likelihood, str]:
    if str(fault["law"]).startswith("own check") and fault["exception"] in (None, "AssertionError"):
        return "certain", "the class's own check of its objects fails"
    if fault["exception"] == "TypeError":
        return "suspicious", "a law of the data model is broken, but perhaps by values of a wrong kind in the object"
    return "likely", "a law of the data model is broken"


def _blames_an_argument(fault: dict[str, Any]) -> bool:
    """`'int' object is not iterable`, and an int was passed, or a list of them."""
    named = re.findall(r"'(\w+)' object|not '?(\w+)'?$|type '(\w+)'", fault["message"])
    names = {name for group in named for name in group if name}
    passed = {name for kind in fault["arguments"] for name in re.findall(r"\w+", kind)}
    return fault["exception"] in ("TypeError", "AttributeError") and bool(names & passed)


def _without_arguments(fault: dict[str, Any]) -> tuple[Likelihood, str]:
    if fault["exception"] in ("IndexError", "KeyError", "StopIteration"):
        return "suspicious", "may be an undocumented precondition: something is looked up that is not there"
    return "likely", "no argument to blame: it has none"
