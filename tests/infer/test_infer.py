"""Inference: every clause holds on the tests it came from, and says something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stateful.contracts import Moment, evaluate, parse
from stateful.contracts import text as written
from stateful.contracts.to_vectors import is_refuted, verdicts_of
from stateful.errors import UsageError
from stateful.infer import engine
from stateful.infer.atoms import Atoms, atoms_of
from stateful.infer.candidates import passing_of, supporting
from stateful.infer.columns import ValueTable, columns_of
from stateful.infer.engine import add_templates, infer, routine_rows, shapes_of
from stateful.infer.screens import fillings_of, screened
from stateful.infer.templates import CONSTANTS, Template, choices_of, substituted, templates
from stateful.infer.why import why
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.snapshots import load
from stateful.subject.target import parse_target
from tests.conftest import EXAMPLES, session

Fresh = Callable[[Path], Database]


def clauses(database: Database, routine: str) -> set[str]:
    rows = database.rows("SELECT text FROM contracts WHERE ends_with(routine, ?) AND status <> 'written'", [routine])
    return {text for (text,) in rows}


def test_the_contracts_of_a_list_are_found(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    assert {"self.has(v)", "list(self) == old(list(self)) + [v]"} <= clauses(database, ".extend")
    assert "len(self) == old(len(self)) + 1" not in clauses(database, ".extend"), "the list says it better"
    assert "result == old(list(self))[0]" in clauses(database, ".pop")
    assert "list(self) == old(list(self))[1:]" in clauses(database, ".pop")
    assert "self.is_empty()" in clauses(database, ".wipe_out")
    assert "list(self) == old(list(other)) + old(list(self))" in clauses(database, ".merge_left")


def test_an_exception_is_explained_by_a_query(tmp_path: Path) -> None:
    with Database.create(tmp_path / "list.db") as database:
        session(database, str(EXAMPLES / "linked_list.py"), tests=1400)
        evaluate_all(database)
        infer(database)
        assert "raises(IndexError) == old(self.is_empty())" in clauses(database, ".pop")


def test_a_query_is_not_described_by_asking_for_itself(tmp_path: Path) -> None:
    """`result` where `self.has(item)` was true before is what anybody calls true."""
    with Database.create(tmp_path / "bag.db") as database:
        session(database, f"{__name__}:Basket", tests=300)
        evaluate_all(database)
        infer(database)
        assert clauses(database, ".put") == {"self.has(item)", "not self.is_bare()"}
        assert clauses(database, ".is_bare") == set()
        assert clauses(database, ".has") <= {"implies(old(self.is_bare()), not result)"}


class Copying:
    """It gives the same object, unless that is a list."""

    def own(self, given: object) -> object:
        return list(given) if isinstance(given, list) else given


def test_two_equal_lists_are_not_the_same_object(tmp_path: Path) -> None:
    with Database.create(tmp_path / "copying.db") as database:
        session(database, f"{__name__}:Copying", tests=400)
        evaluate_all(database)
        rows = [row for row in routine_rows(database, None) if row["name"].endswith(".own")]
        (columns,) = columns_of(database, shapes_of(rows), ValueTable(database)).values()
        passing = passing_of(columns)
        lists = verdicts_of(parse("isinstance(given, list)"), passing) == 1
        assert lists.sum() > 5
        assert (verdicts_of(parse("result is given"), passing) == ~lists).all()


class Purse:
    """Some hold huge amounts, and some half a coin."""

    def __init__(self) -> None:
        self.coins: float = 0

    def fill(self) -> None:
        self.coins = self.coins * 100_000 + 1

    def halve(self) -> None:
        self.coins = self.coins / 2


def test_a_bound_is_learned_from_numbers_of_any_size(tmp_path: Path) -> None:
    with Database.create(tmp_path / "purse.db") as database:
        session(database, f"{__name__}:Purse", tests=300)
        evaluate_all(database)
        infer(database)
        ((least, most),) = database.rows(
            "SELECT min(real), max(real) FROM evaluations e JOIN values v ON v.id = e.value_id "
            "JOIN predicates p ON p.id = e.predicate_id WHERE p.text = '$.coins'"
        )
        assert least == 0
        assert most > 1 << 40
        assert "self.coins >= 0" in clauses(database, ":Purse")


class Register:
    """Neither what is in it nor what it equals can be read in parts."""

    def __init__(self) -> None:
        self._names: set[int] = set()
        self._count = 0

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Register) and self._names == other._names

    __hash__ = None  # type: ignore[assignment]

    def add(self, name: int) -> None:
        self._names.add(name)
        self._count += 1

    def forget(self, name: int) -> None:
        self._names.discard(name)
        self._count += 1

    def become(self, other: Register) -> None:
        self._names = set(other._names)
        self._count += 1

    def shown(self) -> set[str]:
        return {f"{name:03}" for name in self._names}

    def size(self) -> int:
        return len(self._names)

    def made(self) -> object:
        class Local:
            pass

        return Local()


def test_what_is_true_of_an_operand_as_a_whole_is_no_matter_of_course(tmp_path: Path) -> None:
    with Database.create(tmp_path / "register.db") as database:
        session(database, f"{__name__}:Register", tests=1200)
        evaluate_all(database)
        infer(database)
        assert "name in self" in clauses(database, ".add")
        assert "implies(old(name not in self), self.size() == old(self.size()) + 1)" in clauses(database, ".add")
        assert "name not in self" in clauses(database, ".forget")
        assert "self == other" in clauses(database, ".become")
        assert not any("sorted" in clause for clause in clauses(database, ".shown"))
        assert not any("locals" in clause for clause in clauses(database, ".made"))


class Basket:
    """Whether it holds something is all that can be asked."""

    def __init__(self) -> None:
        self._items: list[int] = []

    def put(self, item: int) -> None:
        self._items.append(item)

    def has(self, item: int) -> bool:
        return item in self._items

    def is_bare(self) -> bool:
        return not self._items


def test_every_clause_holds_on_every_passing_test(linked_list: Path, fresh: Fresh) -> None:
    discover([parse_target(str(EXAMPLES / "linked_list.py"))])
    database = fresh(linked_list)
    infer(database)
    checked = 0
    for routine, kind, text in database.rows("SELECT routine_id, kind, text FROM clauses WHERE status = 'kept'"):
        expression = parse(text)
        for moment in moments(database, routine)[::3]:
            if moment.raised and kind != "raises":
                continue
            seen = Moment(moment.before) if kind == "requires" else moment
            assert evaluate(expression, seen) is True, (text, dict(seen.before), dict(seen.after))
            checked += 1
    assert checked > 100


def moments(database: Database, routine: int) -> list[Moment]:
    """The passing and refused test cases of a routine, loaded."""
    kind, names = database.rows(
        "SELECT kind, (SELECT list(p.name ORDER BY slot) FROM parameters p WHERE routine_id = r.id) "
        "FROM routines r WHERE id = ?",
        [routine],
    )[0]
    slots = ["self", *(names or []), "result"]
    found = []
    for b_codec, b_bytes, before, a_codec, a_bytes, after, raised in database.rows(
        "SELECT b.codec, b.bytes, t.pre_operands, a.codec, a.bytes, t.post_operands, t.raised FROM test_cases t "
        "JOIN snapshots b ON b.id = t.pre_snapshot JOIN snapshots a ON a.id = t.post_snapshot "
        "WHERE t.routine_id = ? AND (t.outcome = 'pass' OR t.raised IS NOT NULL)",
        [routine],
    ):
        old, new = load(b_codec, b_bytes), load(a_codec, a_bytes)
        then = {name: old[i] for name, i in zip(slots, before, strict=False) if i is not None}
        now = {name: new[i] for name, i in zip(slots, after, strict=False) if i is not None}
        if kind == "constructor":
            now["self"] = now["result"]
        found.append(Moment(then or {"": None}, now, tuple(raised or ())))
    return found


def test_inferring_again_changes_nothing(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    first = infer(database)
    ids = database.rows("SELECT id, text FROM clauses ORDER BY id")
    second = infer(database)
    assert (second.new, second.clauses) == (0, first.clauses)
    assert database.rows("SELECT id, text FROM clauses ORDER BY id") == ids


def test_a_clause_that_takes_the_number_of_a_gone_one_is_reduced_nevertheless(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    last = database.value("SELECT max(id) FROM clauses")
    database.run("UPDATE clauses SET text = 'self.gone()' WHERE id = ?", [last])
    database.append_rows("reductions", [{"id": 1, "clause_id": last, "violating": 3}])
    database.run("DELETE FROM inferences")
    infer(database)
    assert database.value("SELECT count(*) FROM reductions") == 0


def test_only_routines_with_new_tests_are_inferred_again(
    linked_list: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = fresh(linked_list)
    routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.pop')")
    late = database.value("SELECT max(id) FROM test_cases WHERE routine_id = ? AND outcome = 'pass'", [routine])
    database.run("CREATE TEMP TABLE late AS SELECT * FROM test_cases WHERE id = ?", [late])
    database.run("DELETE FROM test_cases WHERE id = ?", [late])
    infer(database)
    before = database.rows("SELECT id, text FROM clauses ORDER BY id")
    database.run("INSERT INTO test_cases SELECT * FROM late")
    asked = []
    derive = engine.candidates_of
    monkeypatch.setattr(
        engine,
        "candidates_of",
        lambda library, row, *columns: (asked.append(row["name"]), derive(library, row, *columns))[1],
    )
    infer(database)
    assert sorted(asked) == ["linked_list:LinkedList", "linked_list:LinkedList.pop"]
    assert database.rows("SELECT id, text FROM clauses ORDER BY id") == before
    asked.clear()
    infer(database)
    assert asked == []


@pytest.mark.parametrize("template", [t for t in templates() if not CONSTANTS & set(t.holes)])
def test_a_screen_lets_everything_pass_that_holds(linked_list: Path, template: Template) -> None:
    with Database.open(linked_list, read_only=True) as database:
        row = next(row for row in routine_rows(database, None) if row["name"].endswith(".merge_left"))
        columns = passing_of(columns_of(database, shapes_of([row]), ValueTable(database))[row["id"]])
    before, after = atoms_of(columns, old=True), atoms_of(columns, old=False)
    choices = choices_of(template, before, after)
    every = [substituted(template.expression, filling) for filling in fillings_of(template, choices)]
    held = {e for e in every if not is_refuted(e, columns) and supporting(e, columns)}
    assert held <= set(screened(template, before, after, columns))


def test_a_removed_clause_stays_removed(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    key = database.value("SELECT min(id) FROM clauses WHERE status = 'kept'")
    database.run("UPDATE clauses SET status = 'removed' WHERE id = ?", [key])
    database.run("DELETE FROM inferences")
    infer(database)
    assert database.value("SELECT status FROM clauses WHERE id = ?", [key]) == "removed"


def test_an_equation_is_said_once(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    infer(database)
    texts = [text for (text,) in database.rows("SELECT text FROM clauses WHERE text LIKE '% == %'")]
    sides = [frozenset(text.split(" == ")) for text in texts if text.count(" == ") == 1 and "(old" not in text]
    per_routine = database.rows("SELECT routine_id, text FROM clauses WHERE text LIKE '% == %'")
    pairs = [(routine, frozenset(text.split(" == "))) for routine, text in per_routine if text.count(" == ") == 1]
    assert len(pairs) == len(set(pairs))
    assert sides


def test_the_templates_are_read_and_cover_the_families_of_the_paper() -> None:
    families = {template.family for template in templates()}
    assert {
        "boolean query",
        "void",
        "reference equality",
        "object equality",
        "integer equality",
        "implication",
    } <= families


def test_a_template_with_an_unknown_hole_names_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text('[[family]]\nname = "f"\nkinds = ["requires"]\ntemplates = ["{g} == 1"]\n')
    monkeypatch.setattr("stateful.infer.templates.folder", lambda _: tmp_path)
    templates.cache_clear()
    with pytest.raises(UsageError, match=r"mine\.toml.*'g'"):
        templates()
    templates.cache_clear()


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("list(self) == old(list(self))[1:]", "kept: true of all"),
        ("len(self) == old(len(self)) + 1", "refuted: false in"),
        ("implies(old(self.is_empty()), result == 7)", "too little support: in"),
        ("self.nonsense == 1", "never evaluated: self.nonsense is known in none of"),
        ("len(self) == old(len(self)) - 1", "implied: "),
        ("old(len(self)) * 2 == len(self) + len(self) + 2", "but no template makes"),
    ],
)
def test_why_a_clause_is_not_there(linked_list: Path, fresh: Fresh, clause: str, said: str) -> None:
    database = fresh(linked_list)
    infer(database)
    answers = why(database, parse(clause), "LinkedList.pop", None)
    assert any(said in answer.verdict for answer in answers), answers
    for answer in answers:
        assert not answer.verdict.startswith("refuted") or (answer.test and answer.values)


def test_users_add_templates(linked_list: Path, fresh: Fresh) -> None:
    database = fresh(linked_list)
    add_templates(database, ["2 * {n} == 2 * old({n}) + 2"])
    infer(database)
    assert "2 * len(self) == 2 * old(len(self)) + 2" in clauses(database, ".extend")
    assert "2 * len(self) == 2 * old(len(self)) + 2" not in clauses(database, ".pop")
    for wrong, said in (("{g} == 1", "no kind of hole is called 'g'"), ("{n} ==", "cannot read")):
        with pytest.raises(UsageError, match=said):
            add_templates(database, [wrong])
    assert database.rows("SELECT content FROM about WHERE name = 'template'") == [("2 * {n} == 2 * old({n}) + 2",)]


@pytest.mark.parametrize("looks", [0, 2000])
def test_what_is_not_inferred_in_time_is_inferred_the_next_time(
    linked_list: Path, fresh: Fresh, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    whole = fresh(linked_list)
    infer(whole)
    found = "SELECT routine, kind, text FROM contracts ORDER BY ALL"
    expected = whole.rows(found)
    whole.close()
    database = fresh(linked_list)
    now = iter(range(1_000_000))
    with monkeypatch.context() as slow:
        slow.setattr(engine, "cores", lambda: 1)
        slow.setattr(engine.time, "monotonic", lambda: next(now))
        infer(database, until=looks)
    early = database.rows(found)
    assert set(early) < set(expected)
    assert bool(looks) == any(kind == "ensures" for _, kind, _ in early)
    infer(database)
    assert database.rows(found) == expected


VARIADIC = """
class Bag:
    def __init__(self) -> None:
        self.items = set()

    def add(self, item: int, *others: int) -> int:
        self.items |= {item, *others}
        return len(self.items)
"""


def test_clauses_speak_of_the_first_of_any_number_of_arguments_only(tmp_path: Path) -> None:
    (tmp_path / "bag.py").write_text(VARIADIC)
    with Database.create(tmp_path / "bag.db") as database:
        session(database, f"{tmp_path / 'bag.py'}:Bag", tests=400)
        evaluate_all(database)
        (row,) = [row for row in routine_rows(database, None) if row["name"].endswith(".add")]
        shapes = shapes_of([row])
        columns = columns_of(database, shapes, ValueTable(database))[row["id"]]
    assert shapes[row["id"]].slots == ("self", "item", "others_1", "others_2", "others_3")
    assert columns.slots == ["self", "item", "others_1", "result"]
    assert columns.rows > 9


def test_inference_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "TESTS_AT_ONCE", 1)  # each class is read for itself
    seen: list[tuple[int, int]] = []
    with Database.create(tmp_path / "run.db") as database:
        for name in ("linked_list", "bank_account"):
            session(database, str(EXAMPLES / f"{name}.py"), tests=60)
        evaluate_all(database)
        found = infer(database, progress=lambda done: seen.append((done.routines, done.new)))
    assert seen[0] == (0, 0)
    assert len(seen) == 2
    assert 0 < seen[1][0] < found.routines
    assert 0 < seen[1][1] < found.new


def test_a_parameter_is_not_taken_for_the_variable_of_a_quantifier() -> None:
    several = [template for template in templates() if "all((one in" in written(template.expression)]
    atoms = Atoms(sets=[parse("set(self)")], items=[parse("one"), parse("other")])
    assert several
    for template in several:
        assert parse("one") not in choices_of(template, atoms, atoms)["a"]
        assert parse("other") in choices_of(template, atoms, atoms)["a"]
