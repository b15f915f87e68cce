"""The ways of violating clauses that are challenged together: what to search for, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stateful.contracts import nodes as n
from stateful.reduce.clauses import Challenge, Clause, challenges, fitted, is_implied, is_unconditional
from stateful.reduce.known import Known
from stateful.reduce.search import Search
from stateful.reduce.slots import Slots
from stateful.reduce.unlike import in_common

__all__ = ["Ways"]


class Ways:
    """They follow from what is known of the routine; `slots` says what each may be called on."""

    def __init__(self, known: Known, slots: Slots) -> None:
        self.known = known
        self.slots = slots

    def of(self, several: Sequence[Clause]) -> Iterator[Search]:
        """None for what needs no violating, and for invariants: these are guarded by calls of all commands.

        A precondition is violated by operands of classes that passed, then also by what was refused, but not for its
        type: it may pass on another object.
        """
        clause = several[0]
        written = self.known.written(clause.routine_id)
        if clause.kind == "invariant" or is_implied(clause, written):
            return
        if is_unconditional(clause):
            yield from self._unlike_before(several, written)
            return
        made = set()
        for challenge in challenges(self.known, several):
            every = challenge.every
            with_objects = every or clause.kind == "ensures"
            wanted = self.slots.wanted(clause, challenge, written, objects=with_objects, values=every)
            made.add(wanted)
            yield wanted
        if clause.kind == "requires":
            for challenge in challenges(self.known, several):
                wanted = self.slots.wanted(clause, challenge, written, understood=True)
                if wanted not in made:
                    yield wanted

    def _unlike_before(self, several: Sequence[Clause], written: Sequence[n.Expr]) -> Iterator[Search]:
        """For postconditions that hold whatever was before: objects that the routine was not called on, where its
        preconditions hold, with arguments that passed, and with others; of several arguments one at a time, since
        those that were not chosen together are mostly refused."""
        clause = several[0]
        said = in_common(self.known, clause.routine_id, [one.expression for one in several], n.Constant(True))
        varied = Challenge(varied=tuple(dict.fromkeys((*said, *self.known.told_apart(clause.routine_id)))))
        fitting = fitted(self.known, clause, varied)
        if fitting is not None:
            yield self.slots.wanted(clause, fitting, written, objects=True, values=True)
        objects = self.slots.wanted(clause, varied, written, objects=True)
        if objects.slots:
            yield objects
        yield from self.slots.others(clause, varied, objects, written)
