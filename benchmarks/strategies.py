#!/usr/bin/env python3
"""The strategies over several seeds: coverage over time, parameter sweeps with a fit, and the Stone experiment.

    python benchmarks/strategies.py coverage examples/two_way_tree.py      baseline, reset-only and controlled
    python benchmarks/strategies.py sweep examples/two_way_tree.py         P_GenNew, P_Div, P_GenBasicRand of autotest
    python benchmarks/strategies.py stone                                  how far a pool is from evenly filled

`coverage` prints medians with quartiles and, against the baseline, the p-value of the rank-sum test. `sweep` prints for
each value of each parameter the branches covered and the faults found, and fits faults = a/x + b to the seconds x at
which faults were first seen, summed over the seeds. `stone` gives the entropy of the sizes of the stones that calls
were made on, of 8 bits at most. Each writes its plot as an SVG file into --out.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # the folder of this file: coverage.py in it is not the package that we need

import argparse
import math
import pickle
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stateful.generate.session import RunOptions, run_session
from stateful.generate.settings import settings_from
from stateful.store.database import Database
from stateful.subject.target import parse_target

STONE = str(Path(__file__).parent / "subjects" / "stone.py")
SWEPT = {"gen_new": (0.0, 0.1, 0.25, 0.5, 0.75), "div": (0.0, 0.25, 0.5, 0.75), "basic_random": (0.0, 0.25, 0.5, 1.0)}
Curve = list[tuple[float, float]]


@dataclass(frozen=True)
class Run:
    """What one session did: branches covered and faults seen over time, and what the asked function found in it."""

    covered: Curve
    faults: Curve
    found: float


def run(
    target: str, seconds: float, seed: int, strategy: str, changes: Sequence[str] = (),
    look: Callable[[Database], float] = lambda _: 0.0,
) -> Run:  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, Database.create(Path(folder) / "run.db") as database:
        options = RunOptions(seed, seconds, strategy=strategy, settings=settings_from(strategy, changes))
        run_session(database, [parse_target(target)], options)
        covered = [(float(s), float(b)) for s, b in database.rows("SELECT seconds, branches FROM coverage ORDER BY 1")]
        firsts = database.rows("SELECT min(seconds) FROM test_cases WHERE fault IS NOT NULL GROUP BY fault ORDER BY 1")
        faults = [(float(first), float(count)) for count, (first,) in enumerate(firsts, 1)]
        return Run(covered, faults, look(database))


def at(curve: Curve, second: float) -> float:
    """The last value until then."""
    return max((value for when, value in curve if when <= second), default=0.0)


def quartiles(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f"{values[0]:6.1f}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:6.1f} [{low:.1f}, {high:.1f}]"


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of the Wilcoxon-Mann-Whitney test, by the normal approximation with ties."""
    pooled = sorted([*first, *second])
    rank = {value: statistics.mean(i for i, other in enumerate(pooled, 1) if other == value) for value in set(pooled)}
    n, m = len(first), len(second)
    total = sum(rank[value] for value in first)
    ties = sum(count**3 - count for count in Counter(pooled).values())
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if variance <= 0:
        return 1.0
    return math.erfc(abs(total - n * (n + m + 1) / 2) / math.sqrt(2 * variance))


def fit(points: Curve) -> tuple[float, float]:
    """Least squares of y = a/x + b."""
    points = [(1 / x, y) for x, y in points if x > 0]
    if len(points) < 2 or len({x for x, _ in points}) < 2:
        return 0.0, points[0][1] if points else 0.0
    slope, intercept = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
    return slope, intercept


def plot(path: Path, title: str, curves: Mapping[str, Curve]) -> None:
    """Lines in an SVG file."""
    colors = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#555555")
    right = max((x for curve in curves.values() for x, _ in curve), default=1) or 1
    top = max((y for curve in curves.values() for _, y in curve), default=1) or 1
    frame = '<path d="M60 30V350H600" fill="none" stroke="black"/>'
    parts = [f'<text x="60" y="20" font-weight="bold">{title}</text>', frame]
    for i in range(5):
        parts.append(f'<text x="50" y="{350 - 80 * i}" text-anchor="end">{top * i / 4:.3g}</text>')
        parts.append(f'<text x="{60 + 135 * i}" y="368" text-anchor="middle">{right * i / 4:.3g}</text>')
    for place, (name, curve) in enumerate(curves.items()):
        color = colors[place % len(colors)]
        dots = " ".join(f"{60 + 540 * x / right:.1f},{350 - 320 * y / top:.1f}" for x, y in curve)
        parts.append(f'<polyline points="{dots}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="620" y="{50 + 18 * place}" fill="{color}">{name}</text>')
    size = 'width="800" height="380" font-family="sans-serif" font-size="12"'
    path.write_text("\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *parts, "</svg>\n"]))
    print(f"plot: {path}")


def compare_coverage(options: argparse.Namespace) -> None:
    quarter = options.seconds / 4
    kinds = {
        "baseline": ("feedback", ()), "reset-only": ("feedback", (f"reset_every={quarter}",)),
        "controlled": ("controlled", (f"reset_every={quarter}",)),
    }  # fmt: skip
    runs = {
        name: [run(options.target, options.seconds, seed, strategy, changes).covered for seed in options.seeds]
        for name, (strategy, changes) in kinds.items()
    }
    print(f"branches of {options.target} covered, median [quartiles] over {len(options.seeds)} seeds")
    print(f"{'':12} " + " ".join(f"{f'{quarter * i:.0f} s':>22}" for i in range(1, 5)) + "   p against baseline")
    for name, curves in runs.items():
        cells = [quartiles([at(curve, quarter * i + 0.5) for curve in curves]) for i in range(1, 5)]
        ends = [[curve[-1][1] for curve in runs[which]] for which in ("baseline", name)]
        print(f"{name:12} " + " ".join(f"{cell:>22}" for cell in cells) + f"   {rank_sum(*ends):.3f}")
    moments = [options.seconds * i / 20 for i in range(21)]
    medians = {
        name: [(when, statistics.median(at(curve, when) for curve in curves)) for when in moments]
        for name, curves in runs.items()
    }
    plot(options.out / "coverage.svg", f"branches covered over seconds, {options.target}", medians)


def sweep(options: argparse.Namespace) -> None:
    curves: dict[str, Curve] = {}
    for name, values in SWEPT.items():
        for value in values:
            changes = (f"{name}={value}",)
            runs = [run(options.target, options.seconds, seed, "autotest", changes) for seed in options.seeds]
            moments = [options.seconds * i / 20 for i in range(1, 21)]
            faults = [(when, float(sum(at(one.faults, when) for one in runs))) for when in moments]
            a, b = fit(faults)
            branches = quartiles([one.covered[-1][1] for one in runs])
            known = f"branches {branches:>22}  faults {faults[-1][1]:4.0f}"
            print(f"{name:13} {value:5.2f}  {known}  fit {a:8.3f}/x + {b:.3f}", flush=True)
            if name == "gen_new":
                curves[f"{name}={value}"] = faults
    plot(options.out / "sweep.svg", f"faults over seconds by P_GenNew, {options.target}", curves)


def entropy_of_sizes(database: Database) -> float:
    rows = database.rows(
        "SELECT s.bytes, t.pre_operands[1] FROM test_cases t JOIN snapshots s ON s.id = t.pre_snapshot "
        "JOIN routines r ON r.id = t.routine_id WHERE r.kind = 'method' AND t.pre_operands[1] IS NOT NULL"
    )
    sizes = Counter(pickle.loads(data)[index].size for data, index in rows)
    total = sum(sizes.values()) or 1
    return -sum(count / total * math.log2(count / total) for count in sizes.values())


def stone(options: argparse.Namespace) -> None:
    sys.path.insert(0, str(Path(STONE).parent))
    curves: dict[str, Curve] = {}
    for strategy in ("random", "autotest", "feedback", "controlled"):
        found = [run(STONE, options.seconds, seed, strategy, (), entropy_of_sizes).found for seed in options.seeds]
        print(f"{strategy:12} entropy of the sizes {quartiles(found)} bits of 8")
        curves[strategy] = [(float(place), value) for place, value in enumerate(sorted(found), 1)]
    plot(options.out / "stone.svg", "entropy of the sizes of stones, seeds in order", curves)


EXPERIMENTS = {"coverage": compare_coverage, "sweep": sweep, "stone": stone}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("target", nargs="?", default="examples/two_way_tree.py")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3, 4, 5])
    parser.add_argument("--out", type=Path, default=Path())
    options = parser.parse_args()
    EXPERIMENTS[options.experiment](options)


if __name__ == "__main__":
    main()
