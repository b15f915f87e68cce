"""Written contracts of every kind: each routine is named after what calling it should come to."""

from __future__ import annotations

import deal
import icontract


@icontract.invariant(lambda self: self.total >= 0)
class Account(icontract.DBC):
    def __init__(self) -> None:
        self.total = 10

    @icontract.require(lambda amount: amount > 0)
    def refuses_a_wrong_amount(self, amount: int) -> None:
        self.total += amount

    @icontract.ensure(lambda result: result < 0)
    def fails_its_promise(self) -> int:
        return self.total

    @icontract.snapshot(lambda self: self.total, name="total")
    @icontract.ensure(lambda self, OLD: self.total == OLD.total + 1)
    def fails_its_promise_about_before(self) -> None:
        self.total += 2

    def fails_the_invariant(self) -> None:
        self.total = -1

    def fails_by_calling_wrongly(self) -> None:
        self.refuses_a_wrong_amount(-1)

    def fails_by_calling_what_calls_wrongly(self) -> None:
        self.fails_by_calling_wrongly()

    def refuses_by_a_guard(self, amount: int) -> int:
        if amount < 1000:
            raise ValueError("too little")
        return amount

    def refuses_by_an_assert(self, amount: int) -> int:
        assert amount > 1000
        return amount

    def fails_an_assert_about_itself(self) -> int:
        found = self.total
        assert self.total < 0
        return found

    def refuses_what_is_not_written(self) -> None:
        raise NotImplementedError


class Savings(Account):
    """Inherits the contracts of what it overrides."""

    def refuses_a_wrong_amount(self, amount: int) -> None:
        self.total += 2 * amount

    def fails_its_promise(self) -> int:
        return 5


@deal.inv(lambda self: self.left >= 0)
class Ticket:
    def __init__(self) -> None:
        self.left = 3

    @deal.pre(lambda self, times: times > 0)
    def refuses_too_few_times(self, times: int) -> int:
        return times

    @deal.post(lambda result: result > 1000)
    def fails_its_promise(self) -> int:
        return self.left

    @deal.ensure(lambda self, times, result: result == times)
    def fails_its_promise_about_arguments(self, times: int) -> int:
        return times + 1

    @deal.raises(KeyError)
    def refuses_as_it_announces(self) -> None:
        {}["missing"]

    def fails_the_invariant(self) -> None:
        self.left = -1

    def fails_by_calling_wrongly(self) -> int:
        return self.refuses_too_few_times(-1)


class Documented:
    def __init__(self) -> None:
        self.items: dict[str, int] = {}

    def refuses_as_documented(self) -> int:
        """The first item.

        Raises:
            StopIteration: if there is none
        """
        return next(iter(self.items.values()))

    def fails_silently(self) -> float:
        return 1 / len(self.items)

    def refuses_an_annotation(self, key: str) -> str:
        return key.upper()
