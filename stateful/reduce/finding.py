"""Find objects for people: search in SQL, check the rest on the live objects, say how to build them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.errors import NoRecipe
from stateful.generate.limits import laws_of, limits_of
from stateful.generate.plan import targets_json
from stateful.ingest.evaluation import targets_of
from stateful.reduce.search import OperandSlot, Search, Tuple, search
from stateful.sandbox import Worker
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_for, code_for_all

__all__ = ["Found", "FoundObject", "find_objects"]

MOST_LOOKED_AT = 400
STATE = "SELECT any_value(state) FROM object_states WHERE snapshot_id = ? AND index = ?"


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object: where it is in the database, its repr (none if it was not loaded), and its abstract state."""

    name: str
    snapshot: int
    index: int
    shown: str | None
    state: str

    def as_json(self) -> dict[str, Any]:
        return {"snapshot": self.snapshot, "index": self.index, "repr": self.shown, "state": self.state}


@dataclass(frozen=True, slots=True)
class Found:
    """Objects that satisfy an expression together, and the code that builds them."""

    objects: tuple[FoundObject, ...]
    code: str

    def as_json(self) -> dict[str, Any]:
        if [one.name for one in self.objects] == ["self"]:
            return {**self.objects[0].as_json(), "code": self.code}
        return {"objects": {one.name: one.as_json() for one in self.objects}, "code": self.code}


def find_objects(
    database: Database, variables: Mapping[str, str], wanted: tuple[n.Expr, ...], limit: int
) -> list[Found]:
    """Objects of these classes that satisfy all parts of `wanted`; of those looked at, the shortest recipes first.

    In a database that is not trusted nothing is loaded: what SQL cannot decide is then not decided."""
    slots = tuple(OperandSlot(name, (cls,)) for name, cls in variables.items())
    routines, recipes = routines_of(database), Recipes(database)
    found: dict[str, Found] = {}
    told: set[tuple[str, ...]] = set()
    with _Looking(database) as looking:
        for places in _candidates(database, Search(slots, (), wanted), recipes):
            try:
                program, built = recipes.of_objects(places)
            except NoRecipe:
                continue
            named = dict(zip(variables, built, strict=True))
            alone = list(variables) == ["self"]
            code = code_for(program, built[0], routines) if alone else code_for_all(program, named, routines)
            if code in found:
                continue
            shown = looking.shown(dict(zip(variables, places, strict=True)), wanted)
            if (shown is None and looking.worker is not None) or (shown is not None and tuple(shown) in told):
                continue
            told.add(tuple(shown or ()) if " at 0x" not in str(shown) else ())
            objects = [
                FoundObject(name, *where, shown[place] if shown else None, database.value(STATE, [*where]) or "")
                for place, (name, where) in enumerate(zip(variables, places, strict=True))
            ]
            found[code] = Found(tuple(objects), code)
            if len(found) >= limit:
                break
    return sorted(found.values(), key=lambda item: len(item.code.splitlines()))


def _candidates(database: Database, wanted: Search, recipes: Recipes) -> Iterator[Tuple]:
    """Related operands first, then operands from anywhere; of each kind the shortest recipes first."""
    for answer in search(database, wanted, most=MOST_LOOKED_AT):
        yield from sorted(answer.tuples, key=lambda item: (sum(recipes.length(one) for one, _ in item), item))


class _Looking:
    """A worker that loads objects, checks them and gives their repr; none if the database is not trusted."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.worker = self._started() if database.is_trusted() else None

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
        if self.worker is not None:
            self.worker.close()

    def shown(self, places: Mapping[str, tuple[int, int]], wanted: tuple[n.Expr, ...]) -> list[str] | None:
        """The reprs of objects that satisfy everything; None if they do not, or if nothing may be loaded."""
        if self.worker is None:
            return None
        for snapshot in {snapshot for snapshot, _ in places.values()}:
            digest, codec, data = self.database.rows(
                "SELECT digest, codec, bytes FROM snapshots WHERE id = ?", [snapshot]
            )[0]
            about = {"id": snapshot, "digest": digest.hex, "codec": codec, "calls": 0}
            self.worker.send("snapshot", about, (data,))
        objects = [[name, snapshot, index] for name, (snapshot, index) in places.items()]
        self.worker.send("look", {"objects": objects, "wanted": [text(part) for part in wanted]})
        answer = self.worker.answer()
        if answer is None:  # the object's own methods took the worker along
            self.worker.close()
            self.worker = self._started()
        return answer.body if answer else None
