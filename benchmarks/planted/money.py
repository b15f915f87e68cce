"""Amounts of money and a bank's ledger."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import total_ordering
from typing import Iterable, Iterator


class CurrencyMismatch(ValueError):
    pass


class InsufficientFunds(Exception):
    """Raised when an account would be overdrawn."""


class Currency(enum.Enum):
    EUR = ("EUR", 2)
    JPY = ("JPY", 0)
    KWD = ("KWD", 3)

    @property
    def digits(self) -> int:
        return self.value[1]

    @property
    def quantum(self) -> Decimal:
        return Decimal(1).scaleb(-self.digits)


@total_ordering
class Money:
    """An immutable amount in a currency."""

    __slots__ = ("_units", "_currency")

    def __init__(self, units: int, currency: Currency = Currency.EUR) -> None:
        self._units = units
        self._currency = currency

    @classmethod
    def of(cls, amount: Decimal, currency: Currency = Currency.EUR) -> Money:
        """Round half even to the currency's digits.

        Raises:
            ValueError: if the amount is not finite
        """
        if not amount.is_finite():
            raise ValueError("amount must be finite")
        return cls(int(amount.scaleb(currency.digits).to_integral_value(ROUND_HALF_EVEN)), currency)

    @property
    def currency(self) -> Currency:
        return self._currency

    @property
    def amount(self) -> Decimal:
        return Decimal(self._units).scaleb(-self._currency.digits)

    def _same(self, other: Money) -> None:
        if self._currency is not other._currency:
            raise CurrencyMismatch(f"{self._currency.name} and {other._currency.name}")

    def __add__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        self._same(other)
        return Money(self._units + other._units, self._currency)

    def __sub__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        self._same(other)
        return Money(self._units - other._units, self._currency)

    def __neg__(self) -> Money:
        return Money(-self._units, self._currency)

    def __mul__(self, factor: int) -> Money:
        if not isinstance(factor, int):
            return NotImplemented
        return Money(self._units * factor, self._currency)

    __rmul__ = __mul__

    def split(self, parts: int) -> list[Money]:
        """Parts that differ by at most one unit and add up to this.

        Raises:
            ValueError: if parts < 1
        """
        if parts < 1:
            raise ValueError("parts must be at least 1")
        quotient, rest = divmod(self._units, parts)
        return [Money(quotient + (1 if i < rest else 0), self._currency) for i in range(parts)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Money):
            return NotImplemented
        return self._units == other._units and self._currency is other._currency

    def __lt__(self, other: Money) -> bool:
        if not isinstance(other, Money):
            return NotImplemented
        self._same(other)
        return self._units < other._units

    def __hash__(self) -> int:
        return hash((self._units, self._currency))

    def __bool__(self) -> bool:
        return self._units != 0

    def __repr__(self) -> str:
        return f"Money({self._units}, {self._currency})"

    def __str__(self) -> str:
        return f"{self.amount} {self._currency.name}"


@dataclass(frozen=True, order=True)
class Entry:
    when: datetime
    amount: Money = field(compare=False)
    text: str = field(default="", compare=False)


class Account:
    def __init__(self, owner: str, currency: Currency = Currency.EUR, overdraft: int = 0) -> None:
        self.owner = owner
        self.currency = currency
        self.overdraft = overdraft
        self._entries: list[Entry] = []
        self._balance = Money(0, currency)
        self._frozen_until: date | None = None

    @property
    def balance(self) -> Money:
        return self._balance

    def _post(self, when: datetime, amount: Money, text: str) -> Entry:
        entry = Entry(when, amount, text)
        self._balance = self._balance + amount
        self._entries.append(entry)
        return entry

    def deposit(self, amount: Money, when: datetime, text: str = "") -> Entry:
        if amount <= Money(0, self.currency):
            raise ValueError("a deposit must be positive")
        return self._post(when, amount, text)

    def withdraw(self, amount: Money, when: datetime, text: str = "") -> Entry:
        if amount <= Money(0, self.currency):
            raise ValueError("a withdrawal must be positive")
        if self.is_frozen(when.date()):
            raise PermissionError("the account is frozen")
        if self._balance - amount < Money(-self.overdraft, self.currency):
            raise InsufficientFunds(f"{self.owner} has only {self._balance}")
        return self._post(when, -amount, text)

    def transfer(self, other: Account, amount: Money, when: datetime) -> None:
        """Withdraw here and deposit there, or neither."""
        if other.currency is not self.currency:
            raise CurrencyMismatch("accounts have different currencies")
        self.withdraw(amount, when, f"to {other.owner}")
        other.deposit(amount, when, f"from {self.owner}")

    def freeze(self, today: date, days: int = 7) -> date:
        """Refuse withdrawals for some days.

        Raises:
            OverflowError: if the date cannot be represented
        """
        self._frozen_until = today + timedelta(days=days)
        return self._frozen_until

    def is_frozen(self, today: date) -> bool:
        return self._frozen_until is not None and today < self._frozen_until

    def entries_between(self, start: datetime, end: datetime) -> Iterator[Entry]:
        return (entry for entry in self._entries if start <= entry.when < end)

    def _check(self) -> bool:
        return sum((e.amount for e in self._entries), Money(0, self.currency)) == self._balance

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)


def total(amounts: Iterable[Money], currency: Currency = Currency.EUR) -> Money:
    result = Money(0, currency)
    for amount in amounts:
        result += amount
    return result
