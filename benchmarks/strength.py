#!/usr/bin/env python3
"""How strong and how true are inferred contracts? Judged by complete specifications of twelve containers.

    python benchmarks/strength.py                       all of them, 20000 calls each
    python benchmarks/strength.py --tests 5000 stack -v
    python benchmarks/strength.py --check               only: are the specifications true and complete?

Random testing, ingest and infer run by their commands; nothing is reduced. Then every clause is judged on all small
states of the class (benchmarks/specifications/small.py):

* an inferred clause is false if it is not true of one of the calls (a precondition: if a call passes without it);
* a specified clause counts as inferred if it follows from those that are inferred and not false, over calls with
  outcomes real and imagined (implication.py);
* a mutant of a method (mutants.py) that raises nothing new, but does something else, is killed if one of the inferred
  postconditions and invariants that are not false is not true of a call of it (killing.py).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need
sys.path.insert(0, str(Path(__file__).parents[1]))

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from benchmarks.specifications.implication import (
    Candidates,
    allowed,
    allowed_outcomes,
    candidates,
    incomplete,
    not_implied,
)
from benchmarks.specifications.judging import Examined, complaints, examined, refuted
from benchmarks.specifications.killing import Fate, verdicts
from benchmarks.specifications.small import explored
from benchmarks.specifications.specification import FOLDER, Clause, Specification, clause, load, names

ROOT = Path(__file__).parents[1]
KINDS = ("ensures", "requires", "raises", "invariant")


@dataclass
class Report:
    """The numbers of one class, or of all, and what to look at."""

    name: str
    counts: dict[str, list[int]] = field(default_factory=lambda: {kind: [0, 0] for kind in KINDS})  # all, false
    # specified, inferred, inferred if the false ones are taken for true, inferred if results have the annotated types
    posts: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # postconditions
    clauses: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # these and exceptional clauses
    complete: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # routines with all their postconditions
    routines: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # routines with all their clauses
    # that differ, killed, told by exceptions, killed by the specification
    mutants: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    missing: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    surviving: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        for kind, counts in other.counts.items():
            self.counts[kind] = added(self.counts[kind], counts)
        self.posts = added(self.posts, other.posts)
        self.clauses = added(self.clauses, other.clauses)
        self.complete = added(self.complete, other.complete)
        self.routines = added(self.routines, other.routines)
        self.mutants = added(self.mutants, other.mutants)


def added(one: list[int], other: list[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]


# What the tool infers


def inferred(specification: Specification, tests: int, seed: int) -> list[Clause]:
    with tempfile.TemporaryDirectory() as folder:
        subject = str(FOLDER / f"{specification.name}.py")
        numbers = ("--tests", str(tests), "--seed", str(seed), "--workers", "1")
        command(folder, "run", subject, *numbers, "-o", "run.db", "-q")
        command(folder, "ingest", "run.db", "--db", "s.db", "-q")
        command(folder, "infer", "--db", "s.db")
        rows = json.loads(command(folder, "contracts", "--db", "s.db", "--format", "json"))
    found = []
    for row in rows:
        owner, _, routine = row["routine"].rpartition(":")[2].partition(".")
        is_public = owner == specification.cls.__name__ and (routine or "__init__") in specification.routines
        if row["status"] != "written" and is_public:
            found.append(clause(routine or "__init__", row["kind"], row["text"]))
    return found


def command(folder: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # the tool of this checkout, not one that is installed
    line = [sys.executable, "-m", "stateful", *arguments]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"stateful {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


# What it is worth


def judged(examined: Examined, pool: Candidates, found: list[Clause]) -> Report:
    report = Report(examined.specification.name)
    true = []
    for what in found:
        example = refuted(examined, what)
        report.counts[what.kind][0] += 1
        if example is None:
            true.append(what)
        else:
            report.counts[what.kind][1] += 1
            report.false.append(f"{what.routine} {what.kind} {what.text}\n        {example}")
    recall(examined, pool, true, found, report)
    posts = {name: of(true, name, "ensures") + of(true, None, "invariant") for name in examined.cases}
    for verdict in verdicts(examined, posts):
        fate = verdict.fate
        differs = fate in (Fate.KILLED, Fate.SURVIVED)
        report.mutants = added(
            report.mutants, [differs, fate is Fate.KILLED, fate is Fate.EXCEPTION, verdict.is_specified and differs]
        )
        if verdict.fate is Fate.SURVIVED:
            note = "" if verdict.is_specified else "  [the specification does not notice it, either]"
            change = f"{verdict.mutant.routine}: {verdict.mutant.change}{note}"
            report.surviving.append(f"{change}\n        {verdict.example}")
    return report


def of(clauses: list[Clause], routine: str | None, kind: str) -> list[Clause]:
    return [what for what in clauses if what.kind == kind and routine in (what.routine, None)]


def recall(examined: Examined, pool: Candidates, true: list[Clause], found: list[Clause], report: Report) -> None:
    """Counts what follows from the true ones, and from all that were found."""
    specification = examined.specification
    for name in dict.fromkeys((*specification.ensures, *specification.raises)):
        specified = specification.ensures.get(name, []), specification.raises.get(name, [])
        true_only = missed(examined, pool, name, true)
        typed = missed(examined, pool, name, true, is_annotated=True)
        missing = [true_only, missed(examined, pool, name, found), typed]
        for text, example in true_only.items():
            note = "" if text in typed else "  [only if the result need not be of the annotated type]"
            report.missing.append(f"{name} {text}{note}\n        {example}")
        count, total = len(specified[0]), len(specified[0]) + len(specified[1])
        posts = [count - sum(goal.text in miss for goal in specified[0]) for miss in missing]
        report.posts = added(report.posts, [count, *posts])
        report.clauses = added(report.clauses, [total, *(total - len(miss) for miss in missing)])
        report.complete = added(report.complete, [count > 0, *(n == count > 0 for n in posts)])
        report.routines = added(report.routines, [1, *(not miss for miss in missing)])


def missed(
    examined: Examined, pool: Candidates, name: str, clauses: list[Clause], *, is_annotated: bool = False
) -> dict[str, str]:
    """The specified clauses of a routine that do not follow, each with what the inferred ones allow."""
    specification = examined.specification
    premises = of(clauses, name, "ensures") + of(clauses, None, "invariant")
    posts = allowed(examined, name, premises, pool, is_annotated=is_annotated)
    outcomes = allowed_outcomes(examined, name, of(clauses, name, "raises"))
    missing = not_implied(posts, specification.ensures.get(name, []))
    missing |= not_implied(outcomes, specification.raises.get(name, []))
    told = {}
    for text, (case, moment) in missing.items():
        imagined = (
            f"raises {(*moment.raised, 'nothing')[0]}" if "raises(" in text else specification.shown(dict(moment.after))
        )
        told[text] = f"allowed after {examined.example(case)}: {imagined}"
    return told


# What people see

HEAD = (
    f"{'class':15} {'ensures':>7} {'false':>6}  {'requires':>8} {'false':>6}  {'raises':>6} {'false':>5}  "
    f"{'invariants':>10} {'false':>5}  {'posts found':>14}  {'clauses found':>14}  {'routines whole':>14}  "
    f"{'mutants killed':>14}"
)


def line(report: Report) -> str:
    ensures, requires, raises, invariants = (report.counts[kind] for kind in KINDS)
    return (
        f"{report.name:15} {ensures[0]:7} {percent(ensures[1], ensures[0]):>6}  "
        f"{requires[0]:8} {percent(requires[1], requires[0]):>6}  {raises[0]:6} {raises[1]:5}  "
        f"{invariants[0]:10} {invariants[1]:5}  {part(report.posts):>14}  {part(report.clauses):>14}  "
        f"{part(report.routines):>14}  {part(report.mutants):>14}"
    )


def percent(count: int, total: int) -> str:
    return f"{100 * count / total:.0f} %" if total else "-"


def part(counts: list[int]) -> str:
    return f"{counts[1]}/{counts[0]} = {percent(counts[1], counts[0])}"


def details(report: Report) -> None:
    parts = {
        "missing, though specified": report.missing,
        "false, though inferred": report.false,
        "mutants that survive": report.surviving,
    }
    for title, items in parts.items():
        print(f"\n{report.name}: {title}: {len(items)}")
        for item in items:
            print(f"    {item}")
    print()


def bars(total: Report) -> None:
    recalled, falsehood = 100 * total.posts[1] / total.posts[0], total.counts["ensures"]
    false, killed = 100 * falsehood[1] / max(1, falsehood[0]), 100 * total.mutants[1] / max(1, total.mutants[0])
    print()
    for what, number, bar, is_met in (
        ("recall of complete postconditions", recalled, ">= 75", recalled >= 75),
        ("false postconditions", false, "<  10", false < 10),
        ("mutants killed", killed, ">= 80", killed >= 80),
    ):
        print(f"{what:35} {number:5.1f} %   bar {bar} %   {'met' if is_met else 'NOT MET'}")
    print(
        f"\nof routines: {part(total.complete)} have their complete postcondition, {part(total.routines)} all clauses"
    )
    for index, what in ((2, "with the false ones as premises"), (3, "with results of the annotated types only")):
        parts = [part([counts[0], counts[index]]) for counts in (total.posts, total.clauses, total.routines)]
        print(f"{what}: {parts[0]} of postconditions, {parts[1]} of clauses, {parts[2]} of routines")
    print(f"the specifications themselves kill {part([total.mutants[0], total.mutants[3]])} of the mutants")
    print(f"{total.mutants[2]} more mutants raise or do not end where the original does not: told by exceptions alone")


def prepared(name: str) -> tuple[Examined, Candidates]:
    """The subject with all its small calls; a specification that is wrong ends it all."""
    specification = load(name)
    found, pool = examined(explored(specification)), candidates(specification)
    wrong = [*complaints(found), *incomplete(found, pool)]
    if wrong:
        sys.exit("\n".join(f"{name}: {complaint}" for complaint in wrong))
    return found, pool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}; all if there is none")
    parser.add_argument("--tests", type=int, default=20000, help="calls of each session")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="only look at the specifications")
    parser.add_argument("-v", "--verbose", action="store_true", help="what is missing, false, and survives")
    options = parser.parse_args()
    started, total = time.monotonic(), Report("total")
    print("" if options.check else HEAD)
    for name in options.names or names():
        found, pool = prepared(name)
        if options.check:
            calls = sum(map(len, found.cases.values()))
            print(f"{name:15} true and complete over {calls} calls on {len(found.world.states)} states", flush=True)
            continue
        report = judged(found, pool, inferred(found.specification, options.tests, options.seed))
        total.add(report)
        print(line(report), flush=True)
        if options.verbose:
            details(report)
    if not options.check:
        print(f"{line(total)}\n{time.monotonic() - started:.0f} s")
        bars(total)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the same numbers in each run
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()
