"""Has the subject changed since the database was made? Then what the old version said is retired, and that is told."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from stateful.errors import SubjectError
from stateful.generate.confirm import run_again
from stateful.generate.limits import limits_of
from stateful.generate.session import describe
from stateful.ingest.evaluation import leave_out, targets_of
from stateful.store.database import Database
from stateful.store.retire import retire
from stateful.subject.model import Subject
from stateful.subject.target import Target
from stateful.words import counted

__all__ = ["meet_changes"]

SECONDS = 20.0  # for replaying old faults
KNOWN = "SELECT name, source FROM classes WHERE subject AND source IS NOT NULL ORDER BY name"
UNSETTLED = """
SELECT digest, routine, exception, kind, law, reproducer FROM retired_faults WHERE verdict IS NULL
ORDER BY list_position(['certain', 'likely', 'suspicious'], likelihood), digest
"""


def meet_changes(database: Database, *, more: bool = False) -> list[str]:
    """Retire what an older version of the subject said; sentences about what was done.

    What cannot be imported any more is left alone, until it can be; `more` says that there will be something else."""
    known = {name: source.hex for name, source in database.rows(KNOWN)}
    if not known:
        return []
    here, broken = _found(database, [*targets_of(database), *targets_of(database, gone=True)])
    if broken and not here and not more:
        ((target, error), *_) = broken.items()
        raise SubjectError(
            f"{database.path} holds tests of {_place(target)}, which is not as it was ({error}): "
            "put it back, or begin another file"
        )
    leave_out(database, broken, here)
    now = {model.name: model.source for subject in here.values() for model in subject.classes}
    changed = [
        name for name, source in known.items() if now.get(name) != source and not any(_has(t, name) for t in broken)
    ]
    notes = [
        f"left out: {_place(target)}, which is not as it was ({error}); what is known of it stays as it is"
        for target, error in broken.items()
    ]
    if changed:
        done = retire(database, changed)
        names = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        notes.append(
            f"changed: {names}; {counted(done.tests, 'test')} of the old version taken out, "
            f"the calls of {done.seeds} of them come first in the next session"
        )
    return [*notes, *_replayed(database)]


def _found(
    database: Database, targets: Sequence[Target]
) -> tuple[Mapping[Target, Subject], Mapping[Target, SubjectError]]:
    """What there is of the targets, and why some cannot be imported."""
    allowed = limits_of(database).allowed
    with suppress(SubjectError):
        return dict.fromkeys(targets, describe(targets, allowed)), {}
    found: dict[Target, Subject] = {}
    broken: dict[Target, SubjectError] = {}
    for target in targets:
        try:
            found[target] = describe([target], allowed)
        except SubjectError as error:
            broken[target] = error
    return found, broken


def _place(target: Target) -> str:
    return f"{target.path}/{target}" if target.path else str(target)


def _has(target: Target, cls: str) -> bool:
    """The class stands in the target's module, or in one of its package."""
    module = cls.partition(":")[0]
    return module == target.module or module.startswith(f"{target.module}.")


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
