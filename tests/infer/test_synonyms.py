"""What can be said in two ways is said once: the same answers wherever both were asked, and sums of integers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stateful.contracts import parse
from stateful.infer import synonyms
from stateful.infer.candidate import Candidate
from stateful.infer.columns import ValueTable, columns_of
from stateful.infer.engine import infer, routine_rows, shapes_of
from stateful.infer.synonyms import Synonyms, synonyms_of
from stateful.infer.templates import ADDED
from stateful.infer.why import why
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from tests.conftest import session

SUBJECT = '''
class Bag:
    """Its content can be asked for in several ways, and two queries only seem to say the same."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.limit = 0

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: int) -> bool:
        return item in self.items

    def has(self, item: int) -> bool:
        return item in self.items

    def held_by(self, item: int) -> bool:
        return item in self.items and item != 5

    def count(self) -> int:
        return len(self.items)

    def add(self, item: int) -> None:
        self.items.append(item)
        self.limit = max(self.limit, len(self.items))

    def drop(self, item: int) -> bool:
        if item in self.items:
            self.items.remove(item)
            return True
        return False

    def is_well(self) -> bool:
        return self.limit >= 0

    def room(self) -> int:
        return self.limit - len(self.items)
'''


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bags")
    (folder / "bags.py").write_text(SUBJECT)
    with Database.create(folder / "run.db") as database:
        session(database, str(folder / "bags.py"), tests=1500, seed=2)
        evaluate_all(database)
        infer(database)
    return folder / "run.db"


@pytest.fixture
def bag(bags: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(bags, tmp_path / "run.db"))


def found_in(database: Database) -> list[tuple[str, str, str]]:
    return database.rows(
        "SELECT split_part(routine, '.', -1), kind, text FROM contracts WHERE status <> 'written' ORDER BY ALL"
    )


def known_in(database: Database) -> Synonyms:
    rows = routine_rows(database, None)
    return synonyms_of(list(columns_of(database, shapes_of(rows), ValueTable(database)).values()))


def test_the_same_answers_are_synonyms_and_python_says_it_best(bag: Path) -> None:
    with Database.open(bag) as database:
        best = known_in(database).best
    assert best["$.has($)", (True, False)] == ("$ in $", (False, True))
    assert best["$.count()", (True,)] == ("len($)", (True,))
    assert not any("held_by" in content for content, _ in [*best, *best.values()])


def test_clauses_say_it_once(bag: Path) -> None:
    with Database.open(bag) as database:
        clauses = found_in(database)
        assert ("has", "ensures", "result == (item in self)") in clauses
        assert ("drop", "ensures", "result == old(item in self)") in clauses
        assert ("add", "ensures", "item in self") in clauses
        assert [one[2] for one in clauses if one[:2] == ("is_well", "ensures")] == ["result"]
        assert ("__contains__", "ensures", "result == self.has(item)") in clauses  # it does not describe itself
        assert [one[2] for one in clauses if "self.count()" in one[2]] == ["self.count() == len(self)"]
        assert {one[0] for one in clauses if "self.has(item)" in one[2]} <= {"__contains__", "drop", "held_by"}
        dropping = [content for name, _, content in clauses if name == "drop"]
        assert not [content for content in dropping if "result not in" in content or "result == self.room" in content]
        (told,) = why(database, parse("self.has(item)"), "add", None)[-1:]
    assert "says as much or more" in told.verdict


def test_a_sum_is_the_same_on_whatever_side_its_parts_stand(bag: Path) -> None:
    said = ("result == self.limit - len(self)", "len(self) == self.limit - result", "self.limit == len(self) + result",
            "result == self.limit + len(self)", "old(len(self)) == self.limit - result")  # fmt: skip
    with Database.open(bag) as database:
        row = next(row for row in routine_rows(database, None) if row["name"].endswith(".room"))
        columns = columns_of(database, shapes_of([row]), ValueTable(database))[row["id"]]
        candidates = [Candidate("ensures", parse(one), "", 9) for one in said]
        kept = Synonyms().said_once(candidates, columns)
    assert [one.text for one in kept] == [said[0], said[3], said[4]]


def test_lists_are_no_sums(bag: Path) -> None:
    said = ("self.items + old(self.items) == result", "old(self.items) + self.items == result")
    with Database.open(bag) as database:
        rows = routine_rows(database, None)
        columns = next(iter(columns_of(database, shapes_of(rows), ValueTable(database)).values()))
        kept = Synonyms().said_once([Candidate("ensures", parse(one), "", 9) for one in said], columns)
    assert len(kept) == 2


def test_what_the_user_asked_for_is_said_as_it_was_asked(bag: Path) -> None:
    said = [Candidate("ensures", parse(one), ADDED, 9) for one in ("item in self", "self.has(item)")]
    with Database.open(bag) as database:
        rows = routine_rows(database, None)
        columns = next(iter(columns_of(database, shapes_of(rows), ValueTable(database)).values()))
        assert known_in(database).said_once(said, columns) == said


def test_nearly_as_many_tests_speak_for_what_is_said_better(bag: Path) -> None:
    with Database.open(bag) as database:
        rows = routine_rows(database, None)
        columns = next(iter(columns_of(database, shapes_of(rows), ValueTable(database)).values()))
        known = known_in(database)
        for support, better in ((60, "item in self"), (40, "self.has(item)")):
            said = [Candidate("ensures", parse("self.has(item)"), "", 100),
                    Candidate("ensures", parse("item in self"), "", support)]  # fmt: skip
            assert [one.text for one in known.said_once(said, columns)] == [better]


def test_what_tests_tell_apart_is_said_twice_by_all_routines(bag: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Database.open(bag, read_only=False) as database:
        monkeypatch.setattr(synonyms, "COMMON", 10**9)  # as if too little were known
        database.run("DELETE FROM inferences WHERE routine_id = (SELECT min(id) FROM routines)", [])
        infer(database)
        assert ("add", "ensures", "self.has(item)") in found_in(database)
        monkeypatch.undo()
        database.run("DELETE FROM inferences WHERE routine_id = (SELECT min(id) FROM routines)", [])
        infer(database)
        assert ("add", "ensures", "self.has(item)") not in found_in(database)
