#!/usr/bin/env python3
"""A database of the size of the paper "Stateful Testing": how fast it loads, how large it is, how fast it answers.

    python benchmarks/scale.py                     149,293 test cases, 18.4 million evaluations
    python benchmarks/scale.py --compare           a tenth first, then all of it, and what ten times the size costs

The content is drawn with a fixed seed; what its rows look like is taken from databases of real sessions: some 900
routines of 13 classes, states that several test cases share, predicates of which few are recorded very often. It is
loaded through `Database.append`; the queries are those that reduction makes, and fetching what they find is included.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import pickle
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from stateful.contracts import parse
from stateful.contracts.values import encode
from stateful.ingest.storing import ROWS_AT_ONCE
from stateful.reduce.search import OperandSlot, Search, search
from stateful.reduce.transitions import transitions_to
from stateful.store.database import Column, Database
from stateful.store.values import Interned

TESTS, TRANSITIONS, LISTS = 149_293, 68_800, 40_000
MOST_MILLISECONDS, MOST_MEGABYTES, MOST_RATIO = 100, 500, 12
CHUNK = 25_000  # snapshots that are loaded at a time, with some 1.7 million evaluations
SUBJECTS = [f"collection:Collection{number}" for number in range(13)]  # the first is the base of every third
OTHERS = ["collection:Cell", *(f"builtins:{name}" for name in ("int", "NoneType", "bool", "list", "object"))]
CELL, INT, NONE, BOOL, LIST, OBJECT = range(len(SUBJECTS) + 1, len(SUBJECTS) + len(OTHERS) + 1)
PER_CLASS = 69  # routines
KINDS = {"object": (1, 64), "none": (65, 1), "bool": (66, 2), "int": (68, 2000), "list": (2068, 0)}  # first id, number
KIND_OF_CLASS = {INT: "int", NONE: "none", BOOL: "bool", LIST: "list"}
KIND_OF_PREDICATE = {"len($)": "int", "list($)": "list", "$.item": "int", "$.next_cell": "object"}
WAYS = ("one object", "two objects", "related objects", "transitions")
Array = np.ndarray[Any, Any]
draw = np.random.default_rng(11)
START = draw.bit_generator.state


class Loader(Counter[str]):
    """Loads by columns; the rows of each table, and the seconds that loading took. What is loaded is on disk then."""

    def __init__(self, database: Database) -> None:
        self.database, self.seconds = database, 0.0

    def load(self, table: str, **columns: Column) -> None:
        began = time.perf_counter()
        self.database.append(table, columns)
        self.database.run("CHECKPOINT")
        self.seconds += time.perf_counter() - began
        self[table] += len(next(iter(columns.values())))


class World:
    """Predicates, by their ids, and for each class which are asked of its objects, and how far the second object is
    from the first. Some predicates have one truth on all objects, and most never raise."""

    def __init__(self, factor: float) -> None:
        asked = {key: self._asked(key) for key in range(1, OBJECT + 1)}
        self.texts = ["", *dict.fromkeys(text for own in asked.values() for text, _ in own)]
        self.counts = np.array([0, *map(len, asked.values())])
        self.forms = np.zeros((OBJECT + 1, self.counts.max(), 2), np.int64)
        for key, own in asked.items():
            self.forms[key, : len(own)] = [(self.texts.index(text), step) for text, step in own]
        self.arities = np.array([text.count("$") for text in self.texts])
        kinds = draw.choice(["bool", "int", "object", "list"], len(self.texts), p=[0.45, 0.3, 0.15, 0.1])
        kinds[self.arities > 1] = "bool"
        self.kinds = [KIND_OF_PREDICATE.get(text, kind) for text, kind in zip(self.texts, kinds, strict=True)]
        self.true = (draw.beta(0.4, 0.6, len(self.texts)) * 1.1 - 0.05).clip(0, 1)
        self.raising = np.array([0, 0, *draw.normal(-0.02, 0.05, len(self.texts) - 2)])
        self.lists = max(100, round(LISTS * factor))

    @staticmethod
    def _asked(key: int) -> list[tuple[str, int]]:
        """Some names of queries have many classes, most have few."""
        views = {CELL: ["$.item", "$.next_cell"], INT: [], NONE: [], BOOL: [], OBJECT: []}
        asked = [(text, 0) for text in ("$", *views.get(key, ["len($)", "list($)"]))]
        if key < CELL:
            queries, relations = (sorted({*zipf(most, most * 20, 0.7).tolist()}) for most in (22, 3))
            asked += [(f"$.query{name}()", 0) for name in queries] + [(f"$.between{key % 4}($, $)", 1)]
            pairs = ["$ == $", "$.has($)", *(f"$.relation{name}($)" for name in relations)]
            asked += [(text, step) for text in pairs for step in (1, 2)]
        return asked

    def some(self, key: int, kind: str, *slots: str) -> str:
        """A predicate of the class that has values of this kind, bound to these slots."""
        fitting = [i for i in self.forms[key, 1 : self.counts[key], 0] if self.kinds[i] == kind]
        text = self.texts[int(draw.choice([i for i in fitting if self.arities[i] == len(slots)]))]
        return text.replace("$", "{}").format(*slots)

    def values(self, predicate: Array, owner: Array) -> Array:
        """Their ids: small ones mostly; some evaluations raise."""
        kinds = list(KINDS)
        of_class = np.array([kinds.index(KIND_OF_CLASS.get(key, "object")) for key in range(OBJECT + 1)])
        kind = np.array([kinds.index(kind) for kind in self.kinds])[predicate]
        kind = np.where(predicate == 1, of_class[owner], kind)  # predicate 1 is the object itself
        value = 66 + (draw.random(len(kind)) < self.true[predicate])
        for place, (name, (first, ranks)) in enumerate(KINDS.items()):
            if name != "bool":
                value[kind == place] = first + zipf(int((kind == place).sum()), ranks or self.lists)
        return np.ma.MaskedArray(value, mask=draw.random(len(kind)) < self.raising[predicate])


def zipf(number: int, ranks: int, exponent: float = 1.0) -> Array:
    """Ranks from 0, the first ones most often."""
    weights = np.cumsum(1 / np.arange(1, ranks + 1) ** exponent)
    return np.asarray(np.searchsorted(weights, draw.random(number) * weights[-1]).clip(0, ranks - 1))


def objects(items: Iterable[Any]) -> Array:
    """A column of lists, of strings with gaps, and the like."""
    return np.fromiter(items, dtype=object)


def counted(sizes: Array) -> Array:
    """0, 1, 2, ... anew for each size."""
    return np.asarray(np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes))


def load_subject(to: Loader, world: World) -> None:
    """Classes, routines, predicates; values as `Interned` numbers them: objects, None, truth values, numbers, lists."""
    ids, routines = np.arange(1, OBJECT + 1), np.arange(PER_CLASS * len(SUBJECTS))
    to.load("classes", id=ids, name=[*SUBJECTS, *OTHERS], subject=ids < CELL)
    bases = [(key, base) for key in ids for base in {key, OBJECT, *([1] if key < CELL and key % 3 == 0 else [])}]
    to.load("conformances", class_id=np.array(bases)[:, 0], base_id=np.array(bases)[:, 1])
    called = [f"{SUBJECTS[key // PER_CLASS]}.routine{key % PER_CLASS}" for key in routines]
    kinds, owners = ["method"] * len(called), routines // PER_CLASS + 1
    to.load("routines", id=routines + 1, name=called, class_id=owners, kind=kinds, slots=routines % PER_CLASS % 3)
    to.load("predicates", id=np.arange(1, len(world.texts)), text=world.texts[1:], arity=world.arities[1:])
    interned = Interned(to.database)
    numbers = [(rank + 1) // 2 if rank % 2 else -(rank // 2) for rank in range(KINDS["int"][1])]
    lists = [[at % 900, at // 900, *(numbers[i] for i in zipf(n, 200))] for at, n in enumerate(zipf(world.lists, 30))]
    inside = [(["object", index], True) for index in range(KINDS["object"][1])]
    for encoded, truth in inside + [(encode(value), bool(value)) for value in (None, False, True, *numbers, *lists)]:
        interned.value(encoded, truth)
    rows = interned.rows["values"]
    to.load("values", **{name: [row[name] for row in rows] for name in rows[0]})


def load_tests(to: Loader, tests: int) -> Array:
    """Test cases; the classes of their snapshots, from the first. Some states were met before."""
    owner, fresh = 1 + zipf(tests, len(SUBJECTS), 0.6), draw.random((tests, 2)) < (0.83, 0.93)
    fresh[:50] = True
    states = np.cumsum(fresh).reshape(tests, 2)  # the snapshot that is new here, or the last one that was
    classes = np.concatenate([[0], np.repeat(owner, 2)[fresh.ravel()]])
    for key in range(1, CELL):
        own, reused = np.flatnonzero(classes == key), ~fresh & (owner == key)[:, None]
        earlier = np.searchsorted(own, states[reused])
        states[reused] = own[(draw.random(len(earlier)) ** 2 * earlier).astype(int)]
    routine, refused = zipf(tests, PER_CLASS), draw.random(tests) < 0.03
    to.load(
        "test_cases", id=np.arange(1, tests + 1), digest=objects(UUID(bytes=draw.bytes(16)) for _ in owner),
        session_id=np.ones(tests, int), pre_snapshot=states[:, 0], post_snapshot=states[:, 1], message=[""] * tests,
        routine_id=(owner - 1) * PER_CLASS + routine + 1, seconds=draw.random(tests) * 60, found_by=["run"] * tests,
        pre_operands=objects([*range(number + 1)] for number in routine % 3), odd=zipf(tests, 4, 2.0),
        post_operands=objects([*range(number + 2)] for number in routine % 3),
        raised=objects(["builtins:ValueError"] if no else None for no in refused),
        outcome=np.where(refused, "refuse", "pass").astype(object), changed=draw.random(tests) < 0.6,
        reason=np.where(refused, "raised ValueError", "returned").astype(object),
    )  # fmt: skip
    test, slot = np.repeat(np.arange(tests), routine % 3 + 1), counted(routine % 3 + 1)
    literal = (slot > 0) & (draw.random(len(slot)) < 0.6)
    text = objects(str(number) if no else None for no, number in zip(literal, zipf(len(slot), 300), strict=True))
    source, index = (np.ma.MaskedArray(data, mask=literal) for data in (states[test, 0], slot))
    to.load("recipes", test_case_id=test + 1, slot=slot, source_snapshot=source, source_index=index, literal=text)
    return classes


def as_written(snapshot: Any, predicate: Any) -> Any:
    """The order in which ingest writes the rows: each transaction sorted by predicate."""
    blocks = np.arange(len(predicate)) // ROWS_AT_ONCE
    return np.lexsort((snapshot, predicate, blocks))


def load_states(to: Loader, world: World, ids: Array, classes: Array) -> None:
    """Some snapshots with their objects and everything that is asked of these."""
    sizes, slots = 2 + np.minimum(draw.exponential(12.3, len(ids)), 40).astype(int), draw.integers(1, 4, len(ids))
    held = (items.tolist() for items in np.split(zipf(sizes.sum(), 5000), np.cumsum(sizes)[:-1]))
    cells = ([{"item": item, "next": {"item": item // 3}} for item in items] for items in held)
    blobs = objects(pickle.dumps(["collection:Collection", {"first": some, "count": len(some)}]) for some in cells)
    to.load(
        "snapshots", id=ids, digest=objects(UUID(bytes=draw.bytes(16)) for _ in ids), codec=["pickle"] * len(ids),
        recipe_test=np.ma.MaskedArray(ids // 2 + 1, mask=draw.random(len(ids)) < 0.5), bytes=blobs, slots=slots,
        recipe_calls=np.ma.MaskedArray(1 + zipf(len(ids), 100, 0.5), mask=draw.random(len(ids)) < 0.02),
    )  # fmt: skip
    snapshot, index, size = np.repeat(ids, sizes), counted(sizes), np.repeat(sizes, sizes)
    others = np.array([CELL, INT, NONE, BOOL, LIST])[zipf(len(index), 5, 0.7)]
    owner = np.where((index == 0) | (draw.random(len(index)) < 0.033), np.repeat(classes, sizes), others)
    inner = (index < np.repeat(slots, sizes)) | (draw.random(len(index)) < 0.4)
    path, over = objects(None if no else "$.next_cell" for no in inner), np.ma.MaskedArray(index // 2, mask=inner)
    to.load("objects", snapshot_id=snapshot, index=index, class_id=owner, path=path, path_index=over)
    tried = world.counts[owner]
    snapshot, index, owner, size = (np.repeat(column, tried) for column in (snapshot, index, owner, size))
    predicate, step = world.forms[owner, counted(tried)].T
    value, arity = world.values(predicate, owner), world.arities[predicate]
    second, third = (np.ma.MaskedArray((index + step + more) % size, mask=arity < 2 + more) for more in (0, 1))
    variables = {"var_0": index, "var_1": second, "var_2": third}
    order = as_written(snapshot, predicate)
    variables = {name: column[order] for name, column in variables.items()}
    to.load(
        "evaluations", snapshot_id=snapshot[order], predicate_id=predicate[order], value_id=value[order], **variables
    )
    total = np.add.reduceat(tried, np.cumsum(sizes) - sizes)
    to.load("snapshot_evaluations", snapshot_id=ids, status=["complete"] * len(ids), tried=total)


def build(path: Path, factor: float) -> tuple[World, Loader]:
    world = World(factor)
    with Database.create(path) as database:
        to = Loader(database)
        load_subject(to, world)
        classes = load_tests(to, round(TESTS * factor))
        order = 1 + draw.permutation(len(classes) - 1)  # evaluation takes the routines in turn, not the snapshots
        for ids in np.split(order, range(CHUNK, len(order), CHUNK)):
            load_states(to, world, ids, classes[ids])
        number = round(TRANSITIONS * factor)
        key = 1 + (routine := zipf(number, PER_CLASS * len(SUBJECTS), 0.4)) // PER_CLASS
        predicate, step = world.forms[key, (draw.random(number) * world.counts[key]).astype(int)].T
        to.load(
            "transitions", routine_id=routine + 1, predicate_id=predicate, tests=1 + zipf(number, 500),
            slots=objects([0, 1][: 1 + more] for more in step), example=1 + zipf(number, number),
            before_value=world.values(predicate, key), after_value=world.values(predicate, key),
        )  # fmt: skip
    return world, to


def wanted(world: World, way: str) -> Search:
    """A search of that kind, with parameters at random."""
    a, b = (int(key) for key in draw.integers(1, CELL, 2))
    own, other = OperandSlot("self", (SUBJECTS[a - 1],)), OperandSlot("other", (SUBJECTS[b - 1],))
    true = parse(f"not (not {world.some(a, 'bool', 'self')})")
    if way == "one object":
        return Search((own,), (true,))
    if way == "two objects":
        return Search((own, other), (true, parse(f"{world.some(b, 'int', 'other')} > {draw.integers(0, 4)}")))
    argument = OperandSlot("other", (*own.classes, *OTHERS[1:-1]))
    return Search((own, argument), (parse(world.some(a, "bool", "self", "other")), true))


def answered(database: Database, world: World, way: str) -> tuple[float, bool]:
    """Milliseconds that one query takes; whether it found something."""
    if way == "transitions":
        goal = parse(world.some(int(draw.integers(1, CELL)), "bool", "self"))
        began = time.perf_counter()
        found = bool(list(transitions_to(database, goal)))
    else:
        answers = search(database, wanted(world, way), most=45)
        if way == "two objects":
            next(answers)  # those of one snapshot; the ones of two come then
        began = time.perf_counter()
        found = bool(next(answers).tuples)
    return (time.perf_counter() - began) * 1000, found


def measured(path: Path, factor: float, queries: int) -> dict[str, float]:
    """Build it, print what it costs, and give the figures that are compared."""
    draw.bit_generator.state = START
    world, to = build(path, factor)
    rows, size = sum(to.values()), path.stat().st_size / 1e6
    print(f"\nfactor {factor:g}: " + ", ".join(f"{number:,} {table}" for table, number in to.items()))
    print(f"loading          {rows:,} rows in {to.seconds:.1f} s, {rows / to.seconds:,.0f} rows/s")
    each = f"{size * 1e6 / to['test_cases']:,.0f} bytes per test case"
    print(f"on disk          {size:.0f} MB, {each}  {verdict(size, MOST_MEGABYTES, 'MB')}")
    figures = {"loading": to.seconds, "on disk": size}
    draw.bit_generator.state = START  # so that every size is asked the same
    with Database.open(path) as database:
        for way in WAYS:
            times, found = zip(*(answered(database, world, way) for _ in range(queries)), strict=True)
            figures[way], late = (float(np.percentile(times, share)) for share in (50, 95))
            bar = verdict(figures[way], MOST_MILLISECONDS, "ms")
            print(f"{way:16} {figures[way]:7.1f} ms median {late:7.1f} ms 95 %  {bar}  {sum(found)} of {queries} found")
    return figures


def verdict(value: float, most: float, unit: str) -> str:
    return f"(at most {most} {unit}: {'met' if value <= most else 'MISSED'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--factor", type=float, default=1.0, help="of the size of the paper's database")
    parser.add_argument("--compare", action="store_true", help="a tenth first; what ten times the size costs")
    parser.add_argument("--keep", type=Path, metavar="PATH", help="keep the database there")
    parser.add_argument("--queries", type=int, default=40, help="of each kind")
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        parser.error(f"{options.keep} is there already")
    with tempfile.TemporaryDirectory() as folder:
        before = measured(Path(folder) / "small.db", options.factor / 10, options.queries) if options.compare else {}
        after = measured(options.keep or Path(folder) / "large.db", options.factor, options.queries)
    for name, ratio in ((name, after[name] / figure) for name, figure in before.items()):
        print(f"ten times the size costs {ratio:5.1f} times: {name}  {verdict(ratio, MOST_RATIO, 'times')}")


if __name__ == "__main__":
    main()
