"""No object violates the clause: give up a conjunct, find objects for the rest, and calls that bring it about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, product
from typing import TypeAlias

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.reduce.clauses import Clause
from stateful.reduce.scope import Limits
from stateful.reduce.search import Search
from stateful.reduce.transitions import Transition, commands_of, transitions_to
from stateful.store.database import Database

__all__ = ["Chain", "Luck", "chains"]

MOST_CHAINS = 24
MOVES = 4  # for each conjunct that was given up
MOST_SLOTS = 60  # conjuncts of more cannot be given up two at a time: there would be too many pairs

Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Chain:
    """The calls before that of the routine, what each is to bring about, and what the objects satisfy at the start."""

    moves: tuple[Transition, ...]
    goals: tuple[str, ...]
    rest: Search


@dataclass(slots=True)
class Luck:
    """How often a routine brought about what was wanted: it is tried first where it worked before."""

    tries: dict[Key, int] = field(default_factory=lambda: defaultdict(int))
    successes: dict[Key, int] = field(default_factory=lambda: defaultdict(int))

    def learn(self, tried: Chain, tries: int, successes: int) -> None:
        for move, goal in zip(tried.moves, tried.goals, strict=True):
            self.tries[move.routine, goal] += tries
            self.successes[move.routine, goal] += successes

    def of(self, move: Transition, goal: str) -> float:
        key = (move.routine, goal)
        return (self.successes[key] + 1) / (self.tries[key] + 2)


def chains(database: Database, clause: Clause, wanted: Search, limits: Limits, luck: Luck) -> Iterator[Chain]:
    """One call before the routine, then two in a row; the most proven first."""
    moves = {part: _moves(database, clause, wanted, part, luck) for part in wanted.parts}
    kinds = (_single(wanted, moves, limits), _repeated(wanted, moves, limits), _several(wanted, moves, limits))
    yield from islice(chain.from_iterable(kinds), MOST_CHAINS)


def _moves(database: Database, clause: Clause, wanted: Search, part: n.Expr, luck: Luck) -> list[Transition]:
    """Calls that were seen to make it true; where there are none, any command of the objects that it speaks of."""
    found = list(transitions_to(database, part))
    if not found:
        found = [move for slot in wanted.slots if slot.name in n.slots_of(part) for move in commands_of(database, slot)]
    return sorted(found, key=lambda move: -luck.of(move, text(part)))[: MOVES * 2]


def _single(wanted: Search, moves: dict[n.Expr, list[Transition]], limits: Limits) -> Iterator[Chain]:
    if limits.drop >= 1 and limits.chain >= 2:
        for part, several in moves.items():
            for move in several[: MOVES + 2]:
                yield Chain((move,), (text(part),), wanted.without((part,)))


def _repeated(wanted: Search, moves: dict[n.Expr, list[Transition]], limits: Limits) -> Iterator[Chain]:
    """The same again: what one call brings nearer, a second one may bring about."""
    if limits.drop >= 1 and limits.chain >= 3:
        for part, several in moves.items():
            for first, second in product(several[:2], repeat=2):
                yield Chain((first, second), (text(part),) * 2, wanted.without((part,)))


def _several(wanted: Search, moves: dict[n.Expr, list[Transition]], limits: Limits) -> Iterator[Chain]:
    """Two conjuncts given up, and a call for each."""
    for size in range(2, min(limits.drop, limits.chain - 1) + 1):
        for parts in combinations(wanted.parts[:MOST_SLOTS], size):
            for one in product(*(moves[part][:2] for part in parts)):
                yield Chain(tuple(one), tuple(map(text, parts)), wanted.without(parts))
