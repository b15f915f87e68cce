"""What is asked of the objects of a database: the queries of each class, and the conditions of branches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

from stateful.contracts import nodes as n
from stateful.contracts import parse, text
from stateful.contracts.predicate import asking_pattern, predicate_of, recorded
from stateful.errors import ExpressionError
from stateful.store.database import Database

__all__ = ["Asking", "asking_of", "clean_dropped", "drop_query", "note_quiet", "retire_changed"]

MOST_VARIABLES = 9
CANDIDATES = """
SELECT r.id, k.name, r.name, r.kind, r.slots
FROM routines r JOIN classes k ON k.id = r.class_id
WHERE r.kind IN ('method', 'property', 'attribute') AND r.queried IS NOT FALSE
  AND NOT starts_with(split_part(r.name, '.', -1), '_')
  AND (r.kind <> 'method' OR EXISTS (
         SELECT 1 FROM test_cases t
         JOIN objects o ON o.snapshot_id = t.post_snapshot AND o.index = t.post_operands[r.slots + 2]
         JOIN classes c ON c.id = o.class_id
         WHERE t.routine_id = r.id AND t.outcome = 'pass' AND c.name <> 'builtins:NoneType'))
ORDER BY r.name
"""
LEARNED = "SELECT routine_id, name, coalesce(learned, []) FROM parameters ORDER BY routine_id, slot"
QUERIED = "UPDATE routines SET queried = TRUE WHERE id IN (SELECT unnest(?)) AND queried IS NOT TRUE"
BRANCHES = """
SELECT r.id, r.class_id, c.text
FROM routines r, unnest(r.conditions) AS c(text)
WHERE NOT r.helper
ORDER BY r.name, c.text
"""
METHODS = """
SELECT k.name, split_part(r.name, '.', -1), r.quiet IS NOT TRUE AND EXISTS (
    SELECT 1 FROM test_cases t WHERE t.routine_id = r.id AND t.outcome = 'pass' AND t.changed)
FROM routines r JOIN classes k ON k.id = r.class_id WHERE r.kind = 'method'
"""
SUBJECTS = """
SELECT c.base_id, k.name FROM conformances c JOIN classes k ON k.id = c.class_id WHERE k.subject ORDER BY ALL
"""
DROP = """
DELETE FROM evaluations
USING predicates p, objects o
WHERE p.id = evaluations.predicate_id AND o.snapshot_id = evaluations.snapshot_id AND o.index = evaluations.var_0
  AND o.class_id = $1 AND (p.text = $2 OR starts_with(p.text, $2 || '('))
"""
DROP_CONDITIONS = """
DELETE FROM evaluations WHERE predicate_id IN (
    SELECT id FROM predicates WHERE regexp_matches(text, $1) AND (contains(text, ' ') OR contains(text, '[')))
"""


class Asking:
    """For a worker: `queries` (class, name, is it called, kinds of its arguments) and `conditions` (text, kinds of each
    name). `digest` tells whether it was the same when a snapshot was evaluated."""

    def __init__(self, queries: list[list[Any]], conditions: list[list[Any]]) -> None:
        self.queries = queries
        self.conditions = conditions
        told = json.dumps([queries, conditions]).encode()
        self.digest = UUID(bytes=blake2b(told, digest_size=16).digest())


def asking_of(database: Database) -> Asking:
    """By names and not by numbers, so that it does not depend on what was merged first."""
    learned: dict[int, dict[str, list[str]]] = defaultdict(dict)
    for routine, name, kinds in database.rows(LEARNED):
        learned[routine][name] = kinds
    queries, asked = [], []
    for routine, owner, name, kind, slots in database.rows(CANDIDATES):
        wants = list(learned[routine].values()) if slots else []
        if len(wants) < MOST_VARIABLES:
            asked.append(routine)
            queries.append([owner, name.rpartition(".")[2], kind == "method", wants])
    database.run(QUERIED, [asked])
    harmless = {(owner, name) for owner, name, *_ in queries}
    methods = database.rows(METHODS)
    commands = {(owner, name) for owner, name, changes in methods if changes or (owner, name) not in harmless}
    return Asking(queries, _conditions(database, learned, commands))


def _conditions(
    database: Database, learned: Mapping[int, Mapping[str, list[str]]], commands: Collection[tuple[str, str]]
) -> list[list[Any]]:
    """Conditions that say more than a query by itself, and call none of the `commands`, each once; its operands may be
    what the routines took."""
    wanted: dict[str, dict[str, set[str]]] = {}
    shown: dict[str, str] = {}
    subjects: dict[int, list[str]] = defaultdict(list)
    for base, name in database.rows(SUBJECTS):
        subjects[base].append(name)
    for routine, owner, condition in database.rows(BRANCHES):
        node = _plain(condition)
        if node is None:
            continue
        kinds = {**learned[routine], "self": subjects[owner] if owner else []}
        found = predicate_of(node)
        if not all(kinds.get(name) for name in found.slots) or _may_change(node, kinds, commands):
            continue
        places = {name: f"x{place}" for place, name in enumerate(dict.fromkeys(found.slots))}
        renamed = text(_renamed(node, places))
        shown[renamed] = renamed
        for name, place in places.items():
            wanted.setdefault(renamed, {}).setdefault(place, set()).update(kinds[name])
    return [[one, [[name, sorted(kinds)] for name, kinds in wanted[one].items()]] for one in sorted(wanted)]


CHANGING = frozenset((
    "acquire", "add", "append", "appendleft", "clear", "close", "discard", "extend", "insert", "next", "pop", "popitem",
    "popleft", "put", "read", "readline", "release", "remove", "reverse", "send", "setdefault", "sort", "update",
    "write",
))  # fmt: skip


def _may_change(node: n.Expr, kinds: Mapping[str, list[str]], commands: Collection[tuple[str, str]]) -> bool:
    """`while self.pop() > 0` calls a command; what an attribute holds has its own, known by their names."""
    for part in n.walk(node):
        match part:
            case n.Call(target=n.Slot(name=slot), name=name):
                if any((cls, name) in commands for cls in kinds[slot]):
                    return True
            case n.Call(name=name) if name in CHANGING:
                return True
    return False


def _plain(condition: str) -> n.Expr | None:
    """The condition without a `not` before it; none if a query records it, or if it is no predicate of few objects."""
    try:
        node = parse(condition)
    except ExpressionError:
        return None
    if any(isinstance(part, n.Constant) and "$" in repr(part.value) for part in n.walk(node)):
        return None  # in a predicate, `$` stands for an object
    while isinstance(node, n.Not):
        node = node.operand
    slots = predicate_of(node).slots
    if recorded(node) is not None or not slots or "result" in slots or len(slots) > MOST_VARIABLES:
        return None
    return node


def _renamed(node: n.Expr, names: dict[str, str]) -> n.Expr:
    if isinstance(node, n.Slot):
        return n.Slot(names[node.name])
    return n.rebuilt(node, lambda part: _renamed(part, names))


def retire_changed(database: Database) -> list[tuple[str, str]]:
    """A routine that was seen to change its operands is a query only if, asked, it wrote nothing but what nobody sees;
    what the others said is dropped. Gives their classes and predicates."""
    changed = database.rows(
        "SELECT DISTINCT k.name, '$.' || split_part(r.name, '.', -1) FROM routines r "
        "JOIN test_cases t ON t.routine_id = r.id JOIN classes k ON k.id = r.class_id "
        "WHERE r.queried AND r.quiet IS NOT TRUE AND t.outcome = 'pass' AND t.changed ORDER BY ALL"
    )
    for owner, predicate in changed:
        drop_query(database, owner, predicate)
    return [(owner, predicate) for owner, predicate in changed]


def note_quiet(database: Database, owner: str, predicate: str) -> None:
    """The query writes to its object, but nothing else tells."""
    database.run(
        "UPDATE routines SET quiet = TRUE WHERE name = ? AND class_id = (SELECT id FROM classes WHERE name = ?)",
        [f"{owner}.{predicate.partition('(')[0].removeprefix('$.')}", owner],
    )


def drop_query(database: Database, owner: str, predicate: str) -> None:
    """It is no query of this class: nothing that it said counts, and it is asked no more."""
    start = predicate.partition("(")[0] if predicate.startswith("$.") else predicate
    database.run(
        "UPDATE routines SET queried = FALSE WHERE name = ? AND class_id = (SELECT id FROM classes WHERE name = ?)",
        [f"{owner}.{start[2:]}", owner],
    )
    _delete(database, owner, start)


def clean_dropped(database: Database) -> None:
    """What a worker still said of queries that another one had found guilty."""
    for owner, name in database.rows(
        "SELECT k.name, split_part(r.name, '.', -1) FROM routines r JOIN classes k ON k.id = r.class_id "
        "WHERE r.queried = FALSE"
    ):
        _delete(database, owner, f"$.{name}")


def _delete(database: Database, owner: str, start: str) -> None:
    database.run(DROP, [database.value("SELECT id FROM classes WHERE name = ?", [owner]), start])
    if start.startswith("$."):
        database.run(DROP_CONDITIONS, [asking_pattern(start)])
