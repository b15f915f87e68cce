"""Texts that a parser takes: from its regular expressions, from its words and marks, and from what it took before."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from stateful.generate.texts import Texts, matching
from stateful.store.database import Database
from stateful.subject.discover import discover
from stateful.subject.target import parse_target
from stateful.subject.vocabulary import Vocabulary, vocabulary_near
from tests.conftest import session
from tests.subjects import readers

READERS = "tests.subjects.readers"


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"(\w+)\s*=\s*(?P<quote>['\"])(.*?)(?P=quote)", 0),
        (r"[^\d\W]\w{,3}|<[^>\n]+>", 0),
        (r"(?>ab|c)++d?", 0),
        (r"(<)?\d(?(1)>|!)", 0),
        ("(?i:ab)  # a comment\n [\u4e00-\u9fff]{2}", re.VERBOSE),
        (r"^\S+\s\D\W$", re.MULTILINE),
        (r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])", 0),
    ],
)
def test_texts_that_an_expression_matches(pattern: str, flags: int) -> None:
    random = Random(1)
    texts = {matching(pattern, random, flags) for _ in range(100)}
    assert len(texts) > 4
    assert sum(re.fullmatch(pattern, text, flags) is not None for text in texts) > 0.6 * len(texts)


def test_an_expression_that_cannot_be_read_gives_no_text() -> None:
    assert matching("(", Random(1)) == ""
    assert not Texts(Random(1), Vocabulary(patterns=(("(", 0),))).knows


def test_phrases_are_of_the_words_and_the_marks_of_the_source() -> None:
    texts = Texts(Random(1), Vocabulary(("=", ";", "[", "]", "width", "a longer sentence.", "__init__")))
    assert (texts.marks, texts.words, texts.brackets) == (["=", ";"], ["width"], ["[]"])
    drawn = [texts.text() for _ in range(300)]
    assert any(re.fullmatch(r"\w+=\w+;\w+=\w+", text) for text in drawn)
    assert any("width" in text for text in drawn)
    assert any(re.search(r"\[.*\]", text) for text in drawn)


def test_without_words_and_marks_there_are_the_usual_forms() -> None:
    drawn = {Texts(Random(seed), Vocabulary()).text() for seed in range(200)}
    assert {"2024-02-29", "1.5", "k=v"} <= drawn


def test_a_text_is_altered_in_a_place_or_two() -> None:
    texts = Texts(Random(1), Vocabulary((";",)))
    drawn = [texts.altered("ab=1;cd=2") for _ in range(200)]
    assert {"ab=1;cd=2", "ab=1;cd=2;ab=1;cd=2"} <= set(drawn)
    assert sum(len(text) < 9 for text in drawn) > 10


def test_what_the_subject_says_about_its_texts() -> None:
    live = discover([parse_target(READERS)])
    assert (readers.Release.FORM.pattern, 0) in live.vocabulary.patterns
    assert live.vocabulary.names == ("FORM", "user", "age")
    assert vocabulary_near(readers.Style, None).literals == (";", ":", "no rule", "too few rules")
    assert vocabulary_near(readers.Release, None).patterns == ((readers.Release.FORM.pattern, 0),)


def test_what_the_documentation_shows_is_drawn_and_altered() -> None:
    known = vocabulary_near(readers.Quantity, None)
    assert known.shown == ("2.5 cm", "3 ft", "1 in", "1 pt", "pt", "12 km = 12000 m", "'pt'")
    texts = Texts(Random(1), Vocabulary(shown=("2.5 cm",)))
    drawn = {texts.text() for _ in range(1000)}
    assert {"2.5 cm", "0.5 cm", "2.0 cm"} <= drawn


def test_readers_are_read(tmp_path: Path) -> None:
    with Database.create(tmp_path / "readers.db") as database:
        session(database, READERS, tests=2500)
        passed = dict(
            database.rows("SELECT routine, count(*) FROM calls WHERE outcome = 'pass' GROUP BY ALL ORDER BY ALL")
        )
        releases = database.rows(
            "SELECT count(DISTINCT text) FROM readings WHERE predicate = 'self.stage' AND text LIKE '%a'"
        )
    assert passed.keys() >= {f"{READERS}:{name}" for name in ("Release", "Style", "Form", "Quantity")}, passed
    assert releases
