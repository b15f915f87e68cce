"""sparsepoly -- univariate polynomials with few terms and large exponents.

Coefficients are exact rationals (``int`` or ``fractions.Fraction``).  Only
non-zero terms are stored, so ``x**100000 - 1`` costs two dictionary entries.

    >>> p = Poly({2: 1, 0: -1})
    >>> q, r = divmod(p, Poly({1: 1, 0: 1}))
    >>> print(q, '|', r)
    x - 1 | 0
"""

from fractions import Fraction
from numbers import Rational

__version__ = "0.4.2"
__all__ = ["Poly", "X"]


def _tidy(value):
    """Return an int when *value* is a whole Fraction, else *value*."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


class Poly:
    """A mutable sparse polynomial in one variable.

    :param terms: mapping ``exponent -> coefficient`` or an iterable of
        ``(exponent, coefficient)`` pairs; repeated exponents are summed.
    :raises TypeError: a coefficient is not rational or an exponent no int.
    :raises ValueError: an exponent is negative.
    """

    __slots__ = ("_terms",)
    __hash__ = None

    def __init__(self, terms=()):
        self._terms = {}
        pairs = terms.items() if hasattr(terms, "items") else terms
        for exp, coef in pairs:
            if not isinstance(exp, int):
                raise TypeError("exponent must be an int, got %r" % (exp,))
            if not isinstance(coef, Rational):
                raise TypeError("coefficient must be rational, got %r" % (coef,))
            if exp < 0:
                raise ValueError("negative exponent %d" % exp)
            self._bump(exp, coef)

    def _bump(self, exp, coef):
        total = _tidy(self._terms.get(exp, 0) + coef)
        if total:
            self._terms[exp] = total
        else:
            self._terms.pop(exp, None)

    @staticmethod
    def _coerce(value):
        if isinstance(value, Poly):
            return value
        if isinstance(value, Rational):
            return Poly({0: value})
        return None

    # -- inspection --------------------------------------------------------

    @property
    def degree(self):
        """Highest exponent, or -1 for the zero polynomial."""
        return max(self._terms, default=-1)

    def coefficient(self, exp):
        """Coefficient of ``x**exp`` (0 when the term is absent)."""
        return self._terms.get(exp, 0)

    def __iter__(self):
        """Yield ``(exponent, coefficient)`` from the highest exponent down."""
        return iter(sorted(self._terms.items(), reverse=True))

    def __len__(self):
        return len(self._terms)

    def __eq__(self, other):
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        return self._terms == other._terms

    def __call__(self, x):
        """Evaluate at *x*, walking the gaps between exponents."""
        result, last = 0, self.degree
        for exp, coef in self:
            result = result * x ** (last - exp) + coef
            last = exp
        return result * x**last if self._terms else 0

    def copy(self):
        twin = Poly()
        twin._terms = dict(self._terms)
        return twin

    # -- arithmetic --------------------------------------------------------

    def __neg__(self):
        return Poly((e, -c) for e, c in self._terms.items())

    def __iadd__(self, other):
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        for exp, coef in list(other._terms.items()):
            self._bump(exp, coef)
        return self

    def __isub__(self, other):
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        mine = self._terms
        for exp, coef in list(other._terms.items()):
            if exp not in mine:
                mine[exp] = -coef
            else:
                self._bump(exp, -coef)
        return self

    def __add__(self, other):
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        result = self.copy()
        result += other
        return result

    __radd__ = __add__

    def __sub__(self, other):
        other = self._coerce(other)
        return NotImplemented if other is None else self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        result = Poly()
        for e1, c1 in self._terms.items():
            for e2, c2 in other._terms.items():
                result._bump(e1 + e2, c1 * c2)
        return result

    __rmul__ = __mul__

    def __pow__(self, n):
        if not isinstance(n, int) or n < 0:
            raise ValueError("power must be a non-negative int")
        result, base = Poly({0: 1}), self
        while n:
            if n & 1:
                result = result * base
            base, n = base * base, n >> 1
        return result

    def __divmod__(self, other):
        """Quotient and remainder; ZeroDivisionError for a zero divisor."""
        other = self._coerce(other)
        if other is None:
            return NotImplemented
        if not other:
            raise ZeroDivisionError("polynomial division by zero")
        quotient, rest, top = Poly(), self.copy(), other.degree
        lead = other.coefficient(top)
        while rest.degree >= top:
            shift = rest.degree - top
            factor = Fraction(rest.coefficient(rest.degree)) / lead
            quotient._bump(shift, factor)
            rest = rest - other * Poly({shift: factor})
        return quotient, rest

    def derivative(self):
        return Poly((e - 1, c * e) for e, c in self._terms.items() if e)

    def __repr__(self):
        return "Poly({%s})" % ", ".join("%d: %r" % t for t in self)

    def __str__(self):
        out = ""
        for exp, coef in self:
            var = "" if exp == 0 else "x" if exp == 1 else "x**%d" % exp
            size = abs(coef)
            body = var if size == 1 and var else "*".join(filter(None, (str(size), var)))
            sign = "-" if coef < 0 else "+"
            out += " %s %s" % (sign, body) if out else ("-" if coef < 0 else "") + body
        return out or "0"


X = Poly({1: 1})
