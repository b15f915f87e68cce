"""All laws, and how often each of them was kept and broken: a law that a class nearly always breaks is not its law."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, TypeAlias

from stateful.judge.bases import lacks_as_a_base
from stateful.judge.comparing import COMPARING
from stateful.judge.content import CONTENT
from stateful.judge.copying import COPYING
from stateful.judge.law import Broken, Law, Looked, Rule, State
from stateful.judge.laws import DATA_MODEL
from stateful.judge.promises import PROMISES
from stateful.judge.refusals import REFUSALS
from stateful.sandbox.worker import DeadlineReached
from stateful.subject.routines import class_name

__all__ = ["LAWS", "LawBook"]

LAWS: tuple[Law, ...] = (*DATA_MODEL, *COPYING, *CONTENT, *PROMISES, *REFUSALS)
FIRST_STATES = 20  # of each class that are checked against all costly laws, too; of the others ...
ONE_IN = 4  # one in some, ...
OFTEN = 400  # ... and behind so many ever fewer, by the root of their number, against ...
COSTLY = 4  # some of them
WITNESSES = 10  # breaches of a habit that are kept before it is let pass
MOST_LAWFUL = 200_000  # states that are remembered ...
MOST_LAWLESS = 1000  # ... and of those that break something, because exceptions hold much

Named: TypeAlias = tuple[Law, str]
"""A law and its name, which some laws put together anew each time."""
Place: TypeAlias = tuple[type, str, str]


class LawBook:
    """Checks objects, and counts for each class and law."""

    def __init__(
        self,
        random: Random | None = None,
        deliberate: Callable[[BaseException], bool] = lambda _: False,
        laws: Sequence[Law] = LAWS,
        without: Collection[str] = (),
        endless: Collection[str] = (),
    ) -> None:
        """`deliberate` tells the exceptions that the subject raises on purpose. Without `random` all is tried.

        `endless` are classes and laws, with a tab between, that are not to be asked: the answer never came."""
        self.random = random
        self.deliberate = deliberate
        self.laws = [law for law in laws if law.name not in without]
        self.pair_laws = [law for law in COMPARING if law.name not in without]
        self.applying: dict[type, tuple[list[Named], list[Named]]] = {}
        self.lawful: set[bytes] = set()
        """States that broke nothing: met again, behind another call or beside other operands, they are not asked ..."""
        self.lawless: dict[bytes, list[Broken]] = {}
        """... and neither are these. So every state counts once, whether it is lawful or not."""
        self.states: Counter[type] = Counter()
        self.pairs: Counter[type] = Counter()
        self.tried: Counter[Place] = Counter()
        self.broken: Counter[Place] = Counter()
        self.told: Counter[Place] = Counter()
        self.endless = set(endless)
        self.asked = ""
        """The law under way, should it never return."""

    def laws_for(self, cls: type) -> tuple[list[Named], list[Named]]:
        """The laws that apply to a class: those that every object is checked against, and the costly ones."""
        if cls not in self.applying:
            place = class_name(cls)
            named = [(law, law.name) for law in self.laws]
            laws = [(law, name) for law, name in named if f"{place}\t{name}" not in self.endless and law.applies(cls)]
            cheap, costly = ([each for each in laws if each[0].costly is kind] for kind in (False, True))
            self.applying[cls] = cheap, costly
        return self.applying[cls]

    def check(self, value: Any, *, all_laws: bool = False) -> list[Broken]:
        """The laws that the object breaks. Costly ones are asked of some objects only, unless all are wanted."""
        return self._checked(State(value, self.random), all_laws)

    def _checked(self, state: State, all_laws: bool) -> list[Broken]:
        cls = type(state.value)
        self.states[cls] += 1
        cheap, costly = self.laws_for(cls)
        wanted = costly if all_laws else self._drawn(cls, costly)
        laws = [*cheap, *wanted] if wanted and state.has_copies() else cheap
        found: list[Broken] = []
        for law, name in laws:
            found += self._looked(law, name, cls, state)
        return found

    def _drawn(self, cls: type, costly: list[Named]) -> list[Named]:
        """All of them for the first objects of a class, later some of them for some objects, ever more seldom."""
        if self.states[cls] <= FIRST_STATES or self.random is None:
            return costly
        is_due = self.random.random() * ONE_IN < self._share(self.states[cls])
        return self.random.sample(costly, min(COSTLY, len(costly))) if is_due else []

    @staticmethod
    def _share(asked: int) -> float:
        """How many of the objects of a class are asked when so many were: the last thousand say less than the first."""
        return min(1.0, math.sqrt(OFTEN / asked))

    def _looked(self, law: Law, name: str, cls: type, state: State) -> Sequence[Broken]:
        return self._asked(law, name, cls, lambda: law.look(state))

    def _asked(self, law: Rule, name: str, cls: type, look: Callable[[], Looked]) -> Sequence[Broken]:
        """The breaches of one law; those that are an exception which the class raises on purpose do not count."""
        self.asked = name
        try:
            looked = look()
        except DeadlineReached:
            self.endless.add(f"{class_name(cls)}\t{name}")
            self.applying.pop(cls, None)
            raise
        except Exception:  # something else that it asks of the object raises: the law that speaks of that says so
            return ()
        for form, tried in looked.tried.items():
            self.tried[cls, name, form] += tried
        if not looked.breaches:
            return ()
        return self._counted(law, name, cls, looked)

    def _counted(self, law: Rule, name: str, cls: type, looked: Looked) -> list[Broken]:
        found = []
        for breach in looked.breaches:
            if breach.error is not None and self._is_answer(law, breach.error):
                continue
            self.broken[cls, name, breach.form] += 1
            said = f"{law.sentence}: {breach.message}"
            about = breach.code, breach.method, law.strict, breach.form, law.costly
            found.append(Broken(name, said, breach.error, *about))
        return found

    def _is_answer(self, law: Rule, error: BaseException) -> bool:
        """The class refuses on purpose to do what the law speaks of, or is meant as a base. Nobody asks a refusal of
        `repr`, `==` and `hash`, but for a TypeError."""
        if lacks_as_a_base(error):
            return True
        expected = law.strict and not law.costly and not isinstance(error, TypeError | NotImplementedError)
        return not expected and self.deliberate(error)

    def worst(self, value: Any) -> Broken | None:
        """Of the laws that the object breaks the one that was told least so far; none if all are habits by now.

        What is broken in itself breaks the costly laws, too: then they are not told."""
        cls, state = type(value), State(value, self.random)
        digest = state.digest()
        if digest in self.lawful:
            return None
        broken = self.lawless.get(digest) or self._checked(state, all_laws=False)
        self._remember(digest, broken)
        return self._least_told(cls, broken)

    def worst_in_passing(self, value: Any) -> Broken | None:
        """The same for an object that is only looked at because a call gave it in a list: no costly laws."""
        cls, state = type(value), State(value, self.random)
        cheap, _ = self.laws_for(cls)
        return self._least_told(cls, [each for law, name in cheap for each in self._looked(law, name, cls, state)])

    def compared(self, one: Any, other: Any) -> list[Broken]:
        """The laws of comparing that these two objects break."""
        cls, found = type(one), list[Broken]()
        for law in self.pair_laws:
            if law.applies(cls) and f"{class_name(cls)}\t{law.name}" not in self.endless:
                found += self._asked(law, law.name, cls, partial(law.look, one, other))
        return found

    def worst_of_two(self, one: Any, other: Any, *, always: bool = False) -> Broken | None:
        """Of the laws of comparing that they break the one that was told least so far. Equal objects are seldom met:
        they are `always` looked at."""
        self.pairs[type(one)] += 1
        if not always and self.random is not None and self.random.random() > self._share(self.pairs[type(one)]):
            return None
        return self._least_told(type(one), self.compared(one, other))

    def _least_told(self, cls: type, broken: Sequence[Broken]) -> Broken | None:
        found = [each for each in broken if not self._is_let_pass((cls, each.law, each.form))]
        if not found:
            return None
        cheap = [each for each in found if not each.costly]
        worst = min(cheap or found, key=lambda each: self.told[cls, each.law, each.form])
        self.told[cls, worst.law, worst.form] += 1
        return worst

    def _remember(self, digest: bytes, broken: list[Broken]) -> None:
        if len(self.lawful) >= MOST_LAWFUL:
            self.lawful.clear()
        if len(self.lawless) >= MOST_LAWLESS:
            self.lawless.clear()
        if not digest:
            return
        if broken:
            self.lawless[digest] = broken
        else:
            self.lawful.add(digest)

    def _is_let_pass(self, place: Place) -> bool:
        """Enough was seen of a law that the class nearly always breaks: else no object of it would ever be tested."""
        return self.told[place] > WITNESSES and self.broken[place] >= self.tried[place] / 2

    def as_json(self) -> Mapping[str, tuple[int, int]]:
        """For each class, law and form how often it was tried and broken; only what was broken is told."""
        return {
            "\t".join((class_name(cls), law, form)): (self.tried[cls, law, form], count)
            for (cls, law, form), count in self.broken.items()
        }
