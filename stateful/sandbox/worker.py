"""The process that executes other people's code: set the limits, then run the program named on the command line.

`python -m stateful.sandbox.worker READ WRITE WATCH LIMITS PROGRAM`; PROGRAM is 'module:function' and gets a `Session`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import faulthandler
import fcntl
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from stateful.errors import StatefulError
from stateful.sandbox.channel import Channel
from stateful.sandbox.guard import keep
from stateful.sandbox.watch import FULL, LOST, Watch
from stateful.subject.target import find_modules_in

__all__ = ["DeadlineReached", "Session", "main"]

TICK = 0.05  # seconds between two looks at the clock
PARENT_DEATH_SIGNAL = 1
HIGH, ROOM = 60_000, 64  # a number of a file that no call names by chance, if the system allows so many
IDLE = 0.05  # the share of the time that a call works at most, if it waits
GRACE = 0.25  # seconds for a call to give up, before it is told again


class DeadlineReached(BaseException):
    """The call under way takes too long. Not an `Exception`, so that fewer handlers swallow it."""

    waits = False
    """It hardly worked in the last second: it sleeps, or waits for somebody."""
    file = ""
    """Whose code it was in."""


class Limit:
    """Code inside a `with` of it runs under the deadline."""

    __slots__ = ("deadline", "ticks", "until")

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.until = 0.0
        self.ticks: deque[tuple[float, float]] = deque(maxlen=round(1 / TICK))
        """The last times at which we looked at the clock, each with the work of this process until then."""

    def __enter__(self) -> None:
        self.until = time.monotonic() + self.deadline

    def __exit__(self, *_: object) -> None:
        self.until = 0.0

    def on_tick(self, _: int, frame: FrameType | None) -> None:
        """A repeating timer, so that a handler which swallows the exception meets it again."""
        now = time.monotonic()
        self.ticks.append((now, time.process_time()))
        if not self.until or now <= self.until:
            return
        if frame is not None and frame.f_code is LEAVING:
            self.until = 0.0  # it has just come back in time enough
            return
        self.until = now + GRACE
        late = DeadlineReached()
        late.file = frame.f_code.co_filename if frame is not None else ""
        since, before = self.ticks[0]
        late.waits = self.ticks[-1][1] - before < IDLE * (now - since)
        raise late


LEAVING = Limit.__exit__.__code__


class Session:
    """What a program in the worker has: a channel to the supervisor, and a way to call with a deadline."""

    def __init__(self, channel: Channel, watch: Watch, deadline: float) -> None:
        self.channel = channel
        self.watch = watch
        self.limit = Limit(deadline)

    @contextlib.contextmanager
    def calling(self, note: bytes) -> Iterator[None]:
        """Code inside runs under the deadline; `note` tells the supervisor what it is, should it never return."""
        self.watch.begin(note)
        try:
            with self.limit:
                yield
        finally:
            self.watch.end()


def main(arguments: list[str]) -> None:
    reading, writing, watch, limits, program = arguments
    settings, home = json.loads(limits), str(Path.cwd())
    _end_with(settings["supervisor"])
    _limit(settings)
    channel = Channel(*map(_out_of_the_way, (int(reading), int(writing))))
    session = Session(channel, Watch(Path(watch), create=False), settings["deadline"])
    keep(settings["scratch"], settings["allowed"])
    signal.signal(signal.SIGALRM, session.limit.on_tick)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run(program, session, home)
    except StatefulError as error:
        session.channel.send("refused", [type(error).__name__, str(error)])
    except MemoryError:
        os._exit(FULL)
    except BaseException as error:
        if isinstance(error, OSError) and error.errno == errno.EBADF:
            os._exit(LOST)  # the subject has closed our pipe
        session.channel.send("broken", traceback.format_exc())
    session.channel.send("end")
    session.channel.flush()
    os._exit(0)


def run(program: str, session: Session, home: str) -> None:
    """All that is ours is imported before modules are looked for in the user's folder."""
    module, _, name = program.partition(":")
    function: Any = getattr(importlib.import_module(module), name)
    find_modules_in(home)
    gc.freeze()
    function(session)


def _out_of_the_way(descriptor: int) -> int:
    """The same file by a high number: `open(5)` is the file with this number, and low numbers are what is drawn most.

    Where the system has no room it stays where it is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    top = HIGH if hard == resource.RLIM_INFINITY else min(HIGH, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (top if soft == resource.RLIM_INFINITY else max(soft, top), hard))
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, top - ROOM)
    except (OSError, ValueError):
        return descriptor
    os.close(descriptor)
    return moved


def _end_with(supervisor: int) -> None:
    """A worker that never comes back must not outlive a supervisor that is killed. Elsewhere than on Linux the closed
    pipe ends it, with its next message."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != supervisor:
            os._exit(LOST)


def _limit(settings: dict[str, Any]) -> None:
    """Bounds on memory and files, and a place of its own; what the subject prints goes nowhere."""
    os.chdir(settings["scratch"])
    with contextlib.suppress(ValueError, OSError):  # not every system bounds the address space
        resource.setrlimit(resource.RLIMIT_AS, (settings["memory"], settings["memory"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (settings["file_size"], settings["file_size"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    stack = open("stack.txt", "w+", encoding="utf-8")  # noqa: SIM115 - stays open for the signal handler
    faulthandler.enable(stack)
    faulthandler.register(signal.SIGUSR1, stack)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115


if __name__ == "__main__":  # under its own name, so that there is one DeadlineReached and not two
    importlib.import_module("stateful.sandbox.worker").main(sys.argv[1:])
