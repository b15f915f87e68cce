"""Merge run files into the database, in SQL and by content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from stateful.errors import DatabaseError
from stateful.resources import text_of
from stateful.store.database import Database
from stateful.store.retire import retire, seeds_of

__all__ = ["derive_transitions", "merge"]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of merging a run file: new test cases, and what else has to be said."""

    tests: int
    note: str = ""


CHANGED = """
SELECT c.name FROM classes c JOIN source.classes s ON s.name = c.name
WHERE c.subject AND s.subject AND c.source <> s.source ORDER BY c.name
"""
NEWEST = "SELECT (SELECT max(started) FROM source.sessions) > (SELECT max(started) FROM main.sessions)"


def merge(database: Database, run: Path) -> Merged:
    """Add what a run file holds. Of two versions of a class the later tested one counts; of the other, only the calls
    are kept."""
    if run.resolve() == database.path.resolve():
        raise DatabaseError(f"{run} is the database itself; name the run files to merge into it")
    with Database.open(run) as source:
        source.require_trust()
    before = _tests(database)
    name = database.another_name("source")
    database.run(f"ATTACH '{str(run.absolute()).replace(chr(39), chr(39) * 2)}' AS {name} (READ_ONLY)")
    try:
        changed = [each for (each,) in database.rows(_of(name, CHANGED))]
        if changed and not database.value(_of(name, NEWEST)):
            with Database.open(run) as source:
                seeds = seeds_of(source)
            known = {program for (program,) in database.rows("SELECT program FROM seeds")}
            database.append("seeds", {"program": [seed for seed in seeds if seed not in known]})
            return Merged(0, f": it was made with an older {changed[0]}, and only its calls were kept")
        note = ""
        if changed:
            before -= retire(database, changed).tests
            note = f": it was made with a newer {changed[0]}, and what the older one did was taken out"
        with database.transaction():
            database.run(_of(name, text_of("schema", "merge.sql")))
    finally:
        database.run(f"DETACH {name}")
    return Merged(_tests(database) - before, note)


def _of(name: str, query: str) -> str:
    """The query on tables of `source`, which is attached under this name."""
    return re.sub(r"\bsource\.", f"{name}.", query)


def _tests(database: Database) -> int:
    return int(database.value("SELECT count(*) FROM test_cases"))


def derive_transitions(database: Database) -> None:
    """Make the transitions anew from the evaluations."""
    with database.transaction():
        database.run(text_of("schema", "transitions.sql"))
