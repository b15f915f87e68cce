"""Messages over a pipe: JSON and byte strings, never anything that the supervisor would have to unpickle."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Channel", "Decoder", "Message", "encoded"]

HEAD = struct.Struct("<QII")  # bytes behind it, those of the text, number of blobs
LENGTH = struct.Struct("<I")
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
    """A worker's end: blocking, and every message is on its way when `send` returns."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self.decoder = Decoder()
        self.waiting: list[Message] = []

    def send(self, kind: str, body: Any = None, blobs: tuple[bytes, ...] = ()) -> None:
        data = memoryview(encoded(Message(kind, body, blobs)))
        while data:
            data = data[os.write(self.writing, data) :]

    def receive(self) -> Message | None:
        """The next message; None when the supervisor has closed its end."""
        while not self.waiting:
            data = os.read(self.reading, 1 << 16)
            if not data:
                return None
            self.waiting.extend(self.decoder.feed(data))
        return self.waiting.pop(0)
