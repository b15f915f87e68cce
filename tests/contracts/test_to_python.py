"""The quick reading: plain Python where it can tell, and the compiled expression where it cannot."""

from __future__ import annotations

from typing import Any

import pytest

from stateful.contracts import Moment, evaluate, parse
from stateful.contracts import nodes as n
from stateful.contracts.evaluate import BINARY, Opaque, UnknownValue
from stateful.contracts.to_python import UNDEFINED, UNKNOWN, Plain, to_python

SLOTS = ("self", "other")


def plain(source: str) -> Plain | None:
    return to_python(parse(source), False, {(n.Slot(name), False): place for place, name in enumerate(SLOTS)}, 2)


def verdict(source: str, *values: Any, there: int = 1) -> int | str:
    """What it says of these values; 'slow' if it asks."""
    found = plain(source)
    assert found is not None
    asked: list[Any] = []
    (said,) = found.verdicts(None, [values], [there], lambda row: asked.append(row) or 0)  # type: ignore[func-returns-value]
    return "slow" if asked else said


@pytest.mark.parametrize(
    "source",
    [
        "len(self) == 2", "self != other", "self is other", "self[0] in other", "sorted(self) == self[::-1]",
        "all(v in other for v in self if v > 1)", "any(v == 2 for v in self)", "not self or other",
        "implies(len(self) > 5, self[5] == 1)", "self + [3] == other", "self.index(2) == 1", "self[7] == 1",
        "len(self) - -1 == 3", "(self == other) == (len(self) == len(other))",
    ],
)  # fmt: skip
def test_it_says_what_evaluate_says(source: str) -> None:
    for values in (([1, 2], [1, 2, 3]), ([2, 1], [2, 1]), ([], [0])):
        truth = evaluate(parse(source), Moment(dict(zip(SLOTS, values, strict=True))))
        assert verdict(source, *values) == (UNDEFINED if truth is None else int(truth))


def test_what_raises_is_undefined_but_logic_may_be_decided_nevertheless() -> None:
    assert verdict("self[7] == 1", [1], [2]) == UNDEFINED
    assert verdict("self[7] == 1 or len(other) == 1", [1], [2]) == "slow"
    assert evaluate(parse("self[7] == 1 or len(other) == 1"), Moment({"self": [1], "other": [2]})) is True


def test_what_an_object_would_say_is_unknown() -> None:
    assert verdict("self == other", Opaque(), 1) == UNKNOWN
    assert verdict("len(self) == 1", Opaque(), 1) == UNKNOWN


def test_a_leaf_without_a_value_decides_where_there_is_no_logic() -> None:
    assert verdict("self == other", None, 1, there=UNDEFINED) == UNDEFINED
    assert verdict("self == other", None, 1, there=UNKNOWN) == UNKNOWN
    assert verdict("not self == other", None, 1, there=UNDEFINED) == "slow"


def test_a_loop_that_may_never_end_is_left_to_evaluate() -> None:
    assert verdict("all(v < 0 or v >= 0 for v in range(self))", 10**12, 0) == "slow"


def test_what_is_more_than_values_has_no_such_form() -> None:
    assert plain("raises(ValueError)") is None
    assert plain("type(self) is list") is None


def test_expressions_of_one_shape_share_a_function() -> None:
    first = to_python(parse("len(a) + 1"), False, {(n.Slot("a"), False): 0}, 1)
    second = to_python(parse("len(b) + 1"), False, {(n.Slot("b"), False): 0}, 1)
    assert first is not None
    assert second is not None
    assert first.function is second.function


def test_what_is_not_known_is_unknown_on_either_side() -> None:
    """A set that was too long to be recorded is no reason to call its union with another one undefined."""
    for operator in "+", "-", "*", "//", "%", "|", "&", "^":
        with pytest.raises(UnknownValue):
            BINARY[operator](Opaque(), {1})
        with pytest.raises(UnknownValue):
            BINARY[operator]({1}, Opaque())
