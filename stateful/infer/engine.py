"""The inference engine: class by class, routine by routine; where no test is new, nothing is inferred again."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from typing import Any
from uuid import UUID

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.normalize import ordered
from stateful.errors import ExpressionError
from stateful.infer.candidate import Candidate
from stateful.infer.candidates import (
    LEAST_TESTS,
    Library,
    candidates_of,
    invariants_of,
    is_pure,
    passing_of,
    slots_of,
)
from stateful.infer.columns import RoutineColumns, Shape, ValueTable, columns_of
from stateful.infer.implied import without_implied
from stateful.infer.orders import other_way_said
from stateful.infer.plain import plainly
from stateful.infer.synonyms import Synonyms, synonyms_of
from stateful.infer.templates import Template, templates
from stateful.sandbox.spread import cores, spread
from stateful.store.database import Database

__all__ = ["Inferred", "add_templates", "groups_of", "infer", "library_of", "routine_rows", "shapes_of", "worth_saying"]

TESTS_AT_ONCE = 15_000
WORTH_SPREADING = 500  # test cases: for fewer, another process costs more than it saves


@dataclass(slots=True)
class Inferred:
    """What an inference did, as far as it got. In the end routines whose tests are the same as before are counted,
    too."""

    routines: int = 0
    clauses: int = 0
    new: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def infer(
    database: Database,
    classes: Sequence[str] | None = None,
    *,
    until: float = math.inf,
    progress: Callable[[Inferred], None] = lambda _: None,
) -> Inferred:
    """Infer the clauses of every routine, or of the routines of some classes, and write them.

    What is not done `until` then, by the monotonic clock, is as if it had new tests the next time."""
    done = Inferred()
    library = library_of(database)
    routines = routine_rows(database, classes)
    stamps = _stamps(database, library)
    last = dict(database.rows("SELECT routine_id, stamp FROM inferences"))
    changed = {row["id"] for row in routines if stamps.get(row["id"]) != last.get(row["id"])}
    owners = {row["class_id"] for row in routines if row["id"] in changed}
    table = ValueTable(database) if changed else None
    for group in groups_of([row for row in routines if row["class_id"] in owners]):
        assert table is not None
        progress(done)
        executed = columns_of(database, shapes_of(group), table)
        group = [{**row, "before": row["id"] in last} for row in group]
        synonyms = _synonyms(group, executed)
        again = changed | _otherwise_said(database, group, synonyms)
        try:
            found = _found(database, _InTime(library, until), group, again, executed, synonyms)
        except OutOfTime:
            break
        late = {key for key, candidates in found.items() if candidates is None}
        with database.transaction():
            done.new += _write(database, {key: made for key, made in found.items() if made is not None})
            _remember(database, {row["id"]: stamps.get(row["id"]) for row in group if row["id"] not in late})
            if not late:
                _remember_synonyms(database, synonyms)
        done.routines += len(group)
    _count(database, routines, done)
    return done


class OutOfTime(Exception):
    """Inference has to end here."""


@dataclass(frozen=True, slots=True)
class _InTime:
    """The templates, until the time is over."""

    library: Library
    until: float

    def __iter__(self) -> Iterator[Template]:
        for template in self.library:
            if time.monotonic() > self.until:
                raise OutOfTime
            yield template


def library_of(database: Database) -> Library:
    """The templates, with those that the user added."""
    return templates(tuple(added_templates(database)))


def added_templates(database: Database) -> list[str]:
    """What the user added, in the order in which it was added."""
    return [content for (content,) in database.rows("SELECT content FROM about WHERE name = 'template' ORDER BY rowid")]


def add_templates(database: Database, added: Sequence[str]) -> None:
    """Remember more templates; one that cannot be read is not remembered."""
    templates(tuple(added))
    known = added_templates(database)
    new = [text for text in dict.fromkeys(added) if text not in known]
    database.append("about", {"name": ["template"] * len(new), "content": new})


def routine_rows(database: Database, classes: Sequence[str] | None) -> list[dict[str, Any]]:
    """The routines under test with their parameters and written clauses, those of one class together."""
    rows = database.records(
        "SELECT r.id, r.name, r.kind, r.class_id, k.name AS owner, "
        "(SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id) AS parameters, "
        "(SELECT list(p.annotation ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id) AS annotations, "
        "(SELECT list(p.name ORDER BY p.slot) FROM parameters p WHERE p.routine_id = r.id AND p.kind = 'variadic') "
        "AS variadic, "
        "(SELECT list(c.text) FROM clauses c WHERE c.routine_id = r.id AND c.status = 'written') AS written, "
        "(SELECT count(*) FROM test_cases t WHERE t.routine_id = r.id) AS tests, "
        "r.queried IS NOT TRUE AND "
        "EXISTS (SELECT 1 FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass' AND t.changed) AS changes "
        "FROM routines r LEFT JOIN classes k ON k.id = r.class_id WHERE NOT r.helper ORDER BY r.class_id, r.id"
    )
    return [row for row in rows if classes is None or row["owner"] in classes]


def shapes_of(routines: Sequence[dict[str, Any]]) -> dict[int, Shape]:
    """What has to be known of each routine to read its test cases."""
    return {row["id"]: _shape(row) for row in routines}


def _shape(row: dict[str, Any]) -> Shape:
    annotations = zip(row["parameters"] or (), row["annotations"] or (), strict=True)
    annotated = {name: annotation for name, annotation in annotations if annotation is not None}
    further = frozenset((row["variadic"] or ())[1:])
    return Shape(tuple(slots_of(row)), row["kind"] == "constructor", annotated, further)


def groups_of(routines: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The routines of one or more whole classes, until they have many tests: their evaluations are read together."""
    group: list[dict[str, Any]] = []
    for row in routines:
        full = sum(one["tests"] for one in group) >= TESTS_AT_ONCE
        if full and row["class_id"] != group[-1]["class_id"]:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _of_one_class(group: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The routines of each class; functions are alone."""
    for _, members in groupby(group, lambda row: row["class_id"] or -row["id"]):
        yield list(members)


def _found(
    database: Database,
    library: _InTime,
    group: Sequence[dict[str, Any]],
    changed: set[int],
    executed: dict[int, RoutineColumns],
    synonyms: Mapping[int, Synonyms],
) -> dict[int, list[Candidate] | None]:
    """The clauses of the routines of some classes that have new tests; of all routines of a class whose invariants are
    others now. None of those for which the time was too short.

    What holds after all routines of a class is an invariant, and a clause of none of them."""
    processes = cores() if sum(row["tests"] for row in group) >= WORTH_SPREADING else 1
    receiving = [
        [row for row in members if row["class_id"] is not None and row["kind"] != "static"]
        for members in _of_one_class(group)
    ]
    invariants = spread(lambda members: _invariants(library, members, executed, synonyms), receiving, processes)
    hoisted: dict[int, list[Candidate]] = {}
    again = set(changed)
    for members, ours in zip(receiving, invariants, strict=True):
        hoisted |= {row["id"]: ours for row in members}
        if {candidate.text for candidate in ours} != _known_invariants(database, members):
            again |= {row["id"] for row in members}

    def clauses_of(row: dict[str, Any]) -> list[Candidate] | None:
        passing = passing_of(executed[row["id"]])
        try:
            made = candidates_of(library, row, executed[row["id"]], passing)
        except OutOfTime:
            return None
        said = {*_written(row), *(ordered(invariant.expression) for invariant in hoisted.get(row["id"], ()))}
        made = worth_saying(made, row, passing, synonyms.get(row["class_id"], Synonyms()))
        return [c for c in made if ordered(c.expression) not in said or c.kind == "raises"]

    rows = [row for row in group if row["id"] in again or row["kind"] == "constructor"]
    rows.sort(key=_quickest_first if library.until < math.inf else _longest_first)
    found = dict(zip((row["id"] for row in rows), spread(clauses_of, rows, processes), strict=True))
    for members, ours in zip(receiving, invariants, strict=True):
        maker = next((row["id"] for row in members if row["kind"] == "constructor"), None)
        if maker is not None and (own := found[maker]) is not None:
            found[maker] = ours + own
    return found


def worth_saying(
    made: Sequence[Candidate], row: dict[str, Any], passing: RoutineColumns, synonyms: Synonyms
) -> list[Candidate]:
    """The clauses of a routine without those that others say, too, or say better."""
    told = without_implied(synonyms.said_once(made, passing), passing, pure=is_pure(row))
    return plainly(told, passing.plain_slots())


def _longest_first(row: dict[str, Any]) -> int:
    """Who begins with what takes long ends at the same time as the others."""
    return -int(row["tests"])


def _quickest_first(row: dict[str, Any]) -> tuple[bool, int]:
    """If the time may be too short for all: first what was never inferred, and of that what takes the least."""
    return row["before"], len(row["parameters"] or ()) ** 2 * row["tests"]


def _written(row: dict[str, Any]) -> Iterator[n.Expr]:
    """The written clauses of a routine, as far as they can be read."""
    for content in row["written"] or ():
        with suppress(ExpressionError):
            said = ordered(parse(content))
            yield from {said, other_way_said(said)}


def _invariants(
    library: Iterable[Template], receiving: Sequence[dict[str, Any]], executed: Mapping[int, RoutineColumns],
    synonyms: Mapping[int, Synonyms],
) -> list[Candidate]:  # fmt: skip
    if not any(row["kind"] == "constructor" for row in receiving):
        return []
    together = RoutineColumns.joined([passing_of(executed[row["id"]]).of_receiver() for row in receiving])
    if together.rows < LEAST_TESTS * len(receiving):
        return []
    made = synonyms[receiving[0]["class_id"]].said_once(invariants_of(library, together), together)
    return without_implied(made, together)


def _known_invariants(database: Database, receiving: Sequence[dict[str, Any]]) -> set[str]:
    rows = database.rows(
        "SELECT text FROM clauses WHERE kind = 'invariant' AND status <> 'written' AND list_contains(?, routine_id)",
        [[row["id"] for row in receiving]],
    )
    return {content for (content,) in rows}


def _synonyms(group: Sequence[dict[str, Any]], executed: Mapping[int, RoutineColumns]) -> dict[int, Synonyms]:
    """For each class what all test cases of its routines say of its objects in two ways."""
    return {
        members[0]["class_id"]: synonyms_of([executed[row["id"]] for row in members])
        for members in _of_one_class(group)
        if members[0]["class_id"] is not None
    }


def _otherwise_said(database: Database, group: Sequence[dict[str, Any]], synonyms: Mapping[int, Synonyms]) -> set[int]:
    """The routines of the classes whose synonyms are others now: some clauses are to be said that were not, or not any
    more."""
    rows = database.rows("SELECT content FROM about WHERE name = ?", [SYNONYMS])
    known = dict(content.split("\t") for (content,) in rows)
    others = {key for key, found in synonyms.items() if found.digest != known.get(str(key), Synonyms().digest)}
    return {row["id"] for row in group if row["class_id"] in others}


def _remember_synonyms(database: Database, synonyms: Mapping[int, Synonyms]) -> None:
    told = [f"{key}\t{found.digest}" for key, found in synonyms.items()]
    database.run(
        "DELETE FROM about WHERE name = ? AND list_contains(?, split_part(content, chr(9), 1))",
        [SYNONYMS, list(map(str, synonyms))],
    )
    database.append("about", {"name": [SYNONYMS] * len(told), "content": told})


SYNONYMS = "synonyms"
STAMPS = """
SELECT t.routine_id, count(*), bit_xor(hash(t.id, b.asked, b.status, a.asked, a.status))::VARCHAR,
       coalesce(bool_or(t.outcome = 'pass' AND t.changed), FALSE)
FROM test_cases t
JOIN snapshot_evaluations b ON b.snapshot_id = t.pre_snapshot
JOIN snapshot_evaluations a ON a.snapshot_id = t.post_snapshot
GROUP BY ALL
"""


def _stamps(database: Database, library: Library) -> dict[int, UUID]:
    """For each routine a digest of all that its clauses are inferred from."""
    told = repr([(template.text, template.kinds) for template in library])
    known = database.rows("SELECT name, queried FROM routines WHERE queried IS NOT NULL ORDER BY name")
    base = repr((told, known))
    return {routine: _digest(base, *map(repr, rest)) for routine, *rest in database.rows(STAMPS)}


def _digest(*parts: str) -> UUID:
    return UUID(bytes=blake2b("\n".join(parts).encode(), digest_size=16).digest())


def _remember(database: Database, stamps: dict[int, UUID | None]) -> None:
    database.run("DELETE FROM inferences WHERE list_contains(?, routine_id)", [list(stamps)])
    rows = [{"routine_id": key, "stamp": stamp} for key, stamp in stamps.items() if stamp is not None]
    database.append_rows("inferences", rows)


KNOWN = """
SELECT id, routine_id, kind, text, status FROM clauses WHERE list_contains(?, routine_id) AND status <> 'written'
"""
UPDATED = """
UPDATE clauses SET support = u.support, rank = u.rank,
    evidence = CASE WHEN starts_with(evidence, $4) THEN $4 || u.support || $5 ELSE evidence END
FROM (SELECT unnest($1) AS id, unnest($2) AS support, unnest($3) AS rank) u
WHERE clauses.id = u.id AND clauses.status <> 'removed'
"""
EVIDENCE = "true of all ", " test cases that could refute it"


def _write(database: Database, found: dict[int, list[Candidate]]) -> int:
    """Write the clauses of some routines; those that are known keep their history. Gives how many are new."""
    known = {(row[1], row[2], row[3]): (row[0], row[4]) for row in database.rows(KNOWN, [list(found)])}
    current = {
        (routine, candidate.kind, candidate.text): (rank, candidate)
        for routine, candidates in found.items()
        for rank, candidate in enumerate(candidates)
    }
    gone = [key for name, (key, status) in known.items() if name not in current and status != "removed"]
    if gone:
        database.run("DELETE FROM clauses WHERE list_contains(?, id)", [gone])
        database.run("DELETE FROM reductions WHERE list_contains(?, clause_id)", [gone])
    again = [(known[name][0], one.support, rank) for name, (rank, one) in current.items() if name in known]
    if again:
        database.run(UPDATED, [*map(list, zip(*again, strict=True)), *EVIDENCE])
    fresh = [(name[0], *told) for name, told in current.items() if name not in known]
    start = database.next_id("clauses")
    rows = [
        {
            "id": start + position, "routine_id": routine, "kind": candidate.kind, "text": candidate.text,
            "template": candidate.family, "status": "kept", "support": candidate.support,
            "evidence": f"{EVIDENCE[0]}{candidate.support}{EVIDENCE[1]}", "witness": None, "rank": rank,
        }
        for position, (routine, rank, candidate) in enumerate(fresh)
    ]  # fmt: skip
    database.append_rows("clauses", rows)
    return len(rows)


def _count(database: Database, routines: Sequence[dict[str, Any]], done: Inferred) -> None:
    done.routines = len(routines)
    for kind, count in database.rows(
        "SELECT kind, count(*) FROM clauses WHERE status IN ('kept', 'guards') AND list_contains(?, routine_id) "
        "GROUP BY kind ORDER BY kind",
        [[row["id"] for row in routines]],
    ):
        done.kinds[kind] = count
        done.clauses += count
