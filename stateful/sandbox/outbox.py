"""Messages on their way, in memory that outlives the worker: so that not each of them costs a system call, and yet none
is lost when a call kills the worker.

Positions count the bytes of everything that was ever sent. The worker writes; the supervisor looks only after its end.
"""

from __future__ import annotations

import mmap
import struct

__all__ = ["OUTBOX_SIZE", "Outbox"]

OUTBOX_SIZE = 1 << 17
LAYOUT = struct.Struct("<QQ")  # the position of the first byte that is kept here, and the one behind the last


class Outbox:
    """The end of the shared memory."""

    def __init__(self, memory: mmap.mmap, at: int) -> None:
        self.memory = memory
        self.at = at
        self.body = at + LAYOUT.size
        self.room = OUTBOX_SIZE - LAYOUT.size
        self.start = 0
        self.end = 0

    def put(self, data: bytes) -> bool:
        """Keep the bytes until they are sent; false if there is no room."""
        used = self.end - self.start
        if used + len(data) > self.room:
            return False
        self.memory[self.body + used : self.body + used + len(data)] = data
        self.end += len(data)
        LAYOUT.pack_into(self.memory, self.at, self.start, self.end)
        return True

    def waiting(self) -> bytes:
        """What has to be sent."""
        return self.memory[self.body : self.body + self.end - self.start]

    def sent(self, position: int) -> None:
        """All that was kept is on its way; so many bytes were ever sent."""
        self.start = self.end = position
        LAYOUT.pack_into(self.memory, self.at, position, position)

    def left(self, received: int) -> bytes:
        """What was kept and never arrived, if so many bytes did. For the supervisor, when the worker is gone."""
        start, end = LAYOUT.unpack_from(self.memory, self.at)
        if not start <= received <= end <= start + self.room:
            return b""
        return self.memory[self.body + received - start : self.body + end - start]
