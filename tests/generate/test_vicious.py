"""Whatever a subject does, its session ends in time, blames the right call, keeps every test and harms nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.subject.target import Target

MODULE = "tests.subjects.vicious"
LONGEST = 40.0
BLAMED = {
    "Segfaults": {"crash"}, "Leaves": {"crash"}, "Exits": {"exception"}, "Swallows": {"hang"}, "LoopsInC": {"hang"},
    "Sleeps": {"hang"}, "Deadlocks": {"hang"}, "Recurses": {"crash"}, "Hoards": {"crash", "hang"},
    "Closes": {"crash"}, "HangingMessage": {"hang"},
}  # fmt: skip
"""What `bad` is blamed for."""
LAWS = {
    "HangingEq": "hang", "RaisingEq": "law", "RaisingHash": "law", "RaisingRepr": "law", "HangingRepr": "hang",
}  # fmt: skip
"""What the objects are blamed for, whichever routine made them."""
HARMLESS = (
    "Deepens", "RaisesBase", "Forks", "Writes", "Deletes", "Connects", "Patches", "Prints", "HangingState",
    "RaisingState", "Scribbles", "ClosesSome",
    "RaisingDel", "HangingDel", "RaisingGetattr", "HangingGetattr",
)  # fmt: skip


@pytest.mark.parametrize("name", [*BLAMED, *LAWS, *HARMLESS])
def test_a_session_outlives_its_subject(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "outside" / "victim.txt"
    victim.parent.mkdir()
    victim.write_text("precious")
    monkeypatch.setenv("VICTIM", str(victim))
    began = time.monotonic()
    with Database.create(tmp_path / "run.db") as database:
        options = RunOptions(seed=1, tests=25, deadline=0.2)
        summary = run_session(database, [Target(MODULE, None, (name,))], options)
        took = time.monotonic() - began
        faults = database.rows("SELECT r.name, f.kind FROM faults f JOIN routines r ON r.id = f.routine_id")
        fine = database.value("SELECT count(*) FROM calls WHERE ends_with(routine, '.fine')")
        unkept = database.value("SELECT count(*) FROM test_cases WHERE pre_snapshot IS NULL AND outcome = 'pass'")
    assert took < LONGEST
    assert summary.calls >= 25
    assert fine > 0
    assert unkept == 0
    assert [path.read_text() for path in victim.parent.iterdir()] == ["precious"]
    if name in BLAMED:
        assert {kind for routine, kind in faults if routine.endswith(".bad")} <= BLAMED[name]
        assert {routine for routine, _ in faults} == {f"{MODULE}:{name}.bad"}
    elif name in LAWS:
        assert {kind for _, kind in faults} == {LAWS[name]}
    else:
        assert {kind for routine, kind in faults if routine.endswith(".bad")} <= {"hang"}


def test_what_a_killed_supervisor_has_written_can_be_opened(tmp_path: Path) -> None:
    """All but the last second is there."""
    path = tmp_path / "run.db"
    command = [sys.executable, "-m", "stateful", "run", f"{MODULE}:Fine", "--time", "60", "-o", str(path), "-q"]
    process = subprocess.Popen(command, env=os.environ)
    for _ in range(100):
        time.sleep(0.1)
        if path.exists() and path.stat().st_size > 300_000:
            break
    time.sleep(2.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with Database.open(path, read_only=False) as database:
        assert database.value("SELECT count(*) FROM test_cases") > 10
