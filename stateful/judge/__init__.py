"""Judge a call: its outcome, the laws that its operands must obey, and the faults that it shows."""

from __future__ import annotations

from stateful.judge.beliefs import likelihood_of
from stateful.judge.faults import Fault
from stateful.judge.kinds import Experience
from stateful.judge.outcome import Verdict, decide

__all__ = ["Experience", "Fault", "Verdict", "decide", "likelihood_of"]
