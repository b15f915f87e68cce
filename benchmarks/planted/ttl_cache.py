"""A bounded cache whose entries expire, in the style of cachetools."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Callable, Generic, Hashable, Iterator, Optional, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class TTLCache(Generic[K, V]):
    """Least recently used cache with a time to live for each entry.

    :param maxsize: how many entries are kept at most
    :param ttl: seconds after which an entry is gone
    :param timer: a monotonic clock
    :raises ValueError: if maxsize is not positive or ttl is not
    """

    def __init__(self, maxsize: int, ttl: float, timer: Callable[[], float] = time.monotonic) -> None:
        if maxsize <= 0:
            raise ValueError("maxsize must be positive")
        if not ttl > 0:
            raise ValueError("ttl must be positive")
        self._maxsize = maxsize
        self._ttl = ttl
        self._timer = timer
        self._entries: OrderedDict[K, tuple[V, float]] = OrderedDict()
        self.hits = 0
        self.misses = 0
        self.evictions = 0

    @property
    def maxsize(self) -> int:
        return self._maxsize

    @property
    def ttl(self) -> float:
        return self._ttl

    def _alive(self, key: K) -> bool:
        entry = self._entries.get(key)
        return entry is not None and self._timer() < entry[1]

    def expire(self) -> int:
        """Remove what is too old; how many that were."""
        now = self._timer()
        old = [key for key, (_, deadline) in self._entries.items() if deadline <= now]
        for key in old:
            del self._entries[key]
        return len(old)

    def get(self, key: K, default: Optional[V] = None) -> Optional[V]:
        if not self._alive(key):
            self.misses += 1
            self._entries.pop(key, None)
            return default
        self.hits += 1
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def put(self, key: K, value: V, ttl: Optional[float] = None) -> None:
        life = self._ttl if ttl is None else ttl
        if key in self._entries:
            del self._entries[key]
        elif len(self._entries) >= self._maxsize:
            if not self.expire():
                self._entries.popitem(last=False)
                self.evictions += 1
        self._entries[key] = (value, self._timer() + life)

    def discard(self, key: K) -> bool:
        return self._entries.pop(key, None) is not None

    def clear(self) -> None:
        self._entries.clear()

    def resize(self, maxsize: int) -> None:
        """Keep at most maxsize entries from now on.

        :raises ValueError: if maxsize is not positive
        """
        if maxsize <= 0:
            raise ValueError("maxsize must be positive")
        self._maxsize = maxsize
        self.expire()
        while len(self._entries) > maxsize:
            self._entries.popitem(last=False)
            self.evictions += 1

    def __contains__(self, key: object) -> bool:
        return self._alive(key)  # type: ignore[arg-type]

    def __len__(self) -> int:
        self.expire()
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        self.expire()
        return iter(list(self._entries))

    def stats(self) -> dict[str, int]:
        return {"hits": self.hits, "misses": self.misses, "evictions": self.evictions}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._entries)}/{self._maxsize}, ttl={self._ttl})"
