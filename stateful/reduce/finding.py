"""Find objects for people: search in SQL, check the rest on the live object, say how to build it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.errors import NoRecipe
from stateful.generate.limits import laws_of, limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.evaluation import targets_of
from stateful.reduce.search import OperandSlot, Search, search
from stateful.sandbox import Worker
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_for

__all__ = ["FoundObject", "find_objects"]

MOST_LOOKED_AT = 400


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object: where it is in the database, its repr, and the code that builds it."""

    snapshot: int
    index: int
    shown: str
    code: str

    def as_json(self) -> dict[str, Any]:
        return {"snapshot": self.snapshot, "index": self.index, "repr": self.shown, "code": self.code}


def find_objects(database: Database, class_name: str, wanted: tuple[n.Expr, ...], limit: int) -> list[FoundObject]:
    """Objects of the class that satisfy all parts of `wanted`; of those looked at, the shortest recipes first."""
    slot = OperandSlot("self", (class_name,))
    answer = next(search(database, Search((slot,), (), wanted), most=MOST_LOOKED_AT))
    routines, recipes = routines_of(database), Recipes(database)
    found: dict[str, FoundObject] = {}
    with _Looking(database, class_name) as looking:
        for ((snapshot, index),) in sorted(answer.tuples, key=lambda item: (recipes.length(item[0][0]), item)):
            shown = looking.shown(snapshot, index, wanted)
            if shown is None or shown in found:
                continue
            try:
                code = code_for(*recipes.of_object(snapshot, index), routines)
            except NoRecipe:
                continue
            found[shown] = FoundObject(snapshot, index, shown, code)
            if len(found) >= limit:
                break
    return sorted(found.values(), key=lambda item: len(item.code.splitlines()))


class _Looking:
    """A worker that loads objects, checks them and gives their repr."""

    def __init__(self, database: Database, class_name: str) -> None:
        self.database = database
        self.class_name = class_name
        self.worker = self._started()

    def _started(self) -> Worker:
        worker = Worker("stateful.reduce.trying:main", limits_of(self.database))
        try:
            targets = targets_json(targets_of(self.database))
            laws = laws_of(self.database)
            worker.send("plan", {"targets": targets, "folder": os.getcwd(), "learned": {}, "laws": laws})
            worker.answer()
        except BaseException:
            worker.close()
            raise
        return worker

    def __enter__(self) -> _Looking:
        return self

    def __exit__(self, *_: object) -> None:
        self.worker.close()

    def shown(self, snapshot: int, index: int, wanted: tuple[n.Expr, ...]) -> str | None:
        """The repr of an object that satisfies everything; None if it does not."""
        digest, codec, data = self.database.rows("SELECT digest, codec, bytes FROM snapshots WHERE id = ?", [snapshot])[
            0
        ]
        self.worker.send("snapshot", {"id": snapshot, "digest": digest.hex, "codec": codec, "calls": 0}, (data,))
        self.worker.send("look", {"snapshot": snapshot, "index": index, "wanted": [text(part) for part in wanted]})
        answer = self.worker.answer()
        if answer is None:  # the object's own methods took the worker along
            self.worker.close()
            self.worker = self._started()
        return answer.body if answer else None
