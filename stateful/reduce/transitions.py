"""Which calls make an expression true: transitions of the predicate in it, the most proven first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from stateful.contracts import Moment, compiled
from stateful.contracts import nodes as n
from stateful.contracts.evaluate import Bindings, Opaque, Undefined, Value
from stateful.contracts.predicate import Predicate, recorded
from stateful.contracts.values import decode
from stateful.reduce.search import OperandSlot
from stateful.store.database import Database

__all__ = ["Transition", "commands_of", "transitions_to"]

MOST_TRANSITIONS = 6
FOUND = """
SELECT r.name, r.slots, t.slots, b.record, a.record, t.tests, t.example
FROM transitions t
JOIN predicates p ON p.id = t.predicate_id
JOIN routines r ON r.id = t.routine_id
LEFT JOIN values b ON b.id = t.before_value
LEFT JOIN values a ON a.id = t.after_value
WHERE p.text = ? AND t.before_value IS DISTINCT FROM t.after_value
  AND r.kind IN ('method', 'property', 'setter', 'context')
ORDER BY t.tests DESC, r.name, t.example
"""


@dataclass(frozen=True, slots=True)
class Transition:
    """Call `routine`; `mapping` says which of its slots take the operands that the predicate speaks of."""

    routine: str
    parameters: int
    mapping: tuple[tuple[int, str], ...]
    example: int
    tests: int


def transitions_to(database: Database, goal: n.Expr) -> Iterator[Transition]:
    """Calls that were seen to make `goal` true where it was not."""
    node = next((part for part in n.walk(goal) if _is_asked(part)), None)
    asked = recorded(node) if node is not None else None
    if node is None or asked is None:
        return
    seen = set()
    is_true = cache(lambda record: _truth(goal, node, record) is True)
    for name, parameters, slots, before, after, tests, example in database.rows(FOUND, [asked.text]):
        transition = Transition(name, parameters, _mapping(slots, asked), example, tests)
        place = (transition.routine, transition.mapping)
        if place not in seen and is_true(after) and not is_true(before):
            seen.add(place)
            yield transition
            if len(seen) >= MOST_TRANSITIONS:
                return


COMMANDS = """
SELECT r.name, r.slots, count(*) AS tests, min(t.id) AS example
FROM routines r JOIN classes k ON k.id = r.class_id JOIN test_cases t ON t.routine_id = r.id
WHERE list_contains(?, k.name) AND r.kind IN ('method', 'setter') AND t.outcome = 'pass' AND t.changed IS NOT FALSE
GROUP BY ALL ORDER BY tests DESC, r.name
LIMIT ?
"""


def commands_of(database: Database, slot: OperandSlot) -> list[Transition]:
    """The commands of the classes whose objects may stand in a slot, called on that object."""
    rows = database.rows(COMMANDS, [list(slot.classes), MOST_TRANSITIONS])
    return [Transition(name, slots, ((0, slot.name),), example, tests) for name, slots, tests, example in rows]


def _is_asked(node: n.Expr) -> bool:
    """A predicate that looks at an object, not just a slot."""
    return recorded(node) is not None and not isinstance(node, n.Slot)


def _mapping(slots: list[int], asked: Predicate) -> tuple[tuple[int, str], ...]:
    return tuple(zip(slots, asked.slots, strict=True))


def _truth(goal: n.Expr, node: n.Expr, record: str | None) -> bool | None:
    """The truth of the goal if the predicate in it had the recorded value."""

    def leaf(part: n.Expr, _: bool) -> Value | None:
        return value if part == node else None

    def value(_: Moment, __: Bindings) -> Any:
        if record is None:
            raise Undefined
        return decode(json.loads(record))

    unknown = {name: Opaque() for name in n.slots_of(goal)}
    return compiled(goal, leaf)(Moment(unknown))
