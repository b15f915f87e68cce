"""What fills the slots of a call: those that are searched for, and examples for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stateful.contracts import nodes as n
from stateful.reduce.clauses import Challenge, Clause
from stateful.reduce.known import Known
from stateful.reduce.search import Filled, OperandSlot, Search
from stateful.reduce.transitions import Transition

__all__ = ["Slots"]

MOST_ALONE = 3
MOST_TOGETHER = 4  # slots, if nothing is said of some: each multiplies what one state has to offer


class Slots:
    """`learned` are the kinds of values that passed for each parameter."""

    def __init__(self, known: Known, learned: dict[str, list[str]]) -> None:
        self.known = known
        self.learned = learned

    def wanted(
        self,
        clause: Clause,
        challenge: Challenge,
        written: Sequence[n.Expr],
        *,
        objects: bool = False,
        values: bool = False,
        understood: bool = False,
    ) -> Search:
        """The search for a challenge: the slots that it speaks of, and the receiver in any case.

        Also all other slots that hold `objects` of subjects, and those that hold built-in `values`: these are
        otherwise taken from examples, which fit each other better. What the routine only `understood` may be chosen,
        too: it was refused, but not for its type."""
        required = (*challenge.required, *written)
        needed = tuple(dict.fromkeys(part for part in required if part not in challenge.violated))
        named = {name for part in (*challenge.violated, *needed) for name in n.slots_of(part)} | {"self"}
        slots = [self._slot(clause, name, *_extra(challenge, name), understood=understood) for name in clause.slots]
        free = [slot.name for slot in slots if slot.classes and (objects if _holds_subjects(slot) else values)]
        more = [name for name in free if name not in named][: max(0, MOST_TOGETHER - len(named))]
        chosen = tuple(slot for slot in slots if slot.name in named or slot.name in more)
        spoken = {slot.name for slot in chosen}
        varied = tuple(part for part in challenge.varied if set(n.slots_of(part)) <= spoken)
        return Search(chosen, challenge.violated, needed, varied, clause.turn)

    def others(
        self, clause: Clause, challenge: Challenge, chosen: Search, written: Sequence[n.Expr]
    ) -> Iterator[Search]:
        """The searches for values of the slots that are not `chosen`: of a single one together with those; of several
        each alone, and all else as in a call that passed."""
        rest = [name for name in clause.slots if name not in {slot.name for slot in chosen.slots}]
        if len(rest) < 2:
            every = self.wanted(clause, challenge, written, objects=True, values=True)
            if every.slots != chosen.slots:
                yield every
            return
        for name in rest[:MOST_ALONE]:
            slot = self._slot(clause, name)
            if slot.classes:
                yield Search((slot,), (), _only_of(name, written), _only_of(name, challenge.varied))

    def _slot(self, clause: Clause, name: str, *extra: str, understood: bool = False) -> OperandSlot:
        """The classes of what passed there, and others that a challenge asks for."""
        if name == "self":
            return OperandSlot(name, (clause.owner or "",))
        place = clause.parameters.index(name) + 1
        kinds = self.learned.get(f"{clause.routine}\t{place}", [])
        names = [kind if ":" in kind else f"builtins:{kind.partition('[')[0]}" for kind in kinds]
        seen = self.known.classes_at(clause.routine_id, understood=understood) if clause.routine_id else {}
        return OperandSlot(name, tuple(dict.fromkeys((*names, *seen.get(place, []), *extra))))

    def operands(self, clause: Clause, wanted: Search, item: Filled, position: int) -> list[list[Any]] | None:
        """What fills each slot: the objects found, and for slots that nothing speaks of, what passed there before."""
        found = {slot.name: _operand(place) for slot, place in zip(wanted.slots, item, strict=True)}
        rest = [name for name in clause.slots if name not in found]
        examples = self.known.examples_of(clause.routine_id) if rest else []
        if rest and not examples:
            return None
        filler = examples[position % len(examples)] if examples else {}
        operands = []
        for name in clause.slots:
            slot = 0 if name == "self" else clause.parameters.index(name) + 1
            operands.append(found[name] if name in found else filler.get(slot, ["literal", "..."]))
        return operands

    def first(self, clause: Clause, move: Transition) -> dict[str, Any] | None:
        """A call before: operands of the clause's routine, and arguments from its own example."""
        mapped = {slot: ["operand", clause.slots.index(name)] for slot, name in move.mapping if name in clause.slots}
        for slot, operand in self.known.operands_of(move.example).items():
            mapped.setdefault(slot, operand)
        if 0 not in mapped or any(slot not in mapped for slot in range(move.parameters + 1)):
            return None
        return {"routine": move.routine, "operands": [mapped[slot] for slot in range(move.parameters + 1)]}


def _only_of(name: str, parts: Sequence[n.Expr]) -> tuple[n.Expr, ...]:
    return tuple(part for part in parts if set(n.slots_of(part)) <= {name})


def _operand(place: tuple[int, int] | str) -> list[Any]:
    return ["literal", place] if isinstance(place, str) else ["slot", *place]


def _extra(challenge: Challenge, name: str) -> tuple[str, ...]:
    """`value is None` can only be true of None, whatever mostly passes."""
    wanted = n.Comparison("is", n.Slot(name), n.Constant(None))
    return ("builtins:NoneType",) if wanted in (*challenge.violated, *challenge.required) else ()


def _holds_subjects(slot: OperandSlot) -> bool:
    """Whether nothing but objects of subjects was seen there."""
    return all(not name.startswith("builtins:") for name in slot.classes)
