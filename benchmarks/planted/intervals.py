"""Interval sets: sorted disjoint half-open ranges of integers."""

from __future__ import annotations

import bisect
from typing import Iterable, Iterator, NamedTuple, Optional


class Interval(NamedTuple):
    start: int
    stop: int

    @property
    def width(self) -> int:
        return self.stop - self.start

    def overlaps(self, other: Interval) -> bool:
        return self.start < other.stop and other.start < self.stop


class IntervalSet:
    """A set of integers, stored as half-open intervals that neither overlap nor touch."""

    def __init__(self, intervals: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        for start, stop in intervals:
            self.add(start, stop)

    def add(self, start: int, stop: int) -> None:
        """Add start .. stop - 1; nothing if it is empty."""
        if start >= stop:
            return
        low = bisect.bisect_left(self._stops, start)
        high = bisect.bisect_right(self._starts, stop)
        if low < high:
            start = min(start, self._starts[low])
            stop = max(stop, self._stops[high - 1])
        self._starts[low:high] = [start]
        self._stops[low:high] = [stop]

    def remove(self, start: int, stop: int) -> None:
        """Remove start .. stop - 1, as far as it is there."""
        if start >= stop:
            return
        low = bisect.bisect_right(self._stops, start)
        high = bisect.bisect_left(self._starts, stop)
        if low >= high:
            return
        starts: list[int] = []
        stops: list[int] = []
        if self._starts[low] < start:
            starts.append(self._starts[low])
            stops.append(start)
        if self._stops[high - 1] > stop:
            starts.append(stop)
            stops.append(self._stops[high - 1])
        self._starts[low:high] = starts
        self._stops[low:high] = stops

    def __contains__(self, value: int) -> bool:
        i = bisect.bisect_right(self._starts, value) - 1
        return i >= 0 and value < self._stops[i]

    def find(self, value: int) -> Optional[Interval]:
        i = bisect.bisect_right(self._starts, value) - 1
        if i >= 0 and value < self._stops[i]:
            return Interval(self._starts[i], self._stops[i])
        return None

    def __iter__(self) -> Iterator[Interval]:
        return map(Interval, self._starts, self._stops)

    def __len__(self) -> int:
        """The number of intervals."""
        return len(self._starts)

    @property
    def total(self) -> int:
        return sum(self._stops) - sum(self._starts)

    @property
    def span(self) -> Optional[Interval]:
        if not self._starts:
            return None
        return Interval(self._starts[0], self._stops[-1])

    def copy(self) -> IntervalSet:
        new = IntervalSet()
        new._starts = list(self._starts)
        new._stops = list(self._stops)
        return new

    def __or__(self, other: IntervalSet) -> IntervalSet:
        new = self.copy()
        for start, stop in other:
            new.add(start, stop)
        return new

    def __sub__(self, other: IntervalSet) -> IntervalSet:
        new = self.copy()
        for start, stop in other:
            new.remove(start, stop)
        return new

    def __and__(self, other: IntervalSet) -> IntervalSet:
        return self - (self - other)

    def gaps(self) -> IntervalSet:
        """What lies between the intervals."""
        return IntervalSet(zip(self._stops, self._starts[1:]))

    def shift(self, offset: int) -> None:
        self._starts = [start + offset for start in self._starts]
        self._stops = [stop + offset for stop in self._stops]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalSet):
            return NotImplemented
        return self._starts == other._starts and self._stops == other._stops

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"IntervalSet({[tuple(i) for i in self]})"
