#!/usr/bin/env python3
"""The believable faults in published packages, as Markdown with reproducers, to be judged by hand: see findings.md.

    python benchmarks/findings.py PACKAGES                      all targets, 60 seconds each
    python benchmarks/findings.py PACKAGES --time 30 --seed 2 treelib:Tree

PACKAGES is a folder with the packages: pip install --no-deps --target PACKAGES sortedcontainers boltons intervaltree
anytree treelib more-itertools bintrees toolz transitions six disjoint-set
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

TARGETS = (
    "sortedcontainers:SortedList", "sortedcontainers:SortedSet", "sortedcontainers:SortedDict",
    "intervaltree:IntervalTree", "boltons.setutils:IndexedSet", "boltons.dictutils", "boltons.cacheutils", "anytree",
    "treelib:Tree", "more_itertools", "bintrees:RBTree", "toolz.itertoolz", "transitions:Machine",
    "disjoint_set:DisjointSet",
)  # fmt: skip
BELIEVED = ("certain", "likely")


def report(target: str, packages: Path, seconds: float, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "stateful",
            "test",
            target,
            "--time",
            str(seconds),
            "--seed",
            str(seed),
            "--json",
        ]
        environment = {**os.environ, "PYTHONPATH": str(packages)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"{target}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def shown(target: str, found: dict[str, Any]) -> None:
    believed = [fault for fault in found["faults"] if fault["likelihood"] in BELIEVED]
    others = len(found["faults"]) - len(believed)
    print(f"\n## {target}\n\n{len(believed)} believable faults, {others} others, {found['calls']:,} calls.")
    for fault in believed:
        what = fault["message"] if fault["law"] else f"{fault['exception'] or fault['kind']}: {fault['message']}"
        routine = fault["routine"].rpartition(":")[2]
        print(f"\n* **{fault['likelihood']}** `{routine}`: {' '.join(what.split())}")
        print("\n  ```python\n  " + "\n  ".join((fault["reproducer"] or "").splitlines()) + "\n  ```\n\n  Verdict: ?")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    versions = {found.metadata["Name"]: found.version for found in distributions(path=[str(options.packages)])}
    print(f"{options.time:.0f} seconds each, seed {options.seed}: ", end="")
    print(", ".join(f"{name} {version}" for name, version in sorted(versions.items())))
    for target in options.targets:
        shown(target, report(target, options.packages.resolve(), options.time, options.seed))


if __name__ == "__main__":
    main()
