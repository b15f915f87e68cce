from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    ROUND = 1
    SQUARE = 2


@dataclass
class Base:
    kind: Kind
    size: int = 1
