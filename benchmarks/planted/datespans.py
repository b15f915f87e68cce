"""Sets of calendar days, stored as disjoint spans.

Spans include both of their ends.  A span that never ends has ``date.max`` as
its end (``Span.since`` makes one), a span that has always been has
``date.min`` as its start.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Iterable, Iterator, Optional

ONE_DAY = timedelta(days=1)


def _is_day(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


@dataclass(frozen=True, order=True)
class Span:
    """The days from ``start`` to ``end``, both included.

    Raises:
        TypeError: an end is not a plain ``date``.
        ValueError: ``end`` lies before ``start``.
    """

    start: date
    end: date

    def __post_init__(self) -> None:
        for day in (self.start, self.end):
            if not _is_day(day):
                raise TypeError(f"expected a date, got {day!r}")
        if self.end < self.start:
            raise ValueError(f"span ends before it starts: {self.start}..{self.end}")

    @classmethod
    def since(cls, start: date) -> Span:
        """The open-ended span that begins on *start*."""
        return cls(start, date.max)

    @classmethod
    def month(cls, year: int, month: int) -> Span:
        """The calendar month."""
        first = date(year, month, 1)
        if (year, month) == (date.max.year, 12):
            return cls(first, date.max)
        after = date(year + month // 12, month % 12 + 1, 1)
        return cls(first, after - ONE_DAY)

    def __len__(self) -> int:
        return (self.end - self.start).days + 1

    def __contains__(self, day: object) -> bool:
        return _is_day(day) and self.start <= day <= self.end

    def __iter__(self) -> Iterator[date]:
        for number in range(self.start.toordinal(), self.end.toordinal() + 1):
            yield date.fromordinal(number)

    def intersection(self, other: Span) -> Optional[Span]:
        """The days common to both, or None if there are none."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Span(start, end) if start <= end else None

    def __str__(self) -> str:
        return f"{self.start.isoformat()}..{self.end.isoformat()}"


class SpanSet:
    """A mutable set of days.

    Invariant: the spans are sorted, disjoint and not adjacent, so that two
    sets are equal exactly if they contain the same days.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        # ordinals: _lows[i].._highs[i], both included
        self._lows: list[int] = []
        self._highs: list[int] = []
        for span in spans:
            self.add(span)

    def _window(self, low: int, high: int) -> tuple[int, int]:
        """Indices of the spans that share a day with low..high."""
        first = bisect_right(self._lows, low)
        if first and self._highs[first - 1] >= low:
            first -= 1
        return first, max(first, bisect_right(self._lows, high))

    def add(self, span: Span) -> None:
        """Add all days of *span*, joining what touches it."""
        low, high = span.start.toordinal(), span.end.toordinal()
        i, j = self._window(low - 1, high + 1)
        if i < j:
            low = min(low, self._lows[i])
            high = max(high, self._highs[j - 1])
        self._lows[i:j] = [low]
        self._highs[i:j] = [high]

    def discard(self, span: Span) -> None:
        """Remove all days of *span*; days not in the set are ignored."""
        low, high = span.start.toordinal(), span.end.toordinal()
        i, j = self._window(low, high)
        if i == j:
            return
        rest = []
        if self._lows[i] < low:
            rest.append((self._lows[i], low - 1))
        if self._highs[j - 1] > high:
            rest.append((high + 1, self._highs[j - 1]))
        self._lows[i:j] = [a for a, _ in rest]
        self._highs[i:j] = [b for _, b in rest]

    def __contains__(self, day: object) -> bool:
        if not _is_day(day):
            return False
        number = day.toordinal()
        i = bisect_right(self._lows, number)
        return i > 0 and number <= self._highs[i - 1]

    def __iter__(self) -> Iterator[Span]:
        """Yield the spans in order."""
        for low, high in zip(self._lows, self._highs):
            yield Span(date.fromordinal(low), date.fromordinal(high))

    def __len__(self) -> int:
        """Number of spans (see ``total_days`` for the number of days)."""
        return len(self._lows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return self._lows == other._lows and self._highs == other._highs

    @property
    def total_days(self) -> int:
        return sum(self._highs) - sum(self._lows) + len(self._lows)

    def days(self) -> Iterator[date]:
        """Yield every single day in order."""
        for span in self:
            yield from span

    def copy(self) -> SpanSet:
        twin = SpanSet()
        twin._lows, twin._highs = self._lows[:], self._highs[:]
        return twin

    def __or__(self, other: SpanSet) -> SpanSet:
        result = self.copy()
        for span in other:
            result.add(span)
        return result

    def __sub__(self, other: SpanSet) -> SpanSet:
        result = self.copy()
        for span in other:
            result.discard(span)
        return result

    def __and__(self, other: SpanSet) -> SpanSet:
        return self - (self - other)

    def gaps(self, within: Span) -> SpanSet:
        """The days of *within* that are not in the set."""
        return SpanSet([within]) - self

    def next_free(self, day: date) -> Optional[date]:
        """The first day from *day* on that is not in the set, None if none is left."""
        if day not in self:
            return day
        i = bisect_right(self._lows, day.toordinal()) - 1
        if self._highs[i] == date.max.toordinal():
            return None
        return date.fromordinal(self._highs[i] + 1)

    def __repr__(self) -> str:
        return f"SpanSet([{', '.join(map(str, self))}])"
