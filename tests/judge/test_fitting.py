"""What was asked for is not blamed: routines that never pass, although all arguments are of the right type."""

from __future__ import annotations

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.report.faults import faults_of
from stateful.store.database import Database
from stateful.subject.source import is_given, leaves_if_empty
from stateful.subject.target import parse_target
from tests.conftest import session

SUBJECT = '''
class Box:
    """Nearly nothing of it can work."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._ring: list[int] = []

    def misspelt(self, by):
        return self.szie + by

    def wrong_type(self, prefix: str) -> str:
        return prefix + self.size.upper()

    def wrong_value(self, number: int) -> int:
        return int("x" + str(number))

    def wrong_sum(self, names: list[str]) -> str:
        return sum(len(name) for name in names) + ", ".join(names)

    def wrong_rows(self, rows: dict[str, list[int]]) -> int:
        return self.size + ", ".join(rows)

    def anything(self, thing):
        return thing.size

    def key(self, key):
        return key.split(".")

    def last(self) -> int:
        if not self.size:
            raise LookupError("empty")
        return self._ring[self.size]
'''


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    folder = tmp_path_factory.mktemp("box")
    (folder / "box.py").write_text(SUBJECT)
    target = parse_target(str(folder / "box.py"))
    with Database.create(folder / "run.db") as database:
        session(database, str(folder / "box.py"), tests=600)
        confirm_faults(database, [target])
        return {fault.routine.rpartition(".")[2]: (fault.likelihood, fault.reason) for fault in faults_of(database)}


@pytest.mark.parametrize(
    ("routine", "likelihood", "said"),
    [
        ("misspelt", "likely", "an attribute is used that nothing gives to its object"),
        ("wrong_type", "likely", "every argument is what its annotation asks for"),
        ("wrong_sum", "likely", "every argument is what its annotation asks for"),
        ("wrong_rows", "likely", "every argument is what its annotation asks for"),
        ("wrong_value", "suspicious", "values of kind int hardly ever pass here"),
        (
            "last",
            "likely",
            "its author has thought of what is not there, and yet it looks something up that is not",
        ),
    ],
)
def test_faults_of_well_typed_calls(
    found: dict[str, tuple[str, str]], routine: str, likelihood: str, said: str
) -> None:
    assert found[routine] == (likelihood, said)


def test_what_says_nothing_of_its_type_may_be_wrong(found: dict[str, tuple[str, str]]) -> None:
    assert not {"anything", "key"} & found.keys()  # also of the object itself


class Guarded:
    def __init__(self) -> None:
        self.items: list[int] = []
        self.is_open = True

    def a(self) -> int:
        """Says something first."""
        if len(self.items) == 0:
            return 0
        return self.items[3]

    def b(self, given: list[int]) -> int:
        if not given:
            return 0
        return self.items[3]

    def c(self) -> int:
        self.items.append(1)
        if not self.items:
            return 0
        return self.items[3]

    def d(self) -> int:
        if self.is_empty():
            raise LookupError
        return self.items[3]

    def is_empty(self) -> bool:
        return not self.items


def test_who_looks_at_its_object_first_is_known() -> None:
    known = [leaves_if_empty(each) for each in (Guarded.a, Guarded.b, Guarded.c, Guarded.d, Guarded.is_empty)]
    assert known == [True, False, False, True, False]


def test_what_gives_an_attribute_is_found_wherever_it_stands() -> None:
    assert all(is_given(__file__, name) for name in ("items", "is_open", "is_empty", "Guarded", "wrong_type"))
    assert not is_given(__file__, "_".join(("no", "where")))
