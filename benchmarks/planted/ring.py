"""Ring buffer and bit set; no annotations, few docstrings."""


class Full(Exception):
    pass


class Empty(Exception):
    pass


class RingBuffer:
    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._items = [None] * capacity
        self._head = 0
        self._size = 0

    @property
    def capacity(self):
        return len(self._items)

    def is_empty(self):
        return self._size == 0

    def is_full(self):
        return self._size == len(self._items)

    def push(self, item, overwrite=False):
        if self.is_full():
            if not overwrite:
                raise Full("ring buffer is full")
            self._head = (self._head + 1) % len(self._items)
            self._size -= 1
        self._items[(self._head + self._size) % len(self._items)] = item
        self._size += 1

    def pop(self):
        if not self._size:
            raise Empty("ring buffer is empty")
        item = self._items[self._head]
        self._items[self._head] = None
        self._head = (self._head + 1) % len(self._items)
        self._size -= 1
        return item

    def peek(self):
        if not self._size:
            raise Empty("ring buffer is empty")
        return self._items[self._head]

    def rotate(self, n=1):
        """Move the first n items to the end."""
        if self._size > 1:
            for _ in range(n % self._size):
                self.push_back_front()

    def push_back_front(self):
        item = self.pop()
        self.push(item)

    def resize(self, capacity):
        """Change the capacity; the oldest items are dropped if they do not fit."""
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        kept = list(self)[-capacity:]
        self._items = kept + [None] * (capacity - len(kept))
        self._head = 0
        self._size = len(kept)

    def extend(self, items, overwrite=False):
        for item in items:
            self.push(item, overwrite)

    def clear(self):
        self._items = [None] * len(self._items)
        self._head = self._size = 0

    def __len__(self):
        return self._size

    def __iter__(self):
        for i in range(self._size):
            yield self._items[(self._head + i) % len(self._items)]

    def __getitem__(self, index):
        if not -self._size <= index < self._size:
            raise IndexError("ring buffer index out of range")
        return self._items[(self._head + index % self._size) % len(self._items)]

    def __eq__(self, other):
        if not isinstance(other, RingBuffer):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None

    def __repr__(self):
        return "RingBuffer<%s>" % ", ".join(map(repr, self))


class BitSet:
    """Set of small non-negative integers in one big int."""

    __slots__ = ("_bits",)

    MAX = 10000

    def __init__(self, members=()):
        self._bits = 0
        for m in members:
            self.add(m)

    @classmethod
    def _of(cls, bits):
        self = cls()
        self._bits = bits
        return self

    def add(self, n):
        if not 0 <= n < self.MAX:
            raise ValueError("out of range: %r" % n)
        self._bits |= 1 << n

    def discard(self, n):
        if n in self:
            self._bits &= ~(1 << n)

    def flip(self, n):
        if not 0 <= n < self.MAX:
            raise ValueError("out of range: %r" % n)
        self._bits ^= 1 << n

    def min(self):
        if not self._bits:
            raise ValueError("empty")
        return (self._bits & -self._bits).bit_length() - 1

    def max(self):
        if not self._bits:
            raise ValueError("empty")
        return self._bits.bit_length() - 1

    def __contains__(self, n):
        return isinstance(n, int) and 0 <= n < self.MAX and bool(self._bits >> n & 1)

    def __len__(self):
        return bin(self._bits).count("1")

    def __iter__(self):
        bits = self._bits
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low

    def __or__(self, other):
        return BitSet._of(self._bits | other._bits)

    def __and__(self, other):
        return BitSet._of(self._bits & other._bits)

    def __xor__(self, other):
        return BitSet._of(self._bits ^ other._bits)

    def __sub__(self, other):
        return BitSet._of(self._bits & ~other._bits)

    def __le__(self, other):
        return not self._bits & ~other._bits

    def __eq__(self, other):
        return isinstance(other, BitSet) and self._bits == other._bits

    def __hash__(self):
        return hash(self._bits)

    def __repr__(self):
        return "BitSet(%r)" % (list(self),)
