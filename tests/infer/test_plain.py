"""A value is the same before and after a call, and clauses say so; written contracts are read in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.contracts import parse, text
from stateful.infer.candidate import Candidate
from stateful.infer.engine import infer
from stateful.infer.plain import plainly, plainly_said
from stateful.infer.why import why
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from tests.conftest import EXAMPLES, session


@pytest.mark.parametrize(("clause", "said"), [
    ("self.sum == old(self.sum) + old(amount)", "self.sum == old(self.sum) + amount"),
    ("old(items) == items", "old(items) == items"),
    ("old(amount + 1) == result", "old(amount + 1) == result"),
    ("implies(old(amount), result == old(amount))", "implies(old(amount), result == amount)"),
    ("raises(ValueError) == old(amount)", "raises(ValueError) == old(amount)"),
])  # fmt: skip
def test_old_stays_where_it_says_when_a_clause_speaks(clause: str, said: str) -> None:
    assert text(plainly_said(parse(clause), {"amount"})) == said


def test_what_becomes_the_same_is_said_once_in_the_same_order() -> None:
    clauses = ("result == old(amount)", "self.sum == 1", "result == amount")
    found = plainly([Candidate("ensures", parse(each), "", 9) for each in clauses], {"amount"})
    assert [one.text for one in found] == ["result == amount", "self.sum == 1"]


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("accounts") / "run.db"
    with Database.create(path) as database:
        session(database, str(EXAMPLES / "bank_account.py"), tests=600)
        evaluate_all(database)
        infer(database)
    return path


def test_what_the_author_wrote_about_the_old_state_is_not_inferred_again(accounts: Path) -> None:
    with Database.open(accounts) as database:
        rows = database.rows(
            "SELECT text, status FROM contracts WHERE ends_with(routine, '.deposit') AND kind = 'ensures'"
        )
    found = dict(rows)
    assert found["self.balance == old(self.balance) + amount"] == "written"
    assert found["self.deposits == old(self.deposits) + 1"] == "kept"
    assert not [clause for clause in found if "old(amount)" in clause]


def test_why_reads_a_value_before_and_after_alike(accounts: Path) -> None:
    with Database.open(accounts) as database:
        for clause in ("result == amount", "result == old(amount)"):
            (answer,) = why(database, parse(clause), "withdraw", None)
            assert answer.verdict.startswith("kept: true of all")
