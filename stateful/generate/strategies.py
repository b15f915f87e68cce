"""The strategies: how the next routine is chosen, where its operands come from, and what is kept of its results.

They share one engine, and differ only in this. Their parameters are in `settings`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from stateful.generate.calls import Called
from stateful.generate.drawing import Drawer, Drawn, Habits
from stateful.generate.growth import Growth
from stateful.generate.operands import Ref, Stored
from stateful.generate.pool import Pool
from stateful.generate.settings import SETTINGS, AutoTest, Controlled, Feedback, Undirected
from stateful.generate.swarm import PLAIN, Swarm, drawn_swarm
from stateful.subject.discover import LiveRoutine

__all__ = ["Host", "Strategy", "strategy_for"]

MOST_CHOICES = 50  # routines that are passed over
MOST_IN_VAIN = 6  # calls in a row that leave no new object, before what makes objects larger is repeated no more
SLICE = 0.05  # seconds for which the controlled strategy stays with a pool


class Host(Protocol):
    """What a strategy needs of the engine."""

    random: Random
    routines: list[LiveRoutine]
    drawer: Drawer
    counts: Counter[str]
    growth: Growth

    @property
    def measures(self) -> bool: ...

    def now(self) -> float: ...

    def call(self, live: LiveRoutine, drawn: Drawn) -> Called | None: ...

    def keep(self, called: Called, pool: Pool, *, certainly: bool = False) -> Stored | None: ...

    def is_tiring(self, live: LiveRoutine) -> bool: ...

    def furnish(self, pool: Pool) -> Pool: ...

    def restart(self) -> None: ...


class Strategy:
    """The common part. The pool under way is where objects that are built on the way go, too."""

    def __init__(self, host: Host, habits: Habits, *, random_share: float = 0.5, candidates: int = 3) -> None:
        self.host = host
        self.random = host.random
        host.drawer.habits = habits
        host.drawer.values.random_share = random_share
        self.candidates = candidates
        self.pool = self.new_pool()

    def new_pool(self, swarm: Swarm = PLAIN) -> Pool:
        return self.host.furnish(Pool(self.random, swarm, candidates=self.candidates))

    def step(self) -> bool:
        """Make at least one call; False if there were no operands for it."""
        raise NotImplementedError

    def tested(self, live: LiveRoutine, receiver: Ref | None = None, *, certainly: bool = False) -> _Tested | None:
        """One call, and where the state after it is kept, if it is."""
        drawn = self.host.drawer.draw(live, self.pool, receiver=receiver)
        called = self.host.call(live, drawn) if drawn else None
        return (called, self.host.keep(called, self.pool, certainly=certainly)) if called else None


_Tested = tuple[Called, Stored | None]


class UndirectedStrategy(Strategy):
    def __init__(self, host: Host, settings: Undirected) -> None:
        habits = Habits(related=0.0, new=settings.new, unguarded=1.0, learns=False)
        super().__init__(host, habits, candidates=1)

    def step(self) -> bool:
        return self.tested(self.random.choice(self.host.routines)) is not None


class AutoTestStrategy(Strategy):
    def __init__(self, host: Host, settings: AutoTest) -> None:
        habits = Habits(new=settings.gen_new)
        super().__init__(host, habits, random_share=settings.basic_random, candidates=1)
        self.settings = settings
        self.commands: dict[str, LiveRoutine] = {}

    def step(self) -> bool:
        counts = self.host.counts
        least = min(counts[live.model.name] for live in self.host.routines)
        live = self.random.choice([live for live in self.host.routines if counts[live.model.name] == least])
        counts[live.model.name] += 1  # one that never finds operands must not block the others
        done = self._changing(live)
        if self.commands and self.random.random() < self.settings.div:
            self._changing(self.random.choice(list(self.commands.values())))
        return done

    def _changing(self, live: LiveRoutine) -> bool:
        """One call; the objects of the pool that were its operands become what they are after it."""
        tested = self.tested(live, certainly=True)
        if tested is None:
            return False
        called, stored = tested
        if called.changed is not False and called.verdict.outcome == "pass" and live.model.has_receiver:
            self.commands[live.model.name] = live
        if stored is not None:
            for operand in called.operands:
                if isinstance(operand, Ref):
                    self.pool.forget(operand)
        return True


class FeedbackStrategy(Strategy):
    def __init__(self, host: Host, settings: Feedback | Controlled) -> None:
        habits = Habits(new=1 - settings.reuse, none=settings.none)
        super().__init__(host, habits, random_share=settings.basic_random)
        self.settings = settings

    def step(self) -> bool:
        live = self._chosen()
        tested = self.tested(live)
        if tested is None:
            return False
        if self.settings.grow:
            self.host.growth.note(tested[0])
        if self.random.random() < self.settings.repeat * self.pool.repeating and live.model.has_receiver:
            growing = self.host.growth.of(live.cls)
            several = growing if growing and self.random.random() < self.settings.grow else [live]
            self._repeat(several, self.random.randint(0, self.settings.most_repeats))
        every = self.settings.reset_every if isinstance(self.settings, Feedback) else 0
        if every and self.host.now() >= every:
            self.host.restart()
        return True

    def _chosen(self) -> LiveRoutine:
        """Uniformly; or, if it is to be fair, the less called one of two."""
        live = self._drawn()
        if not self.settings.fair:
            return live
        other = self._drawn()
        return live if self.host.counts[live.model.name] <= self.host.counts[other.model.name] else other

    def _drawn(self) -> LiveRoutine:
        """Any routine that the pool does not leave out and that does not cost too much, if there is one."""
        routines, left_out = self.host.routines, self.pool.swarm.left_out
        live = self.random.choice(routines)
        for _ in range(MOST_CHOICES):
            if live.model.name not in left_out and not self.host.is_tiring(live):
                break
            live = self.random.choice(routines)
        return live

    def _repeat(self, several: Sequence[LiveRoutine], times: int) -> None:
        """The same routine again and again, or each time one of several, on the object that the last call left. Where
        they make objects larger, what is refused may pass with other arguments: a new node wants the name of one that
        is there."""
        most_in_vain = MOST_IN_VAIN if several[0] in self.host.growth.of(several[0].cls) else 0
        receiver = self.pool.draw(several[0].cls) if several[0].cls else None
        in_vain = 0
        for _ in range(times):
            live = self.random.choice(several)
            if self.host.is_tiring(live) or in_vain > most_in_vain:
                return
            tested = self.tested(live, receiver, certainly=True)
            if tested is None:
                return
            called, stored = tested
            if called.verdict.outcome == "pass" and called.changed is not False and stored is not None:
                assert called.after is not None
                receiver, in_vain = Ref(stored, called.after.operands[0] or 0), 0
            else:
                in_vain += 1


class ControlledStrategy(FeedbackStrategy):
    def __init__(self, host: Host, settings: Controlled) -> None:
        self.controlled = settings
        super().__init__(host, settings)
        self.pools = [self.pool, *(self._another() for _ in range(settings.pools - 1))]
        self.next_pool = settings.new_pool_every
        self.next_choice = 0.0

    def _another(self) -> Pool:
        return self.new_pool(drawn_swarm(self.random, self.host.routines) if self.controlled.swarm else PLAIN)

    def step(self) -> bool:
        began = self.host.now()
        if self.controlled.reset_every and began >= self.controlled.reset_every:
            self.host.restart()
        if began >= self.next_pool:
            self.next_pool = began + self.controlled.new_pool_every
            self._add_pool()
        if began >= self.next_choice:
            self.next_choice = began + SLICE
            self.pool = self._best()
        done = super().step()
        self.pool.seconds += self.host.now() - began
        return done

    def _add_pool(self) -> None:
        if len(self.pools) >= self.controlled.most_pools:
            self.pools = self._kept_half()
        self.pools.append(self._another())

    def _best(self) -> Pool:
        """The pool that covered most in its time; one that covered nothing yet has to be tried first."""
        if self.controlled.select == "random" or not self.host.measures:
            return self.random.choice(self.pools)
        return max(self.pools, key=_score)

    def _kept_half(self) -> list[Pool]:
        half = max(1, len(self.pools) // 2)
        if self.controlled.delete == "random":
            return self.random.sample(self.pools, half)
        covering = Counter(item for pool in self.pools for item in pool.covered)
        unique = {id(pool): sum(1 / covering[item] for item in pool.covered) for pool in self.pools}
        return sorted(self.pools, key=lambda pool: unique[id(pool)], reverse=True)[:half]


def _score(pool: Pool) -> float:
    return len(pool.covered) / pool.seconds if pool.covered and pool.seconds else math.inf


MAKERS: Mapping[str, Callable[[Host, Any], Strategy]] = {
    "random": UndirectedStrategy,
    "autotest": AutoTestStrategy,
    "feedback": FeedbackStrategy,
    "controlled": ControlledStrategy,
}


def strategy_for(name: str, settings: Mapping[str, Any], host: Host) -> Strategy:
    return MAKERS[name](host, SETTINGS[name](**settings))
