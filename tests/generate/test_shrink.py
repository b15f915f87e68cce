"""Programs get as small as what they show allows, in few tries."""

from __future__ import annotations

from stateful.generate.shrink import shrunk
from stateful.subject.discover import discover
from stateful.subject.program import Literal, Program, Reference, Step
from stateful.subject.target import Target

MODULE = "tests.subjects.bag"
MODELS = {name: routine.model for name, routine in discover([Target(MODULE)]).routines.items()}


def program(*items: object, label: str = "...") -> Program:
    bag = Step(f"{MODULE}:Bag", (Literal(repr(list(items))), Literal("..."), Literal(label)))
    return Program((bag, Step(f"{MODULE}:Bag.is_empty", (Reference(0, 3),))))


def items_of(one: Program) -> str:
    argument = one.steps[0].arguments[0]
    assert isinstance(argument, Literal)
    return argument.text


def test_one_item_of_many_is_found_in_few_tries() -> None:
    tried: list[Program] = []

    def shows(one: Program) -> bool | None:
        tried.append(one)
        return (len(one.steps) == 2 and "17" in items_of(one)) or None

    small, shown = shrunk(program(*range(60), label="'x'"), MODELS, shows, lambda: False)
    assert (small, shown) == (program(17), True)
    assert len(tried) < 120, "not one item after the other"


def test_odd_items_go_first() -> None:
    def shows(one: Program) -> bool | None:
        return (len(one.steps) == 2 and all(text in items_of(one) for text in ("3", "5", "8"))) or None

    small, _ = shrunk(program(2**70, 3, None, 5, float("inf"), 8), MODELS, shows, lambda: False)
    assert small == program(3, 5, 8)


def test_a_last_call_that_only_looked_is_dropped() -> None:
    small, _ = shrunk(program(3), MODELS, lambda one: "3" in items_of(one) or None, lambda: False)
    assert small == Program(program(3).steps[:1])


def test_what_cannot_shrink_stays() -> None:
    assert shrunk(program(1), MODELS, lambda _: None, lambda: False) == (program(1), None)


def test_it_ends_with_what_it_has_when_the_time_is_over() -> None:
    answers = iter((False, False, True))
    small, shown = shrunk(program(1, 2, 3), MODELS, lambda _: True, lambda: next(answers))
    assert shown
    assert small != program(1, 2, 3)
