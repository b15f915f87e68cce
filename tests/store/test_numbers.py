"""The table of each class in numbers."""

from __future__ import annotations

from pathlib import Path

from stateful.store.database import Database


def test_calls_that_challenged_several_clauses_count_once(tmp_path: Path) -> None:
    with Database.create(tmp_path / "numbers.db") as database:
        database.append_rows("classes", [{"id": 1, "name": "m:C", "subject": True}])
        database.append_rows("routines", [{"id": 1, "name": "m:C.r", "class_id": 1, "kind": "method", "slots": 0}])
        clauses = [{"id": number, "routine_id": 1, "kind": "ensures", "status": "kept"} for number in (1, 2, 3)]
        database.append_rows("clauses", clauses)
        asked = {"way": "ensures", "query": "SELECT 1", "tried": 5, "milliseconds": 10.0}
        alone = {"way": "ensures", "query": "SELECT 2", "tried": 2, "milliseconds": 1.0}
        rows = [{"clause_id": 1, **asked}, {"clause_id": 2, **asked}, {"clause_id": 3, **alone}]
        database.append_rows("reductions", rows)
        (found,) = database.rows("SELECT calls_of_reduction, milliseconds_of_queries FROM classes_in_numbers")
    assert found == (7, 11.0)
