"""Judge a call: its outcome, the laws that its operands must obey, and the faults that it shows."""

from __future__ import annotations

from stateful.judge.faults import Fault, likelihood_of
from stateful.judge.outcome import Experience, Verdict, decide

__all__ = ["Experience", "Fault", "Verdict", "decide", "likelihood_of"]
