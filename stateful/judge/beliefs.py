"""How much a fault is to be believed: a visible tuple of rules, of which the first that speaks is heard."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from stateful.judge.faults import ILL_TYPED
from stateful.judge.frames import INNERMOST, LOOKING_UP
from stateful.judge.outcome import WAITED, WAITED_WITHIN

__all__ = ["ABOUT_A_TYPE", "WRONG_KIND_INSIDE", "Likelihood", "likelihood_of"]

Likelihood: TypeAlias = Literal["certain", "likely", "suspicious"]


@dataclass(frozen=True, slots=True)
class Known:
    """A fault as it was told, and what is known beside it: the kinds that passed for each argument of its routine, and
    how often its law was tried and broken by objects of its class."""

    fault: Mapping[str, Any]
    learned: Sequence[Sequence[str]]
    habit: tuple[int, int] | None = None


ENOUGH = 8  # objects on which a law was tried, before its breaking can be a habit
HABIT = 0.75  # the share of those that break it


def is_habit(tried: int, broken: int) -> bool:
    """So many objects of a class break the law that the class means something else by it."""
    return tried >= ENOUGH and broken >= HABIT * tried


Belief: TypeAlias = tuple[Likelihood, str]


def likelihood_of(
    fault: Mapping[str, Any], learned: Sequence[Sequence[str]], habit: tuple[int, int] | None = None
) -> Belief:
    """How much to believe a fault, and why: the first rule that speaks is heard."""
    known = Known(fault, learned, habit)
    return next(belief for rule in RULES if (belief := rule(known)) is not None)


def _of_contract(known: Known) -> Belief | None:
    if known.fault["kind"] != "clause" or (known.fault["exception"] == "AssertionError" and known.fault.get("odd")):
        return None  # what an assert relies on may be nobody's promise
    return "certain", "a contract that the author wrote is broken"


def _of_own_check(known: Known) -> Belief | None:
    law = str(known.fault["law"])
    if known.fault["exception"] not in (None, "AssertionError") or not law.startswith("own "):
        return None
    if law.startswith("own check") and (habit := _habitual(known)):
        return habit
    whose = "the class's own check of its objects" if law.startswith("own check") else "a law that you wrote"
    return "certain", f"{whose} is broken"


def _of_killer(known: Known) -> Belief | None:
    if known.fault["kind"] != "crash" or known.fault["exception"]:
        return None
    if known.fault["message"].startswith("closed a file"):
        return "suspicious", "the call closes a file of its process, perhaps one that an argument names"
    return "certain", "the call kills its process"


def _of_defect(known: Known) -> Belief | None:
    """No argument is to blame for a name that is not there, or for a call that the subject itself makes wrongly."""
    fault = known.fault
    if fault["exception"] in ("NameError", "UnboundLocalError"):
        return "likely", "a name is used that is not there"
    if fault.get("lacking"):
        return "likely", "an attribute is used that nothing gives to its object"
    misspelt = re.search(r"'(\w+)' object has no attribute '((?!__)\w+)'", fault["message"] or "")
    if fault["exception"] == "AttributeError" and misspelt and misspelt[1] in BUILTINS:
        near = get_close_matches(misspelt[2], dir(BUILTINS[misspelt[1]]), n=1, cutoff=0.85)
        return ("likely", f"{misspelt[2]!r} looks like a misspelt {near[0]!r}") if near else None
    return None


BUILTINS = {cls.__name__: cls for cls in (list, dict, set, frozenset, tuple, str, bytes, int, float)}


def _of_odd_values(known: Known) -> Belief | None:
    if not known.fault.get("odd"):
        return None
    return (
        "suspicious",
        "seen with unusual values only: None, nan, a huge number, kinds mixed, against an annotation",
    )


def _of_hang(known: Known) -> Belief | None:
    match known.fault["kind"]:
        case "hang" if known.fault["iterates"]:
            return "suspicious", "its items come slowly or never: there may be many, or each takes long by its nature"
        case "hang" if known.fault["message"] == WAITED_WITHIN or (
            known.fault["message"] == WAITED and not TAKES_LOCK.search(known.fault["source"])
        ):
            return "suspicious", "the call waits: perhaps for another thread, for a time, or for the network"
        case "hang":
            return "certain", "the call does not return"
        case "crash":
            return "likely", known.fault["message"]
    return None


TAKES_LOCK = re.compile(r"\bacquire\b|^with\b")
"""Nobody else holds a lock here: who waits for one has taken it before."""


def _habitual(known: Known) -> Belief | None:
    """Nearly all objects break the law, and raise nothing."""
    if known.fault["exception"] or not known.habit or not is_habit(*known.habit):
        return None
    tried, broken = known.habit
    return "suspicious", f"{broken} of {tried} objects break this law: the class may mean something else by it"


def _of_law(known: Known) -> Belief | None:
    fault = known.fault
    if fault["kind"] != "law":
        return None
    if not fault["strict"] and (habit := _habitual(known)):
        return habit
    asks_itself = any(function in LOOKING_UP for *_, function in fault.get("trace", ())[-INNERMOST:])
    if fault["exception"] == "RecursionError" and not fault["form"] and not asks_itself:
        return "suspicious", "a law is broken, but perhaps the object holds itself"
    said = str(fault["message"]).rpartition(f"{fault['exception']}: ")[2]
    if fault["exception"] == "TypeError" and (_calls_a_builtin(said) or said.endswith("object is not callable")):
        return "suspicious", "a law is broken, but perhaps by a function that was passed"
    of_values = fault["exception"] in ILL_TYPED and _named_types(fault["message"])
    if "not supported between" in fault["message"]:
        return "suspicious", "a law is broken, but by values that have no order"
    if re.search(r"(?:bad|unsupported) operand type", fault["message"]):
        return "suspicious", "a law is broken, but by values that do not support an operation"
    if of_values and not fault["form"] and not fault["law"].startswith("equality"):
        return "suspicious", WRONG_KIND_INSIDE
    return "likely", "a law is broken that objects of its kind keep"


WRONG_KIND_INSIDE = "a law is broken, but perhaps by values of a wrong kind in the object"


def _of_strangers(known: Known) -> Belief | None:
    elsewhere = known.fault.get("elsewhere")
    return ("suspicious", elsewhere) if elsewhere else None


def _of_leaving(known: Known) -> Belief | None:
    return (
        ("suspicious", "it ends the program, perhaps on purpose") if known.fault["exception"] == "SystemExit" else None
    )


def _of_missing_module(known: Known) -> Belief | None:
    """What is imported when it is needed may be optional; a module of the subject's own has to be there."""
    missing = re.match(r"No module named '(\w+)", known.fault["message"])
    if known.fault["exception"] not in ("ModuleNotFoundError", "ImportError") or missing is None:
        return None
    own = re.match(r"\w+", known.fault["routine"])
    if own is not None and own[0] == missing[1]:
        return None
    return "suspicious", f"it needs the module {missing[1]!r}, which is not installed here"


def _of_emptiness(known: Known) -> Belief | None:
    """What Python itself says of an empty container, or of a lock that nobody holds, in other words than a lookup's."""
    if known.fault["kind"] != "exception" or not EMPTY.search(known.fault["message"]):
        return None
    return "suspicious", "may be an undocumented precondition: something is empty, or not held"


EMPTY = re.compile(r"\(\) (?:arg is an|iterable argument is|of) empty|^release unlocked lock$|un-acquired lock$")


def _of_huge_number(known: Known) -> Belief | None:
    if known.fault["exception"] != "OverflowError":
        return None
    return "suspicious", "a number is too large for what is done with it"


def _of_encoding(known: Known) -> Belief | None:
    if known.fault["exception"] not in ("UnicodeDecodeError", "UnicodeEncodeError"):
        return None
    return "suspicious", "text or bytes are not in the encoding that is expected"


def _of_files(known: Known) -> Belief | None:
    raised = getattr(builtins, str(known.fault["exception"]), None)
    if not (isinstance(raised, type) and issubclass(raised, OSError)):
        return None
    return "suspicious", "the operating system refuses something, perhaps a file that an argument names"


def _of_closed_file(known: Known) -> Belief | None:
    """What Python's own files say, by whatever way they are asked."""
    if known.fault["exception"] != "ValueError" or not re.search(r"\bclosed file\b", known.fault["message"]):
        return None
    return "suspicious", "may be an undocumented precondition: a file is closed"


def _of_type(known: Known) -> Belief | None:
    """`'int' object is not iterable`: what was passed, now or when the object was built, may be of a wrong type."""
    message = known.fault["message"]
    if known.fault["exception"] not in ILL_TYPED and not WANTED.search(message):
        return None
    if "not supported between" in message:
        return "suspicious", "values are compared that have no order"
    if message.endswith("object is not callable") or _calls_a_builtin(message) or message.startswith(CLASS_WANTED):
        return "suspicious", "a function or a class is used that was passed, now or when the object was built"
    named = _named_types(message)
    if not named:
        return None
    return "suspicious", f"{ABOUT_A_TYPE} {named[0]}, which may be a wrong one here"


ABOUT_A_TYPE = "the exception speaks of a value of type"
CLASS_WANTED = ("catching classes that do not inherit", "isinstance() arg 2 must be", "issubclass() arg ")


def _calls_a_builtin(message: str) -> bool:
    """`pow() missing required argument 'exp'`: no subject calls it like this by itself."""
    named = re.match(r"(\w+)(?:\(\))? (?:expected|takes|missing)", message)
    return named is not None and hasattr(builtins, named[1])


def _of_shape(known: Known) -> Belief | None:
    has_arguments = known.fault["kind"] == "exception" and any(known.fault["arguments"])
    if not has_arguments or not SHAPE.search(known.fault["message"]):
        return None
    return "suspicious", "something is unpacked that has another number of items: an argument may be of a wrong form"


SHAPE = re.compile(r"values to unpack \(expected|dictionary update sequence element #\d+ has length")


def _of_none(known: Known) -> Belief | None:
    missing = re.search(r"'NoneType' object(?: has no attribute '(.*)')?", known.fault["message"])
    if missing is None:
        return None
    if missing[1] is not None and f".{missing[1]}" not in known.fault["source"]:
        return "suspicious", f"the name of the attribute {missing[1]!r} is not in the source: an argument may name it"
    return "likely", "None is used where the subject expects an object"


def _of_named_attribute(known: Known) -> Belief | None:
    """`getattr(self, "on_" + trigger)`: it is an argument that says which attribute is wanted."""
    missing = re.search(r"has no attribute '(.*)'", known.fault["message"])
    source = known.fault["source"]
    if known.fault["exception"] != "AttributeError" or missing is None or not BY_NAME.search(source):
        return None
    if missing[1] in source or not any(known.fault["arguments"]):
        return None
    return "suspicious", f"the attribute {missing[1]!r} is looked up by its name, which an argument may say"


BY_NAME = re.compile(r"\b(?:get|set|del)attr\(|\battrgetter\(|\bmethodcaller\(")


def _of_lookup(known: Known) -> Belief | None:
    if known.fault["exception"] not in ("IndexError", "KeyError", "StopIteration"):
        return None
    if known.fault.get("guarded"):
        return "likely", "its author has thought of what is not there, and yet it looks something up that is not"
    if any(known.fault["arguments"]):
        return None
    return "suspicious", "may be an undocumented precondition: something is looked up that is not there"


def _of_answer(known: Known) -> Belief | None:
    """`v in x` and `x == v` may refuse a kind of value with a TypeError, and else have an answer."""
    fault = known.fault
    short = str(fault["routine"]).rpartition(".")[2]
    if short not in ANSWERING or fault["kind"] != "exception" or fault["exception"] in ILL_TYPED:
        return None
    return "likely", f"{ANSWERING[short]} has an answer for every value"


ANSWERING = {"__contains__": "`v in x`", "__eq__": "`x == v`", "__ne__": "`x != v`"}


def _of_strange_argument(known: Known) -> Belief | None:
    """Another number or text might have passed, though an annotation asks for one; an object that it asks for is the
    right one."""
    is_about_type = known.fault["exception"] in ILL_TYPED
    triples = zip_longest(known.fault["arguments"], known.learned, known.fault.get("fitting") or ())
    unknown = ((kind, fits) for kind, passed, fits in triples if kind and kind not in (passed or ()))
    strange = next((kind for kind, fits in unknown if not (fits and (is_about_type or ":" in kind))), None)
    return ("suspicious", f"values of kind {strange} hardly ever pass here") if strange else None


def _of_assert(known: Known) -> Belief | None:
    if known.fault["exception"] != "AssertionError":
        return None
    return "suspicious", "an assert about the arguments is false: it may be a precondition"


def _of_the_rest(known: Known) -> Belief:
    if not any(known.fault["arguments"]):
        return "likely", "no argument to blame: it has none"
    return "likely", "no argument to blame: all are of kinds that pass elsewhere"


RULES: tuple[Callable[[Known], Belief | None], ...] = (
    _of_contract,
    _of_killer,
    _of_defect,
    _of_odd_values,
    _of_own_check,
    _of_hang,
    _of_strangers,
    _of_leaving,
    _of_missing_module,
    _of_emptiness,
    _of_closed_file,
    _of_law,
    _of_huge_number,
    _of_encoding,
    _of_files,
    _of_type,
    _of_shape,
    _of_none,
    _of_named_attribute,
    _of_answer,
    _of_lookup,
    _of_strange_argument,
    _of_assert,
    _of_the_rest,
)

BUILT_IN = (
    "int", "str", "float", "bool", "list", "tuple", "dict", "set", "frozenset", "bytes", "slice", "range", "complex",
    "function", "type", "method", "builtin_function_or_method", "object", "generator", "string", "integer",
)  # fmt: skip

WANTED = re.compile(r"(?:must be|\) expected) (?:None or )?(?:an? )?(str|int|float|bytes|number|iterable|mapping)")


def _named_types(message: str) -> list[str]:
    """The built-in types that a message speaks of; None only where it says that values cannot be compared.

    >>> _named_types("'<' not supported between instances of 'str' and 'int'"), _named_types("must be str, not int")
    (['str', 'int'], ['other than str'])
    """
    if "required positional argument" in message or "'NoneType' object" in message:
        return []
    quoted = [name for name in re.findall(r"'(\w+)'", message) if name in (*BUILT_IN, "NoneType")]
    if message.startswith("'in <string>'"):
        return ["str"]
    found = re.search(r"expected .*, (\w+) found$|Object of type (\w+) is not JSON|Cannot mix (\w+) and", message)
    if found:
        return [next(filter(None, found.groups()))]
    wanted = WANTED.search(message)
    if wanted:
        return [f"other than {wanted[1]}"]
    said = re.findall(r"(?:not|non-iterable|instance,) \"?'?(\w+)", message)
    return quoted or [name for name in said if name in BUILT_IN]
