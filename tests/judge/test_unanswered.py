"""NotImplemented is how an operator refuses: no contract has to hold then, and nothing is learned to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from tests.conftest import session

SUBJECT = """
class Total:
    def __init__(self, value: int = 0) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Total) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __add__(self, other):
        if not isinstance(other, Total):
            return NotImplemented
        return Total(self.value + other.value)

    def unknown(self):
        return NotImplemented
"""


@pytest.fixture(scope="module")
def totals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("totals")
    (folder / "totals.py").write_text(SUBJECT)
    with Database.create(folder / "run.db") as database:
        session(database, str(folder / "totals.py"), tests=500)
        evaluate_all(database)
        infer(database)
    return folder / "run.db"


def test_it_is_a_refusal_of_operators_alone(totals: Path) -> None:
    with Database.open(totals) as database:
        rows = database.rows(
            "SELECT split_part(routine, '.', -1), outcome, reason FROM calls WHERE contains(reason, 'NotImplemented') "
            "GROUP BY ALL ORDER BY ALL"
        )
        passed = database.rows("SELECT DISTINCT split_part(routine, '.', -1) FROM calls WHERE outcome = 'pass'")
    said = "gives NotImplemented: between these operands it says nothing"
    assert rows == [("__add__", "refuse", said), ("__eq__", "refuse", said)]
    assert {("unknown",), ("__add__",), ("__eq__",)} <= set(passed)


def test_contracts_speak_of_its_answers(totals: Path) -> None:
    with Database.open(totals) as database:
        rows = database.rows("SELECT split_part(routine, '.', -1), text FROM contracts")
    assert ("__add__", "result.value == self.value + other.value") in rows
    assert ("__eq__", "result == (self.value == other.value)") in rows
    assert not [clause for name, clause in rows if name == "__eq__" and "result is not" in clause]
