"""Messages over a pipe: JSON and byte strings, never anything that the supervisor would have to unpickle."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stateful.sandbox.outbox import Outbox

__all__ = ["Channel", "Decoder", "Message", "encoded"]

HEAD = struct.Struct("<QII")  # bytes behind it, those of the text, number of blobs
LENGTH = struct.Struct("<I")
LONGEST_WAIT = 0.1  # seconds in the outbox, if more is sent
ENCODER = json.JSONEncoder(check_circular=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Message:
    """`kind` says what it is, `body` is JSON, and numbers in the body may refer to `blobs` by position."""

    kind: str
    body: Any = None
    blobs: tuple[bytes, ...] = field(default=())


def encoded(message: Message) -> bytes:
    text = ENCODER.encode([message.kind, message.body]).encode()
    size = len(text) + sum(LENGTH.size + len(blob) for blob in message.blobs)
    parts = [HEAD.pack(size, len(text), len(message.blobs)), text]
    for blob in message.blobs:
        parts += [LENGTH.pack(len(blob)), blob]
    return b"".join(parts)


class Decoder:
    """Cuts a stream of bytes into messages, whatever pieces it comes in."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Every message that `data` completes."""
        self.buffer += data
        while (found := self._next()) is not None:
            message, used = found
            del self.buffer[:used]
            yield message

    def _next(self) -> tuple[Message, int] | None:
        if len(self.buffer) < HEAD.size:
            return None
        size, length, count = HEAD.unpack_from(self.buffer)
        if len(self.buffer) < HEAD.size + size:
            return None
        position = HEAD.size + length
        blobs = []
        for _ in range(count):
            (size,) = LENGTH.unpack_from(self.buffer, position)
            position += LENGTH.size
            blobs.append(bytes(self.buffer[position : position + size]))
            position += size
        kind, body = json.loads(bytes(self.buffer[HEAD.size : HEAD.size + length]))
        return Message(kind, body, tuple(blobs)), position


class Channel:
    """A worker's end: blocking, and every message is on its way when `send` returns; or safe in the outbox, if the
    worker wants to `hold` messages until there are several."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self.decoder = Decoder()
        self.waiting: list[Message] = []
        self.outbox: Outbox | None = None
        self.written = 0
        self.emptied = 0.0

    def hold(self, outbox: Outbox) -> None:
        """From now on messages may wait there; `flush` sends them."""
        outbox.sent(self.written)
        self.outbox = outbox

    def send(self, kind: str, body: Any = None, blobs: tuple[bytes, ...] = ()) -> None:
        data = encoded(Message(kind, body, blobs))
        if self.outbox is not None and self.outbox.put(data):
            if time.monotonic() - self.emptied > LONGEST_WAIT:
                self.flush()
            return
        self.flush()
        self._write(data)

    def check(self) -> None:
        """Raises OSError, if a call has closed the pipe: it is to blame, and not the one during which that shows."""
        os.fstat(self.writing)

    def flush(self) -> None:
        """Send what waits."""
        if self.outbox is not None:
            self._write(self.outbox.waiting())
        self.emptied = time.monotonic()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self.writing, left) :]
        self.written += len(data)
        if self.outbox is not None:
            self.outbox.sent(self.written)

    def receive(self) -> Message | None:
        """The next message; None when the supervisor has closed its end."""
        while not self.waiting:
            data = os.read(self.reading, 1 << 16)
            if not data:
                return None
            self.waiting.extend(self.decoder.feed(data))
        return self.waiting.pop(0)
