"""What an object may know is passed to it: what a call gave, and what its attributes hold."""

from __future__ import annotations

from pathlib import Path

from stateful.store.database import Database
from tests.conftest import session

SUBJECT = '''
class Desk:
    """Hands out tickets, and knows doors by names that it makes itself."""

    def __init__(self) -> None:
        self.waiting: dict[str, int] = {}
        self.doors = {"north-0": True}

    def take(self, number: int) -> str:
        ticket = f"T-{len(self.waiting)}-{number % 1000}"
        self.waiting[ticket] = number
        return ticket

    def call(self, ticket: str) -> int:
        if ticket not in self.waiting:
            raise KeyError(ticket)
        return self.waiting.pop(ticket)

    def build(self) -> None:
        self.doors[f"north-{len(self.doors)}"] = False

    def enter(self, door: str) -> bool:
        if door not in self.doors:
            raise KeyError(door)
        return self.doors[door]
'''


def test_tickets_that_were_handed_out_and_names_that_were_made_come_back(tmp_path: Path) -> None:
    (tmp_path / "desk.py").write_text(SUBJECT)
    with Database.create(tmp_path / "run.db") as database:
        session(database, str(tmp_path / "desk.py"), tests=1500)
        passed = dict(database.rows("SELECT routine, count(*) FROM calls WHERE outcome = 'pass' GROUP BY ALL"))
    assert passed.get("desk:Desk.call", 0) > 10
    assert passed.get("desk:Desk.enter", 0) > 10
