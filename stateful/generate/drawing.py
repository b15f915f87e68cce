"""Draw operands for a routine: objects of a pool, and values. Experience says what is worth drawing."""

from __future__ import annotations

import enum
import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from stateful.contracts import Moment
from stateful.generate.calls import named
from stateful.generate.kinds import Choice, Record, Several, Wish, named_near, wishes_of, wishes_of_parameter
from stateful.generate.operands import MISSING_OPERAND, Made, Operand, Producer, Ref, Stored, loaded
from stateful.generate.pool import Pool
from stateful.generate.reading import Reading
from stateful.generate.values import ORDINARY, Values, made_of
from stateful.sandbox.worker import Session
from stateful.subject.discover import Live, LiveRoutine
from stateful.subject.model import Routine

__all__ = ["Drawer", "Drawn", "Habits"]

MOST_DRAWS = 8
DEEPEST = 3  # objects that are built to build an object
OMITTED = 0.6  # how often an optional parameter is left out
KNOWN = 0.3  # how often a plain value is one that was passed on the way to the receiver
KNOWN_IF_CHOOSY = 0.5  # the same where most values are refused
TOGETHER, MOST_STEPS = 0.15, 12  # how often several are those of one such call, and how many calls back that may be
SEEDED = 0.15  # how often an argument is one that an example showed
CHOOSY, SURE = 0.7, 8  # a parameter is choosy if fewer values of a kind pass, and so many were tried
OF_MAPPINGS = re.compile(r"\b(?:mapping|dict)\b")
PHRASED = 0.7  # how often a value for it is one that its class may understand


@dataclass(frozen=True, slots=True)
class Habits:
    """How operands are drawn; each strategy has its own."""

    related: float = 0.2
    """How often an operand comes from the snapshot of an earlier one, or is that one itself."""
    new: float = 0.02
    """How often an object is built although there is one."""
    none: float = 0.0
    """How often any argument is None."""
    ill_typed: float = 0.01
    """How often the type of a parameter is ignored."""
    unguarded: float = 0.2
    """How often the written precondition is ignored: refusals teach, too."""
    learns: bool = True
    """Kinds of values that passed are drawn more often."""


@dataclass(slots=True)
class Drawn:
    """Operands, and for each slot the wish that it came from."""

    operands: tuple[Operand, ...]
    wishes: tuple[Wish | None, ...]


class Drawer:
    def __init__(
        self,
        random: Random,
        live: Live,
        values: Values,
        session: Session,
        make: Callable[[LiveRoutine, Pool, int, Drawn | None], Stored | None],
    ) -> None:
        """`make` calls a routine that builds an object, so that it enters the pool; on operands, if they are given."""
        self.random = random
        self.values = values
        self.session = session
        self.make = make
        self.habits = Habits()
        self.sure = False
        """The receiver drawn last satisfies the whole written precondition: it was asked when it entered the pool."""
        self.makers: dict[type, list[LiveRoutine]] = {}
        self.models = {routine.model.name: routine.model for routine in live.routines.values()}
        self.displays = {routine.model.name: routine for routine in live.routines.values() if _is_display(routine)}
        for routine in live.routines.values():
            if routine.makes is not None and not routine.model.has_receiver:
                self.makers.setdefault(routine.makes, []).append(routine)
        self.seeds: dict[tuple[str, int], list[Made]] = {}
        self.wishes = self._all_wishes(live)
        self.tried: Counter[tuple[str, int, Wish]] = Counter()
        self.passed: Counter[tuple[str, int, Wish]] = Counter()
        self.weighed: dict[tuple[str, int], list[float]] = {}
        self.reading = Reading(random, live.vocabulary)

    def _all_wishes(self, live: Live) -> Mapping[tuple[str, int], list[tuple[Wish, float]]]:
        known = list(dict.fromkeys([*live.classes, *self.makers]))
        named = {cls: named_near(cls, known) for cls in {routine.cls for routine in live.routines.values()}}
        return {
            (routine.model.name, slot): wishes_of_parameter(
                routine, parameter.name, parameter.kinds, known, named[routine.cls]
            )
            for routine in live.routines.values()
            for slot, parameter in enumerate(routine.model.parameters, 1)
        }

    def learn(self, live: LiveRoutine, drawn: Drawn, *, passed: bool) -> None:
        self.tried[live.model.name, 0, "..."] += 1
        self.passed[live.model.name, 0, "..."] += passed
        without_receiver = len(drawn.wishes) - len(drawn.operands)
        for slot, wish in enumerate(drawn.wishes):
            if wish is not None:
                self.tried[live.model.name, slot, wish] += 1
                self.passed[live.model.name, slot, wish] += passed
                operand = drawn.operands[slot - without_receiver]
                if passed and wish == "str" and isinstance(operand, Made):
                    self.reading.learn(live.model.name, slot, operand.make())

    def makes(self, live: LiveRoutine, cls: type) -> None:
        """The routine was seen to give an object of the class."""
        makers = self.makers.setdefault(cls, [])
        if live not in makers:
            makers.append(live)

    # Drawing

    def draw(self, live: LiveRoutine, pool: Pool, depth: int = 0, receiver: Ref | None = None) -> Drawn | None:
        """Operands that satisfy the written precondition, if some tries find them; now and then any will do."""
        drawn = self._once(live, pool, depth, receiver)
        if not live.requirements or self.random.random() < self.habits.unguarded:
            return drawn
        for _ in range(MOST_DRAWS):
            if drawn is None or self.sure or self._satisfies(live, drawn.operands):
                break
            drawn = self._once(live, pool, depth, receiver)
        return drawn

    def _satisfies(self, live: LiveRoutine, operands: tuple[Operand, ...]) -> bool:
        try:
            with self.session.calling(b"precondition"):
                moment = Moment(named(live, loaded(operands)))
                return all(requirement.holds(moment) is not False for requirement in live.requirements)
        except BaseException:
            return False

    def _once(self, live: LiveRoutine, pool: Pool, depth: int, receiver: Ref | None) -> Drawn | None:
        operands: list[Operand] = []
        wishes: list[Wish | None] = [None]
        if live.model.has_receiver:
            drawn = receiver or self._receiver(live, pool, depth)
            if drawn is None:
                return None
            operands.append(drawn)
        together = self._together(live.model, operands)
        for slot, parameter in enumerate(live.model.parameters, 1):
            if parameter.name in together:
                operands.append(together[parameter.name])
                wishes.append(None)
                continue
            if not parameter.required and self._is_omitted(live.model.name, slot):
                operands.append(MISSING_OPERAND)
                wishes.append("...")
                continue
            found = self._argument(live, slot, operands, pool, depth)
            if found is None:
                return None
            operands.append(found[0])
            wishes.append(found[1])
        return Drawn(tuple(operands), tuple(wishes))

    def _together(self, model: Routine, operands: Sequence[Operand]) -> Mapping[str, Made]:
        """Now and then plain values that one call on the way to the receiver got together: the ends of an edge, a key
        and its value. By the names of the parameters, or else by their places."""
        names = [parameter.name for parameter in model.parameters]
        receiver = operands[0] if operands else None
        if len(names) < 2 or not isinstance(receiver, Ref) or self.random.random() > TOGETHER:
            return {}
        found: list[Mapping[str, Made]] = []
        step: Stored | None = receiver.stored
        for _ in range(MOST_STEPS):
            if step is None or step.producer is None:
                break
            given = self._given(step.producer)
            if len(given.keys() & set(names)) > 1:
                found.append(given)
            elif len(given) == len(names):
                found.append(dict(zip(names, given.values(), strict=True)))
            step = next((one.stored for one in step.producer.operands if isinstance(one, Ref)), None)
        return self.random.choice(found) if found else {}

    def _given(self, producer: Producer) -> Mapping[str, Made]:
        """The plain values that a call got, by parameter."""
        model = self.models.get(producer.routine)
        if model is None:
            return {}
        given = producer.operands[1:] if model.has_receiver else producer.operands
        pairs = zip(model.parameters, given, strict=False)
        return {parameter.name: one for parameter, one in pairs if isinstance(one, Made) and one is not MISSING_OPERAND}

    def _is_omitted(self, routine: str, slot: int) -> bool:
        """Leave out an optional argument: more often than not, unless calls with it pass more often."""
        if not self.habits.learns:
            return self.random.random() < OMITTED
        (tried, passed), (all_tried, all_passed) = self._rates(routine, slot)
        without = OMITTED * (passed + 1) / (tried + 1.5)
        given = (1 - OMITTED) * (all_passed - passed + 1) / (all_tried - tried + 1.5)
        return self.random.random() * (without + given) < without

    def _rates(self, routine: str, slot: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """How often the argument was left out and how often that passed; the same for all calls."""
        key = routine, slot, "..."
        return (self.tried[key], self.passed[key]), (self.tried[routine, 0, "..."], self.passed[routine, 0, "..."])

    def _receiver(self, live: LiveRoutine, pool: Pool, depth: int) -> Operand | None:
        """An object that is known to satisfy the written precondition, if there is one, or any object; a member of an
        enum, which nobody makes."""
        known = pool.satisfying.get(live.model.name)
        self.sure = False
        if known and self.random.random() > self.habits.unguarded:
            self.sure = all(requirement.slots == ("self",) for requirement in live.requirements)
            return pool.chosen(known)
        if live.cls is None:
            return None
        if issubclass(live.cls, enum.Enum):
            members = wishes_of(live.cls, ())
            return self._wished(members[0], [], pool, depth) if members else None
        return self.object(live.cls, [], pool, depth)

    def _argument(
        self, live: LiveRoutine, slot: int, operands: list[Operand], pool: Pool, depth: int
    ) -> tuple[Operand, Wish | None] | None:
        name = live.model.name
        if live.model.parameters[slot - 1].keywords:
            return self.values.made("keywords", pool.swarm), None
        if self.habits.none and self.random.random() < self.habits.none:
            return NONE, None
        if self.random.random() < self.habits.ill_typed:
            return self.values.made(self.random.choice(ORDINARY), pool.swarm), None
        seeds = self.seeds.get((name, slot))
        if seeds and self.random.random() < SEEDED:
            return self.random.choice(seeds), None
        choices = self.wishes[name, slot]
        weights = self._weights(name, slot, choices)
        for _ in range(3):
            wish = choices[bisect(weights, self.random.random() * weights[-1])][0]
            self._look_for_names(wish, live, slot, operands, pool)
            operand = (
                self._known(wish, operands, choosy=self._is_choosy(live, slot, wish))
                or self._text(wish, live, slot, pool)
                or self._wished(wish, operands, pool, depth)
            )
            if operand is not None:
                return operand, wish
        return None

    def _text(self, wish: Wish, live: LiveRoutine, slot: int, pool: Pool) -> Made | None:
        """A text that the routine may understand, where it reads them."""
        if wish != "str":
            return None
        choosy = self._is_choosy(live, slot, wish)
        text = self.reading.draw(live, slot, PHRASED if choosy else pool.swarm.phrased, choosy=choosy)
        return None if text is None else made_of(repr(text), text)

    def _look_for_names(self, wish: Wish, live: LiveRoutine, slot: int, operands: list[Operand], pool: Pool) -> None:
        """The keys of a mapping may have to be what the class calls its fields, or what its object was told."""
        self.values.near, self.values.phrased = (), pool.swarm.phrased
        if not isinstance(wish, str) or not OF_MAPPINGS.search(wish):
            return
        told = self._texts_told(operands)
        known = told if told and self.random.random() < 0.5 else self.reading.names(live)
        self.values.near = known
        if self._is_choosy(live, slot, wish):
            self.values.phrased = PHRASED
        elif known is told:
            self.values.phrased = max(KNOWN, pool.swarm.phrased)

    def _texts_told(self, operands: Sequence[Operand]) -> list[str]:
        """Those that were passed on the way to the receiver."""
        atoms = operands[0].stored.atoms if operands and isinstance(operands[0], Ref) else ()
        return [atom.make() for atom in atoms if atom.kind == "str"]

    def _is_choosy(self, live: LiveRoutine, slot: int, wish: Wish) -> bool:
        """Many values of the kind are refused here: texts and mappings are read."""
        key = live.model.name, slot, wish
        return self.habits.learns and self.tried[key] >= SURE and self.passed[key] < CHOOSY * self.tried[key]

    def _known(self, wish: Wish, operands: list[Operand], *, choosy: bool) -> Made | None:
        """A plain value that was passed on the way to the receiver: a key or an item that it may hold."""
        share = KNOWN_IF_CHOOSY if choosy else KNOWN
        if not isinstance(wish, str) or self.random.random() > share or not operands:
            return None
        atoms = operands[0].stored.atoms if isinstance(operands[0], Ref) else ()
        fitting = atoms if wish == "element" else [atom for atom in atoms if atom.kind == wish]
        return self.random.choice(fitting) if fitting else None

    def _weights(self, routine: str, slot: int, choices: Sequence[tuple[Wish, float]]) -> list[float]:
        """How likely each wish is drawn, added up: what passed here before is worth more."""
        if not self.habits.learns:
            return list(accumulate(weight for _, weight in choices))
        weights = self.weighed.get((routine, slot))
        if weights is None or self.random.random() < 0.1:
            tried, passed = self.tried, self.passed
            keys = [(routine, slot, wish) for wish, _ in choices]
            shares = zip(choices, keys, strict=True)
            weights = [weight * (passed[key] + 1) / (tried[key] + 1.5) for (_, weight), key in shares]
            self.weighed[routine, slot] = weights = list(accumulate(weights))
        return weights

    def _wished(self, wish: Wish, operands: list[Operand], pool: Pool, depth: int) -> Operand | None:
        if isinstance(wish, str):
            return self.values.made(wish, pool.swarm)
        if isinstance(wish, Choice):
            return Made.of(self.random.choice(wish.texts))
        if isinstance(wish, Several):
            return self._container(wish, pool, depth)
        if isinstance(wish, Record):
            return self._record(wish, pool)
        return self.object(wish, operands, pool, depth)

    def _record(self, wish: Record, pool: Pool) -> Made:
        made = ((name, self._wished(item, [], pool, 0)) for name, item in wish.items)
        items = [f"{name!r}: {value.text}" for name, value in made if isinstance(value, Made)]
        return Made.of(f"{{{', '.join(items)}}}")

    def _container(self, wish: Several, pool: Pool, depth: int) -> Ref | Made | None:
        """A container of what a display can hold; the empty one now and then."""
        cls = DISPLAYED[wish.display]
        if self.random.random() < 0.1:
            return Made.of(repr(cls()))
        if depth < DEEPEST and self.random.random() < 0.5:
            items: list[Operand] = []
            for _ in range(self.random.randint(1, 3)):
                found = self._wished(wish.item, items, pool, depth + 1)
                items += [found] if found else []
            operands = (*items, MISSING_OPERAND, MISSING_OPERAND, MISSING_OPERAND)[:3]
            stored = self.make(self.displays[wish.display], pool, depth + 1, Drawn(operands, ()))
            result = stored.producer.slots[-1] if stored is not None and stored.producer is not None else None
            if stored is not None and result is not None:
                return Ref(stored, result)
        if not isinstance(wish.item, type):
            return None
        holding = [ref for ref in pool.by_class.get(cls, ())[-50:] if wish.item in ref.stored.held(ref.index)]
        return pool.chosen(holding)

    def object(self, cls: type, operands: list[Operand], pool: Pool, depth: int) -> Ref | None:
        """An object of the class: related to an earlier operand, from the pool, or made now."""
        others = [operand for operand in operands if isinstance(operand, Ref)]
        if others and self.random.random() < self.habits.related:
            relative = pool.relative(self.random.choice(others), cls)
            if relative is not None:
                return relative
        if depth < DEEPEST and (not pool.has(cls) or self.random.random() < self.habits.new):
            makers = [maker for made, makers in self.makers.items() if cls in made.__mro__ for maker in makers]
            if makers:
                self.make(self.random.choice(makers), pool, depth + 1, None)
        return pool.draw(cls)


NONE = Made.of("None")
DISPLAYED: Mapping[str, type] = {
    "stateful:list_of": list, "stateful:tuple_of": tuple, "stateful:set_of": set, "stateful:dict_of": dict,
}  # fmt: skip


def _is_display(routine: LiveRoutine) -> bool:
    return routine.model.kind == "display"
