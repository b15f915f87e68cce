"""Why a confirmed fault may be the caller's mistake: rules about the shrunk calls and what they showed."""

from __future__ import annotations

import re

from stateful.generate.replayed import Replayed
from stateful.subject.program import MISSING, Literal, Program, Reference

__all__ = ["doubt_of"]


def doubt_of(program: Program, shown: Replayed) -> str | None:
    """Why the fault may be the caller's mistake, as the shrunk program shows it."""
    return next((doubt for rule in DOUBTS if (doubt := rule(program, shown))), None)


def _keeps_what_it_was_given(_: Program, shown: Replayed) -> str | None:
    if shown.unchecked:
        return f"an object keeps what it was given, a value of type {shown.unchecked}, which may be a wrong one"
    return "a record keeps whatever it is given, and a value may be a wrong one" if shown.record else None


def _passes_none(program: Program, shown: Replayed) -> str | None:
    speaks = "'NoneType' object" in shown.message
    passed = speaks and any(re.search(r"\bNone\b", text) for text in _literals_of(program))
    return "None was passed, now or when the object was built" if passed else None


def _passes_what_is_called(program: Program, shown: Replayed) -> str | None:
    """`flip() missing 3 required positional arguments`, where `flip` was an argument."""
    called = re.match(r"(?:\w+\.)*(\w+)\(\) (?:missing|takes|got)", shown.message)
    if called is None or not any(re.fullmatch(rf"(?:.*[.:])?{called[1]}", text) for text in _literals_of(program)):
        return None
    return "a function is called that was passed, now or when the object was built"


def _holds_itself(program: Program, shown: Replayed) -> str | None:
    if not shown.message.startswith("maximum recursion depth exceeded"):
        return None
    if shown.cyclic:
        return "an object reaches itself through what it was given"
    given = [[a for a in step.arguments if isinstance(a, Reference)] for step in program.steps]
    is_twice = any(len(set(several)) < len(several) for several in given)
    return "an object is passed to itself, and may hold itself" if is_twice else None


DOUBTS = (_keeps_what_it_was_given, _passes_none, _passes_what_is_called, _holds_itself)


def _literals_of(program: Program) -> list[str]:
    """The literals that its calls pass."""
    return [a.text for step in program.steps for a in step.arguments if isinstance(a, Literal) and a.text != MISSING]
