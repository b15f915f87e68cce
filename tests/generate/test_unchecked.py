"""An object that keeps what it was given is not blamed for the type of that."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.generate.doubts import doubt_of
from stateful.generate.replayed import Replayed
from stateful.generate.unchecked import is_kept_by_record, kept_unchecked
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.program import Literal, Program, Reference, Step
from stateful.subject.target import parse_target
from tests.conftest import session

WINDOWS = '''
class Window:
    """Keeps what it is given, whatever that is."""

    def __init__(self, shown):
        self.shown = shown

    def __eq__(self, other):
        return isinstance(other, Window) and len(self.shown) == len(other.shown)


class Version:
    """Keeps what is in what it is given, and reads it."""

    def __init__(self, parts):
        self.parts = tuple(parts)

    def __eq__(self, other):
        return isinstance(other, Version) and [each.isdigit() for each in self.parts] == list(map(str, other.parts))


class Broken:
    """Asks for the length of its own number."""

    def __init__(self, shown):
        self.shown = list(shown)
        self.place = 1

    def __eq__(self, other):
        return isinstance(other, Broken) and len(self.place) == len(other.place)

'''


@pytest.fixture
def windows(tmp_path: Path) -> str:
    (tmp_path / "windows.py").write_text(WINDOWS)
    return str(tmp_path / "windows.py")


def believed(target: str, path: Path) -> dict[str, tuple[str, str]]:
    """For each message the likelihood and the reason, when all is confirmed."""
    with Database.create(path) as database:
        session(database, target, tests=400)
        confirm_faults(database, [parse_target(target)])
        rows = database.rows("SELECT message, likelihood, reason FROM faults WHERE confirmed")
    return {message: (likelihood, reason) for message, likelihood, reason in rows}


def test_what_is_kept_unchecked_may_be_wrong(windows: str, tmp_path: Path) -> None:
    found = believed(f"{windows}:Window", tmp_path / "run.db")
    said = next(belief for message, belief in found.items() if "x == x: raises TypeError" in message)
    assert said[0] == "suspicious"
    assert "keeps what it was given" in said[1]


def test_so_may_be_what_is_in_a_container_that_was_passed(windows: str, tmp_path: Path) -> None:
    found = believed(f"{windows}:Version", tmp_path / "run.db")
    said = [belief for message, belief in found.items() if "has no attribute 'isdigit'" in message]
    assert said
    assert {(likelihood, reason[:32]) for likelihood, reason in said} <= {
        ("suspicious", "an object keeps what it was give"),
        ("suspicious", "seen with unusual values only: N"),
    }


def test_what_the_object_made_itself_is_its_own_fault(windows: str, tmp_path: Path) -> None:
    found = believed(f"{windows}:Broken", tmp_path / "run.db")
    said = next(belief for message, belief in found.items() if "x == x: raises TypeError" in message)
    assert said[0] == "likely"


def test_kept_is_what_an_attribute_is_and_not_what_equals_it(windows: str) -> None:
    routines = discover([parse_target(windows)]).routines
    window, broken = (routines[f"windows:{cls}"] for cls in ("Window", "Broken"))
    given = [1, 2]
    made = window.function(given)
    error = TypeError("object of type 'list' has no attribute")
    assert kept_unchecked([(window, [given])], [made], error) == "list"
    assert kept_unchecked([(window, [list(given)])], [made], error) is None
    assert kept_unchecked([(window, [given])], [made], KeyError("list")) is None
    # what a container holds, if all of its kind was passed
    error, given = TypeError("object of type 'int' has no len()"), [1000, [2000]]
    made = window.function(given)
    assert kept_unchecked([(window, [given])], [made], error) == "int"
    made.shown = [*given, 3000]
    assert kept_unchecked([(window, [given])], [made], error) is None
    assert kept_unchecked([(broken, [given])], [broken.function(given)], error) is None  # its place is one, too


RECORDS = """
from dataclasses import dataclass
from typing import NamedTuple

FILES = "abcdefgh"

@dataclass
class Square:
    file: int

    def __str__(self) -> str:
        return FILES[self.file]

class Place(NamedTuple):
    file: int

    def __str__(self) -> str:
        return FILES[self.file]

@dataclass
class Checked:
    file: int

    def __post_init__(self) -> None:
        assert self.file >= 0

    def __str__(self) -> str:
        return FILES[self.file]

class Written:
    def __init__(self, file: int) -> None:
        self.file = file

    def __str__(self) -> str:
        return FILES[self.file]
"""


@pytest.mark.parametrize(
    ("name", "is_record"), [("Square", True), ("Place", True), ("Checked", False), ("Written", False)]
)
def test_a_record_keeps_any_number(name: str, is_record: bool, tmp_path: Path) -> None:
    module = f"records_of_{name.lower()}"
    (tmp_path / f"{module}.py").write_text(RECORDS)
    maker = discover([parse_target(f"{tmp_path / module}.py:{name}")]).routines[f"{module}:{name}"]
    assert is_kept_by_record([(maker, [70])], [maker.function(70)]) == is_record
    assert not is_kept_by_record([], [maker.function(70)])


@pytest.mark.parametrize("validator", [None, len])
def test_a_record_of_attrs_may_look_at_what_it_is_given(validator: object) -> None:
    """As attrs makes them, by what it leaves in a class; it need not be installed."""
    made: dict[str, Any] = {}
    exec(compile("def __init__(self, file):\n    self.file = file", "<attrs generated init m.Square>", "exec"), made)
    square = type("Square", (), {**made, "__attrs_attrs__": (SimpleNamespace(validator=validator),)})
    maker = SimpleNamespace(model=SimpleNamespace(kind="constructor"), cls=square)
    calls: Any = [(maker, [70])]
    assert is_kept_by_record(calls, [square(70)]) == (validator is None)


def test_a_function_that_was_passed_may_want_other_arguments() -> None:
    shown = Replayed("fault", message="flip() missing 3 required positional arguments: 'func', 'a', and 'b'")
    for text, doubted in (("toolz.functoolz:flip", True), ("toolz.functoolz:curry", False), ("'flip'", False)):
        program = Program((Step("m:curry", (Literal(text),)),))
        assert (doubt_of(program, shown) is not None) == doubted


def test_an_object_in_itself_has_no_end() -> None:
    shown = Replayed("fault", message="maximum recursion depth exceeded")
    made = Step("m:Tree", ())
    for other, doubted in ((Reference(0, 0), True), (Reference(1, 0), False)):
        program = Program((made, made, Step("m:Tree.add", (Reference(0, 0), other))))
        assert (doubt_of(program, shown) is not None) == doubted


def test_none_that_was_passed_is_not_the_subject_s() -> None:
    shown = Replayed("fault", message="'NoneType' object has no attribute 'items'")
    for text, doubted in (("{'a': None}", True), ("{'a': 1}", False), ("'Nonesuch'", False)):
        program = Program((Step("m:join", (Literal(text),)),))
        assert (doubt_of(program, shown) is not None) == doubted


SLOW = """
import time
from typing import Literal

class Sloth:
    def sleep(self) -> None:
        time.sleep(1.6)

class Dormouse:
    def sleep(self) -> None:
        while True:
            time.sleep(0.1)

class Mill:
    def sleep(self) -> None:
        while True:
            sum(range(1000))

class Tower:
    def sleep(self, floors: Literal[17, 400]) -> None:
        for floor in range(2 ** max(0, floors - 100)):
            pass

class Well:
    def sleep(self, depth: Literal[400]) -> None:
        while depth:
            pass
"""


@pytest.mark.parametrize(
    ("name", "likelihood"),
    [
        ("Sloth", "suspicious"),
        ("Dormouse", "suspicious"),
        ("Mill", "certain"),
        ("Tower", "suspicious"),
        ("Well", "certain"),
    ],
)
def test_what_only_takes_long_is_no_hang_for_certain(name: str, likelihood: str, tmp_path: Path) -> None:
    (tmp_path / "animals.py").write_text(SLOW)
    target = f"{tmp_path / 'animals.py'}:{name}"
    with Database.create(tmp_path / "run.db") as database:
        session(database, target, tests=6)
        confirm_faults(database, [parse_target(target)], seconds=12)
        rows = database.rows("SELECT kind, likelihood, confirmed FROM faults")
    assert rows == [("hang", likelihood, True)]
