"""Small subjects that once broke the engine, hid their faults, or made it report false ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.generate.confirm import confirm_faults
from stateful.generate.session import RunOptions, Summary, run_session
from stateful.report.faults import faults_of, shown_list
from stateful.store.database import Database
from stateful.subject.target import parse_target

SUBJECTS = {
    "callables_in_a_list": """
from typing import Callable
class A:
    def __init__(self, hooks: list[Callable]) -> None:
        self.hooks = hooks
    def go(self) -> int:
        return len(self.hooks)
""",
    "an_enum_without_members": """
import enum
class A:
    def f(self, kind: enum.Enum) -> int:
        return 1
""",
    "a_literal_that_is_a_member": """
import enum
from typing import Literal
class Color(enum.Enum):
    RED = 1
class A:
    def f(self, color: Literal[Color.RED]) -> str:
        return color.name
""",
    "a_result_that_is_an_ellipsis": """
def f() -> object:
    return ...
""",
    "sequences_in_a_frozenset": """
from typing import Sequence
class A:
    def f(self, items: frozenset[Sequence[int]]) -> int:
        return len(items)
""",
    "an_object_of_the_module_that_counts": """
class _Count:
    def __init__(self) -> None:
        self.n = 0
    def up(self) -> int:
        self.n += 1
        return 1 // (20 - self.n)
default = _Count()
def get() -> _Count:
    return default
""",
    "a_thread_local_of_the_module": """
import threading
class _Local(threading.local):
    depth = 0
local = _Local()
class A:
    def f(self) -> int:
        local.depth += 1
        return 1
""",
    "a_class_that_counts_its_objects": """
class A:
    made = 0
    def __init__(self) -> None:
        A.made += 1
        if A.made > 5:
            self.missing.x
""",
}


def session_on(path: Path, source: str, tests: int) -> tuple[Summary, list[str]]:
    subject = path / "subject_of_test.py"
    subject.write_text(source)
    with Database.create(path / "run.db") as database:
        target = parse_target(str(subject))
        summary = run_session(database, [target], RunOptions(seed=1, tests=tests))
        confirm_faults(database, [target])
        return summary, list(shown_list(faults_of(database)))


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_session_makes_all_its_calls_and_reports_nothing_false(name: str, tmp_path: Path) -> None:
    summary, lines = session_on(tmp_path, SUBJECTS[name], 400)
    assert summary.calls == 400
    assert lines == ["no faults found"]


@pytest.mark.parametrize(
    ("source", "last_line"),
    [
        ("class A:\n    def walk(self):\n        yield 1\n        yield self.missing.x\n", "list(a.walk())"),
        ("class A:\n    async def walk(self):\n        yield self.missing.x\n", "asyncio.run(collect(a.walk()))"),
        ("class A:\n    async def wait(self):\n        return self.missing.x\n", "asyncio.run(a.wait())"),
        ("class A:\n    def f(self, *, many: int = 0) -> None:\n        assert many < 3\n        self.x.y\n", "a.f()"),
    ],
)
def test_reproducers_run_generators_and_coroutines(source: str, last_line: str, tmp_path: Path) -> None:
    _, lines = session_on(tmp_path, source, 60)
    assert any(line.strip() == last_line for line in lines), lines
    assert not any("did not happen again" in line for line in lines)


def test_a_routine_that_kills_every_worker_is_given_up_even_as_example_and_helper(tmp_path: Path) -> None:
    source = (
        '"""\n>>> boom()\n"""\nimport os\ndef boom() -> None:\n    os._exit(0)\n'
        "class A:\n    def f(self) -> int:\n        return 1\n"
    )
    summary, lines = session_on(tmp_path, source, 100)
    assert summary.calls >= 100
    assert any("kills its process" in line for line in lines)
    assert any("was given up" in note for note in summary.notes)


def test_a_session_ends_when_nothing_can_be_called(tmp_path: Path) -> None:
    source = "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self) -> int: ...\n"
    summary, _ = session_on(tmp_path, source, 50)
    assert summary.calls == 0
    assert any("nothing more can be called" in note for note in summary.notes)
