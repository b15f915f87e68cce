# lazyheap: addressable priority queue on top of heapq.
#
# Removing or re-prioritising does not search the heap: the old entry is
# marked dead and skipped when it comes to the top.  Equal priorities come out
# in the order in which they were pushed.  Items must be hashable, they need
# not be comparable.  MIT.

import heapq
from itertools import count

_DEAD = object()


class EmptyHeap(IndexError):
    pass


class LazyHeap:
    def __init__(self, pairs=()):
        self._heap = []
        self._entries = {}
        self._seq = count()
        for item, priority in pairs:
            self.push(item, priority)

    def push(self, item, priority):
        """Add item, or move it to a new priority when it is queued already."""
        old = self._entries.get(item)
        if old is not None:
            if old[0] == priority:
                return
            self._kill(old)
        self._insert(item, priority, next(self._seq))

    def _insert(self, item, priority, seq):
        entry = [priority, seq, item]
        self._entries[item] = entry
        heapq.heappush(self._heap, entry)

    def _kill(self, entry):
        del self._entries[entry[2]]
        entry[2] = _DEAD
        if len(self._heap) > 16 and len(self._heap) > 2 * len(self._entries):
            self._compact()

    def _compact(self):
        self._heap = [e for e in self._heap if e[2] is not _DEAD]
        heapq.heapify(self._heap)

    def _settle(self):
        heap = self._heap
        while heap and heap[0][2] is _DEAD:
            heapq.heappop(heap)
        if not heap:
            raise EmptyHeap("heap is empty")

    def pop(self):
        """Remove the smallest entry, return (item, priority)."""
        self._settle()
        priority, _, item = heapq.heappop(self._heap)
        del self._entries[item]
        return item, priority

    def peek(self):
        self._settle()
        priority, _, item = self._heap[0]
        return item, priority

    def remove(self, item):
        """Remove item; KeyError when it is not queued."""
        self._kill(self._entries[item])

    def discard(self, item):
        if item in self._entries:
            self.remove(item)

    def priority(self, item):
        return self._entries[item][0]

    def adjust(self, item, delta):
        """Add delta to the priority of a queued item, return the new one."""
        new = self._entries[item][0] + delta
        self.push(item, new)
        return new

    def merge(self, other):
        """Queue everything that is in other, which is left as it is.

        An item queued on both sides keeps the smaller of its priorities.
        """
        for priority, seq, item in sorted(other._entries.values()):
            mine = self._entries.get(item)
            if mine is not None:
                if mine[0] <= priority:
                    continue
                self._kill(mine)
            self._insert(item, priority, next(self._seq))

    def copy(self):
        twin = type(self)()
        twin.merge(self)
        twin._seq = count(1 + max((e[1] for e in self._heap), default=-1))
        return twin

    def drain(self, limit=None):
        """Pop until the heap is empty or the next priority exceeds limit."""
        while self._entries:
            if limit is not None and self.peek()[1] > limit:
                return
            yield self.pop()

    def clear(self):
        self._heap.clear()
        self._entries.clear()

    def __contains__(self, item):
        return item in self._entries

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        # in priority order, without consuming anything
        for priority, _, item in sorted(self._entries.values()):
            yield item, priority

    def __repr__(self):
        return "<LazyHeap %d live, %d dead>" % (len(self._entries), len(self._heap) - len(self._entries))


def heap_sorted(items, key):
    """Stable sort of hashable, distinct items by key(item)."""
    return [item for item, _ in LazyHeap((i, key(i)) for i in items).drain()]
