"""Of many implications with one conclusion, those with the weakest premises say it all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from stateful.contracts import nodes as n
from stateful.contracts import text
from stateful.contracts.to_vectors import verdicts_of
from stateful.infer.candidate import Candidate
from stateful.infer.columns import RoutineColumns

__all__ = ["with_weakest_premises"]


def with_weakest_premises(candidates: Sequence[Candidate], columns: RoutineColumns) -> Iterator[Candidate]:
    """Drop an implication if another one with the same conclusion applies wherever it does; keep what is none."""
    together: dict[n.Expr, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if not isinstance(candidate.expression, n.Implies):
            yield candidate
        else:
            together[candidate.expression.conclusion].append(candidate)
    for several in together.values():
        ordered = sorted(several, key=lambda c: len(text(c.expression.premise)))  # type: ignore[union-attr]
        held = np.stack([verdicts_of(c.expression.premise, columns) == 1 for c in ordered]).astype(np.int64)  # type: ignore[union-attr]
        size = held.sum(axis=1)
        within = held @ held.T == size[:, None]  # row i: all its test cases are among those of column j
        for i, candidate in enumerate(ordered):
            wider = within[i] & ((size > size[i]) | ((size == size[i]) & (np.arange(len(ordered)) < i)))
            if not wider.any():
                yield candidate
