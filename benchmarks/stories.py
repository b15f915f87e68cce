#!/usr/bin/env python3
"""The stories of the examples, over several seeds: how often each is told.

    python benchmarks/stories.py                 all three, seeds 1..10 (about ten minutes)
    python benchmarks/stories.py --seeds 1,2,3 --only transition

* `test`: `stateful test examples/two_way_tree.py:TwoWayTree --time 30` reports the fault of siblings.
* `transition`: after `run --tests 300` that missed it, `ingest`, `infer` and `reduce --fresh 0` find it, found by a
  transition.
* `postcondition`: after `run --tests 200` on the linked list, `infer` has of `merge_left` the clause
  `implies(old(self == other), self.is_empty())`, and `reduce --fresh 0` removes it with a witness.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"
CLAUSE = "implies(old(self == other), self.is_empty())"


def stateful(folder: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "stateful", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def steps(folder: str, target: Path, tests: int, seed: int) -> None:
    stateful(folder, "run", str(target), "--tests", str(tests), "--seed", str(seed), "-o", "run.db", "-q")
    stateful(folder, "ingest", "run.db", "-q")
    stateful(folder, "infer")


def is_sibling_fault(fault: dict[str, Any]) -> bool:
    return bool(fault["routine"].endswith(".merge_tree_after") and "_left" in fault["message"] and fault["confirmed"])


def by_test(folder: str, seed: int) -> str:
    target = f"{EXAMPLES / 'two_way_tree.py'}:TwoWayTree"
    report = json.loads(stateful(folder, "test", target, "--time", "30", "--seed", str(seed), "--json", "-q"))
    found = [fault for fault in report["faults"] if is_sibling_fault(fault)]
    return f"found by {found[0]['found_by']}" if found else ""


def by_transition(folder: str, seed: int) -> str:
    steps(folder, EXAMPLES / "two_way_tree.py", 300, seed)
    if any(map(is_sibling_fault, json.loads(stateful(folder, "faults", "--json")))):
        return "found by the random phase already"
    stateful(folder, "reduce", "--class", "TwoWayTree", "--fresh", "0", "-q")
    found = [fault for fault in json.loads(stateful(folder, "faults", "--json")) if is_sibling_fault(fault)]
    return f"found by {found[0]['found_by']}" if found else ""


def by_postcondition(folder: str, seed: int) -> str:
    steps(folder, EXAMPLES / "linked_list.py", 200, seed)
    inferred = json.loads(stateful(folder, "contracts", "--format", "json"))
    if not any(clause["text"] == CLAUSE and clause["routine"].endswith(".merge_left") for clause in inferred):
        return ""
    stateful(folder, "reduce", "--class", "LinkedList", "--fresh", "0", "-q")
    removed = json.loads(stateful(folder, "contracts", "--removed", "--format", "json"))
    fallen = [c for c in removed if c["text"] == CLAUSE and c["routine"].endswith(".merge_left") and c["witness"]]
    return "inferred and removed" if fallen else "inferred, not removed"


STORIES: dict[str, Callable[[str, int], str]] = {
    "test": by_test,
    "transition": by_transition,
    "postcondition": by_postcondition,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1,2,3,4,5,6,7,8,9,10")
    parser.add_argument("--only", choices=STORIES)
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    for name in [options.only] if options.only else STORIES:
        answers = []
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                answers.append(STORIES[name](folder, seed))
            print(f"{name:14} seed {seed:3}: {answers[-1] or 'no'}", flush=True)
        print(f"{name:14} {len([answer for answer in answers if answer])} of {len(seeds)} seeds", flush=True)


if __name__ == "__main__":
    main()
