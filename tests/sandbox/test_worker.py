"""Workers: messages arrive whole, and however a worker ends, the supervisor knows what it was doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stateful.errors import SubjectError
from stateful.sandbox import Limits, Worker
from stateful.sandbox.channel import Decoder, Message, encoded
from stateful.sandbox.worker import Session

HERE = "tests.sandbox.test_worker"


def echo(session: Session) -> None:
    """A program: send back what comes."""
    while (message := session.channel.receive()) is not None:
        session.channel.send(message.kind, message.body, message.blobs)


def perform(session: Session) -> None:
    """A program: call the routine of Hostile that it is told."""
    from tests.subjects.hostile import Hostile

    message = session.channel.receive()
    assert message is not None
    session.channel.send("before")
    try:
        with session.calling(message.body.encode()):
            getattr(Hostile(), message.body)()
    except BaseException as error:
        session.channel.send("raised", type(error).__name__)


def spin(session: Session) -> None:
    """A program that tells its process and never looks at its channel again."""
    session.channel.send("process", os.getpid())
    while True:
        pass


def refuse(session: Session) -> None:
    raise SubjectError("no such thing")


def fail(session: Session) -> None:
    raise KeyError("ours")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(st.lists(st.tuples(st.text(), json_values, st.lists(st.binary(), max_size=3)), max_size=4), st.integers(1, 7))
def test_a_stream_is_cut_into_its_messages_whatever_the_pieces(
    items: list[tuple[str, object, list[bytes]]], piece: int
) -> None:
    messages = [Message(kind, body, tuple(blobs)) for kind, body, blobs in items]
    stream = b"".join(map(encoded, messages))
    decoder = Decoder()
    pieces = [stream[start : start + piece] for start in range(0, len(stream), piece)]
    assert [message for part in pieces for message in decoder.feed(part)] == messages


def test_messages_go_both_ways() -> None:
    with Worker(f"{HERE}:echo") as worker:
        worker.send("hello", [1, "ä", None], (b"\x00" * 100_000, b""))
        answer = worker.answer()
    assert answer == Message("hello", [1, "ä", None], (b"\x00" * 100_000, b""))


def ended(routine: str, limits: Limits) -> tuple[list[Message], Worker]:
    with Worker(f"{HERE}:perform", limits) as worker:
        worker.send("do", routine)
        messages = []
        until = time.monotonic() + 20
        while not (worker.finished or worker.ended) and time.monotonic() < until:
            messages += worker.messages()
        return messages, worker


@pytest.mark.parametrize(
    ("routine", "outcome", "said"),
    [
        ("dies", "crash", "SIGSEGV"),
        ("leaves", "crash", "exit code 0"),
        ("swallows", "hang", "had to be killed"),
        ("counts_in_c", "hang", "had to be killed"),
    ],
)
def test_a_call_that_takes_its_process_along_is_known(routine: str, outcome: str, said: str) -> None:
    messages, worker = ended(routine, Limits(deadline=0.3))
    assert [message.kind for message in messages] == ["before"]
    assert worker.ended is not None
    assert (worker.ended.outcome, worker.ended.note) == (outcome, routine.encode())
    assert said in worker.ended.reason


@pytest.mark.parametrize(
    ("routine", "error"),
    [
        ("loops", "DeadlineReached"),
        ("exits", "SystemExit"),
        ("recurses", "RecursionError"),
        ("hoards", "MemoryError"),
        ("raises_base", "BaseException"),
    ],
)
def test_what_can_be_caught_is_caught(routine: str, error: str) -> None:
    messages, worker = ended(routine, Limits(deadline=0.5, memory=1 << 30))
    assert [(message.kind, message.body) for message in messages] == [("before", None), ("raised", error)]
    assert worker.finished


def test_output_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    _, worker = ended("prints", Limits())
    assert worker.finished
    assert capfd.readouterr() == ("", "")


def test_refusals_and_our_own_failures_reach_the_supervisor() -> None:
    with Worker(f"{HERE}:refuse") as worker, pytest.raises(SubjectError, match="no such thing"):
        worker.answer()
    with Worker(f"{HERE}:fail") as worker, pytest.raises(RuntimeError, match="KeyError"):
        worker.answer()


def test_nothing_is_left_behind() -> None:
    with Worker(f"{HERE}:echo") as worker:
        scratch, process = worker.scratch, worker.process
        assert scratch.exists()
    assert not scratch.exists()
    assert process.returncode is not None


def exhaust(session: Session) -> None:
    """A program: there is no memory left, though no call is under way."""
    raise MemoryError


def test_a_worker_without_memory_for_itself_ends_and_blames_nobody() -> None:
    worker = Worker(f"{HERE}:exhaust", Limits())
    assert worker.answer() is None
    assert worker.ended is not None
    assert (worker.ended.outcome, worker.ended.note) == ("crash", None)
    assert worker.ended.reason == "had no memory left"
    worker.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends with its next message")
def test_a_worker_that_never_comes_back_does_not_outlive_a_killed_supervisor() -> None:
    code = f"""
import os, signal
from stateful.sandbox import Limits, Worker
worker = Worker("{HERE}:spin", Limits())
print(worker.answer().body, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    until = time.monotonic() + 5
    while _is_running(int(done.stdout)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _is_running(int(done.stdout))


def _is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/status")
    return status.exists() and "State:\tZ" not in status.read_text()
