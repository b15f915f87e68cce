"""A session records what it does, does the same again from the same seed, and outlives hostile routines."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.contracts.evaluate import is_atom
from stateful.errors import DatabaseError
from stateful.generate.confirm import confirm_faults
from stateful.store.database import Database
from stateful.store.recipes import Recipes
from stateful.subject.discover import discover
from stateful.subject.snapshots import dump, load
from stateful.subject.target import parse_target
from tests.conftest import EXAMPLES, session

CONTENT = (
    "SELECT t.digest, r.name, t.outcome, t.reason, t.raised, b.digest, t.pre_operands, a.digest, t.post_operands "
    "FROM test_cases t JOIN routines r ON r.id = t.routine_id LEFT JOIN snapshots b ON b.id = t.pre_snapshot "
    "LEFT JOIN snapshots a ON a.id = t.post_snapshot ORDER BY t.id"
)


def test_the_same_seed_gives_the_same_test_cases(tmp_path: Path) -> None:
    contents = []
    for name, seed in (("a.db", 5), ("b.db", 5), ("c.db", 6)):
        with Database.create(tmp_path / name) as database:
            summary = session(database, str(EXAMPLES / "two_way_tree.py"), seed=seed, tests=150)
            assert summary.calls == 150
            contents.append(database.rows(CONTENT))
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


@pytest.mark.parametrize("target", [str(EXAMPLES / "linked_list.py"), "tests.subjects.sly:Sly"])
def test_every_recipe_builds_the_state_that_it_is_the_recipe_of(target: str, tmp_path: Path) -> None:
    """Loaded or rebuilt, the operands are equal; no call that matters is left out, in whatever order one asks."""
    live = discover([parse_target(target)])
    compared = 0
    with Database.create(tmp_path / "run.db") as database:
        session(database, target, tests=300)
        recipes = Recipes(database)
        rows = database.rows(
            "SELECT id, codec, bytes, slots FROM snapshots "
            "WHERE codec = 'pickle' AND recipe_calls IS NOT NULL ORDER BY id"
        )
        for snapshot, codec, data, slots in rows[::3]:
            objects = load(codec, data)
            for index in range(slots):
                program, place = recipes.of_object(snapshot, index)
                rebuilt = program.operand(place, list(program.run(live.routines)))
                if is_atom(objects[index]):
                    assert rebuilt == objects[index] or rebuilt != rebuilt
                else:
                    assert dump([rebuilt]) == dump([objects[index]])
                compared += 1
    assert compared > 7


def test_operands_before_a_call_are_never_changed_by_it(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        rows = database.rows(
            "SELECT t.changed, r.name FROM test_cases t JOIN routines r ON r.id = t.routine_id WHERE t.outcome = 'pass'"
        )
    assert not any(changed for changed, name in rows if name.endswith((".is_empty", ".has", ".__len__", ".__eq__")))
    assert any(changed for changed, name in rows if name.endswith(".extend"))


def test_operands_satisfy_the_written_precondition_more_often_than_not(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(EXAMPLES / "bank_account.py"), tests=400)
        outcomes = dict(database.rows(
            "SELECT outcome, count(*) FROM calls WHERE ends_with(routine, 'withdraw') GROUP BY outcome"
        ))  # fmt: skip
    assert outcomes["pass"] > 2


def test_hostile_routines_are_blamed_and_the_session_goes_on(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        summary = session(database, "tests.subjects.hostile:Hostile", tests=60, deadline=0.2)
        blamed = dict(database.rows(
            "SELECT r.name, f.kind FROM faults f JOIN routines r ON r.id = f.routine_id"
        ))  # fmt: skip
        fine = database.value("SELECT count(*) FROM calls WHERE ends_with(routine, '.fine') AND outcome = 'pass'")
    kinds = {name.rpartition(".")[2]: kind for name, kind in blamed.items()}
    assert summary.calls >= 60
    assert fine > 0
    expected = {
        "dies": {"crash"}, "leaves": {"crash"}, "loops": {"hang"}, "swallows": {"hang"}, "counts_in_c": {"hang"},
        "recurses": {"crash", "hang"}, "hoards": {"crash", "hang"}, "exits": {"exception"},
        "raises_base": {"exception"},
    }  # fmt: skip
    assert all(kind in expected[name] for name, kind in kinds.items()), kinds
    assert {"crash", "hang"} <= set(kinds.values())


def test_objects_that_nothing_can_pickle_are_kept_as_their_recipes(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        session(database, "tests.subjects.shapes:Locked", tests=80)
        codecs = dict(database.rows("SELECT codec, count(*) FROM snapshots GROUP BY codec"))
        added = database.value("SELECT count(*) FROM calls WHERE ends_with(routine, '.add') AND outcome = 'pass'")
    assert codecs["recipe"] > 3
    assert added > 3


def test_a_fault_is_confirmed_shrunk_and_told_as_code_that_fails(tmp_path: Path) -> None:
    target = parse_target(str(EXAMPLES / "sorted_set.py"))
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(EXAMPLES / "sorted_set.py"), tests=600)
        confirm_faults(database, [target])
        ((code, confirmed, exception, line),) = database.rows(
            "SELECT reproducer, confirmed, exception, line FROM faults"
        )
    assert confirmed
    assert exception == "IndexError"
    assert len(code.splitlines()) <= 4
    discover([target])
    with pytest.raises(IndexError):
        exec(code, {})
    source = (EXAMPLES / "sorted_set.py").read_text().splitlines()
    assert "_items[mine]" in source[line - 1]


def test_a_subject_that_uses_random_is_repeatable(tmp_path: Path) -> None:
    contents = []
    for name in ("a.db", "b.db"):
        with Database.create(tmp_path / name) as database:
            session(database, "tests.subjects.fragile:Fragile", tests=60)
            contents.append(database.rows(CONTENT))
    assert contents[0] == contents[1]
    assert any(name.endswith(".roll") for _, name, *_ in contents[0])


def test_a_changed_class_is_not_mixed_with_its_old_version(tmp_path: Path) -> None:
    path = tmp_path / "subject_that_changes.py"
    path.write_text("class Thing:\n    def f(self):\n        return 1\n")
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(path), tests=5)
        session(database, str(path), tests=5)
        path.write_text("class Thing:\n    def f(self):\n        return 2\n")
        with pytest.raises(DatabaseError, match="subject_that_changes:Thing has changed"):
            session(database, str(path), tests=5)


def test_coverage_counts_the_targets_statements_and_branches_over_time(tmp_path: Path) -> None:
    with Database.create(tmp_path / "run.db") as database:
        summary = session(database, str(EXAMPLES / "linked_list.py"), tests=1500)
        last = database.rows("SELECT statements, statements_all, branches, branches_all FROM coverage")[-1]
    covered = summary.covered.as_json()
    assert covered is not None
    assert [*covered["statements"], *covered["branches"]] == list(last)
    assert 0.8 * last[1] < last[0] <= last[1]
    assert last[3] > 5


def test_a_class_that_was_never_built_is_named(tmp_path: Path) -> None:
    source = "class Locked:\n    def __init__(self, key):\n        if key != 'k' * 77:\n            raise ValueError\n"
    (tmp_path / "locked.py").write_text(f"{source}\n    def open(self) -> None: ...\n")
    with Database.create(tmp_path / "run.db") as database:
        summary = session(database, str(tmp_path / "locked.py"))
    assert any("no object of Locked was ever built" in note and "raises ValueError" in note for note in summary.notes)
