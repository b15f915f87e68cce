"""The parameters of the strategies, with the defaults of the papers they come from. Plain data, known to both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from stateful.errors import UsageError

__all__ = [
    "DEFAULT_STRATEGY",
    "SETTINGS",
    "AutoTest",
    "Controlled",
    "Feedback",
    "Settings",
    "Undirected",
    "settings_from",
]


@dataclass(frozen=True, slots=True)
class Undirected:
    """The baseline: everything uniform, no filters, no experience."""

    new: float = 0.25
    """How often an object is built although the pool has one."""


@dataclass(frozen=True, slots=True)
class AutoTest:
    """A pool whose objects change; the least tested routine is next. (Ciupa et al., ISSTA 2007)"""

    gen_new: float = 0.25
    """P_GenNew: how often an object is built although the pool has one."""
    div: float = 0.5
    """P_Div: how often a random command is called on a random object after a test."""
    basic_random: float = 0.25
    """P_GenBasicRand: how often a basic value is random, and not one of the special ones."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Valid sequences are extended. (Pacheco et al., ICSE 2007; and its compact re-implementation of 2025)"""

    reuse: float = 0.75
    """How often an object comes from the pool, when it could also be built anew."""
    repeat: float = 0.1
    """How often a call is repeated on the object that it left."""
    most_repeats: int = 100
    grow: float = 0.0
    """How often the repeated call is, each time anew, any one that made an object of the class larger."""
    none: float = 0.0
    """How often any argument is None; Randoop's null ratio is 0.05."""
    fair: bool = False
    """Routines that were called less often are chosen more often, instead of all alike."""
    equality: bool = True
    """Filter: a state that the pool has does not enter it again."""
    basic_random: float = 0.5
    """How often a basic value is random, and not one of the special ones."""
    reset_every: float = 0.0
    """Seconds between two fresh starts with a new process; 0 for never."""


@dataclass(frozen=True, slots=True)
class Controlled:
    """Feedback in several pools, of which those are used that cover most in their time. (Yatoh et al., ISSTA 2015)"""

    pools: int = 1
    """How many there are at the beginning."""
    most_pools: int = 10
    new_pool_every: float = 1.0
    """Seconds between two new pools."""
    reset_every: float = 100.0
    """Seconds between two fresh starts with a new process; 0 for never."""
    select: str = "score"
    """Which pool is next: 'score' for coverage per time, or 'random'."""
    delete: str = "unique"
    """Which half is given up when there are too many: 'unique' for those that cover what others cover, or 'random'."""
    swarm: bool = True
    """Each pool leaves out some routines and prefers some values."""
    reuse: float = 0.97
    repeat: float = 0.02
    most_repeats: int = 40
    grow: float = 0.5
    none: float = 0.0
    fair: bool = True
    equality: bool = True
    basic_random: float = 0.5


Settings: TypeAlias = Undirected | AutoTest | Feedback | Controlled
SETTINGS: Mapping[str, type[Settings]] = {
    "random": Undirected, "autotest": AutoTest, "feedback": Feedback, "controlled": Controlled,
}  # fmt: skip
DEFAULT_STRATEGY = "controlled"
CHOICES = {"select": ("score", "random"), "delete": ("unique", "random")}
SHARES = ("new", "gen_new", "div", "basic_random", "reuse", "repeat", "grow", "none")


def settings_from(strategy: str, assignments: Sequence[str]) -> dict[str, Any]:
    """The settings of a strategy, changed by what the user wrote as NAME=VALUE.

    >>> settings_from("autotest", ["div=0.1"])
    {'gen_new': 0.25, 'div': 0.1, 'basic_random': 0.25}
    """
    found = asdict(SETTINGS[strategy]())
    for assignment in assignments:
        name, _, value = (part.strip() for part in assignment.partition("="))
        if name not in found:
            near = get_close_matches(name, found, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(found)}"
            raise UsageError(f"strategy {strategy!r} has no setting {name!r}; {hint}")
        found[name] = _value(name, value, type(found[name]))
    return found


def _value(name: str, text: str, kind: type) -> Any:
    """The text as what the setting is, if it is in its range."""
    if kind is bool and text.lower() in ("true", "false", "yes", "no", "on", "off", "1", "0"):
        return text.lower() in ("true", "yes", "on", "1")
    if kind is str and text in CHOICES[name]:
        return text
    if kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            number = -1
        if number >= 0 and (name not in SHARES or number <= 1):
            return number
    raise UsageError(f"{text!r} is no value for {name}: give {_wanted(name, kind)}")


def _wanted(name: str, kind: type) -> str:
    if kind is str:
        return " or ".join(map(repr, CHOICES[name]))
    if kind is bool:
        return "true or false"
    if name in SHARES:
        return "a number from 0 to 1"
    return "a whole number" if kind is int else "a number of seconds"
