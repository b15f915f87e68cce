"""The call that killed its worker becomes a test case and a fault, from what the worker said before it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from stateful.judge.faults import iterates
from stateful.judge.ordinary import odd_literals
from stateful.sandbox import Ended
from stateful.store.writer import Writer
from stateful.subject.model import Routine

__all__ = ["write_killer"]


def write_killer(
    writer: Writer, ended: Ended, routine: Routine, operands: list[list[Any]], session: int, found_by: str
) -> tuple[str, str]:
    """Write them; gives the digests of the fault and of the test.

    `operands` says for each slot where its operand came from."""
    fault = _digest(ended.outcome, routine.name)
    known = {operand[1]: writer.calls_to(operand[1]) or 0 for operand in operands if operand[1]}
    calls = sum(known.values()) + 1
    odd = odd_literals(routine, [operand[3] for operand in operands if operand[0]])
    writer.add_fault({
        "digest": fault, "kind": ended.outcome, "routine": routine.name, "exception": None, "message": ended.reason,
        "file": "", "line": 0, "law": None, "trace": [],  "arguments": [], "class": "", "form": "", "source": "",
        "iterates": iterates(routine),
        "odd": odd, "calls": calls, "found_by": found_by,
    })  # fmt: skip
    test = _digest(ended.outcome, routine.name, operands)
    writer.add_test({
        "digest": test, "routine": routine.name, "snapshots": [],
        "outcome": ended.outcome, "reason": ended.reason, "raised": None, "message": "", "changed": None,
        "fault": fault, "found_by": found_by, "operands": operands, "calls": calls, "odd": odd,
    }, (), session)  # fmt: skip
    return fault, test


def _digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()
