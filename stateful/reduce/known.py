"""What a round of reduction asks of the database again and again, asked once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from stateful.contracts import conjuncts, parse
from stateful.contracts import nodes as n
from stateful.contracts.columns import untrue
from stateful.contracts.to_vectors import verdicts_of
from stateful.errors import ExpressionError
from stateful.infer.atoms import atoms_of, sometimes_none
from stateful.infer.candidates import passing_of, requires_of
from stateful.infer.columns import RoutineColumns, Shape, ValueTable, columns_of
from stateful.infer.engine import groups_of, library_of, routine_rows, shapes_of
from stateful.judge.faults import ILL_TYPED
from stateful.store.database import Database

__all__ = ["Known", "readable"]

EXAMPLES = """
SELECT s.test_case_id, s.slot, s.source_snapshot, s.source_index, s.literal FROM recipes s
WHERE s.test_case_id IN (
    SELECT id FROM test_cases
    WHERE routine_id = $1 AND (outcome = 'pass' OR NOT EXISTS (
        SELECT 1 FROM test_cases t WHERE t.routine_id = $1 AND t.outcome = 'pass'))
    ORDER BY hash(id) LIMIT $2)
ORDER BY hash(s.test_case_id), s.slot
"""
OPERANDS = "SELECT slot, source_snapshot, source_index, literal FROM recipes WHERE test_case_id = ? ORDER BY slot"
CLASSES = """
SELECT s.slot, k.name, bool_or(t.outcome = 'pass'),
       bool_or(t.outcome = 'pass' OR (t.outcome = 'refuse' AND t.raised IS NOT NULL AND NOT list_has_any(t.raised, $2)))
FROM test_cases t, LATERAL (SELECT unnest(range(1, 9)) AS slot) s
JOIN objects o ON o.snapshot_id = t.pre_snapshot AND o.index = t.pre_operands[s.slot + 1]
JOIN classes k ON k.id = o.class_id
WHERE t.routine_id = $1 GROUP BY ALL ORDER BY count(*) DESC, k.name
"""
REQUIRED = """
SELECT text FROM clauses WHERE routine_id = ? AND kind = 'requires' AND status IN ('kept', 'guards') ORDER BY rank, id
"""
WRITTEN = """
SELECT text FROM clauses WHERE routine_id = ? AND kind = 'requires' AND status = 'written' ORDER BY id
"""
UNDEFINED = """
SELECT text FROM predicates WHERE id IN (SELECT DISTINCT predicate_id FROM evaluations WHERE value_id IS NULL)
"""
MOST_EXAMPLES = 24
FIRST = ("boolean query", "reference equality", "object equality", "void")
"""The families whose violation most often matters: the structure of preconditions in the paper."""


class Known:
    """Examples of arguments, the passing tests of a routine, and what always held before some of them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.examples: dict[int, list[dict[int, list[Any]]]] = {}
        self.operands: dict[int, dict[int, list[Any]]] = {}
        self.classes: dict[tuple[int, bool], dict[int, list[str]]] = {}
        self.tests: dict[int, tuple[RoutineColumns, RoutineColumns]] = {}
        self.requirements: dict[int, list[n.Expr]] = {}
        self.queries: dict[int, list[n.Expr]] = {}
        self.written_parts: dict[int, tuple[n.Expr, ...]] = {}
        self.table: ValueTable | None = None
        self.library = tuple(sorted(library_of(database), key=lambda template: template.family not in FIRST))

    def examples_of(self, routine: int) -> list[dict[int, list[Any]]]:
        """The operands, by slot, of some test cases of the routine that passed, or of any if none did."""
        if routine not in self.examples:
            found: dict[int, dict[int, list[Any]]] = {}
            for test, slot, snapshot, index, literal in self.database.rows(EXAMPLES, [routine, MOST_EXAMPLES]):
                operand = ["literal", literal] if snapshot is None else ["slot", snapshot, index]
                found.setdefault(test, {})[slot] = operand
            self.examples[routine] = list(found.values())
        return self.examples[routine]

    def operands_of(self, test: int) -> dict[int, list[Any]]:
        """The operands of a test case, by slot."""
        if test not in self.operands:
            rows = self.database.rows(OPERANDS, [test])
            self.operands[test] = {
                slot: ["literal", literal] if snapshot is None else ["slot", snapshot, index]
                for slot, snapshot, index, literal in rows
            }
        return self.operands[test]

    def preconditions_given(self, routine: int, premise: n.Expr) -> Iterator[n.Expr]:
        """What held before every passing test of the routine in which `premise` did: `pre(r given A)`."""
        held = self.held(routine, premise)
        if held.rows:
            given = requires_of(self.library, held, least=1)
            yield from (candidate.expression for candidate in given if candidate.expression != premise)

    def held(self, routine: int, premise: n.Expr) -> RoutineColumns:
        """What is known of the states before the passing tests of the routine in which `premise` was true."""
        before = self._passing(routine).before_only()
        return before.chosen((verdicts_of(premise, before) == 1).nonzero()[0])

    def told_apart(self, routine: int) -> list[n.Expr]:
        """The boolean queries of one operand that were true before some passing calls of the routine, and false before
        others, and what was None before some only: by these its operands differ most plainly."""
        if routine not in self.queries:
            before = self._passing(routine).before_only()
            asked = [one for one in atoms_of(before, old=False).booleans if len(set(n.slots_of(one))) == 1]
            varying = [one for one in asked if {0, 1} <= set(verdicts_of(one, before).tolist())]
            self.queries[routine] = [*sometimes_none(before), *varying]
        return self.queries[routine]

    def required(self, routine: int) -> list[n.Expr]:
        """The inferred preconditions of the routine that explain its refused calls, those first that explain most; all
        of them, where no call was refused."""
        if routine not in self.requirements:
            found = (readable(content) for (content,) in self.database.rows(REQUIRED, [routine]))
            several = [one for one in found if one is not None]
            self.requirements[routine] = list(self._explaining(routine, several)) or several
        return self.requirements[routine]

    def _explaining(self, routine: int, several: Sequence[n.Expr]) -> Iterator[n.Expr]:
        """Each explains refused calls that those before it do not: it was not true of their operands."""
        executed = self._read(routine)[0]
        before = executed.before_only()
        left = np.array([bool(names) for names in executed.exceptions], bool)
        explained = {one: untrue(verdicts_of(one, before)) for one in several}
        while left.any() and several:
            best = max(several, key=lambda one: int((explained[one] & left).sum()))
            if not (explained[best] & left).any():
                return
            yield best
            left &= ~explained[best]

    def written(self, routine: int) -> tuple[n.Expr, ...]:
        """The written precondition of the routine as conjuncts, as far as it can be read."""
        if routine not in self.written_parts:
            rows = self.database.rows(WRITTEN, [routine])
            self.written_parts[routine] = tuple(part for (content,) in rows for part in _parts(content))
        return self.written_parts[routine]

    def classes_at(self, routine: int, *, understood: bool = False) -> dict[int, list[str]]:
        """The classes of the operands, by slot, of the passing tests of the routine; of all tests if none passed.

        Also of what it `understood`, if that is asked: it was refused, but not for its type, so that another object
        might have taken it."""
        if (routine, understood) not in self.classes:
            seen = self.database.rows(CLASSES, [routine, sorted(ILL_TYPED)])
            some = [row for row in seen if row[3 if understood else 2]] or seen
            self.classes[routine, understood] = {
                slot: [name for place, name, *_ in some if place == slot] for slot, *_ in some
            }
        return self.classes[routine, understood]

    def _passing(self, routine: int) -> RoutineColumns:
        return self._read(routine)[1]

    def _read(self, routine: int) -> tuple[RoutineColumns, RoutineColumns]:
        """The tests of a routine that passed or were refused by an exception, and those of them that passed."""
        if routine not in self.tests:
            self.table = self.table or ValueTable(self.database)
            group = next(group for group in self._groups if routine in group)
            executed = columns_of(self.database, group, self.table)
            self.tests = {key: (columns, passing_of(columns)) for key, columns in executed.items()}
        return self.tests[routine]

    @cached_property
    def sometimes_undefined(self) -> frozenset[str]:
        """The predicates that raise for some object."""
        return frozenset(content for (content,) in self.database.rows(UNDEFINED))

    @cached_property
    def _groups(self) -> list[dict[int, Shape]]:
        """Routines whose tests are read together; those of one group are kept until another one is needed."""
        return [shapes_of(group) for group in groups_of(routine_rows(self.database, None))]


def readable(content: str) -> n.Expr | None:
    """The expression of a clause; none if an earlier version, whose language was another one, has written it."""
    try:
        return parse(content)
    except ExpressionError:
        return None


def _parts(content: str) -> tuple[n.Expr, ...]:
    expression = readable(content)
    return () if expression is None else conjuncts(expression)
