"""Programs run as they are written down, get shorter without changing what they build, and read well as code."""

from __future__ import annotations

from stateful.subject.code import code_for, code_for_all, code_of
from stateful.subject.discover import discover
from stateful.subject.program import Literal, Program, Reference, Step
from stateful.subject.target import Target

MODULE = "tests.subjects.bag"
LIVE = discover([Target(MODULE)])
MODELS = {name: routine.model for name, routine in LIVE.routines.items()}


def step(name: str, *arguments: Literal | Reference) -> Step:
    return Step(f"{MODULE}:{name}", arguments)


PROGRAM = Program((
    step("Bag", Literal("[1, 2]"), Literal("..."), Literal("'x'")),
    step("Bag.is_empty", Reference(0, 3)),
    step("Bag.has", Reference(1, 0), Literal("2")),
    step("Bag.__contains__", Reference(2, 0), Literal("7")),
    step("Bag.__eq__", Reference(0, 3), Reference(3, 0)),
))  # fmt: skip


def test_a_program_runs_step_by_step() -> None:
    results = [slots[-1] for slots in PROGRAM.run(LIVE.routines)]
    assert results[0].label == "x"
    assert results[1:] == [False, True, False, True]


def test_it_survives_json() -> None:
    assert Program.from_json(PROGRAM.as_json()) == PROGRAM


def test_a_step_is_dropped_and_its_operands_are_taken_from_before_it() -> None:
    shorter = PROGRAM.without(1)
    assert shorter is not None
    assert [slots[-1] for slots in shorter.run(LIVE.routines)][1:] == [True, False, True]


def test_a_step_whose_result_is_used_stays() -> None:
    assert PROGRAM.without(0) is None


def test_objects_that_have_nothing_to_do_with_the_end_are_not_built() -> None:
    bag = step("Bag", Literal("[]"), Literal("..."), Literal("..."))
    program = Program((
        bag, bag, step("Bag.is_empty", Reference(0, 3)), step("Bag.__eq__", Reference(1, 3), Reference(1, 3)),
    ))  # fmt: skip
    assert program.connected() == Program((bag, step("Bag.__eq__", Reference(0, 3), Reference(0, 3))))


def test_code_reads_like_code_and_does_the_same() -> None:
    code = code_of(PROGRAM, MODELS)
    assert code.splitlines() == [
        f"from {MODULE} import Bag",
        "bag = Bag([1, 2], label='x')",
        "bag.is_empty()",
        "bag.has(2)",
        "7 in bag",
        "bag == bag",
    ]
    exec(code, {})


def test_the_last_line_can_assert_something() -> None:
    code = code_of(PROGRAM, MODELS, last="{call}\nassert len({0}) == 2")
    assert code.splitlines()[-2:] == ["bag == bag", "assert len(bag) == 2"]
    exec(code, {})


def test_an_object_can_be_asked_for() -> None:
    built = Program(PROGRAM.steps[:1])
    assert code_for(built, Reference(0, 3), MODELS).splitlines()[-1] == "bag"


def test_what_no_call_builds_is_imported() -> None:
    code = code_for(PROGRAM, Literal("decimal:ROUND_UP"), MODELS)
    assert code == "from decimal import ROUND_UP\nROUND_UP"
    code = code_for_all(Program(()), {"a": Literal("decimal:ROUND_UP"), "b": Literal("[1]")}, MODELS)
    assert code.splitlines() == ["from decimal import ROUND_UP", "a = ROUND_UP", "b = [1]"]


def test_statements_are_used_where_nothing_takes_their_result() -> None:
    numbers = discover([Target("tests.subjects.shapes", None, ("Numbers",))])
    models = {name: routine.model for name, routine in numbers.routines.items()}
    name = "tests.subjects.shapes:Numbers"
    add = Step(f"{name}.__iadd__", (Reference(0, 1), Literal("[2]")))
    program = Program((Step(name, (Literal("[1]"),)), add, add))
    assert code_of(program, models).splitlines()[1:] == [
        "numbers = Numbers([1])",
        "numbers.__iadd__([2])",
        "numbers += [2]",
    ]


def test_a_list_that_two_calls_share_gets_a_name() -> None:
    shared = Program((
        step("Bag", Literal("[1]"), Literal("..."), Literal("...")),
        step("Bag", Reference(0, 0), Literal("..."), Literal("...")),
    ))  # fmt: skip
    assert code_of(shared, MODELS).splitlines()[1:] == ["items = [1]", "Bag(items)", "Bag(items)"]
