"""The wheel, installed into a fresh environment, works from an empty folder and shadows nothing."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SUBJECT = '''
class Counter:
    """Counts, and fails at three."""

    def __init__(self):
        self.n = 0

    def step(self):
        self.n += 1
        return 6 // (3 - self.n)
'''


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr[-2000:]
    venv.create(folder / "venv", with_pip=True)
    (wheel,) = folder.glob("stateful_testing-*.whl")
    installed = run(folder / "venv/bin/python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    assert installed.returncode == 0, installed.stderr[-2000:]
    return folder / "venv"


def test_the_installed_command_tests_a_file_in_an_empty_folder(environment: Path, tmp_path: Path) -> None:
    version = run(environment / "bin/stateful", "--version", cwd=tmp_path)
    assert version.stdout.startswith("stateful, version")
    (tmp_path / "counter.py").write_text(SUBJECT)
    tested = run(environment / "bin/stateful", "test", "counter.py", "--time", "6", "--seed", "1", cwd=tmp_path)
    assert tested.returncode == 1, tested.stderr
    assert "ZeroDivisionError" in tested.stdout
    assert "from counter import Counter" in tested.stdout


def test_nothing_of_ours_is_installed_beside_the_package(environment: Path) -> None:
    (site,) = (environment / "lib").glob("python*/site-packages")
    names = {path.name for path in site.iterdir()}
    assert "stateful" in names
    assert not names & {"schema", "inference", "tests", "examples", "benchmarks"}
    assert (site / "stateful/schema/tables.sql").exists()
    assert (site / "stateful/inference/templates.toml").exists()
    assert (site / "stateful/py.typed").exists()


def test_it_is_a_module_that_can_be_run(environment: Path, tmp_path: Path) -> None:
    assert "stateful, version" in run(environment / "bin/python", "-m", "stateful", "--version", cwd=tmp_path).stdout
