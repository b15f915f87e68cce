"""Hypothesis strategies for expressions, and for the small worlds that they are evaluated in."""

from __future__ import annotations

from hypothesis import strategies as st

from stateful.contracts import nodes as n
from tests.subjects.bag import Bag

SELF, OTHER, V = n.Slot("self"), n.Slot("other"), n.Slot("v")
bags = st.sampled_from([SELF, OTHER])
numbers = st.integers(-3, 4)
constants = st.one_of(st.none(), st.booleans(), numbers, st.sampled_from(["", "a", "b"])).map(n.Constant)


def integers(depth: int = 2) -> st.SearchStrategy[n.Expr]:
    base: st.SearchStrategy[n.Expr] = st.one_of(
        numbers.map(n.Constant),
        st.just(V),
        bags.map(lambda b: n.Builtin("len", (b,))),
        bags.map(lambda b: n.Attribute(b, "n")),
        bags.map(lambda b: n.Call(b, "first")),
    )
    if depth == 0:
        return base
    inner = integers(depth - 1)
    operators = st.sampled_from(["+", "-", "*", "//", "%"])
    return st.one_of(base, st.builds(n.Arithmetic, operators, inner, inner))


lists = st.one_of(
    bags.map(lambda b: n.Builtin("list", (b,))),
    st.just(n.Display("list", (V,))),
    bags.map(lambda b: n.Slice(n.Builtin("list", (b,)), n.Constant(1), None)),
    bags.map(lambda b: n.Slice(n.Builtin("list", (b,)), None, n.Constant(2))),
    st.builds(
        lambda b, c: n.Arithmetic("+", n.Builtin("list", (b,)), c),
        bags,
        st.one_of(bags.map(lambda b: n.Builtin("list", (b,))), st.just(n.Display("list", (V,)))),
    ),
)
sets = st.one_of(
    bags.map(lambda b: n.Builtin("set", (b,))),
    st.builds(
        lambda o, b, c: n.Arithmetic(o, n.Builtin("set", (b,)), c),
        st.sampled_from(["|", "&"]),
        bags,
        st.one_of(bags.map(lambda b: n.Builtin("set", (b,))), st.just(n.Display("set", (V,)))),
    ),
)
values = st.one_of(constants, integers(0), bags.map(lambda b: n.Attribute(b, "label")), st.just(V))
order = st.sampled_from(["<", "<=", ">", ">="])
atoms: st.SearchStrategy[n.Expr] = st.one_of(
    bags.map(lambda b: n.Call(b, "is_empty")),
    bags.map(lambda b: n.Call(b, "has", (V,))),
    bags.map(lambda b: n.Attribute(b, "full")),
    bags.map(lambda b: n.Attribute(b, "label")),
    st.just(V),
    st.builds(n.Comparison, order, integers(), integers()),
    st.builds(n.Comparison, st.sampled_from(["==", "!="]), integers(), integers()),
    st.builds(n.Comparison, st.sampled_from(["==", "!=", *("<", ">=")]), values, values),
    st.builds(n.Comparison, st.sampled_from(["==", "!="]), lists, lists),
    st.builds(n.Comparison, st.sampled_from(["==", "!=", "<=", "<"]), sets, sets),
    st.builds(n.Comparison, st.sampled_from(["==", "is", "is not", "!="]), bags, bags),
    st.builds(n.Comparison, st.sampled_from(["in", "not in"]), st.just(V), st.one_of(bags, lists)),
    st.builds(n.Comparison, st.sampled_from(["is", "is not"]), values, st.sampled_from([None, True]).map(n.Constant)),
    st.builds(n.TypeIs, st.one_of(bags, st.just(V)), st.sampled_from(["Bag", "int", "str"])),
    st.builds(n.IsInstance, st.one_of(bags, st.just(V)), st.sampled_from(["Bag", "int", "object"])),
)


def logic(leaves: st.SearchStrategy[n.Expr]) -> st.SearchStrategy[n.Expr]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(n.Not),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: n.And(tuple(parts))),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: n.Or(tuple(parts))),
            st.builds(n.Implies, inner, inner),
            st.builds(n.Comparison, st.sampled_from(["==", "!="]), inner.map(n.Not), inner.map(n.Not)),
        ),
        max_leaves=5,
    )


quantified = st.builds(
    n.Quantified,
    st.sampled_from(["all", "any"]),
    st.sampled_from([
        n.Comparison(">", n.Bound("x"), n.Constant(0)),
        n.Call(OTHER, "has", (n.Bound("x"),)),
        n.Comparison("<", n.Bound("x"), n.Attribute(SELF, "label")),
    ]),
    st.just("x"),
    st.one_of(bags, lists),
    st.one_of(st.none(), st.just(n.Comparison("!=", n.Bound("x"), V))),
)  # fmt: skip
expressions = logic(atoms)
with_quantifiers = logic(st.one_of(atoms, quantified))
with_old = logic(
    st.one_of(
        atoms,
        atoms.map(n.Old),
        st.builds(lambda a, b: n.Comparison("==", a, n.Old(b)), integers(0), integers(0)),
        st.builds(lambda a, b: n.Comparison("==", a, n.Old(b)), lists, lists),
        st.sampled_from(["IndexError", "LookupError", "KeyError"]).map(n.Raises),
    )
)


@st.composite
def worlds(draw: st.DrawFn) -> list[object]:
    """Operands for self, other and v; the bags may be one, or have the same items."""
    items = st.lists(st.integers(-1, 3), max_size=4)
    labels = st.sampled_from([None, "", "a", "b"])
    one = Bag(draw(items), draw(numbers), draw(labels))
    other = draw(st.sampled_from([one, Bag(one.items, draw(numbers)), Bag(draw(items), draw(numbers), draw(labels))]))
    v = draw(st.one_of(st.integers(-1, 3), st.sampled_from([True, None, "a", 1.0, 2.5, float("nan"), 2**70])))
    return [one, other, v]
