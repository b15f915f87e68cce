# ruff: noqa: E501 - queries
"""The content of a database without its numbers, so that two databases can be compared."""

from __future__ import annotations

from typing import Any

from stateful.store.database import Database

CONTENT = {
    "sessions": "SELECT * EXCLUDE (id) FROM sessions",
    "classes": "SELECT name, subject FROM classes",
    "conformances": "SELECT a.name, b.name FROM conformances c JOIN classes a ON a.id = class_id JOIN classes b ON b.id = base_id",
    "parameters": "SELECT r.name, p.* EXCLUDE (routine_id) FROM parameters p JOIN routines r ON r.id = p.routine_id",
    "routines": "SELECT r.* EXCLUDE (id, class_id), k.name FROM routines r LEFT JOIN classes k ON k.id = r.class_id",
    "snapshots": "SELECT s.digest, s.slots, s.recipe_calls FROM snapshots s",
    "objects": """SELECT s.digest, o.index, k.name, o.path, o.path_index FROM objects o JOIN snapshots s ON s.id = o.snapshot_id
                  JOIN classes k ON k.id = o.class_id""",
    "test_cases": """SELECT t.* EXCLUDE (id, session_id, routine_id, pre_snapshot, post_snapshot), s.digest, r.name, a.digest, b.digest
                     FROM test_cases t JOIN sessions s ON s.id = t.session_id JOIN routines r ON r.id = t.routine_id
                     LEFT JOIN snapshots a ON a.id = t.pre_snapshot LEFT JOIN snapshots b ON b.id = t.post_snapshot""",
    "evaluations": """SELECT s.digest, p.text, v.record, v.truth, e.var_0, e.var_1, e.var_2 FROM evaluations e
                      JOIN snapshots s ON s.id = e.snapshot_id JOIN predicates p ON p.id = e.predicate_id
                      LEFT JOIN values v ON v.id = e.value_id""",
    "transitions": """SELECT r.name, p.text, t.slots, b.record, a.record, t.tests, c.digest FROM transitions t
                      JOIN routines r ON r.id = t.routine_id JOIN predicates p ON p.id = t.predicate_id
                      LEFT JOIN values b ON b.id = t.before_value LEFT JOIN values a ON a.id = t.after_value
                      JOIN test_cases c ON c.id = t.example""",
    "faults": "SELECT f.* EXCLUDE (routine_id), r.name FROM faults f JOIN routines r ON r.id = f.routine_id",
    "clauses": "SELECT r.name, c.kind, c.text, c.status FROM clauses c JOIN routines r ON r.id = c.routine_id",
    "coverage": "SELECT s.digest, c.* EXCLUDE (session_id) FROM coverage c JOIN sessions s ON s.id = c.session_id",
}  # fmt: skip


def content_of(database: Database) -> dict[str, list[Any]]:
    """The rows of each table, sorted."""
    return {table: sorted(map(repr, database.rows(query))) for table, query in CONTENT.items()}


def difference(one: dict[str, list[Any]], other: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """For each table that differs some of the rows that only one of them has."""
    return {
        table: sorted(set(one[table]) ^ set(other[table]))[:4] or [len(one[table]), len(other[table])]
        for table in one
        if one[table] != other[table]
    }
