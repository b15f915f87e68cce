"""The routines of a database as the plain data that other layers speak of."""

from __future__ import annotations

from stateful.store.database import Database
from stateful.subject.model import Parameter, Routine

__all__ = ["routines_of"]


def routines_of(database: Database) -> dict[str, Routine]:
    """Every routine by its name."""
    parameters: dict[int, list[Parameter]] = {}
    for routine, name, kind, annotation, required in database.rows(
        "SELECT routine_id, name, kind, annotation, required FROM parameters ORDER BY routine_id, slot"
    ):
        parameters.setdefault(routine, []).append(
            Parameter(name, annotation, required, kind == "keyword", kind == "variadic", kind == "keywords")
        )
    rows = database.rows(
        "SELECT r.id, r.name, r.kind, k.name, r.file, r.line, r.helper, r.asynchronous, "
        "r.generator "
        "FROM routines r LEFT JOIN classes k ON k.id = r.class_id"
    )
    return {
        name: Routine(
            name,
            kind,
            owner,
            tuple(parameters.get(key, ())),
            file=file,
            line=line,
            helper=helper,
            asynchronous=asynchronous,
            generator=generator,
        )
        for key, name, kind, owner, file, line, helper, asynchronous, generator in rows
    }
