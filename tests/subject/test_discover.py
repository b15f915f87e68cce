"""What is found under a target, and what is left out with a reason."""

from __future__ import annotations

import pytest

from stateful.errors import NothingToTest, SubjectError
from stateful.subject.discover import Live, discover
from stateful.subject.model import Subject
from stateful.subject.target import Target

MODULE = "tests.subjects.shapes"


@pytest.fixture(scope="module")
def square() -> Live:
    return discover([Target(MODULE, None, ("Square",))])


def kinds(live: Live) -> dict[str, str]:
    return {name.rpartition(":")[2]: r.model.kind for name, r in live.routines.items() if not r.model.helper}


def test_every_public_routine_has_its_kind(square: Live) -> None:
    assert kinds(square) == {
        "Square": "constructor", "Square.__lt__": "method", "Square.area": "method", "Square.corners": "static",
        "Square.diagonal": "property", "Square.scale": "method", "Square.unit": "static", "Square.side": "attribute",
        "Square.name": "attribute", "Square.wait": "method",
    }  # fmt: skip


def test_what_is_left_out_has_a_reason(square: Live) -> None:
    assert (f"{MODULE}:Square.Part", "is a class of its own: name it as a target") in square.left_out


def test_parameters_keep_names_kinds_and_types(square: Live) -> None:
    side, name = square.routines[f"{MODULE}:Square"].model.parameters
    assert (side.name, side.required, side.keyword) == ("side", True, False)
    assert (name.name, name.required, name.keyword, name.annotation) == ("name", False, True, "str")


class Grove:
    node_class = int

    def plant(self, node: object, kind: type) -> None:
        if not isinstance(node, self.node_class):
            raise TypeError("no node")
        if not isinstance(node, kind):
            raise ValueError("of another kind")
        if isinstance(node, bool):
            raise ValueError("no truth")


def test_a_class_that_an_operand_holds_is_no_class_of_the_contract_language() -> None:
    """No object is of the class `self.node_class`: as a precondition that could be read it would never be true."""
    live = discover([Target(__name__, None, ("Grove",))]).routines[f"{__name__}:Grove.plant"]
    assert [(one.text, one.readable) for one in live.model.written] == [
        ("isinstance(node, self.node_class)", False),
        ("isinstance(node, kind)", False),
        ("not isinstance(node, bool)", True),
    ]


def test_guards_and_leading_asserts_are_preconditions(square: Live) -> None:
    model = square.routines[f"{MODULE}:Square.scale"].model
    assert [(clause.text, clause.source) for clause in model.written] == [
        ("not factor <= 0", "guard"),
        ("self.side < 100", "assert"),
    ]
    assert model.announces == ("ValueError", "OverflowError")


def test_a_module_gives_its_classes_and_functions_and_no_abstract_constructor() -> None:
    found = discover([Target(MODULE)])
    assert kinds(found)["build"] == "function"
    assert "Shape" not in kinds(found)
    assert any("abstract" in why for _, why in found.left_out)


def test_other_classes_of_the_module_help_to_build_arguments(square: Live) -> None:
    assert square.routines[f"{MODULE}:Point"].model.helper


def test_nested_classes_are_found_by_their_dotted_name() -> None:
    assert kinds(discover([Target(MODULE, None, ("Square.Part",))])) == {
        "Square.Part": "constructor",
        "Square.Part.weigh": "method",
    }


def test_the_plain_data_survives_json(square: Live) -> None:
    subject = square.described()
    assert Subject.from_json(subject.as_json()) == subject


def test_an_unknown_class_is_named_with_its_nearest() -> None:
    with pytest.raises(SubjectError, match=r"no class 'Squire' in .*did you mean 'Square'"):
        discover([Target(MODULE, None, ("Squire",))])


def test_a_missing_module_is_told_from_one_that_does_not_import(tmp_path: object) -> None:
    with pytest.raises(SubjectError, match="no module 'no_such_module'"):
        discover([Target("no_such_module")])
    with pytest.raises(SubjectError, match=r"cannot import .*ZeroDivisionError"):
        discover([Target("tests.subjects.broken_import")])


def test_nothing_to_test_is_an_error_of_its_own() -> None:
    with pytest.raises(NothingToTest):
        discover([Target("tests")])


def test_a_package_offers_what_it_takes_from_its_modules() -> None:
    found = kinds(discover([Target("tests.subjects.parcel")]))
    assert found == {"Parcel": "constructor", "Parcel.weight": "attribute", "wrap": "function"}


def test_a_package_that_offers_nothing_stands_for_its_modules() -> None:
    found = discover([Target("tests.subjects")])
    assert "tests.subjects.bag:Bag" in found.routines
    reasons = dict(found.left_out)
    assert reasons["tests.subjects.broken_import"].startswith("cannot be imported: ZeroDivisionError")


class AbstractStep:
    """Abstract by its name only."""

    step: int

    def next(self, value: int) -> int:
        return value + self.step


class Stepping(AbstractStep):
    step = 1


def test_who_is_called_abstract_is_not_built() -> None:
    live = discover([Target(__name__, None, ("AbstractStep", "Stepping"))])
    assert f"{__name__}:AbstractStep" not in live.routines
    assert f"{__name__}:Stepping" in live.routines
    assert (f"{__name__}:AbstractStep", "is abstract: only objects of its subclasses can be made") in live.left_out
