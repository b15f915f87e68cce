"""Contracts written with icontract are read: conditions that can be evaluated, and their text."""

from __future__ import annotations

from types import SimpleNamespace

import deal
import icontract

from stateful.subject.source import leading_conditions
from stateful.subject.written import call_as_written, dealt_exceptions, precondition_of, written_clauses


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
        ("ensures", "self.balance < old(self.balance)"),
        ("ensures", "result is None"),
    ]


def test_a_function_without_contracts_has_none() -> None:
    assert precondition_of(len) is None
    assert written_clauses(test_a_function_without_contracts_has_none) == []


class Dealt:
    def __init__(self) -> None:
        self.n = 0

    @deal.pre(lambda self, amount, times=1: amount > self.n)
    @deal.pre(lambda _: _.amount < 100, message="small")
    @deal.post(lambda result: result >= 0)
    @deal.raises(ValueError, KeyError)
    def add(self, amount: int, times: int = 1) -> int:
        self.n += amount * times
        return self.n


@deal.inv(lambda self: self.n >= 0)
class Invariant:
    def __init__(self, n: int) -> None:
        self.n = n


def test_contracts_of_deal_are_read_and_evaluated() -> None:
    holds = precondition_of(Dealt.add)
    assert holds is not None
    subject = Dealt()
    assert [holds({"self": subject, "amount": amount}) for amount in (5, 0, 500)] == [True, False, False]
    assert holds({"self": subject, "amount": "x"}) is None
    texts = {(clause.kind, clause.text) for clause in written_clauses(Dealt.add) if clause.readable}
    assert texts == {("requires", "amount > self.n"), ("requires", "amount < 100"), ("ensures", "result >= 0")}
    assert dealt_exceptions(Dealt.add) == ("ValueError", "KeyError")


def test_a_class_with_an_invariant_of_deal_is_called_as_it_is_written() -> None:
    call_as_written(Invariant)
    assert (Invariant.__module__, Invariant.__qualname__) == (__name__, "Invariant")


LIMIT = 4
limits = SimpleNamespace(highest=4)


class Tank:
    def __init__(self) -> None:
        self.level = 0

    def fill(self, amount: int, *more: int) -> None:
        if self.level >= LIMIT:
            raise OverflowError
        if amount > limits.highest or more:
            raise ValueError
        self.level += amount

    @classmethod
    def made(cls, amount: int) -> Tank:
        if cls.__name__ == "Tank" and amount > LIMIT:
            raise ValueError
        return cls()


def test_a_guard_is_told_with_the_constants_of_its_module() -> None:
    told = [(clause.text, clause.readable) for clause in leading_conditions(Tank.fill)]
    assert told == [("not self.level >= 4", True), ("not (amount > limits.highest or more)", False)]
    assert [clause.readable for clause in leading_conditions(Tank.made.__func__)] == [False]  # type: ignore[attr-defined]
