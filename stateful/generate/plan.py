"""What the supervisor tells a worker to do: plain data, known to both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stateful.subject.target import Target

__all__ = ["Plan", "targets_from", "targets_json"]


@dataclass(frozen=True, slots=True)
class Plan:
    """A session: from which seed, for how long or how many calls, and how many passing examples it keeps."""

    seed: int
    seconds: float
    tests: int | None
    kept: int


def targets_json(targets: Sequence[Target]) -> list[list[Any]]:
    return [[target.module, target.path, list(target.classes)] for target in targets]


def targets_from(items: list[list[Any]]) -> list[Target]:
    return [Target(module, path, tuple(classes)) for module, path, classes in items]
