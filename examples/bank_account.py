"""An account with contracts written with icontract. Its fault waits for an account that has been upgraded."""

from __future__ import annotations

import icontract


class BankAccount:
    """Money in whole euros."""

    def __init__(self) -> None:
        self.balance = 0
        self.deposits = 0
        self.gold = False

    @icontract.require(lambda amount: amount > 0)
    @icontract.snapshot(lambda self: self.balance, name="balance")
    @icontract.ensure(lambda self, amount, OLD: self.balance == OLD.balance + amount)
    def deposit(self, amount: int) -> None:
        """Pay money in."""
        self.balance += amount
        self.deposits += 1

    @icontract.require(lambda self: self.can_upgrade())
    @icontract.ensure(lambda self: self.gold)
    def upgrade(self) -> None:
        """Make it a gold account."""
        self.gold = True

    def can_upgrade(self) -> bool:
        """Gold is for accounts with at least three deposits."""
        return self.deposits >= 3 and not self.gold

    @icontract.require(lambda amount: amount > 0)
    @icontract.require(lambda self, amount: amount <= self.balance)
    @icontract.snapshot(lambda self: self.balance, name="balance")
    @icontract.ensure(lambda self, amount, OLD: self.balance == OLD.balance - amount)
    def withdraw(self, amount: int) -> int:
        """Take money out."""
        if self.gold and amount > 50:
            amount -= 1  # the bonus for large amounts: it is paid out, but never booked
        self.balance -= amount
        return amount
