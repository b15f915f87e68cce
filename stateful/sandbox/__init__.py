"""Run a given program in a worker process, within limits. Knows nothing of testing or databases.

`Worker` is the supervisor's side; `worker.Session` is what the program gets in the process.
"""

from __future__ import annotations

from stateful.sandbox.channel import Message
from stateful.sandbox.supervisor import Ended, Limits, Worker, WorkerFailed

__all__ = ["Ended", "Limits", "Message", "Worker", "WorkerFailed"]
