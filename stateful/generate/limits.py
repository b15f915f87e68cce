"""What the user allowed to the subject, and which laws hold for it: remembered in the database for every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stateful.errors import UsageError
from stateful.sandbox import Limits, Worker
from stateful.store.database import Database

__all__ = ["allow", "endless_law", "laws_of", "limits_of", "remember_laws"]


def allow(database: Database, allowed: tuple[str, ...]) -> None:
    """Remember what the subject may do, so that later steps know it: paths, 'network', 'processes'."""
    _remember(database, "allow", allowed)


def remember_laws(database: Database, laws: Sequence[str], without: Sequence[str]) -> None:
    """The user's own laws, and the laws that are switched off."""
    wrong = next((law for law in laws if not all(law.rpartition(":")[::2])), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is no law: write module:function")
    if laws or without:  # a wrong one must not be remembered: no later session would begin
        known = {"own": [*_remembered(database, "law"), *laws], "without": list(without)}
        with Worker("stateful.judge.own:main", limits_of(database)) as worker:
            worker.send("laws", known)
            worker.answer()
    _remember(database, "law", laws)
    _remember(database, "without law", without)


def laws_of(database: Database) -> dict[str, list[str]]:
    """For a worker: the user's laws, those that are switched off, and those that never return for a class."""
    endless = [place for (place,) in database.rows(ENDLESS)]
    return {"own": _remembered(database, "law"), "without": _remembered(database, "without law"), "endless": endless}


def endless_law(fault: Mapping[str, Any]) -> str:
    """The class and the law that never returned for an object of it."""
    return f"{fault['class']}\t{fault['law']}"


ENDLESS = "SELECT DISTINCT class || '\t' || law FROM faults WHERE kind = 'hang' AND law IS NOT NULL"


def _remember(database: Database, name: str, items: Sequence[str]) -> None:
    known = set(_remembered(database, name))
    new = [item for item in dict.fromkeys(items) if item not in known]
    database.append("about", {"name": [name] * len(new), "content": new})


def _remembered(database: Database, name: str) -> list[str]:
    return [content for (content,) in database.rows("SELECT content FROM about WHERE name = ?", [name])]


def limits_of(database: Database, deadline: float = 1.0) -> Limits:
    """The limits of a worker for this database, which the user has to trust: a worker executes what it holds."""
    database.require_trust()
    return Limits(deadline=deadline, allowed=tuple(_remembered(database, "allow")))
