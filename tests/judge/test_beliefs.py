"""How much a fault is believed, and why: a table of cases."""

from __future__ import annotations

from typing import Any

import pytest

from stateful.judge.beliefs import likelihood_of

FAULT: dict[str, Any] = {
    "kind": "exception", "exception": "ValueError", "message": "", "law": None, "arguments": [], "odd": 0,
    "strict": True, "form": "", "class": "", "source": "", "iterates": False, "routine": "m:A.method",
}  # fmt: skip
NAMED = {"exception": "AttributeError", "message": "'A' object has no attribute 'on_x'", "arguments": ["int"]}


@pytest.mark.parametrize(
    ("fault", "likelihood", "reason"),
    [
        ({"kind": "clause"}, "certain", "a contract that the author wrote"),
        ({"kind": "hang"}, "certain", "does not return"),
        ({"kind": "hang", "odd": 1}, "suspicious", "unusual values"),
        ({"kind": "hang", "iterates": True}, "suspicious", "its items come slowly"),
        ({"kind": "crash", "exception": None}, "certain", "kills its process"),
        ({"kind": "crash", "exception": None, "odd": 2}, "certain", "kills its process"),
        ({"kind": "crash", "exception": "RecursionError", "message": "without bound"}, "likely", "without bound"),
        ({**NAMED, "source": "return getattr(self, 'on_' + name)"}, "suspicious", "looked up by its name"),
        ({**NAMED, "source": "return getattr(self, 'on_x')"}, "likely", "no argument to blame"),
        ({**NAMED, "source": "return self.on_x"}, "likely", "no argument to blame"),
        ({}, "likely", "no argument to blame: it has none"),
        ({"odd": 1}, "suspicious", "unusual values"),
        ({"exception": "IndexError"}, "suspicious", "undocumented precondition"),
        ({"exception": "UnboundLocalError", "arguments": ["int"]}, "likely", "a name is used that is not there"),
        ({"exception": "TypeError", "message": "'int' object is not iterable"}, "suspicious", "a value of type int"),
        ({"exception": "TypeError", "message": "must be str, not int"}, "suspicious", "of type other than str"),
        ({"exception": "TypeError", "message": "'<' not supported between instances of 'NoneType' and 'NoneType'"},
         "suspicious", "values are compared that have no order"),
        ({"exception": "TypeError", "message": "f() missing 1 required positional argument: 'x'"},
         "likely", "it has none"),
        ({"exception": "TypeError", "message": "'NoneType' object is not iterable"}, "likely", "None is used"),
        ({"exception": "AttributeError", "message": "'NoneType' object has no attribute 'next'", "source": "b.next"},
         "likely", "None is used"),
        ({"exception": "AttributeError", "message": "'NoneType' object has no attribute 'x'", "source": "a(b, c)"},
         "suspicious", "an argument may name it"),
        ({"exception": "TypeError", "message": "cannot unpack non-iterable bool object"}, "suspicious", "type bool"),
        ({"exception": "TypeError", "message": "'Key' object is not callable"}, "suspicious", "that was passed"),
        ({"exception": "TypeError", "message": "pow() missing required argument 'exp'"}, "suspicious",
         "that was passed"),
        ({"exception": "TypeError", "message": "bool expected at most 1 argument, got 2"}, "suspicious", "passed"),
        ({"exception": "TypeError", "message": "'in <string>' requires string as left operand, not Key"},
         "suspicious", "type str"),
        ({"kind": "crash", "exception": None, "message": "closed a file that it had not opened"},
         "suspicious", "closes"),
        ({"exception": "AttributeError", "message": "'set' object has no attribute 'issupserset'"},
         "likely", "misspelt"),
        ({"exception": "AttributeError", "message": "'set' object has no attribute 'size'"}, "suspicious", "type set"),
        ({"exception": "AttributeError", "message": "'list' object has no attribute '__name__'"},
         "suspicious", "type list"),
        ({"exception": "TypeError", "message": "quote_from_bytes() expected bytes"}, "suspicious", "other than bytes"),
        ({"exception": "TypeError", "message": "Cannot mix str and non-str arguments"}, "suspicious", "type str"),
        ({"exception": "TypeError", "message": "Object of type bytes is not JSON serializable"},
         "suspicious", "type bytes"),
        ({"exception": "TypeError", "message": "catching classes that do not inherit from BaseException"},
         "suspicious", "that was passed"),
        ({"exception": "AssertionError"}, "suspicious", "may be a precondition"),
        ({"exception": "OverflowError"}, "suspicious", "too large"),
        ({"exception": "UnicodeDecodeError", "arguments": ["int"]}, "suspicious", "encoding"),
        ({"exception": "FileNotFoundError", "arguments": ["int"]}, "suspicious", "the operating system refuses"),
        ({"exception": "TypeError", "message": "list indices must be integers or slices, not Key"},
         "suspicious", "type other than int"),
        ({"exception": "TypeError", "message": "keywords must be strings"}, "suspicious", "other than str"),
        ({"message": "Stop argument for islice() must be None or an integer: 0 <= x"}, "suspicious", "other than int"),
        ({"message": "I/O operation on closed file."}, "suspicious", "a file is closed"),
        ({"exception": "TypeError", "message": "sequence item 0: expected a bytes-like object, str found"},
         "suspicious", "a value of type str"),
        ({"arguments": ["str"]}, "suspicious", "kind str hardly ever pass"),
        ({"arguments": ["str"], "routine": "m:A.__contains__", "exception": "StopIteration"}, "likely", "`v in x` has"),
        ({"arguments": ["str"], "routine": "m:A.__contains__", "exception": "TypeError"}, "suspicious", "kind str"),
        ({"arguments": ["int"]}, "likely", "kinds that pass elsewhere"),
        ({"arguments": ["int"], "message": "not enough values to unpack (expected 2, got 1)"},
         "suspicious", "wrong form"),
        ({"message": "not enough values to unpack (expected 2, got 1)"}, "likely", "it has none"),
        ({"exception": "AttributeError", "message": "'A' object has no attribute 'b'", "lacking": True}, "likely",
         "that nothing gives"),
        ({"exception": "IndexError", "arguments": [], "guarded": True}, "likely", "has thought of what is not there"),
        ({"exception": "KeyError", "arguments": ["m:A"], "fitting": [True]}, "likely", "kinds that pass"),
        ({"arguments": ["str"], "fitting": [True]}, "suspicious", "kind str hardly ever pass"),
        ({"exception": "TypeError", "message": "wrong", "arguments": ["str"], "fitting": [True]}, "likely", "pass"),
    ],
)  # fmt: skip
def test_the_first_rule_that_speaks_is_heard(fault: dict[str, Any], likelihood: str, reason: str) -> None:
    found = likelihood_of({**FAULT, **fault}, [["int"]])
    assert found[0] == likelihood
    assert reason in found[1]


LACKING = "x == x: raises AttributeError: 'float' object has no attribute 'isdigit'"
LAW = {**FAULT, "kind": "law", "law": "truth", "exception": None, "strict": False}


@pytest.mark.parametrize(
    ("fault", "habit", "likelihood"),
    [
        ({}, (100, 3), "likely"),
        ({}, (100, 80), "suspicious"),
        ({}, (4, 4), "likely"),
        ({"strict": True}, (100, 100), "likely"),
        ({"exception": "ValueError"}, (100, 100), "likely"),
        (
            {"exception": "TypeError", "message": "'<' not supported between instances of 'int' and 'str'"},
            (9, 1),
            "suspicious",
        ),
        ({"exception": "RecursionError"}, (9, 1), "suspicious"),
        (
            {"exception": "RecursionError", "trace": [["m.py", 3, "__getattr__"], ["m.py", 7, "_found"]]},
            (9, 1),
            "likely",
        ),
        (
            {"exception": "TypeError", "message": "'<' not supported between instances of 'a' and 'a'", "form": "it"},
            (9, 1),
            "suspicious",
        ),
        ({"exception": "TypeError", "message": "unhashable type: 'list'", "form": "it"}, (9, 1), "likely"),
        (
            {"law": "equality with itself", "exception": "AttributeError", "message": LACKING},
            (9, 1),
            "likely",
        ),
        ({"law": "equality with None", "exception": "AttributeError", "message": LACKING}, (9, 1), "likely"),
        ({"law": "own check _check"}, (9, 1), "certain"),
        ({"law": "own check _check"}, (9, 9), "suspicious"),
        ({"law": "own check _check", "exception": "AssertionError"}, (9, 9), "certain"),
    ],
)
def test_a_law_that_nearly_all_objects_break_is_not_a_law_of_their_class(
    fault: dict[str, Any], habit: tuple[int, int], likelihood: str
) -> None:
    assert likelihood_of({**LAW, **fault}, [], habit)[0] == likelihood
