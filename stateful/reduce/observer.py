"""Who wants to know how it goes, while sessions, evaluation, inference and reduction take turns."""

from __future__ import annotations

from typing import Protocol

from stateful.generate.session import Summary
from stateful.infer.engine import Inferred
from stateful.ingest.evaluation import Evaluated
from stateful.reduce.engine import Reduced

__all__ = ["Nobody", "Observer"]


class Observer(Protocol):
    """Is told now and then what was done so far."""

    def session(self, summary: Summary) -> None: ...

    def evaluation(self, done: Evaluated) -> None: ...

    def inference(self, done: Inferred) -> None: ...

    def reduction(self, done: Reduced) -> None: ...


class Nobody:
    """Does not want to know."""

    def session(self, summary: Summary) -> None: ...

    def evaluation(self, done: Evaluated) -> None: ...

    def inference(self, done: Inferred) -> None: ...

    def reduction(self, done: Reduced) -> None: ...
