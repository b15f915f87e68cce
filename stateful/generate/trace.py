"""The trace of a session: all its calls, each with the bytes of its operands, so that they can be made again."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stateful.generate.calls import Called

__all__ = ["TraceWriter", "Traced", "read_trace"]

BATCH = 1000  # calls that are written at once


@dataclass(frozen=True, slots=True)
class Traced:
    """A call: its routine, the snapshot of its operands, and for each slot the index there; none if it is left out."""

    routine: str
    codec: str
    data: bytes
    slots: tuple[int | None, ...]


class TraceWriter:
    """Keeps calls that came back, each snapshot once."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")
        self.known: set[bytes] = set()
        self.waiting: list[tuple[str, str, bytes, bytes | None, tuple[int | None, ...]]] = []

    def note(self, called: Called) -> None:
        if called.verdict.outcome in ("hang", "crash"):
            return
        before = called.before
        data = None if before.digest in self.known else before.data
        self.known.add(before.digest)
        slots = before.operands if called.routine.model.has_receiver else before.operands[1:]
        self.waiting.append((called.routine.model.name, before.codec, before.digest, data, slots))
        if len(self.waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        marshal.dump(self.waiting, self.file)
        self.file.flush()
        self.waiting.clear()


def read_trace(path: Path) -> Iterator[Traced]:
    """The calls in the order in which they were made."""
    known: dict[bytes, bytes] = {}
    with path.open("rb") as file:
        while True:
            try:
                batch = marshal.load(file)
            except EOFError:
                return
            for routine, codec, digest, data, slots in batch:
                if data is not None:
                    known[digest] = data
                yield Traced(routine, codec, known[digest], slots)
