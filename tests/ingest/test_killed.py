"""A killed ingest leaves a database that opens and can be completed. `benchmarks/killed.py` does it fifty times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_killed_ingest_is_completed_by_the_next() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "killed.py"), "--times", "2", "--tests", "800"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 complete" in done.stdout
