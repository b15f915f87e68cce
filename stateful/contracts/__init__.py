"""The contract language: one expression tree, and its readings.

The tree is in `nodes`; every other module is one reading of it.

>>> from stateful.contracts import negate, parse, text
>>> text(negate(parse("not self.is_empty() and len(self) < 3")))
'self.is_empty() or len(self) >= 3'
"""

from __future__ import annotations

from stateful.contracts.evaluate import Moment, compiled, evaluate
from stateful.contracts.negate import negate
from stateful.contracts.nodes import Expr
from stateful.contracts.normalize import conjuncts
from stateful.contracts.parse import parse
from stateful.contracts.text import text

__all__ = ["Expr", "Moment", "compiled", "conjuncts", "evaluate", "negate", "parse", "text"]
