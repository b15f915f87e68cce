"""Try to violate each inferred clause: negate it, find objects in SQL, call the routine, let the test decide."""

from __future__ import annotations

from stateful.reduce.engine import Reduced, reduce_clauses

__all__ = ["Reduced", "reduce_clauses"]
