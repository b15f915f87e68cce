"""A bank account, in whole units of money."""

from __future__ import annotations


class BankAccount:
    """Money of one owner, who may owe up to `limit`."""

    def __init__(self, owner: str, limit: int) -> None:
        if limit < 0:
            raise ValueError("a limit is not negative")
        self._owner = owner
        self._limit = limit
        self._balance = 0
        self._frozen = False

    @property
    def owner(self) -> str:
        """Whose money it is."""
        return self._owner

    @property
    def balance(self) -> int:
        """What is on the account; negative if the owner owes it."""
        return self._balance

    @property
    def limit(self) -> int:
        """How much the owner may owe."""
        return self._limit

    def is_frozen(self) -> bool:
        """Is no money allowed to leave?"""
        return self._frozen

    def available(self) -> int:
        """How much can be withdrawn now."""
        return 0 if self._frozen else self._balance + self._limit

    def has_same_owner(self, other: BankAccount) -> bool:
        """Does `other` belong to the same owner?"""
        return self._owner == other._owner

    def deposit(self, amount: int) -> None:
        """Put money in."""
        if amount <= 0:
            raise ValueError("the amount is not positive")
        self._balance += amount

    def withdraw(self, amount: int) -> int:
        """Take money out; returns the new balance."""
        if amount <= 0:
            raise ValueError("the amount is not positive")
        if amount > self.available():
            raise ValueError("there is not enough money")
        self._balance -= amount
        return self._balance

    def transfer(self, other: BankAccount, amount: int) -> None:
        """Move money to `other`."""
        if other is self:
            raise ValueError("this is the same account")
        self.withdraw(amount)
        other.deposit(amount)

    def collect(self, other: BankAccount) -> int:
        """Move to this account whatever is on `other`, which has the same owner; returns how much it was."""
        if other is self or not self.has_same_owner(other):
            raise ValueError("this is not another account of the same owner")
        amount = other._balance
        self._balance += amount
        other._balance = 0
        return amount

    def set_limit(self, limit: int) -> None:
        """Change how much the owner may owe."""
        if limit < 0 or limit < -self._balance:
            raise ValueError("the limit is negative, or more is owed")
        self._limit = limit

    def set_frozen(self, frozen: bool) -> None:
        """Freeze the account, or thaw it."""
        self._frozen = frozen
