"""What the supervisor tells a worker to do: plain data, known to both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stateful.subject.target import Target

__all__ = ["TRACE", "Plan", "targets_from", "targets_json"]

TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Plan:
    """A session: from which seed, for how long or how many calls, how, and how many passing examples it keeps."""

    seed: int
    seconds: float
    tests: int | None
    kept: int
    strategy: str
    settings: dict[str, Any]
    values: list[str] = field(default_factory=list)
    """Expressions that the user wants to be drawn, too."""
    coverage: bool = True
    since: float = 0.0
    """Seconds of testing that workers before this one had."""
    calls: int = 0
    """Calls that workers before this one made."""
    experience: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    seeds: list[str] = field(default_factory=list)
    """Programs of an older version of the subject, as JSON."""
    laws: dict[str, list[str]] | None = None
    """What `limits.laws_of` says."""
    traced: bool = False
    """Every call is kept in the file `TRACE` of the scratch folder."""


def targets_json(targets: Sequence[Target]) -> list[list[Any]]:
    return [[target.module, target.path, list(target.classes)] for target in targets]


def targets_from(items: list[list[Any]]) -> list[Target]:
    return [Target(module, path, tuple(classes)) for module, path, classes in items]
