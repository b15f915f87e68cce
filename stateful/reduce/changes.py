"""Has the subject changed since the database was made? Then what the old version said is retired, and that is told."""

from __future__ import annotations

import time
from typing import Any

from stateful.errors import SubjectError
from stateful.generate.confirm import run_again
from stateful.generate.limits import limits_of
from stateful.generate.session import describe
from stateful.ingest.evaluation import targets_of
from stateful.store.database import Database
from stateful.store.retire import retire
from stateful.words import counted

__all__ = ["meet_changes"]

SECONDS = 20.0  # for replaying old faults
KNOWN = "SELECT name, source FROM classes WHERE subject AND source IS NOT NULL ORDER BY name"
UNSETTLED = """
SELECT digest, routine, exception, kind, law, reproducer FROM retired_faults WHERE verdict IS NULL
ORDER BY list_position(['certain', 'likely', 'suspicious'], likelihood), digest
"""


def meet_changes(database: Database) -> list[str]:
    """Retire what an older version of the subject said; sentences about what was done."""
    known = {name: source.hex for name, source in database.rows(KNOWN)}
    if not known:
        return []
    targets = targets_of(database)
    try:
        subject = describe(targets, limits_of(database).allowed)
    except SubjectError as error:
        named = ", ".join(target.path + "/" + str(target) if target.path else str(target) for target in targets)
        raise SubjectError(
            f"{database.path} holds tests of {named}, which is not as it was ({error}): "
            "put it back, or begin another file"
        ) from None
    now = {model.name: model.source for model in subject.classes}
    changed = [name for name, source in known.items() if now.get(name) != source]
    notes = []
    if changed:
        done = retire(database, changed)
        names = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        notes.append(
            f"changed: {names}; {counted(done.tests, 'test')} of the old version taken out, "
            f"the calls of {done.seeds} of them come first in the next session"
        )
    return [*notes, *_replayed(database)]


def _replayed(database: Database) -> list[str]:
    """Whether the faults of the old version are still there."""
    until = time.monotonic() + SECONDS
    notes = []
    for row in database.records(UNSETTLED):
        if time.monotonic() > until:
            break
        ended = run_again(database, targets_of(database), row["reproducer"])
        verdict = "fixed" if ended is None else "still there"
        database.run("UPDATE retired_faults SET verdict = ? WHERE digest = ?", [verdict, row["digest"]])
        notes.append(f"{verdict}: {_named(row)}")
    return notes


def _named(row: dict[str, Any]) -> str:
    return f"{row['routine'].rpartition(':')[2]}  {row['law'] or row['exception'] or row['kind']}"
