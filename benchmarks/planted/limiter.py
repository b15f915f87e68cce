"""Token bucket, state machine, priority queue with lazy deletion, async semaphore-like pool."""

from __future__ import annotations

import asyncio
import enum
import heapq
import itertools
import time
from collections import deque
from typing import Awaitable, Callable, Deque, Dict, Generic, List, Optional, Tuple, TypeVar

T = TypeVar("T")


class Clock:
    """A clock that tests can turn."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("time does not go back")
        self.now += seconds

    def __call__(self) -> float:
        return self.now


class TokenBucket:
    """At most `burst` at once and `rate` in each second."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        if rate <= 0 or burst < 1:
            raise ValueError("rate and burst must be positive")
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._last = clock()

    def _refill(self) -> None:
        now = self._clock()
        self._tokens = min(float(self.burst), self._tokens + (now - self._last) * self.rate)
        self._last = now

    def available(self) -> int:
        self._refill()
        return int(self._tokens)

    def try_acquire(self, count: int = 1) -> bool:
        if count < 1:
            raise ValueError("count must be positive")
        self._refill()
        if self._tokens < count:
            return False
        self._tokens -= count
        return True

    def wait_time(self, count: int = 1) -> float:
        """Seconds until `count` can be acquired.

        Raises:
            ValueError: if count is more than burst
        """
        if count > self.burst:
            raise ValueError("never")
        self._refill()
        return max(0.0, (count - self._tokens) / self.rate)


class PriorityQueue(Generic[T]):
    """Lowest priority first; items are unique, their priority can be changed."""

    _REMOVED = object()

    def __init__(self) -> None:
        self._heap: List[list] = []
        self._entries: Dict[T, list] = {}
        self._counter = itertools.count()

    def push(self, item: T, priority: int = 0) -> None:
        if item in self._entries:
            self.remove(item)
        entry = [priority, next(self._counter), item]
        self._entries[item] = entry
        heapq.heappush(self._heap, entry)

    def remove(self, item: T) -> None:
        """
        Raises:
            KeyError: if it is not there
        """
        entry = self._entries.pop(item)
        entry[-1] = self._REMOVED

    def pop(self) -> T:
        """
        Raises:
            IndexError: if the queue is empty
        """
        while self._heap:
            item = heapq.heappop(self._heap)[-1]
            if item is not self._REMOVED:
                del self._entries[item]
                return item
        raise IndexError("pop from an empty priority queue")

    def peek(self) -> Optional[T]:
        while self._heap and self._heap[0][-1] is self._REMOVED:
            heapq.heappop(self._heap)
        return self._heap[0][-1] if self._heap else None

    def priority(self, item: T) -> Optional[int]:
        entry = self._entries.get(item)
        return None if entry is None else entry[0]

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, item: object) -> bool:
        return item in self._entries


class State(enum.Enum):
    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"


class IllegalTransition(Exception):
    pass


class Job:
    TRANSITIONS = {
        State.IDLE: {State.RUNNING},
        State.RUNNING: {State.PAUSED, State.DONE},
        State.PAUSED: {State.RUNNING, State.DONE},
        State.DONE: set(),
    }

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = State.IDLE
        self.progress = 0
        self.history: List[Tuple[State, State]] = []

    def _go(self, to: State) -> None:
        if to not in self.TRANSITIONS[self.state]:
            raise IllegalTransition(f"{self.state.value} to {to.value}")
        self.history.append((self.state, to))
        self.state = to

    def start(self) -> None:
        self._go(State.RUNNING)

    def pause(self) -> None:
        self._go(State.PAUSED)

    def resume(self) -> None:
        if self.state is not State.PAUSED:
            raise IllegalTransition("not paused")
        self._go(State.RUNNING)

    def step(self, percent: int = 10) -> int:
        if self.state is not State.RUNNING:
            raise IllegalTransition("not running")
        if percent < 0:
            raise ValueError("percent")
        self.progress = min(100, self.progress + percent)
        if self.progress == 100:
            self._go(State.DONE)
        return self.progress

    def is_done(self) -> bool:
        return self.state is State.DONE


class ResourcePool(Generic[T]):
    """An asynchronous pool of resources."""

    def __init__(self, size: int, factory: Callable[[], T]) -> None:
        if size < 1:
            raise ValueError("size must be at least 1")
        self._factory = factory
        self._size = size
        self._idle: Deque[T] = deque()
        self._used = 0

    async def acquire(self) -> T:
        """
        Raises:
            RuntimeError: if all are in use
        """
        if self._used >= self._size:
            raise RuntimeError("exhausted")
        await asyncio.sleep(0)
        self._used += 1
        return self._idle.popleft() if self._idle else self._factory()

    async def release(self, resource: T) -> None:
        if not self._used:
            raise RuntimeError("nothing acquired")
        self._used -= 1
        self._idle.append(resource)

    @property
    def in_use(self) -> int:
        return self._used

    async def __aenter__(self) -> ResourcePool[T]:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._idle.clear()
