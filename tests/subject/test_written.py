"""Contracts written with icontract are read: conditions that can be evaluated, and their text."""

from __future__ import annotations

import icontract

from stateful.subject.written import precondition_of, written_clauses


class Account(icontract.DBC):
    def __init__(self) -> None:
        self.balance = 10

    @icontract.require(lambda amount: amount > 0)
    @icontract.require(
        lambda self, amount: amount <= self.balance,
        "enough money",
    )
    @icontract.snapshot(lambda self: self.balance, name="balance")
    @icontract.ensure(lambda self, OLD: self.balance < OLD.balance)
    @icontract.ensure(lambda result: result is None)
    def withdraw(self, amount: int) -> None:
        self.balance -= amount

    @icontract.require(lambda amount: amount < 5)
    def pay(self, amount: int = 7) -> None:
        self.balance += amount


class Lenient(Account):
    @icontract.require(lambda amount: amount == -1)
    def withdraw(self, amount: int) -> None:
        self.balance -= amount


def test_conditions_are_evaluated_before_the_call() -> None:
    holds = precondition_of(Account.withdraw)
    assert holds is not None
    account = Account()
    assert [holds({"self": account, "amount": amount}) for amount in (5, 0, 11)] == [True, False, False]
    assert holds({"self": account, "amount": "x"}) is None


def test_a_parameter_that_is_left_out_has_its_default() -> None:
    holds = precondition_of(Account.pay)
    assert holds is not None
    assert holds({"self": Account()}) is False
    assert holds({"self": Account(), "amount": 1}) is True


def test_a_subclass_weakens_what_it_inherits() -> None:
    holds = precondition_of(Lenient.withdraw)
    assert holds is not None
    assert [holds({"self": Lenient(), "amount": amount}) for amount in (-1, 5, 0)] == [True, True, False]


def test_texts_are_read_in_the_order_of_the_source() -> None:
    found = written_clauses(Account.withdraw)
    assert [(clause.kind, clause.text) for clause in found if clause.readable] == [
        ("requires", "amount > 0"),
        ("requires", "amount <= self.balance"),
        ("ensures", "self.balance < OLD.balance"),
        ("ensures", "result is None"),
    ]


def test_a_function_without_contracts_has_none() -> None:
    assert precondition_of(len) is None
    assert written_clauses(test_a_function_without_contracts_has_none) == []
