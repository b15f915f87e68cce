"""A routine that hangs or is slow does not take the time of all others."""

from __future__ import annotations

import random
from pathlib import Path

from stateful.generate.patience import Patience
from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.subject.target import parse_target

SLOW = (
    '''
import time

class Shop:
    """One of its many routines is a thousand times as slow as the others."""

    def __init__(self):
        self.items = 0
'''
    + "".join(f"    def add_{number}(self):\n        self.items += {number}\n" for number in range(1, 20))
    + """
    def count(self):
        time.sleep(0.1)
        return self.items
"""
)


def chosen(costs: dict[str, float], calls: int) -> dict[str, float]:
    """The seconds that each routine gets if it takes so long and the choice is uniform."""
    drawn = random.Random(1)
    patience = Patience(drawn, len(costs))
    for _ in range(calls):
        name = drawn.choice(list(costs))
        if not patience.is_over(name):
            patience.note(name, costs[name], hung=False)
    return dict(patience.seconds)


def test_a_slow_routine_gets_a_few_shares_and_is_still_called() -> None:
    spent = chosen({"slow": 0.1, **{f"quick {number}": 0.001 for number in range(19)}}, 20_000)
    assert 0.5 < spent["slow"] / sum(spent.values()) * 20 < 4


def test_among_few_or_equal_routines_nobody_is_left_out() -> None:
    calls = 3000
    assert sum(chosen({"slow": 0.1, "quick": 0.001}, calls).values()) > 0.1 * calls / 3
    patience = Patience(random.Random(1), 20)
    for number in range(2000):
        patience.note(str(number % 20), 0.01, hung=False)
    assert not any(patience.is_over(str(number)) for number in range(20))


def test_a_routine_that_hangs_is_left_out_mostly() -> None:
    patience = Patience(random.Random(1), 2)
    for _ in range(4):
        patience.note("hangs", 0.0, hung=True)
    assert sum(patience.is_over("hangs") for _ in range(100)) > 90


def test_a_session_calls_the_others_while_one_routine_is_slow(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SLOW)
    with Database.create(tmp_path / "run.db") as database:
        target = parse_target(str(tmp_path / "shop.py"))
        run_session(database, [target], RunOptions(seed=1, seconds=4.0, coverage=False))
        tests = dict(database.rows("SELECT routine, count(*) FROM calls GROUP BY routine"))
    assert 0 < tests["shop:Shop.count"] <= 10  # 20 and more if all are called alike: each takes a tenth of a second
    assert len(tests) == 22
