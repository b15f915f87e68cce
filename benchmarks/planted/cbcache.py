"""Bounded caches that tell you what they throw away.

Two policies share one interface: :class:`LRUCache` evicts the entry used
longest ago, :class:`LFUCache` the one used least often (the oldest of them in
case of a tie).  Every entry that leaves the cache is reported to the optional
``on_remove(key, value, reason)`` callback, with reason one of ``"evicted"``,
``"deleted"`` and ``"replaced"``.  The callback runs after the cache has been
brought up to date, so it may use the cache.
"""

from collections import OrderedDict

EVICTED = "evicted"
DELETED = "deleted"
REPLACED = "replaced"

_RAISE = object()


class Cache:
    """What both policies have in common.  Not for direct use."""

    def __init__(self, maxsize, on_remove=None):
        """
        :param maxsize: number of entries kept, at least 1
        :param on_remove: callable ``(key, value, reason)`` or None
        :raises ValueError: if maxsize is less than 1
        """
        if maxsize < 1:
            raise ValueError("maxsize must be at least 1")
        self._maxsize = maxsize
        self._on_remove = on_remove
        self._data = OrderedDict()
        self.hits = self.misses = 0

    # policy hooks
    def _used(self, key):
        raise NotImplementedError

    def _added(self, key):
        raise NotImplementedError

    def _victim(self):
        raise NotImplementedError

    def _forget(self, key):
        pass

    def _report(self, key, value, reason):
        if self._on_remove is not None:
            self._on_remove(key, value, reason)

    @property
    def maxsize(self):
        return self._maxsize

    def __len__(self):
        return len(self._data)

    def __contains__(self, key):
        """Membership does not count as a use."""
        return key in self._data

    def __iter__(self):
        return iter(list(self._data))

    def peek(self, key, default=None):
        """Look a value up without counting it as a use."""
        return self._data.get(key, default)

    def __getitem__(self, key):
        if key not in self._data:
            self.misses += 1
            raise KeyError(key)
        self.hits += 1
        self._used(key)
        return self._data[key]

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __setitem__(self, key, value):
        if key in self._data:
            old = self._data[key]
            self._data[key] = value
            self._used(key)
            self._report(key, old, REPLACED)
            return
        gone = self._evict() if len(self._data) >= self._maxsize else None
        self._data[key] = value
        self._added(key)
        if gone is not None:
            self._report(*gone, EVICTED)

    def _evict(self):
        key = self._victim()
        self._forget(key)
        return key, self._data.pop(key)

    def popitem(self):
        """Remove and return the (key, value) that would be evicted next.

        :raises KeyError: if the cache is empty
        """
        if not self._data:
            raise KeyError("popitem(): cache is empty")
        key, value = self._evict()
        self._report(key, value, DELETED)
        return key, value

    def __delitem__(self, key):
        if key not in self._data:
            raise KeyError(key)
        self._forget(key)
        self._report(key, self._data.pop(key), DELETED)

    def pop(self, key, default=_RAISE):
        if key not in self._data:
            if default is _RAISE:
                raise KeyError(key)
            return default
        value = self._data[key]
        del self[key]
        return value

    def resize(self, maxsize):
        """Change the capacity, evicting as many entries as necessary."""
        if maxsize < 1:
            raise ValueError("maxsize must be at least 1")
        self._maxsize = maxsize
        gone = []
        while len(self._data) > maxsize:
            gone.append(self._evict())
        for key, value in gone:
            self._report(key, value, EVICTED)


class LRUCache(Cache):
    """Least recently used."""

    def _used(self, key):
        self._data.move_to_end(key)

    _added = _used

    def _victim(self):
        return next(iter(self._data))


class LFUCache(Cache):
    """Least frequently used; all operations but deletion are O(1)."""

    def __init__(self, maxsize, on_remove=None):
        super().__init__(maxsize, on_remove)
        self._count = {}
        self._buckets = {}
        self._lowest = 0

    def frequency(self, key):
        """How often the key has been used, its insertion included."""
        return self._count[key]

    def _leave(self, key):
        count = self._count.pop(key)
        bucket = self._buckets[count]
        del bucket[key]
        if not bucket:
            del self._buckets[count]
        return count

    def _enter(self, key, count):
        self._count[key] = count
        self._buckets.setdefault(count, OrderedDict())[key] = None

    def _added(self, key):
        self._enter(key, 1)
        self._lowest = 1

    def _used(self, key):
        count = self._leave(key)
        self._enter(key, count + 1)
        if count == self._lowest and count not in self._buckets:
            self._lowest = count + 1

    def _victim(self):
        return next(iter(self._buckets[self._lowest]))

    def _forget(self, key):
        count = self._leave(key)
        if count == self._lowest and count not in self._buckets:
            self._lowest = min(self._buckets, default=0)
