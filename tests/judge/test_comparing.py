"""Laws of comparing two objects, of refusing what is not there, and of objects in a list that a call gave."""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict, deque
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from stateful.errors import UsageError
from stateful.generate.confirm import confirm_faults
from stateful.generate.session import RunOptions, run_session
from stateful.judge.comparing import COMPARING
from stateful.judge.content import TakingLaw
from stateful.judge.lawbook import LAWS, LawBook
from stateful.judge.own import lawbook_from
from stateful.judge.promises import Promise
from stateful.judge.refusals import Refusal
from stateful.store.database import Database
from stateful.subject.target import parse_target
from tests.subjects.measures import (
    Both,
    Circular,
    Impatient,
    Length,
    Lenient,
    Lopsided,
    Mirrored,
    OneSided,
    Rounded,
    Scores,
    Stretching,
    Weight,
    Willing,
)


def broken_by(one: object, other: object) -> set[str]:
    return {each.law for each in LawBook().compared(one, other)}


@pytest.mark.parametrize(
    ("one", "other", "law"),
    [
        (OneSided(1), OneSided(2), "equality both ways"),
        (Both(1), Both(1), "inequality of two"),
        (Rounded(11), Rounded(12), "hash of equals"),
        (Circular(1), Circular(2), "order both ways"),
        (Impatient(1), Impatient(1), "order of equals"),
        (Mirrored(1), Mirrored(1), "order seen from both"),
    ],
)
def test_each_law_is_noticed_when_two_objects_break_it(one: Length, other: Length, law: str) -> None:
    found = [each for each in LawBook().compared(one, other) if each.law == law]
    assert found, broken_by(one, other)
    with pytest.raises(AssertionError):
        exec(found[0].code, {"x": one, "y": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Length(1), Length(1)), (Length(1), Length(2)), (Weight(1), Weight(1)), (Weight(2), Weight(1)), ({1}, {1, 2}),
        ([1], [1]), (Fraction(1, 2), Fraction(2, 4)), (Counter("ab"), Counter("ba")),
        (date(2020, 1, 1), date(2021, 1, 1)), (float("nan"), float("nan")), (object(), object()), ({1}, {2}),
    ],
)  # fmt: skip
def test_ordinary_objects_compare_as_they_should(one: object, other: object) -> None:
    assert broken_by(one, other) == set()


def test_operators_do_in_place_what_they_do_elsewhere() -> None:
    one, other = Stretching(5), Stretching(2)
    found = [each for each in LawBook().compared(one, other) if each.law == "in-place operators"]
    assert [(each.form, each.method) for each in found] == [("add", "__iadd__"), ("mul", "__imul__")]
    assert (one.metres, other.metres) == (5, 2)
    for each in found:
        with pytest.raises(AssertionError):
            exec(each.code, {"x": Stretching(5), "y": Stretching(2)})
    found = LawBook().compared(one, Stretching(4))
    assert {each.form for each in found} == {"mul"}


def test_every_law_of_two_has_a_name_of_its_own_and_an_example() -> None:
    names = [law.name for law in COMPARING]
    assert len({*names, *(law.name for law in LAWS)}) == len(names) + len(LAWS)
    for law in COMPARING:
        exec(f"assert {law.example}", {"x": 1, "y": 2})


def test_a_law_of_two_can_be_switched_off_and_a_wrong_name_is_told_all() -> None:
    book = lawbook_from({"without": ["hash of equals"]}, None, lambda _: False)
    assert "hash of equals" not in {each.law for each in book.compared(Rounded(11), Rounded(12))}
    with pytest.raises(UsageError, match="hash of equals"):
        lawbook_from({"without": ["hash of equal"]}, None, lambda _: False)


def test_a_law_that_unequal_objects_cannot_break_counts_equal_ones_only() -> None:
    book = LawBook()
    for metres in range(20):
        book.compared(Impatient(metres), Impatient(5))
    assert book.as_json()["tests.subjects.measures:Impatient\torder of equals\t"] == (1, 1)


@pytest.mark.parametrize(
    ("value", "law"),
    [
        (Lenient([1, 2]), "__getitem__ refuses like list"),
        (Willing({"a": 1}), "pop refuses like dict"),
        (Lopsided([3, 4]), "appendleft like deque"),
        (Lopsided([3, 4]), "extendleft like deque"),
    ],
)
def test_what_builtins_refuse_and_do_at_both_ends_is_compared(value: object, law: str) -> None:
    found = [each for each in LawBook().check(value, all_laws=True) if each.law == law]
    assert found
    with pytest.raises(AssertionError):
        exec(f"import collections\n{found[0].code}", {"x": value})


def test_a_limit_that_is_left_out_lets_all_through() -> None:
    found = [each for each in LawBook().check(Scores({"a": 1}), all_laws=True) if each.law == "no limit"]
    assert [each.method for each in found] == ["best"], "the worst ones are all told"
    with pytest.raises(AssertionError):
        exec(found[0].code, {"x": Scores({"a": 1})})


@pytest.mark.parametrize(
    "value",
    [deque([1, 2, 3]), deque([1, 2], maxlen=2), defaultdict(int, a=1), ChainMap({"a": 1}, {}), {1}],
)
def test_what_is_not_there_is_refused_by_ordinary_objects(value: object) -> None:
    assert {each.law for each in LawBook().check(value, all_laws=True)} == set()


@pytest.mark.parametrize(
    ("target", "law", "last"),
    [
        ("OneSided", "equality both ways", "assert (one_sided == one_sided_2) == (one_sided_2 == one_sided)"),
        ("Shelf", "repr", "assert isinstance(repr(item), str)"),
        ("Stretching", "in-place operators", "assert stretching == expected"),
    ],
)
def test_a_session_finds_them_and_the_reproducer_shows_them(tmp_path: Path, target: str, law: str, last: str) -> None:
    wanted = [parse_target(f"tests.subjects.measures:{target}")]
    with Database.create(tmp_path / "run.db") as database:
        run_session(database, wanted, RunOptions(seed=1, tests=1500, workers=1))
        confirm_faults(database, wanted)
        found = database.rows("SELECT reproducer, confirmed FROM faults WHERE law = ?", [law])
    assert found
    assert found[0][1]
    assert found[0][0].splitlines()[-1] == last


def test_the_documents_name_every_law() -> None:
    text = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()
    listed = {law.name for law in [*LAWS, *COMPARING] if not isinstance(law, Promise | Refusal | TakingLaw)}
    assert [name for name in sorted(listed) if f"`{name}`" not in text and not name.startswith("own check")] == []
    for kind in ("list", "deque", "set", "dict"):
        [line] = [line for line in text.splitlines() if line.startswith(f"* **like {kind}**")]
        methods = {law.method for law in LAWS if isinstance(law, Promise | TakingLaw) and law.family.name == kind}
        assert set(re.findall(r"`(\w+)`", line.partition(": ")[2])) == methods
