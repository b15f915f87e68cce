"""Read recipes: the program that builds an object or repeats a test case, from the rows that say what came whence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from stateful.errors import NoRecipe
from stateful.store.database import Database
from stateful.subject.model import RECEIVING
from stateful.subject.program import MISSING, Argument, Literal, Program, Reference, Step

__all__ = ["Recipes"]

Source = tuple[int, int | None, int | None, str | None]


FIRST = """
SELECT t.id, t.pre_operands
FROM test_cases t
LEFT JOIN (SELECT DISTINCT test_case_id, source_snapshot FROM recipes) r ON r.test_case_id = t.id
LEFT JOIN snapshots s ON s.id = r.source_snapshot
WHERE t.pre_snapshot = ?
GROUP BY t.id, t.pre_operands
ORDER BY count(*) FILTER (r.source_snapshot IS NOT NULL AND s.recipe_calls IS NULL),
         coalesce(sum(s.recipe_calls), 0), t.id
LIMIT 1
"""
WAY = """
SELECT o.path, o.path_index, k.name
FROM objects o
JOIN objects s ON s.snapshot_id = o.snapshot_id AND s.index = o.path_index
JOIN classes k ON k.id = s.class_id
WHERE o.snapshot_id = ? AND o.index = ? AND o.path IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class _Test:
    """What is needed of a test case. `shift` is 1 where there is no receiver in slot 0; behind the result come the
    operands that were only carried along."""

    routine: str
    parameters: int
    shift: int
    sources: list[Source]
    slots: list[int | None]
    pure: bool


@dataclass(slots=True)
class _Steps:
    """The steps of a program in the making, and for each whether it changed nothing when it was recorded."""

    steps: list[Step] = field(default_factory=list)
    pure: list[bool] = field(default_factory=list)

    def add(self, step: Step, *, pure: bool) -> int:
        """The place of the new step."""
        self.steps.append(step)
        self.pure.append(pure)
        return len(self.steps) - 1

    def pruned(self) -> Program:
        """Without the calls that changed nothing and whose result nobody takes, and without what only they needed."""
        program = Program(tuple(self.steps))
        for place in reversed(range(len(self.steps) - 1)):
            if self.pure[place]:
                program = program.without(place) or program
        return program.connected()


@dataclass
class Recipes:
    """Programs from one database; what was read once is remembered."""

    database: Database
    tests: dict[int, _Test] = field(default_factory=dict)
    producers: dict[int, int | None] = field(default_factory=dict)
    under_way: set[int] = field(default_factory=set)
    """Snapshots whose building has begun: what needs itself has no recipe."""

    def of_test(self, test: int) -> Program:
        """The program whose last step is the test case."""
        steps = _Steps()
        self._add_test(steps, test)
        return steps.pruned()

    def length(self, snapshot: int) -> int:
        """How many calls it takes to build a snapshot. A recipe is longer than those it stands on: none is circular."""
        return int(self.database.value("SELECT recipe_calls FROM snapshots WHERE id = ?", [snapshot]))

    def of_object(self, snapshot: int, index: int) -> tuple[Program, Argument]:
        """The program that builds an object, and where it is then."""
        program, (place,) = self.of_objects([(snapshot, index)])
        return program, place

    def of_objects(self, wanted: Sequence[tuple[int, int]]) -> tuple[Program, tuple[Argument, ...]]:
        """The program that builds several; what is in one snapshot is built once, and stays related."""
        steps = _Steps()
        built: dict[int, dict[int, Argument]] = {}
        found = []
        for snapshot, index in wanted:
            if snapshot not in built:
                built[snapshot] = self._add_snapshot(steps, snapshot)
            found.append(self._place(steps, built[snapshot], snapshot, index))
        steps.add(Step("", tuple(found)), pure=False)
        *kept, last = steps.pruned().steps
        return Program(tuple(kept)), last.arguments

    def _add_test(self, steps: _Steps, test: int) -> dict[int, Argument]:
        """Add the call; gives for each index of its post-snapshot where that object is then."""
        known = self._test(test)
        arguments = self._arguments(steps, known.sources)
        taken = known.parameters + (0 if known.shift else 1)
        here = steps.add(Step(known.routine, arguments[:taken]), pure=known.pure)
        slots = known.slots[known.shift : known.parameters + 2]
        places: dict[int, Argument] = dict(zip(known.slots[known.parameters + 2 :], arguments[taken:], strict=False))  # type: ignore[arg-type]
        for slot, index in reversed(list(enumerate(slots))):
            if index is not None:
                places[index] = Reference(here, slot)
        return places

    def _arguments(self, steps: _Steps, sources: list[Source]) -> tuple[Argument, ...]:
        """Operands of one snapshot are built once, so that they are related as they were."""
        built: dict[int, dict[int, Argument]] = {}
        arguments: list[Argument] = []
        for _, snapshot, index, literal in sources:
            if snapshot is None or index is None:
                arguments.append(Literal(literal or MISSING))
                continue
            if snapshot not in built:
                built[snapshot] = self._add_snapshot(steps, snapshot)
            arguments.append(self._place(steps, built[snapshot], snapshot, index))
        return tuple(arguments)

    def _place(self, steps: _Steps, places: dict[int, Argument], snapshot: int, index: int) -> Argument:
        """Where an object is; what operands only reach is fetched by the public path that leads to it."""
        if index not in places:
            found = self.database.rows(WAY, [snapshot, index])
            if not found:
                raise NoRecipe(f"object {index} of snapshot {snapshot} has no recipe: no public path leads to it")
            path, source, owner = found[0]
            step = Step(f"{owner}.{path[2:].removesuffix('()')}", (self._place(steps, places, snapshot, source),))
            places[index] = Reference(steps.add(step, pure=False), 1)
        return places[index]

    def _add_snapshot(self, steps: _Steps, snapshot: int) -> dict[int, Argument]:
        if snapshot not in self.producers:
            self.producers[snapshot] = self.database.value("SELECT recipe_test FROM snapshots WHERE id = ?", [snapshot])
        test = self.producers[snapshot]
        if snapshot in self.under_way:
            raise NoRecipe(f"the recipe of snapshot {snapshot} needs that snapshot itself")
        self.under_way.add(snapshot)
        try:
            return self._add_operands_of(steps, snapshot) if test is None else self._add_test(steps, test)
        finally:
            self.under_way.remove(snapshot)

    def _add_operands_of(self, steps: _Steps, snapshot: int) -> dict[int, Argument]:
        """A snapshot that was only met before a call: the operands of that call, without the call."""
        found = self.database.rows(FIRST, [snapshot])
        if not found:
            raise NoRecipe(f"snapshot {snapshot} has no recipe")
        test, operands = found[0]
        known = self._test(test)
        arguments = self._arguments(steps, known.sources)
        return {index: a for index, a in zip(operands[known.shift :], arguments, strict=True) if index is not None}

    def _test(self, test: int) -> _Test:
        if test not in self.tests:
            name, kind, parameters, slots, pure = self.database.rows(
                "SELECT r.name, r.kind, r.slots, t.post_operands, NOT t.changed FROM test_cases t "
                "JOIN routines r ON r.id = t.routine_id WHERE t.id = ?",
                [test],
            )[0]
            sources = self.database.rows(
                "SELECT slot, source_snapshot, source_index, literal FROM recipes WHERE test_case_id = ? ORDER BY slot",
                [test],
            )
            shift = 0 if kind in RECEIVING else 1
            self.tests[test] = _Test(
                name, parameters, shift, [(s, a, b, c) for s, a, b, c in sources], slots or [], bool(pure)
            )
        return self.tests[test]
