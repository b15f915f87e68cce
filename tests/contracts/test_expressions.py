"""Single expressions: what the parser refuses and how it says so, and what undefined means."""

from __future__ import annotations

import pytest

from stateful.contracts import Moment, conjuncts, evaluate, negate, parse, text
from stateful.contracts import nodes as n
from stateful.contracts.normalize import ordered
from stateful.contracts.predicate import Predicate, bound, recorded
from stateful.contracts.to_code import pasted
from stateful.errors import ExpressionError


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("self.(", "invalid syntax"),
        ("lambda: 1", "'lambda: 1': it is not part of the contract language"),
        ("foo(self)", "calls `foo`; the functions are"),
        ("self.has(v=1)", "keyword"),
        ("old()", "old(expression)"),
        ("raises(1)", "raises(ExceptionName)"),
        ("self / 2", "operator"),
        ("all(x for x in a for y in b)", "more than one variable"),
        ("self.x and (yield)", "not part of the contract language"),
        ("1j", "not a constant"),
        ("isinstance(node, self.node_class)", "not how `isinstance` is written"),
        ("", "invalid syntax"),
    ],
)
def test_what_is_not_in_the_language_is_refused_by_name(source: str, said: str) -> None:
    with pytest.raises(ExpressionError) as refusal:
        parse(source)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "source",
    [
        "not self.is_empty()",
        "len(self) == old(len(self)) + 1",
        "list(self) == old(list(self)) + [v]",
        "implies(old(self == other), self.is_empty())",
        "raises(IndexError) == old(self.is_empty())",
        "result in self",
        "dict(self) == old(dict(self)) | {key: value}",
        "all(k in self for k in list(other) if k != v)",
        "isinstance(result, pkg.Node) and result is not old(self.first)",
    ],
)
def test_the_designs_own_examples_are_written_as_they_were_read(source: str) -> None:
    assert text(parse(source)) == source


def test_chained_comparisons_are_their_conjunction() -> None:
    assert text(parse("0 <= v < len(self)")) == "0 <= v and v < len(self)"


@pytest.mark.parametrize(
    ("source", "truth"),
    [
        ("v.missing", None),
        ("v.missing or len(self) == 2", True),
        ("v.missing and len(self) == 3", False),
        ("not v.missing", None),
        ("implies(len(self) == 3, v.missing)", True),
        ("implies(len(self) == 2, v.missing)", None),
        ("all(x > v for x in self)", True),
        ("any(x.missing or x == 2 for x in self)", True),
        ("all(x.missing or x == 2 for x in self)", None),
        ("raises(KeyError)", False),
        ("raises(LookupError)", True),
        ("(v.missing or True) == True", True),
        ("v.missing == 1", None),
        ("1 is 1.0", False),
        ("v is 0", True),
    ],
)
def test_undefined_follows_kleene(source: str, truth: bool | None) -> None:
    moment = Moment({"self": [1, 2], "v": 0}, raised=("IndexError", "LookupError"))
    assert evaluate(parse(source), moment) is truth


def test_identity_over_a_call_is_known_for_slots_only() -> None:
    before, after = [1], [1, 2]
    moment = Moment({"self": before}, {"self": after, "result": after})
    assert evaluate(parse("result is old(self)"), moment) is True
    assert evaluate(parse("result is old(self[0:])"), moment) is None
    assert evaluate(parse("old(self[0]) is self[0]"), moment) is True


def test_orders_are_turned_round_only_between_integers() -> None:
    assert text(negate(parse("len(self) < 3"))) == "len(self) >= 3"
    assert text(negate(parse("self < other"))) == "not self < other"
    assert evaluate(negate(parse("self < other")), Moment({"self": {1}, "other": {2}})) is True


def test_old_moves_to_the_parts_in_normal_form() -> None:
    parts = conjuncts(parse("implies(old(self.full and not self.off), self.is_empty())"))
    assert [text(part) for part in parts] == ["not old(self.full) or old(self.off) or self.is_empty()"]


def test_a_normal_form_that_would_explode_stays_whole() -> None:
    wide = n.Or(tuple(n.And((n.Slot(f"a{i}"), n.Slot(f"b{i}"))) for i in range(12)))
    assert conjuncts(wide) == (wide,)


def test_predicates_forget_the_names_of_the_slots() -> None:
    predicate = recorded(parse("other.has(v)"))
    assert predicate == Predicate("$.has($)", ("other", "v"))
    assert text(bound("$.has($)", ("self", "item"))) == "self.has(item)"
    assert recorded(parse("self.has(v + 1)")) is None


def test_constants_of_different_types_are_different() -> None:
    assert parse("1") != parse("True")
    assert parse("1") != parse("1.0")


def test_mappings_are_not_joined_in_any_order() -> None:
    """The right one says what a common key has."""
    one, other = parse("dict(self) == old(dict(self)) | {k: v}"), parse("dict(self) == {k: v} | old(dict(self))")
    assert ordered(one) != ordered(other)
    assert ordered(parse("set(a) | set(b)")) == ordered(parse("set(b) | set(a)"))


def test_what_shadows_a_function_cannot_be_pasted() -> None:
    assert pasted(parse("list(items) == old(list(items))"), "OLD.") is not None
    assert pasted(parse("list(list) == old(list(list))"), "OLD.") is None
