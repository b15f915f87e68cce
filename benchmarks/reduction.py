#!/usr/bin/env python3
"""How many unsound clauses does reduction invalidate? Table I of "Stateful Testing" (Wei et al., ASE 2011) for
thirteen published container classes.

    PYTHONPATH=PACKAGES python benchmarks/reduction.py                       all of them, seed 1
    PYTHONPATH=PACKAGES python benchmarks/reduction.py SortedList LRU --time 5 --seeds 1,2,3 -v

For each class and seed, by the commands: random testing and inference; these clauses are the denominator. Reduction.
As a control, random testing instead, for the seconds that reduction really used. A clause is unsound if a test case of
longer random testing with other seeds, of the control or of reduction refutes it, or a call on a small state
(validation.py): what all of these miss counts as sound. Test cases with nan are left out: its copies differ from it.
Small states are tried without a sandbox: name no class that you do not trust.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need
sys.path.append(str(Path(__file__).parents[1]))

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from benchmarks.reduction_phases import KINDS, Failure, Fate, Measured, Times, is_importable, measured

CLASSES = {
    target.rpartition(":")[2]: target
    for target in (
        "sortedcontainers:SortedList", "sortedcontainers:SortedSet", "sortedcontainers:SortedDict",
        "boltons.setutils:IndexedSet", "boltons.dictutils:OrderedMultiDict", "boltons.listutils:BarrelList",
        "boltons.cacheutils:LRU", "intervaltree:IntervalTree", "pygtrie:CharTrie", "treelib:Tree",
        "anytree.node.node:Node", "bintrees:RBTree", "disjoint_set:DisjointSet",
    )
}  # fmt: skip


@dataclass
class Row:
    """The numbers of one class, or of several together; the lists are of pre-, post- and exceptional clauses."""

    name: str
    several: Sequence[Measured]

    def count(self, select: Callable[[Fate], bool]) -> list[int]:
        fates = [fate for one in self.several for fate in one.fates if select(fate)]
        return [sum(fate.kind == kind for fate in fates) for kind in KINDS]

    @property
    def present(self) -> list[int]:
        return self.count(lambda _: True)

    @property
    def unsound(self) -> list[int]:
        return self.count(lambda fate: fate.is_unsound)

    @property
    def invalidated(self) -> list[int]:
        return self.count(lambda fate: fate.is_unsound and fate.is_invalidated)

    @property
    def by_control(self) -> list[int]:
        felled = [claim for one in self.several for claim in one.felled]
        return [sum(claim.kind == kind for claim in felled) for kind in KINDS]

    @property
    def kept(self) -> list[int]:
        return self.count(lambda fate: fate.is_kept)

    @property
    def kept_and_sound(self) -> list[int]:
        return self.count(lambda fate: fate.is_kept and not fate.is_unsound)

    @property
    def soundness(self) -> float | None:
        return share(sum(self.kept_and_sound), sum(self.kept))

    def sum(self, number: Callable[[Measured], float]) -> float:
        return sum(number(one) for one in self.several)


def share(count: float, total: float) -> float | None:
    return 100 * count / total if total else None


def shares(counts: list[int], totals: list[int]) -> list[float | None]:
    return [share(count, total) for count, total in zip(counts, totals, strict=True)]


def percent(number: float | None) -> str:
    return "-" if number is None else f"{number:.1f}"


# The table

HEAD = (
    f"{'':18} {'':>4} {'':>7} {'':>6}  {'-- clauses --':>14}  {'-- unsound --':>14}  {'reduction felled %':>20}  "
    f"{'control felled %':>20}  {'kept:':>6}  {'new faults':>11}  {'new':>6} {'':>7}\n"
    f"{'class':18} {'rout':>4} {'tests':>7} {'faults':>6}  {'pre post  exc':>14}  {'pre post  exc':>14}  "
    f"{'pre   post    exc':>20}  {'pre   post    exc':>20}  {'sound%':>6}  {'red. contr.':>11}  {'tests':>6} "
    f"{'seconds':>7}"
)


def line(row: Row) -> str:
    def three(numbers: list[int]) -> str:
        return f"{' '.join(f'{number:4}' for number in numbers):>14}"

    def percents(counts: list[int]) -> str:
        return f"{' '.join(f'{percent(one):>6}' for one in shares(counts, row.unsound)):>20}"

    new, control = row.sum(lambda one: len(one.new_faults)), row.sum(lambda one: len(one.control_faults))
    return (
        f"{row.name:18} {row.sum(lambda one: one.routines):4} {row.sum(lambda one: one.tests):7} "
        f"{row.sum(lambda one: one.faults):6}  {three(row.present)}  {three(row.unsound)}  "
        f"{percents(row.invalidated)}  {percents(row.by_control)}  {percent(row.soundness):>6}  {new:4} {control:6}  "
        f"{row.sum(lambda one: one.new_tests):6} {row.sum(lambda one: one.seconds):7.0f}"
    )


def summary(total: Row) -> str:
    removed = sum(total.count(lambda fate: fate.is_invalidated))
    true = sum(total.count(lambda fate: fate.is_invalidated and not fate.is_unsound))
    gone = sum(total.count(lambda fate: fate.status == "gone" and not fate.is_invalidated))
    fates = [fate for one in total.several for fate in one.fates]
    by = Counter(name for fate in fates for name in fate.refuted)
    told = ", ".join(f"{count} by {name}" for name, count in by.most_common())
    wrong = [fate for fate in fates if fate.is_kept and fate.is_unsound]
    undefined = sum(not fate.is_false for fate in wrong)
    return (
        f"after reduction {sum(total.kept)} clauses are kept, {removed} were felled, {true} of these though no call "
        f"refutes them, {gone} are inferred no more though nothing refutes them\n"
        f"unsound, but kept: {len(wrong)}, of these {undefined} only undefined somewhere, and not false\n"
        f"refuted: {told}; {total.sum(lambda one: len(one.only_by_reduction))} faults that only reduction found"
    )


def numbers(total: Row) -> dict[str, float | None]:
    """What the bars are for, and more to compare."""
    names = ("preconditions", "postconditions", "exceptional clauses")
    reduction, control = shares(total.invalidated, total.unsound), shares(total.by_control, total.unsound)
    return {
        **{f"unsound {name} invalidated": one for name, one in zip(names, reduction, strict=True)},
        "kept clauses that are sound": total.soundness,
        "clauses": sum(total.present),
        **{f"unsound {name} felled by the control": one for name, one in zip(names, control, strict=True)},
        "new faults by reduction": total.sum(lambda one: len(one.new_faults)),
        "new faults by the control": total.sum(lambda one: len(one.control_faults)),
    }


BARS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "unsound preconditions invalidated": (">= 99.4", lambda number: number >= 99.4),
    "unsound postconditions invalidated": (">= 88.2", lambda number: number >= 88.2),
    "kept clauses that are sound": ("> 99.5", lambda number: number > 99.5),
    "clauses": (">= 500", lambda number: number >= 500),
}


def bars(totals: Sequence[Row]) -> None:
    """Each number as its mean over the seeds, with the smallest and the greatest."""
    print()
    tables = [numbers(total) for total in totals]
    for what in tables[0]:
        known = [number for table in tables if (number := table[what]) is not None]
        if not known:
            continue
        mean = statistics.mean(known)
        spread = f"  ({min(known):.1f} to {max(known):.1f})" if len(known) > 1 else ""
        bar, is_met = BARS.get(what, ("", None))
        told = f"   bar {bar}   {'met' if is_met(mean) else 'NOT MET'}" if is_met else ""
        print(f"{what:50} {mean:7.1f}{spread}{told}")


# What the engine missed


def details(one: Measured) -> None:
    survivors = [fate for fate in one.fates if fate.is_kept and fate.is_unsound]
    print(f"\n{one.name}, seed {one.seed}: {one.small}; unsound, but kept: {len(survivors)}")
    for fate in survivors:
        print(f"  {fate.routine.rpartition(':')[2]}  {fate.kind}  {fate.text}")
        print(f"      {fate.status}: {fate.evidence}; {' | '.join(fate.tries) or 'never tried'}")
        how = "" if fate.is_false or "witness" in fate.refuted else ", where it is undefined"
        print(f"      refuted by {', '.join(fate.refuted)}{how}")
        example = min(filter(None, fate.refuted.values()), key=len, default="")
        print("".join(f"        | {text[:200]}\n" for text in example.splitlines()), end="")
    for title, told in (
        ("faults that only reduction found", one.only_by_reduction),
        ("new faults of the control", one.control_faults),
    ):
        print(f"{one.name}: {title}: {len(told)}")
        for text in told:
            print(f"  {' '.join(text.split())}")
    false = [fate for fate in one.fates if fate.is_invalidated and not fate.is_unsound]
    print(f"{one.name}: removed, though nothing refutes them: {len(false)}")
    for fate in false:
        print(f"  {fate.routine.rpartition(':')[2]}  {fate.kind}  {fate.text}: {fate.evidence}")
    print(flush=True)


def tell(place: str, text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {place}: {text}", file=sys.stderr, flush=True)


def several(
    names: Sequence[str], seed: int, times: Times, keep: Path | None, processes: ProcessPoolExecutor
) -> Iterator[Measured]:
    """All classes with one seed; what cannot be measured is named and left out."""
    jobs = {
        name: processes.submit(measured, name, CLASSES[name], seed, times, partial(tell, f"{name}, seed {seed}"), keep)
        for name in names
    }
    for name, job in jobs.items():
        try:
            yield job.result()
        except Failure as failure:
            print(f"{name:18} left out: {failure}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CLASS", help=f"of {', '.join(CLASSES)}; all if there is none")
    parser.add_argument("--time", type=float, default=10.0, help="seconds of random testing")
    parser.add_argument("--reduce", type=float, help="seconds of reduction; three times as long if not given")
    parser.add_argument("--validate", type=float, default=10.0, help="so many times as long is validation")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument(
        "--keep", type=Path, help="leave databases in this folder, and use those of random testing there"
    )
    parser.add_argument("--processes", type=int, default=1, help="so many classes are measured at the same time")
    parser.add_argument("-v", "--verbose", action="store_true", help="what the engine missed")
    options = parser.parse_args()
    times = Times(options.time, options.reduce or 3 * options.time, options.validate * options.time)
    unknown = [name for name in options.names if name not in CLASSES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(CLASSES)}")
    names = [name for name in options.names or CLASSES if is_importable(CLASSES[name])]
    for name in options.names or CLASSES:
        if name not in names:
            print(f"{name} is left out: {CLASSES[name]} cannot be imported")
    report(names, [int(seed) for seed in options.seeds.split(",")], times, options)


def report(names: Sequence[str], seeds: Sequence[int], times: Times, options: argparse.Namespace) -> None:
    print(f"random testing {times.random:g} s, reduction {times.reduction:g} s, validation {times.validation:g} s")
    processes = ProcessPoolExecutor(options.processes)
    totals: list[Row] = []
    everything: list[Measured] = []
    for seed in seeds:
        print(f"\nseed {seed}\n{HEAD}", flush=True)
        found = []
        for one in several(names, seed, times, options.keep, processes):
            found.append(one)
            print(line(Row(one.name, [one])), flush=True)
            if options.json:
                options.json.write_text(json.dumps([one.as_json() for one in [*everything, *found]], indent=1))
        everything += found
        totals.append(Row(f"{len(found)} classes", found))
        print(f"{line(totals[-1])}\n{summary(totals[-1])}", flush=True)
        for one in found if options.verbose else ():
            details(one)
    processes.shutdown()
    bars(totals)


if __name__ == "__main__":
    main()
