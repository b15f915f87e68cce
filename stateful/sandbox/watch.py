"""Memory shared between a worker and its supervisor: which call is under way, and since how many calls.

It outlives the worker, so that the supervisor knows which call killed it.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from stateful.sandbox.outbox import OUTBOX_SIZE, Outbox

__all__ = ["FULL", "LOST", "Watch"]

SIZE = 1 << 20  # of the note and what stands before it; the outbox follows
LOST = 70  # exit code of a worker that cannot talk any more
FULL = 71  # and of one that has no memory left for itself: what earlier calls left behind fills it
LAYOUT = struct.Struct("<QQQI")  # calls begun, calls ended, what the program counts, length of the note


class Watch:
    """One page of shared memory. The worker writes, the supervisor reads."""

    def __init__(self, path: Path, *, create: bool) -> None:
        if create:
            path.write_bytes(b"\0" * (SIZE + OUTBOX_SIZE))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SIZE + OUTBOX_SIZE)
        self.outbox = Outbox(self.memory, SIZE)
        self.begun = 0
        self.tally = 0

    def begin(self, note: bytes) -> None:
        """A call is about to be made; `note` says which."""
        self.begun += 1
        note = note[: SIZE - LAYOUT.size]
        LAYOUT.pack_into(self.memory, 0, self.begun, self.begun - 1, self.tally, len(note))
        self.memory[LAYOUT.size : LAYOUT.size + len(note)] = note

    def end(self) -> None:
        """The call has come back."""
        struct.pack_into("<Q", self.memory, 8, self.begun)

    def state(self) -> tuple[int, bool]:
        """How many calls were begun, and whether the last one is still under way."""
        begun, ended, _, _ = LAYOUT.unpack_from(self.memory, 0)
        return begun, begun != ended

    def counted(self) -> int:
        """The program's own count at the last call that it began."""
        return int(LAYOUT.unpack_from(self.memory, 0)[2])

    def note(self) -> bytes:
        """What was said of the last call."""
        length = LAYOUT.unpack_from(self.memory, 0)[3]
        return bytes(self.memory[LAYOUT.size : LAYOUT.size + length])

    def close(self) -> None:
        self.memory.close()
