"""A database filled with observed worlds, as ingest would fill it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import column, literal, select, table

from stateful.contracts import nodes as n
from stateful.contracts.columns import CLASS, UNDEFINED, UNKNOWN, Columns, Ids
from stateful.contracts.predicate import Predicate
from stateful.contracts.to_sql import Inexpressible, Place, SqlReader
from stateful.infer.columns import ValueTable
from stateful.ingest.ledger import Ledger
from stateful.ingest.observe import Observation
from stateful.ingest.questions import Query, Questions
from stateful.store.database import Database
from stateful.store.values import Interned
from stateful.subject.discover import class_name
from stateful.subject.snapshots import distinct
from tests.subjects.bag import Bag

NAMES = ("self", "other", "v")
QUERIES = {
    Bag: [
        Query("is_empty", True),
        Query("has", True, (frozenset({"int"}),)),
        Query("first", True),
        Query("full", False),
        Query("label", False),
        Query("n", False),
    ]
}


class World:
    """Snapshots of operands in a database, each with the indices of its operands."""

    def __init__(self, database: Database, snapshots: Sequence[list[Any]]) -> None:
        self.database = database
        self.places: list[dict[str, int]] = []
        for name in ("evaluations", "values", "predicates", "objects", "classes", "conformances"):
            database.run(f"DELETE FROM {name}")
        self.interned = Interned(database)
        classes: dict[type, int] = {}
        rows, objects = [], []
        for number, operands in enumerate(snapshots):
            kept, indices = distinct(operands)
            self.places.append(dict(zip(NAMES, indices, strict=True)))
            ledger = Ledger()
            Observation(ledger, Questions(QUERIES))(kept, len(kept))
            for row in ledger.rows():
                value = None if row.value is None else self.interned.value(row.value, row.truth)
                indices_then = [*row.indices, *[None] * (3 - len(row.indices))]
                rows.append([number, self.interned.predicate(row.predicate), value, *indices_then])
            for index, value in enumerate(kept):
                objects.append((number, index, classes.setdefault(type(value), len(classes) + 1)))
        self.interned.flush()
        names = ("snapshot_id", "predicate_id", "value_id", "var_0", "var_1", "var_2")
        database.append("evaluations", dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
        names = ("snapshot_id", "index", "class_id")
        database.append("objects", dict(zip(names, map(list, zip(*objects, strict=True)), strict=True)))
        self._add_classes(classes)
        self.table = ValueTable(database)
        self.states = self._states()

    def _add_classes(self, classes: dict[type, int]) -> None:
        known = dict(classes)
        for cls in list(classes):
            for base in cls.__mro__:
                known.setdefault(base, len(known) + 1)
        names = {"id": list(known.values()), "name": [class_name(cls) for cls in known]}
        self.database.append("classes", names)
        pairs = [(known[cls], known[base]) for cls in classes for base in cls.__mro__]
        self.database.append("conformances", {"class_id": [a for a, _ in pairs], "base_id": [b for _, b in pairs]})

    def _states(self) -> dict[tuple[int, str, tuple[int, ...]], int]:
        rows = self.database.rows(
            "SELECT e.snapshot_id, p.text, p.arity, e.var_0, e.var_1, e.value_id FROM evaluations e "
            "JOIN predicates p ON p.id = e.predicate_id"
        )
        classes = self.database.rows("SELECT snapshot_id, index, class_id FROM objects")
        known = {(s, CLASS, (index,)): key for s, index, key in classes}
        known |= {(s, text, (a, b)[:arity]): UNDEFINED if v is None else v for s, text, arity, a, b, v in rows}
        return known

    def in_sql(self, node: n.Expr, number: int) -> tuple[bool | None, bool] | Inexpressible:
        """The truth of the expression on a snapshot, and whether it is known."""
        places = {name: Place(literal(number), literal(index)) for name, index in self.places[number].items()}
        reader = SqlReader(places)
        truth = reader.read(node)
        if isinstance(truth, Inexpressible):
            return truth
        one = select(literal(1).label("one")).select_from(table("about", column("name"))).limit(literal(1)).subquery()
        query = select(truth.value, truth.known).select_from(reader.joined(one))
        return self.database.rows(query)[0]  # type: ignore[return-value]


class WorldColumns(Columns):
    """The worlds as test cases: each from one snapshot to another."""

    def __init__(self, world: World, pairs: Sequence[tuple[int, int]], raised: Sequence[tuple[str, ...]]) -> None:
        super().__init__()
        self.world = world
        self.pairs = pairs
        self.exceptions = list(raised)

    @property
    def rows(self) -> int:
        return len(self.pairs)

    def knows(self, text: str) -> bool:
        return False

    def ids(self, asked: Predicate, old: bool) -> Ids:
        found = []
        for before, after in self.pairs:
            number = before if old else after
            indices = tuple(self.world.places[number][name] for name in asked.slots)
            found.append(self.world.states.get((number, asked.text, indices), UNKNOWN))
        return np.array(found, np.int64)

    def value(self, value_id: int, old: bool) -> Any:
        return self.world.table.value(value_id, old)

    def integer(self, value_id: int) -> int | None:
        return self.world.table.integers[value_id]

    def equality(self, value_id: int) -> int | None:
        return self.world.table.equalities[value_id]

    def names_of(self, class_id: int) -> frozenset[str]:
        return self.world.table.names_of(class_id)

    def raised(self) -> tuple[Ids, list[tuple[str, ...]]]:
        return np.arange(len(self.exceptions)), self.exceptions
