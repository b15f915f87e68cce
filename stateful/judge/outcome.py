"""The outcome of a call, decided in one place: a visible tuple of judges, of which the first that speaks is heard."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from stateful.contracts.evaluate import is_atom
from stateful.judge.bases import lacks_as_a_base
from stateful.judge.elsewhere import library_that_raised, stranger_behind
from stateful.judge.frames import Frame, Frames
from stateful.judge.kinds import Experience, all_fit, contradiction, kind_of
from stateful.sandbox.guard import GuardRefusal
from stateful.sandbox.worker import DeadlineReached
from stateful.subject.asked import agrees
from stateful.subject.model import Routine
from stateful.subject.routines import class_name
from stateful.subject.source import asserted_names, is_given, openings, raising_lines
from stateful.subject.written import is_contract_error

__all__ = ["WAITED", "WAITED_WITHIN", "Case", "Outcome", "Verdict", "decide", "is_raised", "without_addresses"]

Outcome: TypeAlias = Literal["pass", "refuse", "fail", "hang", "crash"]
FaultKind: TypeAlias = Literal["exception", "law", "clause", "hang", "crash"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one call and the reason in words; for a fault also what kind it is and where."""

    outcome: Outcome
    reason: str
    kind: FaultKind | None = None
    law: str | None = None
    message: str = ""
    trace: tuple[Frame, ...] = ()
    code: str = ""
    """For a broken law the Python that shows it, for an object `x`."""
    cls: str = ""
    """For a broken law the class of that object ..."""
    kin: str = ""
    """... and of the subject's classes the one from which that inherits."""
    blamed: str = ""
    """For a broken law the method that broke it, if it speaks of one."""
    strict: bool = True
    """For a broken law that nobody breaks it on purpose."""
    form: str = ""
    """For a broken law that has several forms, which one."""
    error: BaseException | None = None
    """For a law that broke by raising, the exception; the call itself may have raised another one."""
    elsewhere: str = ""
    """Who else is behind it: a base class that is not the subject's, or Python's library, which refuses something."""
    fitting: tuple[bool, ...] = ()
    """For each argument, whether it is what an annotation asks for."""
    lacking: bool = False
    """The object is asked for an attribute that nothing gives it."""
    guarded: bool = False
    """The routine looks at its object first, and leaves if that is empty, or announces what it raises then."""

    def routine(self, called: str, routines: Container[str]) -> str:
        """The one of these that a fault is reported of: what was called, or the method that a law speaks of."""
        name = f"{self.cls}.{self.blamed}"
        return name if self.blamed and name in routines else called


LATE = "did not return within the deadline"
WAITED = "waits for something that did not come within the deadline"
WAITED_WITHIN = f"{WAITED}, within Python's library"
"""A lock is taken where the subject stands; what is written in Python, such as a semaphore, waits for others."""


@dataclass(slots=True)
class Case:
    """What the judges look at: a call that ended with an exception."""

    routine: Routine
    operands: Sequence[Any]
    error: BaseException
    experience: Experience
    frames: Frames
    expected: Mapping[str, Any] = field(default_factory=dict)
    trace: tuple[Frame, ...] = field(default=())

    @property
    def name(self) -> str:
        return type(self.error).__name__

    def strange_operand(self) -> str | None:
        """The name of an argument of a kind that never passed in its slot. What was asked for is not strange."""
        for slot, operand in enumerate(self.operands):
            if operand is Ellipsis or (slot == 0 and self.routine.has_receiver):
                continue
            place = slot if self.routine.has_receiver else slot + 1
            if agrees(self.expected.get(self.routine.slots[place], Any), operand):
                continue
            if not self.experience.has_passed(self.routine.name, place, kind_of(operand)):
                return f"`{self.routine.slots[place]}` hardly ever passed as {kind_of(operand)}"
        return None

    @property
    def arguments(self) -> list[Any]:
        """The arguments that were given, without the receiver."""
        return [value for value in self.operands[1 if self.routine.has_receiver else 0 :] if value is not Ellipsis]


Judge: TypeAlias = Callable[[Case], "Verdict | None"]


def out_of_time(case: Case) -> Verdict | None:
    if isinstance(case.error, DeadlineReached):
        waited = WAITED if case.frames.is_subject(case.error.file) else WAITED_WITHIN
        return Verdict("hang", waited if case.error.waits else LATE, "hang", trace=case.trace)
    return None


def out_of_bounds(case: Case) -> Verdict | None:
    if isinstance(case.error, RecursionError | MemoryError):
        what = "recursion without bound" if isinstance(case.error, RecursionError) else "memory without bound"
        return Verdict("crash", what, "crash", message=str(case.error), trace=case.trace)
    return None


def broken_contract(case: Case) -> Verdict | None:
    """The written precondition was true before the call, so any contract that breaks now is the routine's fault."""
    if is_contract_error(case.error):
        return replace(_fail(case, "a written contract is broken", "clause"), message=_clause_in(str(case.error)))
    if isinstance(case.error, AssertionError) and case.trace:
        if _is_own_precondition(case):
            return Verdict("refuse", "a leading assert of the routine is false")
        if _is_about_arguments(case) or _is_about_new_object(case) or _is_asked_first(case):
            return _fail(case, "an assert of the routine about its arguments is broken", "exception")
        return _fail(case, "an assert of the subject is broken", "clause")
    return None


def _clause_in(message: str) -> str:
    """The broken condition and its values, without the place and the addresses that icontract adds."""
    lines = [line for line in message.splitlines() if line and not line.startswith("File ")]
    values = [line for line in lines[1:] if "<" not in line and not line.endswith("a bunch of OLD values")]
    where = f" (where {', '.join(values)})" if values else ""
    return f"{lines[0].rstrip(':')}{where}"[:500] if lines else ""


def _is_own_precondition(case: Case) -> bool:
    """The assert is one of those at the beginning of the called routine itself."""
    leading = {line for clause in case.routine.written if clause.source == "assert" for line in clause.lines}
    return len(case.trace) == 1 and case.trace[0].line in leading


def _is_about_arguments(case: Case) -> bool:
    """The assert speaks of arguments of the call, and not of the object: in its message, or in its condition alone."""
    frame = case.trace[-1]
    asserted = asserted_names(frame.path).get(frame.line)
    if asserted is None or not frame.is_innermost:
        return False
    given = _given(case)
    return bool(given & asserted.told) or bool(given & asserted.tested and not asserted.tested & {"self", "cls"})


def _is_asked_first(case: Case) -> bool:
    """The assert stands at the beginning of a helper that the routine calls first, for the same object: it may say when
    the routine may be called, as `self._opened()` does."""
    lines = [openings(frame.path) for frame in case.trace]
    begins = all(frame.line in opening.first for frame, opening in zip(case.trace[:-1], lines, strict=False))
    if len(case.trace) < 2 or not begins or case.trace[-1].line not in lines[-1].asserts:
        return False
    step, receivers = case.error.__traceback__, []
    while step is not None:
        code = step.tb_frame.f_code
        if case.frames.is_subject(code.co_filename):
            receivers.append(step.tb_frame.f_locals.get(next(iter(code.co_varnames), "")))
        step = step.tb_next
    return case.trace[-1].is_innermost and all(receiver is receivers[0] for receiver in receivers)


MAKING = frozenset(("__init__", "__new__", "__post_init__", "__attrs_post_init__"))


def _is_about_new_object(case: Case) -> bool:
    """The assert stands where an object is made from arguments: what it says of the object it says of these."""
    is_made = case.routine.kind == "constructor" and any(value is not Ellipsis for value in case.arguments)
    return is_made and case.trace[-1].is_innermost and case.trace[-1].function in MAKING


def _given(case: Case) -> frozenset[str]:
    """The names that arguments of the call have where the exception was raised: they may have been handed on."""
    if len(case.trace) == 1:
        return frozenset(parameter.name for parameter in case.routine.parameters)
    step = case.error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return frozenset()
    code, values = step.tb_frame.f_code, step.tb_frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return frozenset(name for name in names if any(values.get(name, names) is value for value in case.arguments))


def forbidden(case: Case) -> Verdict | None:
    if isinstance(case.error, GuardRefusal):
        return Verdict("refuse", f"the sandbox refused it: {case.error}")
    return None


def announced(case: Case) -> Verdict | None:
    if isinstance(case.error, NotImplementedError):
        return Verdict("refuse", "raises NotImplementedError: it is not implemented")
    if is_raised(case.trace):
        return Verdict("refuse", f"raises {case.name} by a raise statement of the subject")
    if was_looked_for(case):
        return None
    names = {cls.__name__ for cls in type(case.error).__mro__}
    told = {name.rpartition(".")[2] for name in case.routine.documents}
    raised = {name.rpartition(".")[2] for name in case.routine.announces}
    if case.name in raised or told & names:
        return Verdict("refuse", f"raises {case.name} as it announces")
    return None


def was_looked_for(case: Case) -> bool:
    """Something is not there though the routine has looked for it, or looked whether there is anything, and would have
    left by itself."""
    if not isinstance(case.error, KeyError | IndexError):
        return False
    if not case.arguments:
        return case.routine.guarded and "empty" not in str(case.error)
    names = case.routine.slots[0 if case.routine.has_receiver else 1 :]
    missing = case.error.args[:1]
    return any(
        name in case.routine.looks_for and is_atom(value) and missing == (value,)
        for name, value in zip(names, case.operands, strict=False)
    )


def is_raised(trace: Sequence[Frame]) -> bool:
    """The exception comes from a raise statement of the subject."""
    return bool(trace) and trace[-1].is_innermost and trace[-1].line in raising_lines(trace[-1].path)


def wrong_call(case: Case) -> Verdict | None:
    if not isinstance(case.error, TypeError):
        return None
    if not case.trace:
        return Verdict("refuse", "the arguments do not fit the signature or the built-in routine")
    hands_on = any(parameter.variadic or parameter.keywords for parameter in case.routine.parameters)
    if hands_on and len(case.trace) == 1 and MISCALLED.search(str(case.error)):
        return Verdict("refuse", "the arguments do not fit the signature of what they are handed on to")
    return None


MISCALLED = re.compile(
    r"\(\) (?:missing \d+ required|takes (?:from |no |exactly |at (?:least|most) )?|got (?:an unexpected|multiple))"
)


def against_annotation(case: Case) -> Verdict | None:
    name = contradiction(case.routine, case.operands, case.expected)
    return Verdict("refuse", f"argument `{name}` contradicts its annotation") if name else None


def ill_typed(case: Case) -> Verdict | None:
    if not isinstance(case.error, TypeError | AttributeError | ValueError | OverflowError):
        return None
    if isinstance(case.error, AttributeError) and "'NoneType' object" in str(case.error) and not _passes_none(case):
        return None
    if is_lacking(case):
        return None
    strange = case.strange_operand()
    return Verdict("refuse", f"argument {strange}") if strange else None


def is_lacking(case: Case) -> bool:
    """The routine asks its own object for an attribute that nothing in the file gives to any object."""
    error, frame = case.error, case.trace[-1] if case.trace else None
    if not isinstance(error, AttributeError) or frame is None or not frame.is_innermost:
        return False
    if any(error.obj is value for value in case.arguments):  # it was passed to itself, as something else
        return False
    own = case.routine.has_receiver and error.obj is case.operands[0]
    made = case.routine.kind == "constructor" and class_name(type(error.obj)) == case.routine.owner
    return (own or made) and f".{error.name}" in frame.source and not is_given(frame.path, error.name)


def _passes_none(case: Case) -> bool:
    return any(operand is None for operand in case.operands)


def absent(case: Case) -> Verdict | None:
    if case.routine.kind == "attribute" and isinstance(case.error, AttributeError):
        return Verdict("refuse", "the object has no such attribute in this state")
    return None


def by_python(case: Case) -> Verdict | None:
    """A routine that is written in C raises on purpose whatever it raises; some are Python's own, only inherited."""
    deliberate = isinstance(case.error, ValueError | LookupError | ArithmeticError | AttributeError)
    if deliberate and not case.trace and not case.routine.line:
        return Verdict("refuse", f"raises {case.name}, and is not written in Python")
    return None


def base_alone(case: Case) -> Verdict | None:
    if lacks_as_a_base(case.error):
        return Verdict("refuse", "an object of a base class alone lacks what its subclasses set")
    return None


UNSUPPORTED = re.compile(
    r"not supported between instances|unhashable type|unsupported operand type|object is not iterable"
)


def unsupported_values(case: Case) -> Verdict | None:
    if not isinstance(case.error, TypeError) or not UNSUPPORTED.search(str(case.error)) or not case.arguments:
        return None
    if all_fit(case.routine, case.operands, case.expected):
        return None
    return Verdict("refuse", "values that do not support the operation")


def missing_key(case: Case) -> Verdict | None:
    is_lookup = isinstance(case.error, LookupError | StopIteration) and any(map(_is_key, case.arguments))
    if was_looked_for(case):
        return None
    is_missing = isinstance(case.error, ValueError) and case.arguments and NOT_THERE.search(str(case.error))
    if is_lookup or is_missing:
        return Verdict("refuse", f"raises {case.name}: an argument names a key or index that is not there")
    return None


NOT_THERE = re.compile(r"(?:is not|x not) in (?:list|tuple|deque|range|array)$|^substring not found$")
"""What Python's sequences say of an item that they do not hold."""


def _is_key(value: Any) -> bool:
    return is_atom(value) or isinstance(value, slice | tuple | range | frozenset)


JUDGES: tuple[Judge, ...] = (
    forbidden,
    out_of_time,
    out_of_bounds,
    broken_contract,
    announced,
    absent,
    base_alone,
    by_python,
    wrong_call,
    against_annotation,
    ill_typed,
    unsupported_values,
    missing_key,
)


def decide(case: Case) -> Verdict:
    """The verdict on a call that raised; what no judge explains is a fault."""
    case.trace = case.frames.of(case.error)
    for judge in JUDGES:
        verdict = judge(case)
        if verdict is not None:
            return verdict
    return _fail(case, "an exception that nothing announces", "exception")


def _fail(case: Case, reason: str, kind: FaultKind) -> Verdict:
    try:
        message = str(case.error)
    except Exception:
        message = ""
    slots = case.routine.slots[0 if case.routine.has_receiver else 1 :]
    given = zip(slots, case.operands, strict=False)
    return Verdict(
        "fail", reason, kind, message=without_addresses(message)[:500], trace=case.trace, elsewhere=_elsewhere(case),
        fitting=tuple(agrees(case.expected.get(name, Any), value) is True for name, value in given if name != "self"),
        lacking=is_lacking(case), guarded=was_looked_for(case) or _thinks_of_absence(case),
    )  # fmt: skip


def _thinks_of_absence(case: Case) -> bool:
    """No argument says what is not there, and the author has thought of that, or says so by another exception."""
    announced = (name.endswith(("LookupError", "IndexError", "KeyError", "Empty")) for name in case.routine.announces)
    return not case.arguments and (case.routine.guarded or any(announced))


def _elsewhere(case: Case) -> str:
    """Who else is behind an exception, in words."""
    inherits = not case.trace and case.routine.has_receiver
    stranger = stranger_behind(type(case.operands[0]), case.routine.short, case.frames) if inherits else ""
    if stranger:
        return f"raised within what the class inherits from {stranger}"
    library = "" if isinstance(case.error, TypeError | AttributeError) else library_that_raised(case.error)
    return f"may be an undocumented precondition: {library} of Python's library refuses something" if library else ""


def without_addresses(message: str) -> str:
    """Addresses differ from run to run."""
    return re.sub(r" at 0x[0-9a-f]+", "", message)
