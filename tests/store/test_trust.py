"""What somebody else made executes nothing; a signature is of the content; a killed writer loses no trust."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from stateful.errors import DatabaseError
from stateful.store.database import Database

HARMLESS = (
    ["sql", "SELECT count(*) FROM test_cases"],
    ["faults"],
    ["contracts"],
    ["show", "F1"],
    ["find", "LinkedList"],
)
EXECUTING = (["replay"], ["infer"], ["infer", "--why", "len(self) >= 0"], ["reduce", "--time", "1"])


def stateful(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line of a user with this home."""
    return subprocess.run(
        [sys.executable, "-m", "stateful", *arguments],
        env={**os.environ, "XDG_DATA_HOME": str(home)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


class Touch:
    """Pickles as a call that makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.path),)


@pytest.fixture
def hostile(linked_list: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A database whose snapshots, loaded, make a folder where its sandbox lets them; and that folder."""
    proof = tmp_path / "proof"
    path = tmp_path / "hostile.db"
    shutil.copy(linked_list, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE snapshots SET codec = 'pickle', bytes = ?", [pickle.dumps([Touch(proof)])])
        connection.execute("DELETE FROM snapshot_evaluations")
        connection.execute("INSERT INTO about VALUES ('allow', ?)", [str(tmp_path)])
        connection.execute(
            "INSERT INTO faults (digest, likelihood, kind, reason, routine_id, trace, tests, calls, reproducer) "
            "SELECT uuid(), 'certain', 'crash', 'none', id, '[]', 1, 1, ? FROM routines LIMIT 1",
            [f"import os\nos.mkdir({str(proof)!r})"],
        )
    return path, proof


def test_a_hostile_database_runs_no_code(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    path, proof = hostile
    for arguments in HARMLESS:
        done = stateful(tmp_path / "home", *arguments, "--db", str(path))
        assert done.returncode in (0, 1), done.stderr
        assert done.stdout
    assert "nothing was loaded" in done.stderr
    executing = [[*arguments, "--db", str(path)] for arguments in EXECUTING]
    for arguments in [*executing, ["ingest", str(path), "--db", str(tmp_path / "mine.db")]]:
        done = stateful(tmp_path / "home", *arguments)
        assert done.returncode == 2
        assert "was not made by you" in done.stderr
    assert not proof.exists()


def test_what_was_accepted_is_executed(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    path, proof = hostile
    told = stateful(tmp_path / "home", "trust", str(path))
    assert "linked_list" in told.stdout
    assert str(tmp_path) in told.stdout
    stateful(tmp_path / "home", "replay", "--db", str(path))
    assert proof.exists()
    assert "already" in stateful(tmp_path / "home", "trust", str(path)).stdout


def test_a_copy_is_trusted_and_a_changed_copy_is_not(linked_list: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(linked_list, copy)
    with Database.open(copy) as database:
        assert database.is_trusted()
    with duckdb.connect(str(copy)) as connection:
        connection.execute("UPDATE recipes SET literal = '__import__(\"os\")' WHERE literal IS NOT NULL")
    with Database.open(copy) as database:
        assert not database.is_trusted()
    with pytest.raises(DatabaseError, match="stateful trust"):
        Database.open(copy, read_only=False)


def test_a_killed_writer_loses_no_trust(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    program = (
        "import os, signal; from pathlib import Path; from stateful.store.database import Database\n"
        f"d = Database.create(Path({str(path)!r}))\n"
        "d.append('predicates', {'id': [1], 'text': ['$'], 'arity': [1]})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    with Database.open(path, read_only=False) as database:
        assert database.rows("SELECT text FROM predicates") == [("$",)]


def test_reading_a_database_touches_no_other_file(linked_list: Path) -> None:
    with Database.open(linked_list) as database, pytest.raises(DatabaseError, match="disabled"):
        database.rows("SELECT * FROM read_text('/etc/hostname')")


def test_functions_of_its_own_do_not_stand_in_for_ours(linked_list: Path, tmp_path: Path) -> None:
    """A macro of the name sha256 could say of a changed content what was true of the old one."""
    copy = tmp_path / "copy.db"
    shutil.copy(linked_list, copy)
    with duckdb.connect(str(copy)) as connection:
        connection.execute("CREATE MACRO sha256(x) AS system.main.sha256(x)")
    with Database.open(copy) as database:
        assert not database.is_trusted()
    told = stateful(tmp_path / "home", "trust", str(copy))
    assert "functions of its own" in told.stderr


def test_what_a_killed_writer_left_does_not_vouch_for_another_file(linked_list: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    program = (
        "import os; from pathlib import Path; from stateful.store.database import Database\n"
        f"Database.create(Path({str(path)!r})); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    shutil.copyfile(linked_list, path)  # into the same inode
    path.with_name("killed.db.wal").unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE recipes SET literal = '1' WHERE literal IS NOT NULL")
    with Database.open(path) as database:
        assert not database.is_trusted()
