"""Exploring from Python and from the command line: objects by expression, rebuilt or loaded, and views of states."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import stateful
from stateful.cli.main import cli
from stateful.errors import UsageError
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from tests.conftest import EXAMPLES


@pytest.fixture(autouse=True, scope="module")
def imported() -> None:
    discover([parse_target(str(EXAMPLES / "linked_list.py"))])


def test_objects_are_found_rebuilt_and_loaded(linked_list: Path) -> None:
    with stateful.open(linked_list) as explorer:
        found = explorer.find("LinkedList", where="len(self) > 1 and self.has(0)", limit=4)
    assert found
    for item in found:
        (rebuilt,), (loaded,) = item.rebuilt(), item.loaded()
        assert repr(rebuilt) == repr(loaded) == item.objects[0].shown
        assert len(rebuilt) > 1
        assert rebuilt.has(0)
        assert "len($)=>1" in item.objects[0].state
        assert "is_empty()=False" in item.objects[0].state


def test_several_objects_are_found_together(linked_list: Path) -> None:
    with stateful.open(linked_list) as explorer:
        found = explorer.find(where="a == b and len(a) > 0", variables=["a:LinkedList", "b:LinkedList"], limit=6)
        apart = explorer.find(where="len(a) == len(b) + 1", variables=["a:LinkedList", "b:LinkedList"], limit=2)
    assert found
    assert apart
    for item in found:
        a, b = item.rebuilt()
        assert a == b
        assert len(a) > 0
    for item in apart:
        a, b = item.loaded()
        assert len(a) == len(b) + 1


def test_what_the_expression_may_speak_of_is_said(linked_list: Path) -> None:
    with stateful.open(linked_list) as explorer:
        with pytest.raises(UsageError, match="speaks of 'b'; there is `a`"):
            explorer.find(where="a == b", variables=["a:LinkedList"])
        with pytest.raises(UsageError, match="NAME:CLASS"):
            explorer.find(variables=["LinkedList"])
        with pytest.raises(UsageError, match="name a class"):
            explorer.find()


def test_find_prints_state_and_code(linked_list: Path) -> None:
    arguments = ["find", "--where", "a == b", "-v", "a:LinkedList", "-v", "b:LinkedList", "--limit", "1"]
    told = CliRunner().invoke(cli, [*arguments, "--db", str(linked_list)])
    assert told.exit_code == 0
    assert "# a: " in told.stdout
    assert "\nb = " in told.stdout
    (found,) = json.loads(CliRunner().invoke(cli, [*arguments, "--json", "--db", str(linked_list)]).stdout)
    assert set(found["objects"]) == {"a", "b"}


def test_a_class_is_a_state_machine(linked_list: Path) -> None:
    with stateful.open(linked_list) as explorer:
        states = explorer.rows("SELECT state, objects FROM states_reached WHERE ends_with(class, ':LinkedList')")
        emptied = explorer.rows(
            "SELECT after FROM state_machine WHERE ends_with(routine, '.wipe_out') AND contains(before, 'False')"
        )
        untried = explorer.rows("SELECT state, routine FROM never_tried")
        tried = explorer.rows("SELECT before, routine FROM state_machine")
    assert {"is_empty()=True", "is_empty()=False"} <= {part for state, _ in states for part in state.split(", ")}
    assert emptied
    assert all("is_empty()=True" in after for (after,) in emptied)
    assert not set(untried) & set(tried)


def test_any_client_can_open_it(linked_list: Path) -> None:
    """As README shows: DuckDB itself, and pandas by it."""
    with duckdb.connect(str(linked_list), read_only=True) as connection:
        rows = connection.sql(
            "SELECT routine, outcome, count(*) AS tests FROM calls GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        frame = connection.sql("SELECT * FROM state_machine").df()
    assert ("linked_list:LinkedList", "pass") in {row[:2] for row in rows}
    assert list(frame.columns) == ["class", "before", "routine", "after", "tests", "example"]
    assert len(frame) > 5


def test_what_is_too_wide_for_a_table_has_a_line_for_each_cell(linked_list: Path) -> None:
    wide = ", ".join(f"'{letter * 20}' AS {letter}" for letter in "abcde")
    asked = CliRunner().invoke(cli, ["sql", f"SELECT {wide}", "--db", str(linked_list)], catch_exceptions=False)
    lines = [line.split() for line in asked.stdout.splitlines()]
    assert lines == [["row", "1"], *([letter, letter * 20] for letter in "abcde")]
    narrow = CliRunner().invoke(cli, ["sql", "SELECT 1 AS a, 2 AS b", "--db", str(linked_list)], catch_exceptions=False)
    assert narrow.stdout.splitlines()[1].split() == ["a", "b"]
