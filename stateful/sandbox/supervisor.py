"""The supervisor's side of a worker: start it, listen, kill it when it is stuck, say how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from stateful.errors import NothingToTest, StatefulError, SubjectError
from stateful.sandbox.channel import Decoder, Message, encoded
from stateful.sandbox.watch import FULL, LOST, Watch

__all__ = ["Ended", "Limits", "Worker", "WorkerFailed"]

SCRATCH = "stateful-"
GRACE = 1.5  # seconds beyond the deadline before a call that swallows it is killed
SILENCE = 6.0  # seconds without a new call, while an answer is awaited
LONGEST_IMPORT = 120.0
REFUSALS = {error.__name__: error for error in (NothingToTest, SubjectError)}


class WorkerFailed(RuntimeError):
    """The worker's own program raised."""


@dataclass(frozen=True, slots=True)
class Limits:
    deadline: float = 1.0
    """Seconds for one call."""
    memory: int = 2 << 30
    """Bytes of address space."""
    file_size: int = 64 << 20
    """Bytes in one file."""
    allowed: tuple[str, ...] = ()
    """What the guard lets pass: paths to write below, 'network', 'processes'."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a worker ended that did not say goodbye, and the note of the call that was under way."""

    outcome: Literal["hang", "crash"]
    reason: str
    note: bytes | None
    stack: str


class Worker:
    """One worker process that runs `program`. Use it in a `with` statement; at the end it is gone."""

    def __init__(self, program: str, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        sweep()
        self.scratch = Path(tempfile.mkdtemp(prefix=f"{SCRATCH}{os.getpid()}-"))
        self.inside = self.scratch / "inside"
        self.inside.mkdir()
        self.watch = Watch(self.scratch / "watch", create=True)
        self.decoder = Decoder()
        self.received = 0
        self.ended: Ended | None = None
        self.finished = False
        self.closed = False
        self.seen: tuple[int, float] = (0, time.monotonic())
        self._start(program)

    def _start(self, program: str) -> None:
        to_worker, self.writing = os.pipe()
        self.reading, from_worker = os.pipe()
        settings = {
            "deadline": self.limits.deadline,
            "memory": self.limits.memory,
            "file_size": self.limits.file_size,
            "scratch": str(self.inside),
            "allowed": self.limits.allowed,
            "supervisor": os.getpid(),
        }
        command = [sys.executable, "-P", "-m", "stateful.sandbox.worker", str(to_worker), str(from_worker)]
        self.process = subprocess.Popen(
            [*command, str(self.scratch / "watch"), json.dumps(settings), program],
            pass_fds=(to_worker, from_worker),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.scratch / "errors").open("wb"),
            env=worker_environment(self.inside),
            start_new_session=True,
        )
        os.close(to_worker)
        os.close(from_worker)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, kind: str, body: Any = None, blobs: tuple[bytes, ...] = ()) -> None:
        """Send a message; to a worker that is gone it is not sent, and `receive` says how it ended."""
        data = memoryview(encoded(Message(kind, body, blobs)))
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self.writing, data) :]

    def messages(self, timeout: float = 0.1) -> Iterator[Message]:
        """What has come within `timeout` seconds; a worker that is stuck or gone is ended on the way."""
        readable, _, _ = select.select([self.reading], [], [], timeout)
        data = os.read(self.reading, 1 << 20) if readable else b""
        yield from self._messages_in(data)
        if readable and not data and not self.finished:
            self._say_crashed()
        elif not readable:
            self._kill_if_stuck()
        if self.ended is not None:
            yield from self._messages_in(self._drained())
            yield from self._messages_in(self.watch.outbox.left(self.received))

    def _drained(self) -> bytes:
        """What a worker that is gone left in its pipe."""
        data = b""
        while select.select([self.reading], [], [], 0.0)[0] and (part := os.read(self.reading, 1 << 20)):
            data += part
        return data

    def _messages_in(self, data: bytes) -> Iterator[Message]:
        self.received += len(data)
        for message in self.decoder.feed(data):
            if message.kind == "end":
                self.finished = True
            else:
                yield checked(message)

    def answer(self) -> Message | None:
        """The next message, however long it takes; None if the worker ended instead."""
        while not (self.ended or self.finished):
            for message in self.messages(1.0):
                return message
        return None

    def _kill_if_stuck(self) -> None:
        """A call that swallows the deadline; or something that goes on behind a call, such as a `__del__`."""
        begun, under_way = self.watch.state()
        if begun != self.seen[0]:
            self.seen = begun, time.monotonic()
            return
        silent = time.monotonic() - self.seen[1]
        if silent > (self.limits.deadline + GRACE if under_way else SILENCE if begun else LONGEST_IMPORT):
            self._signal(signal.SIGUSR1)
            time.sleep(0.05)
            self._signal(signal.SIGKILL)
            reason = f"did not return within {self.limits.deadline:g} s and had to be killed"
            if not begun:
                reason = f"did not come back from importing the subject within {LONGEST_IMPORT:g} s"
            self.ended = Ended("hang", reason, self.watch.note() if begun else None, self._stack())

    def _say_crashed(self) -> None:
        """Blame the call under way; or the last one, if it left the worker without its pipes."""
        code = self.process.wait()
        note = self.watch.note() if self.watch.state()[1] or code == LOST else None
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended its process with exit code {code}"
        if code == LOST:
            how = "closed a file that it had not opened"
        elif code == FULL:
            how = "had no memory left"
        self.ended = Ended("crash", how, note, self._stack() + self._errors())

    def _stack(self) -> str:
        with contextlib.suppress(OSError):
            return (self.inside / "stack.txt").read_text(encoding="utf-8", errors="replace")
        return ""

    def _errors(self) -> str:
        return (self.scratch / "errors").read_text(encoding="utf-8", errors="replace")[-4000:]

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if number is signal.SIGKILL:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)

    def close(self) -> None:
        """Kill what is left of the worker and remove its folder."""
        if self.closed:
            return
        self.closed = True
        self._signal(signal.SIGKILL)
        self.process.wait()
        for descriptor in (self.reading, self.writing):
            os.close(descriptor)
        self.watch.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


@lru_cache(maxsize=1)
def sweep() -> None:
    """Once in a process: remove what supervisors left behind that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*-*"):
        pid = folder.name.removeprefix(SCRATCH).partition("-")[0]
        if pid.isdigit() and not _is_alive(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def worker_environment(scratch: Path) -> dict[str, str]:
    """The supervisor's environment, with what makes a worker repeatable; temporary files go to its own folder."""
    return {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(scratch)}


def checked(message: Message) -> Message:
    """A worker's refusal and a worker's own failure become errors here."""
    if message.kind == "refused":
        name, sentence = message.body
        raise REFUSALS.get(name, StatefulError)(sentence)
    if message.kind == "broken":
        raise WorkerFailed(f"a worker failed:\n{message.body}")
    return message
