"""The strategies differ as their papers say, and reach what their subjects make hard to reach."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from stateful.errors import UsageError
from stateful.generate.kinds import Choice, Several, wishes_of
from stateful.generate.session import RunOptions, run_session
from stateful.generate.settings import SETTINGS, settings_from
from stateful.generate.strategies import ControlledStrategy
from stateful.generate.swarm import Swarm, drawn_swarm
from stateful.generate.values import Values
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.program import literal_value
from stateful.subject.target import Target, parse_target
from tests.conftest import EXAMPLES
from tests.subjects import odd

ODD = "tests.subjects.odd"


@pytest.mark.parametrize("strategy", list(SETTINGS))
def test_every_strategy_repeats_itself_from_a_seed_and_tests_all_routines(strategy: str, tmp_path: Path) -> None:
    contents = []
    for name in ("a.db", "b.db"):
        with Database.create(tmp_path / name) as database:
            options = RunOptions(seed=3, tests=600, strategy=strategy)
            summary = run_session(database, [parse_target(str(EXAMPLES / "linked_list.py"))], options)
            assert summary.calls >= 600
            contents.append(database.rows("SELECT digest FROM test_cases ORDER BY id"))
            tested = database.rows(
                "SELECT r.name FROM routines r WHERE NOT r.helper AND r.class_id IS NOT NULL "
                "AND NOT EXISTS (SELECT 1 FROM test_cases t WHERE t.routine_id = r.id)"
            )
            assert not [name for (name,) in tested if ":_" not in name]
    assert contents[0] == contents[1]


def test_workers_share_the_calls_and_have_seeds_of_their_own(tmp_path: Path) -> None:
    digests = []
    for name, workers in (("one.db", 1), ("two.db", 2)):
        with Database.create(tmp_path / name) as database:
            options = RunOptions(seed=3, tests=400, workers=workers)
            summary = run_session(database, [parse_target(str(EXAMPLES / "bank_account.py"))], options)
            assert 400 <= summary.calls <= 402
            digests.append({digest for (digest,) in database.rows("SELECT digest FROM test_cases")})
    assert digests[0] - digests[1]
    assert digests[1] - digests[0]


@pytest.fixture(scope="module")
def odd_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd") / "run.db"
    with Database.create(path) as database:
        summary = run_session(database, [Target(ODD)], RunOptions(seed=1, tests=4000))
        database.append("about", {"name": ["note"] * len(summary.notes), "content": summary.notes})
    return path


def passed(path: Path) -> Counter[str]:
    with Database.open(path) as database:
        rows = database.rows("SELECT routine, count(*) FROM calls WHERE outcome = 'pass' GROUP BY routine")
    return Counter({name.rpartition(":")[2]: count for name, count in rows})


def test_routines_of_every_make_pass_in_a_session(odd_run: Path) -> None:
    found = passed(odd_run)
    wanted = (
        "Gate.unlock", "Gate.level=", "Gate.__call__", "Gate.__enter__", "Gate.__next__", "Gate.knock", "Gate.knocks",
        "Gate.steps", "Gate.paint", "Gate.join", "Gate.note", "Box.put", "measure", "Untyped.fill", "Untyped.apply",
        "Untyped.merge", "Untyped.lookup",
    )  # fmt: skip
    assert [name for name in wanted if not found[name]] == []


def test_a_class_that_no_constructor_builds_is_built_by_a_function(odd_run: Path) -> None:
    with Database.open(odd_run) as database:
        assert database.value("SELECT count(*) FROM calls WHERE ends_with(routine, ':Gate') AND outcome = 'pass'") == 0
    assert passed(odd_run)["Gate.steps"] > 5


def test_examples_run_first(odd_run: Path) -> None:
    with Database.open(odd_run) as database:
        first = database.rows(
            "SELECT r.name, s.literal FROM test_cases t JOIN routines r ON r.id = t.routine_id "
            "LEFT JOIN recipes s ON s.test_case_id = t.id AND s.slot = 1 ORDER BY t.id LIMIT 3"
        )
    assert [(name.rpartition(":")[2], literal) for name, literal in first] == [
        ("open_gate", "'secret'"), ("Gate.unlock", "'secret'"), ("Gate.level=", "3"),
    ]  # fmt: skip


def test_what_calls_share_is_put_back_and_said(odd_run: Path) -> None:
    with Database.open(odd_run) as database:
        notes = [content for (content,) in database.rows("SELECT content FROM about WHERE name = 'note'")]
        results = database.rows(
            "SELECT DISTINCT s.digest FROM test_cases t JOIN routines r ON r.id = t.routine_id "
            "JOIN snapshots s ON s.id = t.post_snapshot WHERE ends_with(r.name, '.counted')"
        )
        states = database.rows(
            "SELECT DISTINCT s.digest FROM test_cases t JOIN routines r ON r.id = t.routine_id "
            "JOIN snapshots s ON s.id = t.pre_snapshot WHERE ends_with(r.name, '.counted')"
        )
    assert any(f"{ODD}:Gate.count" in note and f"{ODD}.REGISTRY" in note for note in notes)
    assert len(results) == len(states)  # the count is 1 after each


def test_an_annotation_becomes_wishes() -> None:
    known = [odd.Gate, odd.Box]
    gate = discover([Target(ODD, None, ("Gate",))]).routines
    hints = gate[f"{ODD}:Gate.paint"].hints
    assert wishes_of(hints["color"], known) == [Choice((f"{ODD}:Color.RED", f"{ODD}:Color.BLUE"))]
    assert wishes_of(hints["side"], known) == [Choice(("'in'", "'out'"))]
    assert wishes_of(gate[f"{ODD}:Gate.join"].hints["gates"], known) == [Several("stateful:list_of", odd.Gate)]
    assert wishes_of(odd.Sized, known) == [odd.Box]
    assert wishes_of(dict[str, int] | None, known) == ["dict[str, int]", "NoneType"]
    assert wishes_of(tuple[int, ...], known) == ["tuple[int, ...]"]


@pytest.mark.parametrize("kind", [
    "int", "str", "float", "bool", "index", "list[int]", "iterable", "pairs", "mapping", "tuple", "tuple[int, ...]",
    "set[str]", "frozenset", "slice", "range", "callable", "keywords", "element", "mixed",
])  # fmt: skip
def test_the_text_of_a_value_means_the_value(kind: str) -> None:
    values = Values(random.Random(1), ["size", 7])
    for elements in ("int", "str", "mixed"):
        for _ in range(30):
            made = values.made(kind, Swarm(elements=elements, odd=0.0))
            assert literal_value(made.text) == made.make()


def test_swarms_differ_and_never_leave_out_constructors() -> None:
    routines = [r for r in discover([Target(ODD)]).routines.values() if not r.model.helper]
    rng = random.Random(1)
    swarms = [drawn_swarm(rng, routines) for _ in range(50)]
    assert len({swarm.left_out for swarm in swarms}) > 10
    assert not any(name.endswith((":Gate", ":Box")) for swarm in swarms for name in swarm.left_out)


def test_settings_are_checked() -> None:
    assert settings_from("controlled", ["pools=3", "select=random"])["pools"] == 3
    with pytest.raises(UsageError, match=r"no setting 'pool'.*did you mean 'pools'"):
        settings_from("controlled", ["pool=3"])
    with pytest.raises(UsageError, match=r"'2' is no value for div: give a number from 0 to 1"):
        settings_from("autotest", ["div=2"])
    with pytest.raises(UsageError, match="give 'score' or 'random'"):
        settings_from("controlled", ["select=best"])


def test_of_too_many_pools_the_half_is_kept_that_covers_what_others_do_not() -> None:
    class Fake:
        def __init__(self, covered: set[object]) -> None:
            self.covered = covered

    strategy = ControlledStrategy.__new__(ControlledStrategy)
    strategy.controlled = SETTINGS["controlled"]()  # type: ignore[assignment]
    same = [Fake({1, 2}), Fake({1, 2}), Fake({1, 2})]
    rare = Fake({9})
    strategy.pools = [*same, rare]  # type: ignore[list-item]
    kept = strategy._kept_half()
    assert rare in kept
    assert len(kept) == 2


def test_a_reset_starts_a_new_process_and_goes_on(tmp_path: Path) -> None:
    settings = {**settings_from("controlled", []), "reset_every": 0.2}
    with Database.create(tmp_path / "run.db") as database:
        options = RunOptions(seed=3, tests=700, settings=settings)
        summary = run_session(database, [parse_target(str(EXAMPLES / "bank_account.py"))], options)
        latest = database.value("SELECT max(seconds) FROM test_cases")
    assert 700 <= summary.calls <= 720
    assert latest > 0.5


def test_a_huge_number_of_the_source_is_as_seldom_as_other_odd_values() -> None:
    pools = {odd: Values(random.Random(1), [0x03000000], [70_000]) for odd in (0.0, 0.05)}
    drawn = {
        odd: Counter(values.made("int", Swarm(odd=odd)).text for _ in range(2000)) for odd, values in pools.items()
    }
    assert not drawn[0.0]["50331648"]
    assert 0 < drawn[0.05]["50331648"] < 60
    assert drawn[0.0]["70000"] > 60  # what the user gave is never odd
