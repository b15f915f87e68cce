"""Convert quantities with a table of rates read from text.

A rate file has one rate per line; blank lines and ``#`` comments are skipped:

    1 km = 1000 m
    1 in = 2.54 cm      # by definition
    3 ft = 36 in

Rates work in both directions and are chained as needed.  All arithmetic is
exact (``fractions.Fraction``).
"""

from collections import deque
from fractions import Fraction
from numbers import Rational


class RateError(Exception):
    """Base class."""


class RateSyntaxError(RateError, ValueError):
    """Text that cannot be understood.

    Attributes:
        reason: what is wrong
        lineno: number of the offending line, None outside of a rate file
    """

    def __init__(self, reason, lineno=None):
        self.reason = reason
        self.lineno = lineno
        super().__init__(reason if lineno is None else f"line {lineno}: {reason}")


class UnknownUnit(RateError, LookupError):
    """A unit without a rate."""


class NoConversion(RateError):
    """Two known units that no chain of rates connects."""


class RateConflict(RateError):
    """A rate that contradicts the ones already in the book."""


def _is_unit(text):
    return text.split() == [text] and not set(text) & set("#=")


def _number(text):
    try:
        if "e" in text.lower():
            raise ValueError("no exponents")
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise RateSyntaxError(f"not a number: {text!r}") from None


def parse_quantity(text: str) -> tuple[Fraction, str]:
    """Split ``"2.54 cm"`` into its number and its unit.

    Numbers may be written as ``12``, ``2.5`` or ``5/9``.

    Raises:
        RateSyntaxError: *text* is anything but a number followed by a unit.
    """
    fields = text.split()
    if len(fields) != 2 or not _is_unit(fields[1]):
        raise RateSyntaxError(f"expected a number and a unit, got {text.strip()!r}")
    number, unit = fields
    return _number(number), unit


def parse_rates(text: str) -> "RateBook":
    """Read a whole rate file.

    Raises:
        RateSyntaxError: line ``lineno`` is malformed or has a number <= 0.
        RateConflict: a line contradicts the lines before it.
    """
    book = RateBook()
    for lineno, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        left, equals, right = line.partition("=")
        try:
            if not equals:
                raise RateSyntaxError("'=' is missing")
            amount, unit = parse_quantity(left)
            other_amount, other_unit = parse_quantity(right)
            if amount <= 0 or other_amount <= 0:
                raise RateSyntaxError("numbers must be positive")
        except RateSyntaxError as error:
            raise RateSyntaxError(error.reason, lineno) from None
        book.add(unit, other_unit, other_amount / amount)
    return book


class RateBook:
    """A set of consistent conversion rates."""

    def __init__(self):
        self._rates: dict[str, dict[str, Fraction]] = {}
        self._known: dict[tuple[str, str], Fraction] = {}

    @property
    def units(self) -> list[str]:
        return sorted(self._rates)

    def __contains__(self, unit) -> bool:
        return unit in self._rates

    def add(self, unit: str, other: str, factor: Rational) -> None:
        """State that one *unit* is *factor* of *other*.

        Raises:
            ValueError: the factor is not positive, or a unit no plain word.
            RateConflict: the book already implies a different factor.
        """
        factor = Fraction(factor)
        if factor <= 0:
            raise ValueError("factor must be positive")
        if not (_is_unit(unit) and _is_unit(other)):
            raise ValueError(f"bad unit: {unit!r} or {other!r}")
        implied = Fraction(1) if unit == other else None
        if implied is None and unit in self and other in self:
            implied = self._search(unit, other)
        if implied is not None and implied != factor:
            raise RateConflict(f"1 {unit} is {implied} {other}, not {factor}")
        self._rates.setdefault(unit, {})
        self._rates.setdefault(other, {})
        if unit != other:
            self._rates[unit][other] = factor
            self._rates[other][unit] = 1 / factor

    def remove(self, unit: str, other: str) -> None:
        """Forget the direct rate between two units; the units stay known.

        Raises:
            KeyError: there is no direct rate between them.
        """
        if other not in self._rates.get(unit, ()):
            raise KeyError((unit, other))
        del self._rates[unit][other]
        del self._rates[other][unit]
        self._known.clear()

    def _search(self, source, target):
        """Breadth first; None if there is no way."""
        reached = {source: Fraction(1)}
        queue = deque([source])
        while queue:
            unit = queue.popleft()
            if unit == target:
                return reached[unit]
            for following, factor in self._rates[unit].items():
                if following not in reached:
                    reached[following] = reached[unit] * factor
                    queue.append(following)
        return None

    def factor(self, source: str, target: str) -> Fraction:
        """How many *target* make one *source*.

        Raises:
            UnknownUnit: one of the units is not in the book.
            NoConversion: no chain of rates connects them.
        """
        for unit in (source, target):
            if unit not in self._rates:
                raise UnknownUnit(unit)
        if (source, target) not in self._known:
            found = self._search(source, target)
            if found is None:
                raise NoConversion(f"{source} -> {target}")
            self._known[source, target] = found
        return self._known[source, target]

    def convert(self, value: Rational, source: str, target: str) -> Fraction:
        """Convert *value* (an int or Fraction); raises as ``factor`` does."""
        return value * self.factor(source, target)

    def convert_text(self, text: str, target: str) -> str:
        """``book.convert_text("3 ft", "in")`` gives ``"36 in"``."""
        value, unit = parse_quantity(text)
        return f"{self.convert(value, unit, target)} {target}"

    def dump(self) -> str:
        """The direct rates as a rate file that ``parse_rates`` understands."""
        lines = []
        for unit in self.units:
            if not self._rates[unit]:
                lines.append(f"1 {unit} = 1 {unit}\n")
            for other, factor in sorted(self._rates[unit].items()):
                if unit < other:
                    lines.append(f"1 {unit} = {factor} {other}\n")
        return "".join(lines)
