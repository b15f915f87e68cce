"""The worker's side of `--dry-run`: import the subject and say what is there."""

from __future__ import annotations

from stateful.generate.plan import targets_from
from stateful.sandbox.worker import Session
from stateful.subject.discover import discover

__all__ = ["main"]


def main(session: Session) -> None:
    """The program of the worker."""
    message = session.channel.receive()
    if message is not None:
        session.channel.send("subject", discover(targets_from(message.body)).described().as_json())
