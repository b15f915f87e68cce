"""Work on every item of a list on all cores: copies of this process, which share its memory, take items in turn.

Only for work of our own that computes: a copy must touch neither the database nor anything else that threads hold,
and what it finds is pickled.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

__all__ = ["cores", "spread"]

Item = TypeVar("Item")
Result = TypeVar("Result")
NUMBER = struct.Struct("=I")
MOST_ITEMS = 8192  # their numbers have to fit into a pipe that nobody reads yet


def cores() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[Item], Result], items: Sequence[Item], processes: int) -> list[Result]:
    """The results in the order of the items.

    >>> spread(lambda number: number * number, [1, 2, 3, 4], 2)
    [1, 4, 9, 16]
    """
    if min(processes, len(items)) < 2 or len(items) > MOST_ITEMS or not hasattr(os, "fork"):
        return [work(item) for item in items]
    waiting = _queue_of(len(items))
    copies = [_Copy(work, items, waiting) for _ in range(min(processes, len(items)) - 1)]
    try:
        found = {number: work(items[number]) for number in _taken(waiting)}
        for copy in copies:
            found.update(copy.results())
    finally:
        os.close(waiting)
        for copy in copies:
            copy.end()
    return [found[number] if number in found else work(item) for number, item in enumerate(items)]


def _queue_of(count: int) -> int:
    """A pipe that holds the numbers of all items; whoever reads one has it for himself."""
    waiting, writing = os.pipe()
    os.write(writing, b"".join(map(NUMBER.pack, range(count))))
    os.close(writing)
    return waiting


def _taken(waiting: int) -> Iterator[int]:
    while data := os.read(waiting, NUMBER.size):
        yield NUMBER.unpack(data)[0]


class _Copy(Generic[Result]):
    """A process that takes items until none is left. What it did not do, because it failed or died, is missing."""

    def __init__(self, work: Callable[[Item], Result], items: Sequence[Item], waiting: int) -> None:
        self.reading, writing = os.pipe()
        with warnings.catch_warnings():  # of threads: the copy uses nothing that they may hold
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process = os.fork()
        if self.process == 0:
            done = []
            try:
                with suppress(Exception):  # whoever waits does that item again, and can tell why it fails
                    for number in _taken(waiting):
                        done.append((number, work(items[number])))
                with os.fdopen(writing, "wb") as answer:  # at the end: a full pipe would keep it from working
                    pickle.dump(done, answer, pickle.HIGHEST_PROTOCOL)
            finally:
                os._exit(0)
        os.close(writing)

    def results(self) -> list[tuple[int, Result]]:
        with os.fdopen(os.dup(self.reading), "rb") as answer, suppress(EOFError, pickle.UnpicklingError):
            return pickle.load(answer)  # type: ignore[no-any-return]
        return []

    def end(self) -> None:
        os.close(self.reading)
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
