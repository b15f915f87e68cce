"""The list of faults: in order of belief, with ids, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stateful.store.database import Database
from stateful.subject.target import Target
from stateful.words import counted

__all__ = [
    "BELIEVED", "ListedFault", "faults_of", "faults_of_targets", "shown", "shown_list",
    "shown_never_passed", "shown_others",
]  # fmt: skip

BELIEVED = ("certain", "likely")
ORDERED = """
SELECT f.likelihood, f.kind, f.reason, r.name || CASE r.kind WHEN 'constructor' THEN '.__init__' ELSE '' END AS routine,
       f.exception, f.message, f.file, f.line, f.law, f.trace, f.found_by, f.tests, f.reproducer, f.confirmed, f.digest
FROM faults f JOIN routines r ON r.id = f.routine_id
ORDER BY f.confirmed IS FALSE, list_position(['certain', 'likely', 'suspicious'], f.likelihood), f.confirmed IS NULL,
         f.calls, f.digest
"""
SEPARATED = """
SELECT fault, predicate, kind, failing FROM separations
QUALIFY row_number() OVER (PARTITION BY fault ORDER BY failures + passes DESC, kind, length(predicate), predicate) = 1
"""
FLAKY = "it did not happen again when its calls were repeated in a fresh process"


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
    flaky: bool
    digest: str

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

    @property
    def head(self) -> str:
        return (
            f"{self.id}  {'flaky' if self.flaky else self.likelihood}  {self.routine.rpartition(':')[2]}  {self.title}"
        )

    def as_json(self) -> dict[str, Any]:
        names = (
            "id", "likelihood", "kind", "reason", "routine", "exception", "message", "file", "line", "law", "trace",
            "found_by", "tests", "reproducer", "confirmed",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


def faults_of(database: Database) -> list[ListedFault]:
    """All faults, the first is the best."""
    separated = {fault: (predicate, kind, failing) for fault, predicate, kind, failing in database.rows(SEPARATED)}
    rows = database.records(ORDERED)
    return [_listed(f"F{place}", row, separated.get(row["digest"])) for place, row in enumerate(rows, 1)]


OF_TARGETS = """
WITH own AS (SELECT id FROM sessions WHERE target = ? AND strategy <> 'reduce'),
     tests AS (SELECT DISTINCT routine_id, fault FROM test_cases WHERE session_id IN (FROM own))
SELECT digest FROM faults
WHERE routine_id IN (SELECT routine_id FROM tests) OR digest IN (SELECT fault FROM tests)
"""


def faults_of_targets(database: Database, targets: Sequence[Target]) -> tuple[list[ListedFault], int]:
    """The faults of what was tested as these targets, and how many others there are."""
    found = faults_of(database)
    own = {digest.hex for (digest,) in database.rows(OF_TARGETS, [" ".join(map(str, targets))])}
    mine = [fault for fault in found if fault.digest in own]
    return mine, len(found) - len(mine)


def shown_others(others: int) -> Iterator[str]:
    """What the database has of other targets."""
    if others:
        yield f"{counted(others, 'fault')} of other targets in this database; 'stateful faults' lists all"


NEVER_PASSED = """
SELECT r.name FROM test_cases t JOIN routines r ON r.id = t.routine_id JOIN sessions s ON s.id = t.session_id
WHERE s.target = ? AND s.strategy <> 'reduce' AND NOT r.helper
GROUP BY r.name HAVING count(*) >= ? AND bool_and(t.outcome <> 'pass') ORDER BY r.name
"""
ENOUGH_CALLS = 10
MOST_NAMED = 5


def shown_never_passed(database: Database, targets: Sequence[Target]) -> Iterator[str]:
    """Routines that refused or failed whatever they got: perhaps nothing that fits was made."""
    rows = database.rows(NEVER_PASSED, [" ".join(map(str, targets)), ENOUGH_CALLS])
    names = [name.rpartition(":")[2] for (name,) in rows]
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"never passed: {', '.join(names[:MOST_NAMED])}{more}; the view `refusals` says why"


def _listed(name: str, row: dict[str, Any], separated: tuple[str, str, bool] | None) -> ListedFault:
    flaky, reason = row["confirmed"] is False, row["reason"]
    if separated is not None and row["likelihood"] == "suspicious":
        reason = _precondition(row, *separated)
    if flaky:
        reason += f"; {FLAKY}"
    elif row["confirmed"] is None:
        reason += "; not repeated in a fresh process, the time was over"
    changed = {
        "trace": json.loads(row["trace"]), "confirmed": bool(row["confirmed"]), "flaky": flaky, "id": name,
        "likelihood": "suspicious" if flaky else row["likelihood"], "reason": reason, "digest": row["digest"].hex,
    }  # fmt: skip
    return ListedFault(**{**row, **changed})


def _precondition(row: dict[str, Any], predicate: str, kind: str, failing: bool) -> str:
    """In all failing calls the predicate has one truth, in all passing ones the other."""
    about = predicate.replace("$", "self")
    if kind == "int":
        needed = f"{about} == 0" if failing else f"{about} != 0"
    else:
        needed = f"not {about}" if failing else about
    routine = row["routine"].rpartition(".")[2]
    return f"an undocumented precondition: {routine} requires {needed}, else {row['exception']}"


def shown(fault: ListedFault) -> Iterator[str]:
    """One fault as lines of text."""
    yield fault.head
    where = f"  at {fault.place}" if fault.place else ""
    yield f"    {fault.reason}; seen in {counted(fault.tests, 'test case')}, found by {fault.found_by}{where}"
    if fault.reproducer:
        yield ""
        yield from (f"    {line}" for line in fault.reproducer.splitlines())
    yield ""


def shown_list(faults: list[ListedFault], *, every: bool = True) -> Iterator[str]:
    """Faults as lines of text: all of them in full, or the suspicious and flaky ones in a line each."""
    if not faults:
        yield "no faults found"
    brief = [] if every else [fault for fault in faults if fault.likelihood not in BELIEVED]
    for fault in faults:
        if fault not in brief:
            yield from shown(fault)
    if brief:
        ones = counted(len(brief), "less believable one")
        yield f"{ones}; 'stateful show {brief[0].id}' says why, 'stateful faults --all' all:"
        yield from (f"  {fault.head}"[:160] for fault in brief)
        yield ""
