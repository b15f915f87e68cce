"""The door to the database: every failure is one sentence that names the file and the remedy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlalchemy import column, literal, select, table

from stateful.errors import DatabaseError
from stateful.resources import text_of
from stateful.store.database import Database, sql_of
from stateful.store.writer import Writer
from stateful.subject.model import Routine, Subject


def test_a_new_database_has_every_table_and_view(tmp_path: Path) -> None:
    with Database.create(tmp_path / "new.db") as database:
        names = {name for (name,) in database.rows("SELECT table_name FROM information_schema.tables")}
    wanted = {"sessions", "classes", "conformances", "routines", "parameters", "snapshots", "objects", "test_cases"}
    wanted |= {"predicates", "snapshot_evaluations", "evaluations", "values", "transitions", "recipes", "clauses"}
    wanted |= {"reductions", "faults", "coverage", "TestCases", *(f"Predicates_{i}" for i in range(1, 10))}
    assert wanted <= names


PLAIN = {
    "id", "class_id", "routine_id", "session_id", "snapshot_id", "predicate_id", "test_case_id", "clause_id", "name",
    "doc", "file", "line", "kind", "seed", "seconds", "message", "content", "index", "milliseconds", "exception", "law",
    "found_by", "witness", "calls", "statements", "statements_all", "branches", "branches_all", "text", "status",
    "pre_snapshot",
}  # fmt: skip
"""Columns that need no comment because their name, or another table, says it all."""


def test_every_table_and_column_is_explained() -> None:
    lines = text_of("schema", "tables.sql").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("CREATE TABLE"):
            assert lines[number - 1].startswith("--"), line
    silent = {line.split()[0] for line in lines if line.startswith("    ") and "--" not in line}
    assert silent <= PLAIN | {f"var_{i}" for i in range(1, 9)}


def test_the_folder_of_the_state_ignores_itself(tmp_path: Path) -> None:
    Database.create(tmp_path / ".stateful" / "stateful.db").close()
    assert (tmp_path / ".stateful" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"not a database at all" * 100, "is not a DuckDB database"), (b"", "DuckDB database")],
)
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(content)
    with pytest.raises(DatabaseError) as refusal:
        Database.open(path).close()
    assert str(path) in str(refusal.value)
    assert said in str(refusal.value)
    assert path.read_bytes() == content


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="make one with 'stateful run'"):
        Database.open(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_truncated_database_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cut.db"
    Database.create(path).close()
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(DatabaseError) as refusal:
        Database.open(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_somebody_elses_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    duckdb.connect(str(path)).execute("CREATE TABLE t (x INTEGER)").close()
    with pytest.raises(DatabaseError, match="not one that stateful made"):
        Database.open(path)


def test_a_newer_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    with Database.create(path) as database:
        database.run("UPDATE about SET content = '99' WHERE name = 'version'")
    with pytest.raises(DatabaseError, match=r"version 99.*upgrade"):
        Database.open(path)


def test_a_database_in_use_names_the_process(tmp_path: Path) -> None:
    path = tmp_path / "busy.db"
    Database.create(path).close()
    hold = f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(DatabaseError, match=rf"in use by process {holder.pid}"):
            Database.open(path)
    finally:
        holder.communicate()


def test_readers_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "read.db"
    Database.create(path).close()
    with Database.open(path) as database, pytest.raises(DatabaseError, match="read-only"):
        database.run("DELETE FROM about")


def test_a_transaction_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with Database.create(tmp_path / "t.db") as database:
        with pytest.raises(DatabaseError), database.transaction():
            database.append("predicates", {"id": [1], "text": ["$"], "arity": [1]})
            database.run("SELECT nothing")
        assert database.value("SELECT count(*) FROM predicates") == 0


def test_columns_keep_lists_bytes_and_missing_values(tmp_path: Path) -> None:
    with Database.create(tmp_path / "c.db") as database:
        database.append("snapshots", {"id": [1, 2], "bytes": [b"\x00a", b""], "codec": ["pickle", None]})
        database.append("test_cases", {"id": [1, 2], "pre_operands": [[None, 0], None], "raised": [["E"], []]})
        assert database.rows("SELECT id, bytes, codec FROM snapshots") == [(1, b"\x00a", "pickle"), (2, b"", None)]
        assert database.rows("SELECT pre_operands, raised FROM test_cases") == [([None, 0], ["E"]), (None, [])]


def test_queries_can_be_pasted() -> None:
    query = select(column("id")).select_from(table("classes")).where(column("name") == literal("it's"))
    assert "'it''s'" in sql_of(query, literal=True)


def test_a_name_with_a_colon_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB would look for an extension of that name."""
    monkeypatch.chdir(tmp_path)
    Database.create(Path("sqlite:list.db")).close()
    assert (tmp_path / "sqlite:list.db").exists()


def test_an_interruption_waits_until_a_batch_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_rows = Database.append_rows

    def interrupted(self: Database, table: str, rows: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        append_rows(self, table, rows)

    monkeypatch.setattr(Database, "append_rows", interrupted)
    with Database.create(tmp_path / "run.db") as database:
        writer = Writer(database)
        writer.add_targets(["m\t\t"])
        with pytest.raises(KeyboardInterrupt):
            writer.flush()
        assert database.rows("SELECT content FROM about WHERE name = 'target'") == [("m\t\t",)]


def test_what_was_a_helper_may_be_tested_later(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        for helper in (True, False, True):
            writer = Writer(database)
            writer.add_subject(Subject((), (Routine("m:f", "function", helper=helper),)))
            writer.flush()
            assert database.value("SELECT count(*) FROM routines") == 1
        assert database.value("SELECT helper FROM routines") is False
