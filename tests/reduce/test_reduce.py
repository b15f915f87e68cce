"""Reduction: violators are found in SQL, verified on live objects, and the verdicts follow from the calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from stateful.contracts import conjuncts, negate, parse
from stateful.generate.confirm import confirm_faults
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.ingest.merge import merge
from stateful.reduce.engine import _Round, reduce_clauses
from stateful.reduce.finding import find_objects
from stateful.reduce.known import Known
from stateful.reduce.loop import reduce_to_fixpoint
from stateful.reduce.scope import Limits, Scope
from stateful.reduce.search import OperandSlot, Search, search
from stateful.reduce.tester import Tester
from stateful.reduce.transitions import transitions_to
from stateful.report.contracts import contracts_of
from stateful.report.faults import faults_of
from stateful.store.database import Database
from stateful.store.writer import Writer
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from tests.conftest import EXAMPLES, session

Fresh = Callable[[Path], Database]
LIST = "linked_list:LinkedList"


def operands(*names: str) -> tuple[OperandSlot, ...]:
    return tuple(OperandSlot(name, (LIST,)) for name in names)


def test_a_search_gives_objects_that_satisfy_it(linked_list: Path) -> None:
    wanted = Search(
        operands("self", "other"), conjuncts(parse("self == other")), conjuncts(parse("not self.is_empty()"))
    )
    with Database.open(linked_list) as database:
        related = next(search(database, wanted))
        assert related.tuples
        for (snapshot, one), (other_snapshot, other) in related.tuples:
            assert snapshot == other_snapshot
            values = dict(database.rows(
                "SELECT var_0, text FROM readings WHERE snapshot_id = ? AND predicate = 'list($)'", [snapshot]
            ))  # fmt: skip
            assert values[one] == values[other] != "[]"


def test_the_search_prefers_no_alias_pattern(linked_list: Path) -> None:
    wanted = Search(operands("self", "other"), (), conjuncts(parse("self == other")))
    with Database.open(linked_list) as database:
        pairs = next(search(database, wanted)).tuples
    assert any(one == other for one, other in pairs)
    assert any(one != other for one, other in pairs)


def test_relations_across_snapshots_are_left_to_the_live_objects(linked_list: Path) -> None:
    wanted = Search(operands("self", "other"), conjuncts(parse("self == other and not other.is_empty()")))
    with Database.open(linked_list) as database:
        _, across = search(database, wanted)
    assert across.tuples
    assert all(one[0] != other[0] for one, other in across.tuples)
    assert any("self == other" in part for part in across.residual)


def test_the_query_can_be_pasted(linked_list: Path) -> None:
    wanted = Search(operands("self"), conjuncts(parse("self.is_empty()")))
    with Database.open(linked_list) as database:
        found = next(search(database, wanted))
        assert len(database.rows(found.query)) >= len(found.tuples) > 0


def test_a_search_is_deterministic(linked_list: Path) -> None:
    wanted = Search(operands("self", "other"), conjuncts(parse("self != other")))
    with Database.open(linked_list) as database:
        assert next(search(database, wanted)).tuples == next(search(database, wanted)).tuples


def test_moves_are_the_calls_that_bring_something_about(linked_list: Path) -> None:
    with Database.open(linked_list) as database:
        filling = {
            transition.routine.rpartition(".")[2]
            for transition in transitions_to(database, parse("not self.is_empty()"))
        }
        emptying = {
            transition.routine.rpartition(".")[2] for transition in transitions_to(database, parse("len(self) == 0"))
        }
    assert "extend" in filling
    assert "wipe_out" in emptying
    assert not filling & {"has", "is_empty", "pop"}


UNSOUND = "implies(old(self == other), self.is_empty())"
SOUND = "raises(IndexError) == old(self.is_empty())"


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random phase so short that `merge_left` seems to promise too much: the first of ten seeds for which it does."""
    for seed in range(1, 11):
        path = tmp_path_factory.mktemp("short") / "short.db"
        with Database.create(path) as database:
            session(database, str(EXAMPLES / "linked_list.py"), seed=seed, tests=200)
            evaluate_all(database)
            infer(database)
            known = {text for (text,) in database.rows("SELECT text FROM contracts")}
        if {UNSOUND, SOUND} <= known:
            return path
    raise AssertionError("no seed gave the clause")


def test_an_unsound_postcondition_falls_with_a_witness_that_shows_it(short_run: Path, fresh: Fresh) -> None:
    text = UNSOUND
    database = fresh(short_run)
    assert (text,) in database.rows("SELECT text FROM contracts WHERE ends_with(routine, '.merge_left')")
    reduce_clauses(database, Scope([LIST]))
    removed = contracts_of(database, removed=True)
    fallen = [row for row in removed if row["text"] == text and row["routine"].endswith(".merge_left")]
    assert len(fallen) == 1
    discover([parse_target(str(EXAMPLES / "linked_list.py"))])
    *build, last = fallen[0]["witness"].splitlines()
    names: dict[str, object] = {}
    exec("\n".join(build), names)
    one, _, other = last.partition(".merge_left(")
    assert names[one] == names[other.rstrip(")")]
    exec(last, names)
    assert not names[one].is_empty()  # type: ignore[attr-defined]


def test_sound_clauses_survive_with_their_evidence(short_run: Path, fresh: Fresh) -> None:
    database = fresh(short_run)
    reduce_clauses(database)
    kept = {text for (text,) in database.rows("SELECT text FROM contracts WHERE status = 'kept'")}
    assert {"list(self) == old(list(self)) + [v]", SOUND} <= kept
    (evidence,) = database.rows(
        "SELECT evidence FROM contracts WHERE text = 'raises(IndexError) == old(self.is_empty())'"
    )[0]
    assert "called, on either side, none refuted it" in evidence


def test_every_attempt_leaves_a_row_with_its_sql(short_run: Path, fresh: Fresh) -> None:
    database = fresh(short_run)
    asked = database.value("SELECT count(*) FROM clauses WHERE kind IN ('requires', 'raises') AND status = 'kept'")
    reduce_clauses(database)
    rows = database.rows("SELECT query, found, tried, violating, verdict, milliseconds FROM reductions")
    assert len(rows) >= asked > 3
    assert all(query.startswith("-- object_") and "\nSELECT" in query for query, *_ in rows if query)
    assert {verdict for *_, verdict, _ in rows} <= {"removed", "kept", "guards", "no objects", "implied"}
    assert all(violating <= tried for _, _, tried, violating, *_ in rows)


def test_reduction_is_deterministic(short_run: Path, tmp_path: Path) -> None:
    contents = []
    for name in ("a.db", "b.db"):
        (tmp_path / name).write_bytes(short_run.read_bytes())
        with Database.open(tmp_path / name, read_only=False) as database:
            reduce_clauses(database)
            contents.append((
                database.rows("SELECT clause_id, way, found, tried, violating, verdict FROM reductions ORDER BY id"),
                database.rows("SELECT digest, outcome, found_by FROM test_cases ORDER BY id"),
            ))  # fmt: skip
    assert contents[0] == contents[1]


def test_a_round_without_time_looks_at_every_clause_and_the_next_one_goes_on(
    short_run: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = fresh(short_run)
    asked = {key for (key,) in database.rows("SELECT id FROM clauses WHERE status = 'kept' AND kind <> 'invariant'")}
    with monkeypatch.context() as patched:
        for step in ("_go_on", "_try_chains"):  # the time is over after the first step
            patched.setattr(_Round, step, lambda *_: None)
        reduce_clauses(database)
    seen = database.rows("SELECT clause_id, verdict, violating FROM reductions")
    fallen = {key for (key,) in database.rows("SELECT id FROM clauses WHERE status = 'removed'")}
    assert asked <= {key for key, *_ in seen} | fallen
    assert {"unfinished"} <= {verdict for _, verdict, _ in seen} <= {"unfinished", "removed", "no objects"}
    assert max(violating for _, verdict, violating in seen if verdict == "unfinished") <= 20
    reduce_clauses(database)
    unfinished = database.rows(
        "SELECT text FROM clauses c WHERE kind <> 'invariant' AND status = 'kept' AND id IN (FROM unnest(?)) "
        "AND NOT EXISTS (SELECT 1 FROM reductions d WHERE d.clause_id = c.id AND d.verdict <> 'unfinished')",
        [sorted(asked)],
    )
    assert unfinished == []


def test_values_of_which_a_query_is_undefined_violate_what_asks_it(linked_list: Path) -> None:
    """Nothing is recorded of the `len` of a number."""
    with Database.open(linked_list) as database:
        wanted = Search((OperandSlot("v", (LIST, "builtins:int")),), conjuncts(negate(parse("len(v) == 0"))))
        found = next(search(database, wanted, most=4))
        kinds = [
            database.value("SELECT kind FROM readings WHERE predicate = '$' AND snapshot_id = ? AND var_0 = ?", [*item])
            for (item,) in found.tuples
        ]
    assert kinds[0] == "object"
    assert kinds[1] in ("int", "bool")


def test_a_call_that_kills_the_worker_is_the_fault_and_the_next_one_is_tried(tmp_path: Path) -> None:
    name = "tests.subjects.fragile:Fragile"
    with Database.create(tmp_path / "fragile.db") as database:
        session(database, name, tests=250)
        database.run("DELETE FROM faults")
        evaluate_all(database)
        slot = (OperandSlot("self", (name,)),)
        deadly = Search(slot, (), conjuncts(parse("self.n == 2")))
        harmless = Search(slot, (), conjuncts(parse("self.n == 1")))
        tester = Tester(database, Writer(database), 99)
        outcomes = []
        for wanted in (deadly, harmless):
            ((snapshot, index),) = next(search(database, wanted)).tuples[0]
            answer = tester.tried(f"{name}.go", wanted, [["slot", snapshot, index]], [], [], "requires")
            assert answer is not None
            outcomes.append(answer["outcome"])
            assert answer["test"] in tester.writer.tests, "so that it can be shown"
        tester.close()
        (fault,) = tester.writer.faults.values()
    assert outcomes == ["crash", "pass"]
    assert (fault["routine"], fault["kind"], fault["found_by"]) == (f"{name}.go", "crash", "requires")


def test_reduction_reaches_the_fault_that_random_testing_missed(tmp_path: Path) -> None:
    """Siblings of which one has a cursor that stands on a child: `start` has to be called first."""
    target = str(EXAMPLES / "two_way_tree.py")
    for seed in range(1, 7):  # some other kind of clause may lead there, too
        with Database.create(tmp_path / f"tree{seed}.db") as database:
            session(database, f"{target}:TwoWayTree", seed=seed, tests=300)
            missed = database.rows("SELECT * FROM faults") == []
            evaluate_all(database)
            infer(database)
            reduce_to_fixpoint(database, limits=Limits(fresh=0))
            confirm_faults(database, [parse_target(target)])
            found = faults_of(database)
        if missed and found:
            break
    (fault, *_) = found
    assert (fault.exception, fault.likelihood) == ("AttributeError", "likely")
    assert fault.found_by != "run"
    assert fault.confirmed
    assert fault.reproducer is not None
    assert ".start()" in fault.reproducer
    discover([parse_target(target)])
    with pytest.raises(AttributeError, match="_left"):
        exec(fault.reproducer, {})


@pytest.mark.parametrize(("limits", "reached"), [(Limits(chain=2), False), (Limits(chain=3), True)])
def test_a_chain_of_calls_reaches_what_one_call_does_not(tmp_path: Path, limits: Limits, reached: bool) -> None:
    """The database knows the safe at level 0 only, and a precondition that is false from level 2 on."""
    with Database.create(tmp_path / "safe.db") as database:
        session(database, SAFE, tests=60)
        database.run("DELETE FROM faults")
        evaluate_all(database)
        _forget_levels(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.open')")
        row = {"id": 1, "routine_id": routine, "kind": "requires", "text": "self.level <= 1", "status": "kept"}
        database.append_rows("clauses", [{**row, "template": "bound", "support": 9, "evidence": "", "rank": 0}])
        reduce_clauses(database, Scope(routine="open"), limits)
        (status, evidence), *_ = database.rows("SELECT status, evidence FROM clauses WHERE id = 1")
        ways = {way for (way,) in database.rows("SELECT way FROM reductions")}
    if reached:
        assert (status, ways) == ("removed", {"transition"})
    else:
        assert status == "kept"
        assert evidence.startswith("no object violates it; ")
        assert evidence.endswith(" transitions tried")


def test_a_result_that_nothing_can_keep_does_not_save_a_clause(tmp_path: Path) -> None:
    """A view of memory is kept as the calls that give it; those of its operands come from the database."""
    with Database.create(tmp_path / "shelf.db") as database:
        session(database, "tests.subjects.shelf:Shelf", tests=80)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.scan')")
        row = {"id": 1, "routine_id": routine, "kind": "requires", "text": "self.count() == 0", "status": "kept"}
        database.append_rows("clauses", [{**row, "template": "bound", "support": 9, "evidence": "", "rank": 0}])
        reduce_clauses(database, Scope(routine="scan"))
        rows = database.rows("SELECT status, witness FROM clauses WHERE id = 1")
        (codec,) = database.rows(
            "SELECT s.codec FROM snapshots s JOIN test_cases t ON s.id = t.post_snapshot WHERE t.id = ?", [rows[0][1]]
        )
    assert rows[0][0] == "removed"
    assert codec == ("recipe",)


def test_the_preconditions_that_explain_refused_calls_come_first(tmp_path: Path) -> None:
    with Database.create(tmp_path / "shelf.db") as database:
        session(database, "tests.subjects.shelf:Shelf", tests=150)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.take')")
        row = {
            "routine_id": routine,
            "kind": "requires",
            "status": "kept",
            "template": "",
            "support": 9,
            "evidence": "",
        }
        texts = ["self.count() <= 90", "self.count() >= 1", "title in self"]
        clauses = [{**row, "id": place, "rank": place, "text": content} for place, content in enumerate(texts, 1)]
        database.append_rows("clauses", clauses)
        assert Known(database).required(routine) == [parse("title in self")]
        database.run("DELETE FROM clauses WHERE id = 3")
        assert Known(database).required(routine) == [parse("self.count() >= 1")]
        database.run("DELETE FROM clauses WHERE id = 2")
        assert Known(database).required(routine) == [parse("self.count() <= 90")]


SAFE = "tests.subjects.safe:Safe"


def _forget_levels(database: Database) -> None:
    """Leave nothing but states at level 0."""
    turned = (
        "SELECT e.snapshot_id FROM evaluations e JOIN predicates p ON p.id = e.predicate_id "
        "JOIN values v ON v.id = e.value_id WHERE p.text = '$.level' AND v.integer > 0"
    )
    database.run(f"DELETE FROM objects WHERE snapshot_id IN ({turned})")
    database.run("DELETE FROM transitions")


def test_a_clause_that_the_author_wrote_is_not_searched(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.merge_left')")
    row = {"id": 9999, "routine_id": routine, "kind": "requires", "text": "self is not other", "status": "kept"}
    database.append_rows("clauses", [{**row, "template": "t", "support": 9, "evidence": "", "rank": 0}])
    reduce_clauses(database, Scope(clause="self is not other"))
    assert database.rows("SELECT verdict, tried FROM reductions WHERE clause_id = 9999") == [("implied", 0)]
    evidence = database.value("SELECT evidence FROM clauses WHERE id = 9999")
    assert evidence == "the written precondition implies it; nothing was searched"


def test_none_is_tried_where_a_clause_forbids_it(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.extend')")
    row = {"id": 9999, "routine_id": routine, "kind": "requires", "text": "v is not None", "status": "kept"}
    database.append_rows("clauses", [{**row, "template": "t", "support": 9, "evidence": "", "rank": 0}])
    database.run("UPDATE parameters SET learned = ['int'] WHERE routine_id = ?", [routine])
    reduce_clauses(database, Scope(clause="v is not None"))
    assert database.value("SELECT status FROM clauses WHERE id = 9999") == "removed"


def test_a_query_that_takes_too_long_is_told(linked_list: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    database = fresh(linked_list)
    infer(database)
    monkeypatch.setattr(Database, "rows_within", lambda *_: None)
    reduce_clauses(database, Scope(routine="pop"), Limits(chain=1))
    assert ("query timed out", "kept") in database.rows("SELECT evidence, status FROM clauses WHERE kind = 'requires'")
    assert ("timed out",) in database.rows("SELECT verdict FROM reductions")


def test_a_slow_query_is_given_up(linked_list: Path) -> None:
    slow = sqlalchemy.text("SELECT count(*) FROM range(100000) a, range(1000000) b WHERE hash(a.range, b.range) = 7")
    with Database.open(linked_list) as database:
        assert database.rows_within(slow, 0.2) is None
        assert database.rows_within(sqlalchemy.text("SELECT 1"), 5.0) == [(1,)]


def test_an_invariant_falls_at_its_border(tmp_path: Path) -> None:
    with Database.create(tmp_path / "safe.db") as database:
        session(database, SAFE, tests=60)
        evaluate_all(database)
        maker = database.value("SELECT id FROM routines WHERE kind = 'constructor'")
        highest = database.value("SELECT max(v.integer) FROM values v WHERE v.kind = 'int'")
        row = {"id": 1, "routine_id": maker, "kind": "invariant", "text": f"self.level <= {highest}", "status": "kept"}
        database.append_rows("clauses", [{**row, "template": "bound", "support": 9, "evidence": "", "rank": 0}])
        reduce_clauses(database, Scope(clause=row["text"]))
        assert database.value("SELECT status FROM clauses WHERE id = 1") == "removed"


def test_objects_are_found_by_expression_and_built_by_their_code(linked_list: Path) -> None:
    wanted = conjuncts(parse("not self.is_empty() and self.has(0)"))
    with Database.open(linked_list) as database:
        found = find_objects(database, {"self": LIST}, wanted, 3)
    assert 1 <= len(found) <= 3
    lengths = [len(item.code.splitlines()) for item in found]
    assert lengths[0] <= 6
    discover([parse_target(str(EXAMPLES / "linked_list.py"))])
    for item in found:
        *lines, name = item.code.splitlines()
        names: dict[str, object] = {}
        exec("\n".join(lines), names)
        assert repr(names[name]) == item.objects[0].shown
        assert 0 in names[name]  # type: ignore[operator]


def test_a_call_without_an_argument_says_nothing_of_it(tmp_path: Path) -> None:
    """`first` is left out more often than not, and then `first in titles` is undefined."""
    (tmp_path / "lists.py").write_text(OPTIONAL)
    with Database.create(tmp_path / "lists.db") as database:
        session(database, f"{tmp_path / 'lists.py'}:Titles", tests=150)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.told')")
        row = {"routine_id": routine, "status": "kept", "template": "", "support": 9, "evidence": "", "rank": 0}
        texts = ("implies(old(first in self), first in result)", "first in result")
        clauses = [{**row, "id": key, "kind": "ensures", "text": content} for key, content in enumerate(texts, 1)]
        database.append_rows("clauses", clauses)
        reduce_clauses(database, Scope(routine="told"))
        statuses = dict(database.rows("SELECT id, status FROM clauses WHERE id < 3"))
    assert statuses == {1: "kept", 2: "removed"}


OPTIONAL = """
class Titles:
    def __init__(self) -> None:
        self.titles: list[str] = []

    def add(self, title: str) -> None:
        self.titles.append(title)

    def __contains__(self, title: str) -> bool:
        return title in self.titles

    def told(self, first: str = "") -> list[str]:
        return sorted(self.titles, key=lambda title: title != first)
"""


ALBUM = "tests.subjects.album:Album"


def test_what_was_refused_but_not_for_its_type_may_violate_a_precondition(tmp_path: Path) -> None:
    """No title passed, since none was in the album that it was looked for in; one that is there does."""
    with Database.create(tmp_path / "album.db") as database:
        session(database, ALBUM, tests=400)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.place')")
        database.run(
            "DELETE FROM test_cases t USING objects o, classes k WHERE t.routine_id = ? AND t.outcome = 'pass' AND "
            "o.snapshot_id = t.pre_snapshot AND o.index = t.pre_operands[2] AND k.id = o.class_id AND k.name = ?",
            [routine, "builtins:str"],
        )
        assert Known(database).classes_at(routine) == {1: ["builtins:NoneType"]}
        database.append_rows("clauses", [{
            "id": 1, "routine_id": routine, "kind": "requires", "status": "kept", "text": "not self.holds(title)",
            "template": "", "support": 9, "evidence": "", "rank": 1,
        }])  # fmt: skip
        reduce_clauses(database, Scope(routine=f"{ALBUM}.place"), Limits(chain=1))
        assert database.value("SELECT status FROM clauses WHERE id = 1") == "removed"


class Chooser:
    """Two parameters whose names differ by a capital, which SQL does not see."""

    def __init__(self, start: int) -> None:
        self.start = start

    def choose(self, n: int, N: int) -> int:
        return n if n < N else self.start


def test_names_that_differ_by_capitals_are_two(tmp_path: Path) -> None:
    with Database.create(tmp_path / "chooser.db") as database:
        session(database, f"{__name__}:Chooser", tests=200)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.choose')")
        row = {"routine_id": routine, "template": "", "support": 9, "evidence": "", "status": "kept", "rank": 1}
        texts = ["n <= N", "n != N + 1"]
        database.append_rows("clauses", [
            {**row, "id": key, "kind": "requires", "text": content} for key, content in enumerate(texts, 1)
        ])  # fmt: skip
        reduce_clauses(database)
        assert database.rows("SELECT DISTINCT status FROM clauses WHERE kind = 'requires'") == [("removed",)]


def test_a_database_may_have_the_name_of_what_is_attached_to_it(tmp_path: Path) -> None:
    with Database.create(tmp_path / "scratch.db") as database:
        session(database, SAFE, tests=40)
        evaluate_all(database)
        infer(database)
        reduce_clauses(database)
    with Database.create(tmp_path / "source.db") as database:
        assert merge(database, tmp_path / "scratch.db").tests > 0


class Valve:
    """Many commands."""

    def __init__(self) -> None:
        self.level = 0

    def a(self) -> None:
        self.level = min(self.level + 1, 3)

    def b(self) -> None:
        self.level = max(self.level - 1, 0)

    def c(self) -> None:
        self.level = 0

    def d(self) -> None:
        self.level = 3

    def e(self) -> None:
        self.level = min(self.level + 2, 3)


def test_every_command_is_called_for_an_invariant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: Counter[str] = Counter()
    tried = Tester.tried

    def counting(self: Tester, routine: str, *rest: Any) -> Any:
        called[routine[-1]] += 1
        return tried(self, routine, *rest)

    monkeypatch.setattr(Tester, "tried", counting)
    with Database.create(tmp_path / "valve.db") as database:
        session(database, f"{__name__}:Valve", tests=400)
        evaluate_all(database)
        maker = database.value("SELECT id FROM routines WHERE kind = 'constructor'")
        row = {"id": 1, "routine_id": maker, "kind": "invariant", "text": "self.level <= 3", "status": "kept"}
        database.append_rows("clauses", [{**row, "template": "bound", "support": 9, "evidence": "", "rank": 0}])
        reduce_clauses(database, Scope(clause=row["text"]), Limits(most=10))
        assert database.value("SELECT violating FROM reductions") == called.total()
    assert set(called) == set("abcde")


def test_what_guards_is_challenged_again_and_stays_a_guard(tmp_path: Path) -> None:
    with Database.create(tmp_path / "safe.db") as database:
        session(database, SAFE, tests=60)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.reset')")
        row = {"routine_id": routine, "kind": "requires", "template": "", "support": 9, "rank": 1}
        database.append_rows("clauses", [
            {**row, "id": 1, "text": "self.level == 0", "status": "guards", "evidence": "1 fail"},
            {**row, "id": 2, "text": "self is not self.level", "status": "guards", "evidence": "1 fail"},
        ])  # fmt: skip
        reduce_clauses(database)
        told = database.rows("SELECT status, evidence, witness IS NOT NULL FROM clauses WHERE id < 3 ORDER BY id")
        assert told[0] == ("removed", "a passing call does not satisfy it", True)
        assert told[1] == ("guards", "1 fail", False)


class Feed:
    """A generator can only be kept as the calls that make it."""

    def __init__(self) -> None:
        self.waiting = (number for number in range(3))
        self.opened = False

    def open(self) -> None:
        self.opened = True

    def join(self, other: Feed) -> bool:
        return self.opened and other.opened


def test_what_is_carried_along_is_kept_as_calls_too(tmp_path: Path) -> None:
    name = f"{__name__}:Feed"
    with Database.create(tmp_path / "feed.db") as database:
        session(database, name, tests=60)
        evaluate_all(database)
        closed = Search((OperandSlot("self", (name,)),), (), conjuncts(parse("not self.opened")))
        first, second = (item[0] for item in next(search(database, closed)).tuples[:2])
        operands = [["slot", *first], ["slot", *second]]
        opening = [{"routine": f"{name}.open", "operands": [["operand", 0]]}]
        wanted = Search(closed.slots, (), conjuncts(parse("self.opened and not other.opened")))
        tester = Tester(database, Writer(database), 99)
        answer = tester.tried(f"{name}.join", wanted, operands, opening, [], "transition")
        tester.close()
    assert answer is not None
    assert (answer["violates"], answer["outcome"]) == (True, "pass")


def test_a_clause_of_an_earlier_version_is_left_alone(tmp_path: Path) -> None:
    with Database.create(tmp_path / "safe.db") as database:
        session(database, SAFE, tests=120)
        evaluate_all(database)
        infer(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.reset')")
        row = {"id": 999, "routine_id": routine, "kind": "requires", "template": "", "support": 9, "rank": 1}
        unread = {**row, "text": "isinstance(self, self.kind)", "status": "kept", "evidence": "old"}
        database.append_rows("clauses", [unread])
        assert reduce_clauses(database).tried > 0
        assert database.rows("SELECT status, evidence FROM clauses WHERE id = 999") == [("kept", "old")]
