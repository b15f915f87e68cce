"""For each source of an exception the outcome and its reason."""

from __future__ import annotations

import os
from typing import Any

import pytest

from stateful.judge import Experience, decide
from stateful.judge.beliefs import likelihood_of
from stateful.judge.faults import fault_of
from stateful.judge.frames import Frame, Frames
from stateful.judge.outcome import Case, Verdict
from stateful.subject.discover import discover
from stateful.subject.program import invoke
from stateful.subject.routines import routines_of
from stateful.subject.target import Target
from tests.subjects.judged import Judged

MODULE = "tests.subjects.judged"
LIVE = discover([Target(MODULE)])
FRAMES = Frames(LIVE.modules, os.getcwd())
FRAMES.roots = (str(LIVE.modules[0].__file__),)  # not the package of the tests


def verdict_on(name: str, *arguments: Any, passed: tuple[str, ...] = ()) -> Verdict:
    live = LIVE.routines[f"{MODULE}:Judged.{name}"]
    experience = Experience()
    for kind in passed:
        experience.note(live.model.name, [None, kind], passed=True)
    operands = [Judged(), *arguments]
    with pytest.raises(BaseException) as raised:
        invoke(live.model, live.function, operands)
    return decide(Case(live.model, operands, raised.value, experience, FRAMES, live.expected))


@pytest.mark.parametrize(
    ("name", "arguments", "passed", "outcome", "reason"),
    [
        ("announces", (), (), "refuse", "raises KeyError by a raise statement"),
        ("documents", ({},), ("dict[str, int]",), "refuse", "raises ZeroDivisionError as it announces"),
        ("warns", ({},), ("dict[str, int]",), "refuse", "raises ZeroDivisionError as it announces"),
        ("passes_on", (..., ..., ...), (), "refuse", "of what they are handed on to"),
        ("passes_nothing", (), (), "fail", "nothing announces"),
        ("divides", (), (), "fail", "nothing announces"),
        ("follows_none", (), (), "fail", "nothing announces"),
        ("adds", ("x",), (), "refuse", "`other` contradicts its annotation"),
        ("looks_up", (3,), ("int",), "refuse", "an argument names a key or index"),
        ("has_looked_for", (5,), ("int",), "refuse", "raises KeyError by a raise statement"),
        ("has_looked_for", (4,), ("int",), "refuse", "raises IndexError as it announces"),
        ("has_looked_for", (3,), ("int",), "fail", "nothing announces"),
        ("has_looked", (), (), "fail", "nothing announces"),
        ("untyped", (5,), (), "refuse", "`other` hardly ever passed as int"),
        ("untyped", (5,), ("int",), "fail", "nothing announces"),
        ("compares", ("a",), ("str",), "refuse", "do not support the operation"),
        ("asserts_first", (0,), ("int",), "refuse", "leading assert"),
        ("asserts_later", (1,), ("int",), "fail", "an assert of the routine about its arguments is broken"),
        ("asserts_twice", (1,), ("int",), "fail", "an assert of the routine about its arguments is broken"),
        ("asserts_twice", (0,), ("int",), "refuse", "leading assert"),
        ("hands_on", (1,), ("int",), "fail", "an assert of the routine about its arguments is broken"),
        ("counts_wrongly", (1,), ("int",), "fail", "an assert of the subject is broken"),
        ("chooses", (3,), ("int",), "fail", "an assert of the routine about its arguments is broken"),
        ("unfinished", (), (), "refuse", "not implemented"),
        ("deep", (), (), "crash", "recursion without bound"),
        ("calls_wrongly", (), (), "fail", "a written contract is broken"),
        ("promises", (), (), "fail", "a written contract is broken"),
    ],
)
def test_each_exception_has_its_outcome(
    name: str, arguments: tuple[Any, ...], passed: tuple[str, ...], outcome: str, reason: str
) -> None:
    verdict = verdict_on(name, *arguments, passed=passed)
    assert verdict.outcome == outcome
    assert reason in verdict.reason


def test_a_wrong_number_of_arguments_is_the_callers_fault() -> None:
    live = LIVE.routines[f"{MODULE}:Judged.divides"]
    with pytest.raises(TypeError) as raised:
        live.function(Judged(), 1)
    verdict = decide(Case(live.model, [Judged(), 1], raised.value, Experience(), FRAMES))
    assert verdict.outcome == "refuse"


class Count(int):
    """A number."""


def test_what_is_written_in_c_raises_on_purpose() -> None:
    live = next(one for one in routines_of(Count, []) if one.model.short == "__pow__")
    operands = [Count(1), 1, 0]
    with pytest.raises(ValueError) as raised:
        invoke(live.model, live.function, operands)
    experience = Experience()
    experience.note(live.model.name, [None, "int", "int"], passed=True)
    verdict = decide(Case(live.model, operands, raised.value, experience, FRAMES))
    assert (verdict.outcome, verdict.reason) == ("refuse", "raises ValueError, and is not written in Python")


@pytest.mark.parametrize(
    ("name", "arguments", "passed", "likelihood"),
    [
        ("promises", (), (), "certain"),
        ("divides", (), (), "likely"),
        ("follows_none", (), (), "likely"),
        ("untyped", (5,), ("int",), "likely"),
        ("has_looked_for", (3,), ("int",), "likely"),
        ("has_looked", (), (), "likely"),
    ],
)
def test_likelihood_follows_the_kind_of_fault(
    name: str, arguments: tuple[Any, ...], passed: tuple[str, ...], likelihood: str
) -> None:
    verdict = verdict_on(name, *arguments, passed=passed)
    fault = fault_of(verdict, f"{MODULE}:Judged.{name}", ValueError(), ["int"] * len(arguments))
    assert likelihood_of(fault.as_json(), [list(passed)])[0] == likelihood


def test_one_line_is_one_fault_whoever_calls_it() -> None:
    verdict = verdict_on("divides")
    one = fault_of(verdict, "m:A.f", ZeroDivisionError(), [])
    other = fault_of(verdict, "m:A.g", ZeroDivisionError(), ["int"])
    assert one.digest == other.digest
    assert one.file == os.path.join("tests", "subjects", "judged.py")


def test_the_clause_is_told_without_addresses() -> None:
    message = verdict_on("promises").message
    assert message == "result > 0 (where result was 0)"


def test_a_law_that_a_subclass_inherits_broken_is_one_fault() -> None:
    of = [Verdict("fail", "a law is broken", "law", "length", cls=cls, kin="m:Base") for cls in ("m:Base", "m:Sub")]
    assert len({fault_of(verdict, "m:f", None, []).digest for verdict in of}) == 1
    other = Verdict("fail", "a law is broken", "law", "length", cls="m:Other", kin="m:Other")
    assert fault_of(other, "m:f", None, []).digest != fault_of(of[0], "m:f", None, []).digest


def test_a_hang_is_known_by_its_routine_and_not_by_where_it_was() -> None:
    one, other = (Verdict("hang", "too long", "hang", trace=(Frame("a.py", line, "f"),)) for line in (1, 2))
    assert fault_of(one, "m:f", None, []).digest == fault_of(other, "m:f", None, []).digest
