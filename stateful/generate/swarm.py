"""What one pool prefers. Pools that each leave something out and stick to some kind of value go deeper than one that
tries everything at once, and keep the elements of a container comparable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from stateful.subject.routines import LiveRoutine

__all__ = ["PLAIN", "Swarm", "drawn_swarm"]


@dataclass(frozen=True, slots=True)
class Swarm:
    """A configuration: which routines are left out, and which values are preferred."""

    left_out: frozenset[str] = frozenset()
    elements: str = "int"
    """The kind of value where any will do; 'mixed' for all sorts."""
    spread: int = 10
    """Numbers lie between 0 and this, mostly."""
    items: int = 6
    """At most so many items in a new container."""
    odd: float = 0.02
    """How often a value is extreme, or not of the kind that is wanted."""
    phrased: float = 0.0
    """How often a text is one that the subject may understand, and not a few random letters."""
    deep: float = 0.1
    """How often an object is one that holds much, and not one that took few calls to build."""
    shaped: float = 0.0
    """How often an object is of any shape there is, however few have it."""


PLAIN = Swarm()
ELEMENTS = ("int", "int", "int", "str", "str", "float", "tuple[int, int]", "mixed")
SPREADS = (3, 10, 10, 30, 1000)
ITEMS = (3, 6, 6, 12, 40)
KEPT = 0.7  # of the routines in a pool that leaves some out


def drawn_swarm(random: Random, routines: Sequence[LiveRoutine]) -> Swarm:
    """A random configuration. Constructors are never left out, and every second pool has all routines."""
    optional = [live.model.name for live in routines if live.model.has_receiver]
    all_of_them = random.random() < 0.5 or len(optional) < 4
    left_out = frozenset() if all_of_them else frozenset(name for name in optional if random.random() > KEPT)
    return Swarm(
        left_out,
        random.choice(ELEMENTS),
        random.choice(SPREADS),
        random.choice(ITEMS),
        random.choice((0.0, 0.01, 0.05)),
        random.choice((0.0, 0.1, 0.5)),
        random.choice((0.0, 0.3, 0.6, 0.9)),
        random.choice((0.0, 0.0, 0.3)),
    )
