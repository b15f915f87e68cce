"""A routine that hangs or kills its process does not take the time of a whole round."""

from __future__ import annotations

from pathlib import Path

from stateful.ingest.evaluation import evaluate_all
from stateful.reduce.engine import reduce_clauses
from stateful.reduce.scope import Scope
from stateful.store.database import Database
from tests.conftest import session

WHEEL = """
class Wheel:
    def __init__(self, size: int) -> None:
        self.size = size

    def spin(self, turns: int) -> int:
        while turns > 1:
            pass
        return self.size + turns
"""


def test_a_routine_that_often_hangs_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "wheel.py").write_text(WHEEL)
    with Database.create(tmp_path / "wheel.db") as database:
        session(database, str(tmp_path / "wheel.py"), tests=300, deadline=0.1)
        evaluate_all(database)
        routine = database.value("SELECT id FROM routines WHERE ends_with(name, '.spin')")
        row = {"routine_id": routine, "kind": "requires", "status": "kept", "template": "", "support": 9}
        several = [f"turns < {bound}" for bound in (2, 3, 4, 5, 6)]
        clauses = [{**row, "id": key, "evidence": "", "rank": key, "text": text} for key, text in enumerate(several, 1)]
        database.append_rows("clauses", clauses)
        reduce_clauses(database, Scope(routine="spin"), chains=0.0)
        told = database.rows("SELECT status, evidence FROM clauses WHERE kind = 'requires' ORDER BY id")
        tried = database.value("SELECT sum(tried) FROM reductions")
    assert tried < 12, "each takes a second"
    assert told[0] == ("removed", "violating it shows a fault, not a wrong call")
    assert told[-1] == ("kept", "20 objects not tried: too many calls hang or kill their process")
