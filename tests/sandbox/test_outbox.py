"""The outbox: messages may wait in shared memory, and none is lost, however the worker ends."""

from __future__ import annotations

import mmap
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stateful.sandbox import Message, Worker
from stateful.sandbox.outbox import OUTBOX_SIZE, Outbox
from stateful.sandbox.worker import Session

HERE = "tests.sandbox.test_outbox"


def die(session: Session) -> None:
    """A program: say some things, then be gone in the middle of a call."""
    message = session.channel.receive()
    assert message is not None
    session.channel.send("at once")
    session.channel.hold(session.watch.outbox)
    for number in range(message.body["messages"]):
        session.channel.send("said", number, (b"x" * message.body["bytes"],))
    with session.calling(b"the last one"):
        os._exit(0) if message.body["exits"] else loop()


def loop() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


@given(st.lists(st.binary(max_size=50) | st.none(), max_size=20), st.integers(0, 1000))
def test_what_did_not_arrive_is_what_is_left(pieces: list[bytes | None], arrived: int) -> None:
    box = Outbox(mmap.mmap(-1, OUTBOX_SIZE), 0)
    stream, flushed = b"", 0
    for piece in pieces:
        if piece is None:
            flushed = len(stream)
            box.sent(flushed)
        else:
            assert box.put(piece)
            stream += piece
    received = flushed + arrived % (len(stream) - flushed + 1)
    assert stream[:received] + box.left(received) == stream


def test_what_does_not_fit_is_refused() -> None:
    box = Outbox(mmap.mmap(-1, OUTBOX_SIZE), 0)
    assert not box.put(b"x" * OUTBOX_SIZE)
    assert box.waiting() == b""


@pytest.mark.parametrize("size", [1, 40_000, 2 * OUTBOX_SIZE])
@pytest.mark.parametrize("exits", [True, False])
def test_all_that_was_said_before_the_worker_was_killed_arrives(size: int, exits: bool) -> None:
    found: list[Message] = []
    with Worker(f"{HERE}:die") as worker:
        worker.send("go", {"messages": 50, "bytes": size, "exits": exits})
        while worker.ended is None:
            found += worker.messages()
        assert worker.ended.note == b"the last one"
    assert [message.body for message in found if message.kind == "said"] == list(range(50))
