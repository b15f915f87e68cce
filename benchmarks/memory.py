#!/usr/bin/env python3
"""Resident memory of supervisor and workers while a session runs, in MB.

    python benchmarks/memory.py examples/linked_list.py --seconds 600

Linux only. Flat means: the second half of the session adds little to the first.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def resident(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0.0
    return int(fields[1]) * 4096 / 1e6


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", default="examples/linked_list.py")
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "stateful", "run", options.target, "--time", str(options.seconds), "-q"]
        process = subprocess.Popen([*command, "-o", f"{folder}/run.db"], stdout=subprocess.DEVNULL)
        began = time.monotonic()
        print(f"{'seconds':>8} {'supervisor':>11} {'workers':>20}")
        while process.poll() is None and time.monotonic() - began < options.seconds:
            time.sleep(options.seconds / 10)
            workers = " ".join(f"{resident(child):9.0f}" for child in children(process.pid))
            print(f"{time.monotonic() - began:8.0f} {resident(process.pid):11.0f} {workers:>20}", flush=True)
        process.wait()


if __name__ == "__main__":
    main()
