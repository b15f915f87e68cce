"""Write the faults that a writer collected, with what is known of them by now."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from stateful.judge.faults import likelihood_of
from stateful.store.writer import Writer, clean

__all__ = ["write_faults"]

NO_HABITS: Mapping[str, tuple[int, int]] = {}
COUNT_TESTS = "UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest)"


def write_faults(writer: Writer, habits: Mapping[str, tuple[int, int]] = NO_HABITS) -> list[str]:
    """Write the faults that the writer collected so far, and what is known of them now. Gives those that are new.

    `habits` says for classes and laws how often the law was tried and broken."""
    known = {digest.hex for (digest,) in writer.database.rows("SELECT digest FROM faults")}
    rows = [
        _fault_row(writer, fault, habits) for digest, fault in writer.faults.items() if digest not in known - writer.new
    ]
    with writer.database.transaction():
        for row in rows:
            writer.database.run("DELETE FROM faults WHERE digest = ?", [row["digest"]])
        writer.database.append_rows("faults", rows)
        writer.database.run(COUNT_TESTS)
    writer.new |= {row["digest"].hex for row in rows}
    return sorted(writer.new)


def _fault_row(writer: Writer, fault: dict[str, Any], habits: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    routine = writer.routines[fault["routine"]]
    file, line = writer.database.rows("SELECT file, line FROM routines WHERE id = ?", [routine])[0]
    learned = writer.database.rows("SELECT learned FROM parameters WHERE routine_id = ? ORDER BY slot", [routine])
    habit = habits.get("\t".join((fault["class"], fault["law"], fault["form"]))) if fault["law"] else None
    passed = [kinds or [] for (kinds,) in learned]
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
