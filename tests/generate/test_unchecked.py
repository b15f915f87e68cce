"""An object that keeps what it was given is not blamed for the type of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.generate.confirm import Replayed, _doubt, confirm_faults
from stateful.generate.unchecked import kept_unchecked
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.program import Literal, Program, Step
from stateful.subject.target import parse_target
from tests.conftest import session

WINDOWS = '''
class Window:
    """Keeps what it is given, whatever that is."""

    def __init__(self, shown):
        self.shown = shown

    def __eq__(self, other):
        return isinstance(other, Window) and len(self.shown) == len(other.shown)


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


def test_what_the_object_made_itself_is_its_own_fault(windows: str, tmp_path: Path) -> None:
    found = believed(f"{windows}:Broken", tmp_path / "run.db")
    said = next(belief for message, belief in found.items() if "x == x: raises TypeError" in message)
    assert said[0] == "likely"


def test_kept_is_what_an_attribute_is_and_not_what_equals_it(windows: str) -> None:
    routines = discover([parse_target(windows)]).routines
    window = next(live for name, live in routines.items() if name.endswith(":Window"))
    given = [1, 2]
    made = window.function(given)
    message = "object of type 'list' has no attribute"
    assert kept_unchecked([(window, [given])], [made], message) == "list"
    assert kept_unchecked([(window, [list(given)])], [made], message) is None
    assert kept_unchecked([(window, [given])], [made], "object of type 'int' has no len()") is None


def test_none_that_was_passed_is_not_the_subject_s() -> None:
    shown = Replayed("fault", message="'NoneType' object has no attribute 'items'")
    for text, doubted in (("{'a': None}", True), ("{'a': 1}", False), ("'Nonesuch'", False)):
        program = Program((Step("m:join", (Literal(text),)),))
        assert (_doubt(program, shown) is not None) == doubted
