"""Run files to database: merge them by content, evaluate every query on every object, derive transitions."""

from __future__ import annotations

from stateful.ingest.evaluation import Evaluated, evaluate_all
from stateful.ingest.merge import merge

__all__ = ["Evaluated", "evaluate_all", "merge"]
