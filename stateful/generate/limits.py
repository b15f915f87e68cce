"""The limits under which the workers of a database run: what the user allowed holds for every step."""

from __future__ import annotations

from stateful.sandbox import Limits
from stateful.store.database import Database

__all__ = ["allow", "limits_of"]


def allow(database: Database, allowed: tuple[str, ...]) -> None:
    """Remember what the subject may do, so that later steps know it: paths, 'network', 'processes'."""
    known = {content for (content,) in database.rows("SELECT content FROM about WHERE name = 'allow'")}
    new = [item for item in allowed if item not in known]
    database.append("about", {"name": ["allow"] * len(new), "content": new})


def limits_of(database: Database, deadline: float = 1.0) -> Limits:
    """The limits of a worker for this database."""
    allowed = tuple(content for (content,) in database.rows("SELECT content FROM about WHERE name = 'allow'"))
    return Limits(deadline=deadline, allowed=allowed)
