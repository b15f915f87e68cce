"""What the source says of parameters, branches and examples."""

from __future__ import annotations

import enum

import pytest

from stateful.subject.discover import Live, discover
from stateful.subject.examples import Shown, Value, Variable, examples_in
from stateful.subject.model import Routine
from stateful.subject.program import invoke
from stateful.subject.source import branch_conditions
from stateful.subject.target import Target
from stateful.subject.usage import classes_by_use, kinds_by_use
from tests.subjects import odd

MODULE = "tests.subjects.odd"


@pytest.fixture(scope="module")
def live() -> Live:
    return discover([Target(MODULE)])


@pytest.mark.parametrize(
    ("function", "name", "first"),
    [
        (odd.Untyped.__init__, "values", "iterable"),
        (odd.Untyped.fill, "amount", "index"),
        (odd.Untyped.apply, "what", "callable"),
        (odd.Untyped.lookup, "table", "mapping"),
    ],
)
def test_use_suggests_the_kind_of_a_parameter(function: object, name: str, first: str) -> None:
    assert kinds_by_use(function, receiver=True)[name][0] == first


def test_names_suggest_kinds_where_nothing_else_does() -> None:
    assert "self" in kinds_by_use(odd.Untyped.merge, receiver=True)["other"]


class Side(enum.Enum):
    LEFT = 0
    RIGHT = 1


class Missing(enum.Enum):
    MISSING = 0


def compared(a, b, c, d=Side.LEFT, e=None):  # type: ignore[no-untyped-def]
    if a == Side.LEFT or b in (Side.LEFT, Side.RIGHT) or c is Missing.MISSING:
        return a
    match e:
        case Side.LEFT | Side.RIGHT:
            return d


def test_a_parameter_that_is_compared_with_members_wants_members() -> None:
    found = kinds_by_use(compared, receiver=False)
    assert dict(found) == dict.fromkeys("abde", (f"{__name__}:Side",))  # what is missing is no choice


def test_members_are_expected_where_nothing_else_is_done_with_a_value() -> None:
    expected = classes_by_use(compared, receiver=False)
    assert expected == {"a": (Side,), "b": (Side,), "d": (Side, Side), "e": (Side, type(None))}


def documented(a, b, c, d):  # type: ignore[no-untyped-def]
    """Four styles.

    :type a: int
    :param str b: a word
    d (dict): a table

    c : list of int
    """


def test_docstrings_suggest_kinds_in_four_styles() -> None:
    found = kinds_by_use(documented, receiver=False)
    assert [found[name][0] for name in "abcd"] == ["int", "str", "iterable", "mapping"]


def told(a, b=None, c=1, d=0.5, e=0, f=0):  # type: ignore[no-untyped-def]
    """Only what is said plainly counts.

    Args:
        a (str): a word
        b (int, optional): a number
        c (int or str): either
        d (float): a share
        e (Path): somewhere
    """


def test_documented_types_of_numbers_and_text_are_expected() -> None:
    expected = classes_by_use(told, receiver=False)
    assert expected == {"a": (str,), "b": (int, type(None), type(None)), "d": (float, int, float)}
    assert kinds_by_use(told, receiver=False)["e"][0] == "int"  # its default
    assert "Path" in kinds_by_use(told, receiver=False)["e"]


class Valve:
    def turn(self, amount: int) -> None:
        local = amount * 2
        if (self.is_open() and amount > 3) or self._pressure > 4 or local:
            pass
        while len(self.pipes) < amount:
            break


def test_branch_conditions_are_those_over_public_members() -> None:
    found = branch_conditions(Valve.turn)
    assert set(found) == {
        "self.is_open()", "amount > 3", "self.is_open() and amount > 3", "len(self.pipes) < amount",
    }  # fmt: skip


def test_examples_are_read_as_calls() -> None:
    ((first, second, third),) = examples_in([odd.Gate])
    assert first.target == "gate"
    assert first.call == Shown("open_gate", None, (Value("'secret'"),))
    assert second.call == Shown("unlock", Variable("gate"), (Value("'secret'"),))
    assert third.call == Shown("level=", Variable("gate"), (Value("3"),))


def shown() -> None:
    """
    >>> s = Stack([1, 2]); s.push(3)
    >>> s[0]
    >>> s[1] = 5
    >>> del s[0:2]
    >>> s += [4]
    >>> 3 in s
    >>> len(s) == 2
    >>> for x in s: print(x)
    >>> Stack(Stack([1])).top.name
    """


def test_operators_and_items_in_examples_are_calls_too() -> None:
    ((*statements,),) = examples_in([shown])
    assert [statement.call.name for statement in statements] == [
        "Stack", "push", "__getitem__", "__setitem__", "__delitem__", "__iadd__", "__contains__", "__eq__", "name",
    ]  # fmt: skip


def routine(live: Live, name: str) -> Routine:
    return live.routines[f"{MODULE}:{name}"].model


def test_every_make_of_routine_is_found(live: Live) -> None:
    kinds = {name.rpartition(":")[2]: r.model.kind for name, r in live.routines.items()}
    assert kinds["Gate.level"] == "property"
    assert kinds["Gate.level="] == "setter"
    assert kinds["Gate.__enter__"] == "context"
    assert kinds["Gate.__call__"] == kinds["Gate.__next__"] == kinds["Gate.knock"] == "method"
    assert routine(live, "Gate.knock").asynchronous
    assert not routine(live, "Gate.steps").asynchronous
    assert "Color" not in kinds
    words = routine(live, "Gate.note").parameters
    assert [(p.name, p.variadic, p.keywords) for p in words] == [
        ("words_1", True, False), ("words_2", True, False), ("words_3", True, False), ("options", False, True),
    ]  # fmt: skip


def test_a_function_says_what_it_makes(live: Live) -> None:
    assert live.routines[f"{MODULE}:open_gate"].makes is odd.Gate


def call(live: Live, name: str, *operands: object) -> object:
    found = live.routines[f"{MODULE}:{name}"]
    return invoke(found.model, found.function, list(operands))


def test_every_make_of_routine_is_called_as_it_wants(live: Live) -> None:
    gate = odd.open_gate("x")
    call(live, "Gate.level=", gate, 2)
    assert gate.level == 2
    assert call(live, "Gate.__enter__", gate) is gate
    assert not gate.open
    assert call(live, "Gate.knock", gate, 4) == 4
    assert call(live, "Gate.knocks", gate) == [0, 1, 2]
    assert call(live, "Gate.steps", gate) == [0, 1]
    assert call(live, "Gate.note", gate, "a", ..., "b", {"k": 1}) == 3


def asking(version, text, pair):  # type: ignore[no-untyped-def]
    if text.startswith(version.minor):
        version.bump()
    return pair.append(text)


def test_the_attributes_that_are_asked_of_a_parameter_are_told() -> None:
    found = kinds_by_use(asking, receiver=False)
    assert found["version"][0] == "having bump, minor"
    assert not any("having" in kind for name in ("text", "pair") for kind in found.get(name, ()))
