"""The phases of benchmarks/reduction.py for one class and seed: random testing, reduction, control, validation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stateful
from benchmarks import validation
from benchmarks.validation import ILL_TYPED, Claim, raised_in
from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.to_vectors import UNDEFINED, UNKNOWN, verdicts_of
from stateful.infer.candidates import passing_of
from stateful.infer.columns import RoutineColumns, ValueTable, columns_of
from stateful.infer.engine import routine_rows, shapes_of
from stateful.report.contracts import code_of_test
from stateful.store.database import Database

__all__ = ["Failure", "Fate", "Measured", "Times", "is_importable", "measured"]

KINDS = ("requires", "ensures", "raises")
SEEDS = {"control": 1000, "validation": 2000}
SECONDS_OF_SMALL = 30.0
MOST_LINES = 14


class Failure(Exception):
    """A command of the tool went wrong."""


@dataclass(frozen=True)
class Times:
    """Seconds of random testing, of reduction, and of the random testing that validates."""

    random: float
    reduction: float
    validation: float


@dataclass
class Fate:
    """A clause of the random phase, and what became of it."""

    routine: str
    kind: str
    text: str
    status: str = "gone"  # after reduction; 'gone' if it is inferred no more
    evidence: str = ""
    tries: list[str] = field(default_factory=list)
    refuted: dict[str, str] = field(default_factory=dict)  # by what, with an example
    is_false: bool = False  # somewhere; else it is undefined where it is refuted

    @property
    def claim(self) -> Claim:
        return Claim(self.routine, self.kind, self.text)

    @property
    def is_unsound(self) -> bool:
        return bool(self.refuted)

    @property
    def is_kept(self) -> bool:
        return self.status in ("kept", "guards")

    @property
    def is_invalidated(self) -> bool:
        """Reduction removed it, or inferred it no more because a new test refutes it."""
        return self.status == "removed" or (self.status == "gone" and "reduction" in self.refuted)


@dataclass
class Measured:
    """One class with one seed."""

    name: str
    seed: int
    routines: int = 0
    tests: int = 0
    faults: int = 0
    fates: list[Fate] = field(default_factory=list)
    felled: list[Claim] = field(default_factory=list)  # by the control
    new_tests: int = 0
    new_faults: list[str] = field(default_factory=list)
    control_faults: list[str] = field(default_factory=list)
    only_by_reduction: list[str] = field(default_factory=list)
    seconds: float = 0.0
    small: str = "small states were not tried"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


# The commands

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(Path(stateful.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
}  # the tool that this process has imported, and where the subjects are


def is_importable(target: str) -> bool:
    module, _, name = target.partition(":")
    line = [sys.executable, "-c", f"from {module} import {name}"]
    return subprocess.run(line, env=ENVIRONMENT, capture_output=True, check=False).returncode == 0


def command(folder: Path, *arguments: str) -> None:
    line = [sys.executable, "-m", "stateful", *arguments]
    done = subprocess.run(line, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        said = " ".join(done.stderr.split())[-300:]
        raise Failure(f"stateful {' '.join(arguments)}: exit {done.returncode}: {said}")


def tested(folder: Path, target: str, name: str, seconds: float, seed: int) -> Path:
    """Random testing, added to the database of this name."""
    numbers = ("--time", f"{seconds:.1f}", "--seed", str(seed), "--workers", "1")
    command(folder, "run", target, *numbers, "-o", f"{name}_run.db", "-q")
    command(folder, "ingest", f"{name}_run.db", "--db", f"{name}.db", "-q")
    (folder / f"{name}_run.db").unlink()
    return folder / f"{name}.db"


def measured(
    name: str, target: str, seed: int, times: Times, tell: Callable[[str], None], keep: Path | None = None
) -> Measured:
    """All phases; databases of random testing that an earlier run left in `keep` are used again, and left there."""
    found = Measured(name, seed)
    with _folder(keep, f"{name}-{seed}") as folder:
        if not (folder / "random.db").exists():
            tell("random phase")
            tested(folder, target, "random", times.random, seed)
            command(folder, "infer", "--db", "random.db")
        shutil.copy(folder / "random.db", folder / "reduction.db")
        tell("reduction")
        started = time.monotonic()
        command(folder, "reduce", "--db", "reduction.db", "--time", f"{times.reduction:g}", "-q")
        found.seconds = time.monotonic() - started
        if not (folder / "control.db").exists():
            tell("control")
            shutil.copy(folder / "random.db", folder / "control.db")
            tested(folder, target, "control", found.seconds, seed + SEEDS["control"])
            command(folder, "infer", "--db", "control.db")
        if not (folder / "validation.db").exists():
            tell("validation")
            tested(folder, target, "validation", times.validation, seed + SEEDS["validation"])
        _compare(folder, target, found, tell)
    return found


@contextmanager
def _folder(keep: Path | None, name: str) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield Path(temporary)
    else:
        (keep / name).mkdir(parents=True, exist_ok=True)
        yield (keep / name).resolve()


def _compare(folder: Path, target: str, found: Measured, tell: Callable[[str], None]) -> None:
    tell("judging the clauses")
    found.fates = _fates(folder)
    claims = [fate.claim for fate in found.fates]
    refuted = {name: refuted_in(folder / f"{name}.db", claims) for name in ("validation", "control", "reduction")}
    tell("small states")
    small = _small(folder, target, claims, found)
    for fate in found.fates:
        for name, tests in refuted.items():
            if fate.claim in tests:
                fate.refuted[name] = str(tests[fate.claim].test)
                fate.is_false |= tests[fate.claim].is_false
        if fate.claim in small:
            fate.refuted["small"], is_false = small[fate.claim]
            fate.is_false |= is_false
    left = {row[0] for row in _clauses(folder / "control.db")}
    found.felled = [claim for claim in claims if claim in refuted["control"] and claim not in left]
    _exemplify(folder, [fate for fate in found.fates if fate.is_kept])
    _count(folder, found)


CLAUSES = """
SELECT r.name, c.kind, c.text, c.id, c.status, c.evidence, c.witness
FROM clauses c JOIN routines r ON r.id = c.routine_id
WHERE c.kind IN ('requires', 'ensures', 'raises') AND c.status <> 'written' ORDER BY ALL
"""
TRIES = """
SELECT clause_id, way || ': ' || found || ' found, ' || tried || ' tried, ' || violating || ' violating: ' || verdict
FROM reductions ORDER BY id
"""


def _clauses(path: Path) -> list[tuple[Claim, int, str, str, int | None]]:
    """The inferred clauses, each with its id, status, evidence, and witness."""
    with Database.open(path) as database:
        return [(Claim(*row[:3]), *row[3:]) for row in database.rows(CLAUSES)]


def _fates(folder: Path) -> list[Fate]:
    """The clauses of the random phase, and what they are after reduction."""
    found = {row[0]: Fate(*row[0]) for row in _clauses(folder / "random.db")}
    with Database.open(folder / "reduction.db") as database:
        tries: dict[int, list[str]] = defaultdict(list)
        for key, told in database.rows(TRIES):
            tries[key].append(told)
    witnesses = {}
    for claim, key, status, evidence, witness in _clauses(folder / "reduction.db"):
        if claim in found:
            fate = found[claim]
            fate.status, fate.evidence, fate.tries = status, evidence or "", tries[key]
            if status == "removed" and witness is not None:
                witnesses[claim] = witness
    for claim in witnessed(folder / "reduction.db", witnesses):
        found[claim].refuted["witness"] = found[claim].evidence
    return list(found.values())


def _small(folder: Path, target: str, claims: Sequence[Claim], found: Measured) -> dict[Claim, tuple[str, bool]]:
    """The claims that a call on a small state refutes, each with the call, and whether it is false, not undefined."""
    with Database.open(folder / "random.db") as database:
        rows = database.rows(
            "SELECT r.name, p.slot, p.learned FROM parameters p JOIN routines r ON r.id = p.routine_id"
        )
    learned = {f"{name}\t{slot}": kinds or [] for name, slot, kinds in rows}
    request, answer = folder / "request.json", folder / "answer.json"
    answer.unlink(missing_ok=True)
    request.write_text(
        json.dumps({"target": target, "learned": learned, "claims": claims, "seconds": SECONDS_OF_SMALL})
    )
    line = [sys.executable, str(validation.__file__), str(request), str(answer)]
    environment = {**ENVIRONMENT, "PYTHONHASHSEED": "0"}
    try:
        subprocess.run(
            line, cwd=folder, env=environment, capture_output=True, check=False, timeout=3 * SECONDS_OF_SMALL
        )
    except subprocess.TimeoutExpired:
        found.small = "small states took too long"
    if not answer.exists():
        return {}
    told = json.loads(answer.read_text())
    found.small = f"{told['calls']} calls on {told['states']} small states"
    return {Claim(*claim): (example, is_false) for claim, example, is_false in told["refuted"]}


# On the test cases of a database


class Refutation(NamedTuple):
    """A test case, and whether the clause is false there, or only undefined."""

    test: int
    is_false: bool


def refuted_in(path: Path, claims: Sequence[Claim]) -> dict[Claim, Refutation]:
    """The claims that are false in some test case, or undefined."""
    with Database.open(path) as database:
        views = _views(database, claims)
        found = {claim: views[claim.routine].refutation(claim) for claim in claims if claim.routine in views}
    return {claim: refutation for claim, refutation in found.items() if refutation is not None}


def witnessed(path: Path, witnesses: Mapping[Claim, int]) -> list[Claim]:
    """The claims that their witness really refutes: a passing call, well typed, with all that the claim speaks of."""
    with Database.open(path) as database:
        views = _views(database, list(witnesses))
        unread = {test for (test,) in database.rows(UNREAD)}
        return [c for c, test in witnesses.items() if test in unread or views[c.routine].is_witness(c, test)]


UNREAD = """
SELECT t.id FROM test_cases t JOIN snapshot_evaluations e ON e.snapshot_id IN (t.pre_snapshot, t.post_snapshot)
WHERE e.status = 'failed' AND t.outcome IN ('pass', 'refuse')
"""


def _views(database: Database, claims: Sequence[Claim]) -> dict[str, _Views]:
    names = {claim.routine for claim in claims}
    rows = [row for row in routine_rows(database, None) if row["name"] in names]
    executed = columns_of(database, shapes_of(rows), ValueTable(database))
    odd = np.array([test for (test,) in database.rows(WITH_NAN, ['["float", "nan"]'])], np.int64)
    fair = {key: columns.chosen(np.flatnonzero(~np.isin(columns.tests, odd))) for key, columns in executed.items()}
    return {row["name"]: _Views(fair[row["id"]]) for row in rows}


# Copies of nan are not equal to it, so `old(list(self)) == list(self)` may be false of what did not change.
WITH_NAN = """
WITH odd AS (SELECT DISTINCT e.snapshot_id FROM evaluations e JOIN values v ON v.id = e.value_id
             WHERE contains(v.record, ?))
SELECT id FROM test_cases WHERE pre_snapshot IN (FROM odd) OR post_snapshot IN (FROM odd)
"""


class _Views:
    """The test cases of a routine, as clauses of each kind look at them."""

    def __init__(self, executed: RoutineColumns) -> None:
        passing = passing_of(executed)
        fitting = [row for row, raised in enumerate(executed.exceptions) if not ILL_TYPED & {*raised}]
        self.columns = {
            "requires": passing.before_only(), "ensures": passing, "raises": executed.chosen(fitting),
            "ill-typed": executed,
        }  # fmt: skip

    def of(self, claim: Claim) -> tuple[RoutineColumns, n.Expr]:
        expression = parse(claim.text)
        return self.columns["ill-typed" if ILL_TYPED & raised_in(expression) else claim.kind], expression

    def is_witness(self, claim: Claim, test: int) -> bool:
        """What was not recorded is believed, but a call without an argument says nothing about that."""
        columns, expression = self.of(claim)
        for row in np.flatnonzero(columns.tests == test):
            verdict = verdicts_of(expression, columns)[row]
            absent = [
                name
                for name in n.slots_of(expression)
                if all(name not in places or places[name][row] < 0 for places in columns.places)
            ]
            return bool(verdict != 1 and not (verdict == UNKNOWN and absent))
        return False

    def refutation(self, claim: Claim) -> Refutation | None:
        columns, expression = self.of(claim)
        verdicts = verdicts_of(expression, columns)
        for verdict in (0, UNDEFINED):
            wrong = np.flatnonzero(verdicts == verdict)
            if len(wrong):
                return Refutation(int(columns.tests[wrong[0]]), verdict == 0)
        return None


def _exemplify(folder: Path, fates: Sequence[Fate]) -> None:
    """The calls of a test that refutes each instead of its number."""
    for name in ("validation", "control", "reduction"):
        with Database.open(folder / f"{name}.db") as database:
            for fate in fates:
                if name in fate.refuted:
                    lines = (code_of_test(database, int(fate.refuted[name])) or "").splitlines()
                    more = [f"... {len(lines) - MOST_LINES} calls ..."] if len(lines) > MOST_LINES else []
                    fate.refuted[name] = "\n".join([*more, *lines[-MOST_LINES:]])


FAULTS = """
SELECT f.digest, f.likelihood || ' ' || r.name || ' ' || coalesce(f.law, f.exception, f.kind) || ', found by '
       || f.found_by || ': ' || left(coalesce(f.message, ''), 150)
FROM faults f JOIN routines r ON r.id = f.routine_id WHERE f.confirmed IS NOT FALSE ORDER BY ALL
"""


def _count(folder: Path, found: Measured) -> None:
    faults, tests = {}, {}
    for name in ("random", "reduction", "control", "validation"):
        with Database.open(folder / f"{name}.db") as database:
            faults[name] = dict(database.rows(FAULTS))
            tests[name] = int(database.value("SELECT count(*) FROM test_cases"))
            if name == "random":
                found.routines = int(database.value("SELECT count(*) FROM routines WHERE NOT helper"))
    old = faults["random"]
    found.tests, found.faults, found.new_tests = tests["random"], len(old), tests["reduction"] - tests["random"]
    found.new_faults = [told for key, told in faults["reduction"].items() if key not in old]
    found.control_faults = [told for key, told in faults["control"].items() if key not in old]
    others = {**old, **faults["control"], **faults["validation"]}
    found.only_by_reduction = [told for key, told in faults["reduction"].items() if key not in others]
