"""The list of faults: in order of belief, with ids, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stateful.store.database import Database

__all__ = ["ListedFault", "faults_of", "shown", "shown_list"]

ORDERED = """
SELECT f.likelihood, f.kind, f.reason, r.name || CASE r.kind WHEN 'constructor' THEN '.__init__' ELSE '' END AS routine,
       f.exception, f.message, f.file, f.line, f.law, f.trace, f.found_by, f.tests, f.reproducer, f.confirmed
FROM faults f JOIN routines r ON r.id = f.routine_id
ORDER BY f.confirmed IS NOT TRUE, list_position(['certain', 'likely', 'suspicious'], f.likelihood), f.calls, f.digest
"""


@dataclass(frozen=True, slots=True)
class ListedFault:
    """A fault as it is shown; `id` is its place in the list: F1 is the first."""

    id: str
    likelihood: str
    kind: str
    reason: str
    routine: str
    exception: str | None
    message: str
    file: str
    line: int
    law: str | None
    trace: list[list[Any]]
    found_by: str
    tests: int
    reproducer: str | None
    confirmed: bool

    @property
    def title(self) -> str:
        """What happened, in one line."""
        if self.law:
            return self.message.split("\n")[0]
        what = self.exception or self.kind
        return f"{what}: {self.message}".split("\n")[0] if self.message else what

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""

    def as_json(self) -> dict[str, Any]:
        names = (
            "id", "likelihood", "kind", "reason", "routine", "exception", "message", "file", "line", "law", "trace",
            "found_by", "tests", "reproducer", "confirmed",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


def faults_of(database: Database) -> list[ListedFault]:
    """All faults, the first is the best."""
    rows = database.records(ORDERED)
    return [_listed(f"F{place}", row) for place, row in enumerate(rows, 1)]


def _listed(name: str, row: dict[str, Any]) -> ListedFault:
    doubted = row["confirmed"] is False
    doubts = {False: "; it did not happen again when it was replayed", None: "; not replayed, the time was over"}
    reason = row["reason"] + doubts.get(row["confirmed"], "")
    likelihood = "suspicious" if doubted else row["likelihood"]
    changed = {"trace": json.loads(row["trace"]), "confirmed": bool(row["confirmed"])}
    return ListedFault(**{**row, **changed, "id": name, "likelihood": likelihood, "reason": reason})


def shown(fault: ListedFault) -> Iterator[str]:
    """One fault as lines of text."""
    yield f"{fault.id}  {fault.likelihood}  {fault.routine.rpartition(':')[2]}  {fault.title}"
    where = f"  at {fault.place}" if fault.place else ""
    yield f"    {fault.reason}; seen in {fault.tests} test cases, found by {fault.found_by}{where}"
    if fault.reproducer:
        yield ""
        yield from (f"    {line}" for line in fault.reproducer.splitlines())
    yield ""


def shown_list(faults: list[ListedFault]) -> Iterator[str]:
    """All faults as lines of text."""
    if not faults:
        yield "no faults found"
    for fault in faults:
        yield from shown(fault)
