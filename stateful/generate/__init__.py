"""Random-testing sessions: pools, values, calls, and what is recorded of them.

`run_session` is the supervisor's side; `engine.main` runs in the worker.
"""

from __future__ import annotations

from stateful.generate.session import RunOptions, Summary, run_session

__all__ = ["RunOptions", "Summary", "run_session"]
