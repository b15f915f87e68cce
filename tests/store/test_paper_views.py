"""The paper's tables can be queried: Predicates_n with `$` names, variables, types, return value and kind."""

from __future__ import annotations

from pathlib import Path

from stateful.store.database import Database

# The query of the paper's Listing 2, in its form: two objects from any two test cases, each with properties of its own.
LISTING_2 = """
SELECT t1.pre_serialization, p1.var_1, t2.pre_serialization, p2.var_1
FROM TestCases t1, TestCases t2, Predicates_1 p1, Predicates_1 p2, Predicates_1 p3
WHERE p1.tc_id = t1.tc_id AND p2.tc_id = t2.tc_id AND p3.tc_id = t2.tc_id
  AND p1.text = '$.is_empty()' AND p1.kind = 'pre' AND p1.type_1 = 'LinkedList' AND p1.ret_value = '1'
  AND p2.text = '$.is_empty()' AND p2.kind = 'pre' AND p2.type_1 = 'LinkedList' AND p2.ret_value = '0'
  AND p3.text = 'len($)' AND p3.kind = 'pre' AND p3.var_1 = p2.var_1 AND p3.ret_value = '2'
LIMIT 45
"""


def test_listing_2_runs_and_its_answers_are_true(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        rows = database.rows(LISTING_2)
        assert 0 < len(rows) <= 45
        for _, empty, _, pair in rows:
            assert length(database, empty) == 0
            assert length(database, pair) == 2


def length(database: Database, object_number: int) -> int:
    snapshot, index = divmod(object_number, 256)
    value = database.value(
        "SELECT integer FROM readings WHERE snapshot_id = ? AND var_0 = ? AND predicate = 'len($)'", [snapshot, index]
    )
    return int(value)


def test_queries_with_arguments_are_in_the_table_of_their_arity(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        rows = database.rows("SELECT DISTINCT text, type_1, type_2 FROM Predicates_2 WHERE text = '$.has($)'")
        assert rows
        assert {row[1] for row in rows} == {"LinkedList"}
        assert ("$.has($)", "LinkedList", "int") in rows
        assert database.rows("SELECT * FROM Predicates_9") == []


def test_pre_and_post_states_are_told_apart(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        before, after = (
            database.value(
                "SELECT count(*) FROM TestCases t JOIN Predicates_1 p ON p.tc_id = t.tc_id "
                "WHERE p.text = '$.is_empty()' AND ends_with(t.feature, '.wipe_out') AND p.ret_value = '0' "
                f"AND p.kind = '{kind}'"
            )
            for kind in ("pre", "post")
        )
    assert before > 0
    assert after == 0
