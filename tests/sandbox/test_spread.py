"""Copies of the process that share the work: nothing is lost, whatever becomes of a copy."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from stateful.sandbox.spread import spread


def test_the_results_come_in_the_order_of_the_items_however_large() -> None:
    def work(number: int) -> bytes:
        time.sleep(0.002 * (number % 3))
        return bytes([number]) * 300_000

    assert spread(work, list(range(20)), 3) == [work(number) for number in range(20)]


def test_several_processes_take_part() -> None:
    def work(_: int) -> int:
        time.sleep(0.05)
        return os.getpid()

    assert len(set(spread(work, list(range(8)), 2))) == 2


def test_a_copy_that_dies_costs_nothing_but_time() -> None:
    parent = os.getpid()

    def work(number: int) -> int:
        time.sleep(0.01)
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert spread(work, list(range(10)), 3) == list(range(10))


def test_what_a_copy_did_before_it_failed_is_not_done_again() -> None:
    parent, taken = os.getpid(), []

    def work(number: int) -> int:
        time.sleep(0.05)
        taken.append(number)
        if os.getpid() != parent and len(taken) > 2:
            raise MemoryError
        return os.getpid()

    done = spread(work, list(range(10)), 2)
    assert len(done) == 10
    assert len([pid for pid in done if pid != parent]) == 2


def test_an_error_of_the_work_is_raised_here() -> None:
    def work(number: int) -> int:
        time.sleep(0.01)
        return 1 // (number - 7)

    with pytest.raises(ZeroDivisionError):
        spread(work, list(range(10)), 2)


def test_an_interrupt_leaves_no_copy_behind(tmp_path: Path) -> None:
    parent = os.getpid()

    def work(number: int) -> int:
        if os.getpid() == parent:
            raise KeyboardInterrupt
        time.sleep(2)
        (tmp_path / "late").touch()
        return number

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        spread(work, list(range(10)), 2)
    assert time.monotonic() - began < 1.5
    assert not (tmp_path / "late").exists()
