"""wordbits - sets of small non-negative integers, packed into 64-bit words.

Two classes with the same reading interface: BitSet can be changed in place,
FrozenBitSet cannot and is hashable.  As with set and frozenset, the two
compare equal when they hold the same numbers, and an operator returns the
type of its left operand.
"""

__all__ = ["BitSet", "FrozenBitSet"]

WORD = 64
MASK = (1 << WORD) - 1


class _Bits:
    """The reading half."""

    __slots__ = ("_words",)

    def __init__(self, numbers=(), capacity=0):
        """numbers: iterable of ints >= 0 to start with.

        capacity: make room for the numbers below it at once.

        Raises ValueError for a negative number.
        """
        self._words = [0] * ((capacity + WORD - 1) // WORD)
        for number in numbers:
            self._set(number)

    def _set(self, number):
        if number < 0:
            raise ValueError("negative number: %d" % number)
        index, bit = divmod(number, WORD)
        if index >= len(self._words):
            self._words.extend([0] * (index + 1 - len(self._words)))
        self._words[index] |= 1 << bit

    @classmethod
    def _make(cls, words):
        new = cls.__new__(cls)
        new._words = words
        return new

    def _trimmed(self):
        """The words without the zeros at the end."""
        size = len(self._words)
        while size and not self._words[size - 1]:
            size -= 1
        return self._words[:size]

    def _pairs(self, other):
        """Words of both sides, the shorter one padded with zeros."""
        a, b = self._words, other._words
        pad = len(a) - len(b)
        return zip(a + [0] * -pad, b + [0] * pad)

    # -- set protocol

    def __contains__(self, number):
        if not isinstance(number, int) or number < 0:
            return False
        index, bit = divmod(number, WORD)
        return index < len(self._words) and bool(self._words[index] >> bit & 1)

    def __iter__(self):
        """Ascending."""
        for index, word in enumerate(self._words):
            base = index * WORD
            while word:
                low = word & -word
                yield base + low.bit_length() - 1
                word ^= low

    def __reversed__(self):
        for index in range(len(self._words) - 1, -1, -1):
            word = self._words[index]
            while word:
                top = word.bit_length() - 1
                yield index * WORD + top
                word ^= 1 << top

    def __len__(self):
        return sum(word.bit_count() for word in self._words)

    def __bool__(self):
        return any(self._words)

    def __eq__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self._trimmed() == other._trimmed()

    __hash__ = None

    def __le__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return not any(a & ~b for a, b in self._pairs(other))

    def __lt__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self <= other and self != other

    def __and__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self._make([a & b for a, b in self._pairs(other)])

    def __or__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self._make([a | b for a, b in self._pairs(other)])

    def __xor__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self._make([a ^ b for a, b in self._pairs(other)])

    def __sub__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        return self._make([a & ~b for a, b in self._pairs(other)])

    def isdisjoint(self, other):
        return not any(a & b for a, b in self._pairs(other))

    def min(self):
        """Smallest number; ValueError if there is none."""
        for number in self:
            return number
        raise ValueError("min() of an empty %s" % type(self).__name__)

    def max(self):
        """Largest number; ValueError if there is none."""
        for number in reversed(self):
            return number
        raise ValueError("max() of an empty %s" % type(self).__name__)

    def __repr__(self):
        return "%s(%r)" % (type(self).__name__, list(self))


class FrozenBitSet(_Bits):
    """Hashable and immutable; good as a dictionary key."""

    __slots__ = ()

    def __hash__(self):
        return hash(("FrozenBitSet", tuple(self._trimmed())))

    def thaw(self):
        return BitSet._make(self._words[:])


class BitSet(_Bits):
    """The mutable one."""

    __slots__ = ()

    def add(self, number):
        self._set(number)

    def discard(self, number):
        if number in self:
            self._words[number // WORD] &= MASK ^ 1 << number % WORD

    def remove(self, number):
        """Like discard, but KeyError if number is not there."""
        if number not in self:
            raise KeyError(number)
        self.discard(number)

    def add_range(self, start, stop):
        """Add the numbers of range(start, stop)."""
        for number in range(start, stop):
            self._set(number)

    def __ior__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        self._words = [a | b for a, b in self._pairs(other)]
        return self

    def __iand__(self, other):
        if not isinstance(other, _Bits):
            return NotImplemented
        self._words = [a & b for a, b in self._pairs(other)]
        return self

    def clear(self):
        self._words = []

    def copy(self):
        return self._make(self._words[:])

    def freeze(self):
        return FrozenBitSet._make(self._words[:])
