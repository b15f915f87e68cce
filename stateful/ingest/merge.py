"""Merge run files into the database, in SQL and by content."""

from __future__ import annotations

from pathlib import Path

from stateful.errors import DatabaseError
from stateful.resources import text_of
from stateful.store.database import Database

__all__ = ["derive_transitions", "merge"]


def merge(database: Database, run: Path) -> int:
    """Add what a run file holds; how many test cases of it were new."""
    if run.resolve() == database.path.resolve():
        raise DatabaseError(f"{run} is the database itself; name the run files to merge into it")
    with Database.open(run) as source:
        source.require_trust()
    before = database.value("SELECT count(*) FROM test_cases")
    database.run(f"ATTACH '{str(run).replace(chr(39), chr(39) * 2)}' AS source (READ_ONLY)")
    try:
        with database.transaction():
            database.run(text_of("schema", "merge.sql"))
    finally:
        database.run("DETACH source")
    return int(database.value("SELECT count(*) FROM test_cases")) - int(before)


def derive_transitions(database: Database) -> None:
    """Make the transitions anew from the evaluations."""
    with database.transaction():
        database.run(text_of("schema", "transitions.sql"))
