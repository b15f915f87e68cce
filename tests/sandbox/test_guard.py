"""Nothing outside the scratch folder changes, whatever the subject tries; what is refused has a name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stateful.sandbox import Limits, Worker
from stateful.sandbox.guard import GuardRefusal
from stateful.sandbox.worker import Session

HERE = "tests.sandbox.test_guard"


def perform(session: Session) -> None:
    """A program: call the routine of Harmful that it is told, and say what became of it."""
    from tests.subjects.harmful import Harmful

    message = session.channel.receive()
    assert message is not None
    try:
        session.channel.send("returned", getattr(Harmful(), message.body)())
    except (Exception, GuardRefusal) as error:
        session.channel.send("raised", [type(error).__name__, str(error)])


def outcome(routine: str, victim: Path, monkeypatch: pytest.MonkeyPatch, allowed: tuple[str, ...] = ()) -> object:
    monkeypatch.setenv("VICTIM", str(victim))
    with Worker(f"{HERE}:perform", Limits(allowed=allowed)) as worker:
        worker.send("do", routine)
        answer = worker.answer()
    assert answer is not None
    return answer.body


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "victim.txt"
    path.parent.mkdir()
    path.write_text("precious")
    return path


def everything(folder: Path) -> list[tuple[str, str]]:
    return sorted(
        (str(path.relative_to(folder)), path.read_text() if path.is_file() else "") for path in folder.rglob("*")
    )


@pytest.mark.parametrize(
    ("routine", "said"),
    [
        ("writes", "writing"),
        ("appends", "writing"),
        ("deletes", "deleting"),
        ("renames", "renaming"),
        ("truncates", "writing"),
        ("removes_folder", "deleting"),
        ("links", "making"),
        ("climbs", "writing"),
        ("starts", "process"),
        ("shells", "process"),
        ("forks", "process"),
        ("kills", "process"),
        ("connects", "network"),
        ("stores", "writing"),
    ],
)
def test_harm_is_refused_by_name(routine: str, said: str, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(victim.parent)
    name, message = outcome(routine, victim, monkeypatch)  # type: ignore[misc]
    assert name == "GuardRefusal"
    assert said in message
    assert everything(victim.parent) == before


def test_ordinary_work_is_not_disturbed(victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome("works", victim, monkeypatch) == "precious"


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_landlock_stops_what_python_does_not_see(victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = outcome("makes_fifo", victim, monkeypatch)  # type: ignore[misc]
    assert name == "PermissionError"


def test_what_is_allowed_is_let_pass(victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome("writes", victim, monkeypatch, (str(victim.parent),)) is None
    assert victim.read_text() == "gone"
    assert outcome("starts", victim, monkeypatch, ("processes", str(victim.parent))) is None
    assert not victim.exists()
