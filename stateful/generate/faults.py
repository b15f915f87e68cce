"""Write the faults that a writer collected, with what is known of them by now."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from stateful.judge.beliefs import likelihood_of
from stateful.store.writer import Writer, clean

__all__ = ["write_faults"]

NO_HABITS: Mapping[str, tuple[int, int]] = {}
COUNT_TESTS = "UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest)"


def write_faults(writer: Writer, habits: Mapping[str, tuple[int, int]] = NO_HABITS) -> list[str]:
    """Write the faults that the writer collected so far, and what is known of them now. Gives those that are new.

    `habits` says for classes and laws how often the law was tried and broken."""
    older = {digest.hex for (digest,) in writer.database.rows("SELECT digest FROM faults")} - writer.new
    faults = [fault for digest, fault in writer.faults.items() if digest not in older]
    if not writer.faults:
        return sorted(writer.new)
    places = {key: (file, line) for key, file, line in writer.database.rows("SELECT id, file, line FROM routines")}
    learned = defaultdict(list)
    for key, kinds in writer.database.rows("SELECT routine_id, learned FROM parameters ORDER BY routine_id, slot"):
        learned[key].append(kinds or [])
    keys = [writer.routines[fault["routine"]] for fault in faults]
    rows = [_fault_row(fault, key, places[key], learned[key], habits) for fault, key in zip(faults, keys, strict=True)]
    with writer.database.transaction():
        if rows:
            writer.database.run("DELETE FROM faults WHERE list_contains(?, digest)", [[row["digest"] for row in rows]])
        writer.database.append_rows("faults", rows)
        writer.database.run(COUNT_TESTS)
    writer.new |= {row["digest"].hex for row in rows}
    return sorted(writer.new)


def _fault_row(
    fault: dict[str, Any], routine: int, place: tuple[str, int], passed: list[list[str]],
    habits: Mapping[str, tuple[int, int]],
) -> dict[str, Any]:  # fmt: skip
    file, line = place
    habit = habits.get("\t".join((fault["class"], fault["law"], fault["form"]))) if fault["law"] else None
    likelihood, reason = likelihood_of(fault, passed, habit)
    plain_likelihood, plain_reason = likelihood_of({**fault, "odd": 0}, passed, habit)
    odd_likelihood, odd_reason = likelihood_of({**fault, "odd": 1}, passed, habit)
    return {
        "digest": UUID(fault["digest"]), "likelihood": likelihood, "kind": fault["kind"], "reason": reason,
        "routine_id": routine, "exception": fault["exception"], "message": clean(fault["message"]),
        "file": fault["file"] or shown_file(file), "line": fault["line"] or line, "law": fault["law"],
        "class": fault["class"] or None,
        "trace": json.dumps(fault["trace"]), "found_by": fault["found_by"], "tests": 0,
        "calls": fault["calls"], "reproducer": None, "confirmed": None,
        "plain_likelihood": plain_likelihood, "plain_reason": plain_reason,
        "odd_likelihood": odd_likelihood, "odd_reason": odd_reason,
    }  # fmt: skip


def shown_file(path: str) -> str:
    """A file relative to the working directory, or else to its own folder's place on the search path."""
    bases = [os.getcwd(), *sorted(filter(None, sys.path), key=len, reverse=True)]
    base = next((base for base in bases if path.startswith(base.rstrip(os.sep) + os.sep)), None)
    return os.path.relpath(path, base) if base else os.path.basename(path)
