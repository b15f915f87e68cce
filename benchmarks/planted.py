#!/usr/bin/env python3
"""How many planted faults does `stateful test` find, and what does it believe of code that is right?

    python benchmarks/planted.py                       all twenty-eight modules, seed 1
    python benchmarks/planted.py ring money --time 30 --seeds 1,2

The modules in benchmarks/planted/ were written to be right, in the styles that libraries have, and then a subtle fault
was planted in each: a wrap-around, a stale cache, a forgotten update. Each is tested as it is and with its fault. The
fault counts as found if a *certain* or *likely* fault's reproducer fails with it and passes without it; it is *seen* if
that is true of a *suspicious* one. What is believed of the module as it is may be a false alarm: look at it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "planted"
BELIEVED = ("certain", "likely")
PLANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "ttl_cache": (("    def __len__(self) -> int:\n        self.expire()\n", "    def __len__(self) -> int:\n"),),
    "textbuf": (
        ("        self._undo = []\n", "        self._undo = []\n        self._undoable = 0\n"),
        (
            "        self._undo.append(edit)\n        if len(self._undo) > self._limit:",
            "        self._undo.append(edit)\n        self._undoable += 1\n        if len(self._undo) > self._limit:",
        ),
        (
            "        if not self._undo:\n            return False\n        edit = self._undo.pop()\n",
            "        if not self._undoable:\n            return False\n        edit = self._undo.pop()\n"
            "        self._undoable -= 1\n",
        ),
        (
            "        self._undo.append(edit)\n        if self._mark",
            "        self._undo.append(edit)\n        self._undoable += 1\n        if self._mark",
        ),
    ),
    "money": (
        (
            "            return NotImplemented\n        return self._units == other",
            "            return NotImplemented\n        if not self and not other:\n            return True\n"
            "        return self._units == other",
        ),
    ),
    "ring": (
        (
            "        self._items[self._head] = None\n        self._head = (self._head + 1) % len(self._items)\n",
            "        self._items[self._head] = None\n"
            "        self._head = self._head + 1 if self._head < len(self._items) else 0\n",
        ),
    ),
    "expr": (('["LIMIT", str(self._limit)]', '["LIMIT", self._limit]'),),
    "calc": (("if closing is None or closing.text", "if closing.text"),),
    "semver": (("hash(self._key())", "hash(str(self))"),),
    "events": (
        (
            "            self._handlers.clear()\n",
            "            for each in self._handlers:\n                self.remove_all(each)\n",
        ),
    ),
    "omap": (("        first.before = self._root.after = link\n", "        self._root.after = link\n"),),
    "config": (
        ('        if name.startswith("_"):\n            raise AttributeError(name)\n        try:\n', "        try:\n"),
    ),
    "matrix": (("new = SparseMatrix(self._columns, self._rows)", "new = SparseMatrix(self._rows, self._columns)"),),
    "limiter": (("        if item in self._entries:\n            self.remove(item)\n", ""),),
    "intervals": (("new._stops = list(self._stops)", "new._stops = self._stops"),),
    "graph": (
        (
            "            if source != node:\n                del self._out[source][node]",
            "            del self._out[source][node]",
        ),
    ),
    "urlpath": (
        (
            "        self.data[name] = text\n        self._errors = None\n",
            "        self.data[name] = text\n        self.cleaned = {}\n",
        ),
    ),
    "bloom": (
        (
            "self._users[entity.id] = dataclasses.replace(entity, tags=list(entity.tags))",
            "self._users[entity.id] = entity",
        ),
    ),
    "sparsepoly": (
        (
            "                mine[exp] = -coef\n",
            "                mine[exp] = coef\n",
        ),
    ),
    "prefixmap": (
        (
            "        self._size -= 1\n        while trail and not node.children and node.value is _MISSING:\n",
            "        self._size -= 1\n        while trail and not node.children:\n",
        ),
    ),
    "lazyheap": (
        (
            "            self._insert(item, priority, next(self._seq))\n",
            "            self._insert(item, priority, seq)\n",
        ),
    ),
    "undohistory": (
        (
            "            self._redos.append(step)\n",
            "            self._redo.append(step)\n",
        ),
    ),
    "cbcache": (
        (
            "        count = self._leave(key)\n"
            "        if count == self._lowest and count not in self._buckets:\n"
            "            self._lowest = min(self._buckets, default=0)\n",
            "        self._leave(key)\n",
        ),
    ),
    "datespans": (
        (
            "        for number in range(self.start.toordinal(), self.end.toordinal() + 1):\n"
            "            yield date.fromordinal(number)\n",
            "        day = self.start\n"
            "        while day <= self.end:\n"
            "            yield day\n"
            "            day += ONE_DAY\n",
        ),
    ),
    "wordbits": (
        (
            '        return hash(("FrozenBitSet", tuple(self._trimmed())))\n',
            '        return hash(("FrozenBitSet", tuple(self._words)))\n',
        ),
    ),
    "ratebook": (
        (
            "    except (ValueError, ZeroDivisionError):\n",
            "    except ValueError:\n",
        ),
    ),
    "stockledger": (
        (
            "        leaf.book(entry.sku, on_hand=-quantity, reserved=-quantity)\n",
            "        leaf.book(entry.sku, on_hand=-quantity, reserved=-entry.remaining)\n",
        ),
    ),
    "depgraph": (
        (
            "            for head in list(heads):\n",
            "            for head in heads:\n",
        ),
    ),
    "piecetable": (
        (
            "            if piece is self._typing:\n                self._typing = None\n",
            "",
        ),
    ),
    "gridviews": (
        (
            "    return axis.index(n) if n in axis else None\n",
            "    if axis.start <= n < axis.stop:\n"
            "        position, off = divmod(n - axis.start, axis.step)\n"
            "        if not off:\n"
            "            return position\n"
            "    return None\n",
        ),
    ),
}


@dataclass
class Result:
    """What was said of one module with one seed."""

    name: str
    seed: int
    found: list[str] = field(default_factory=list)
    """The believed faults that are the planted one."""
    seen: list[str] = field(default_factory=list)
    """The suspicious ones."""
    alarms: list[str] = field(default_factory=list)
    """What is believed of the module as it is."""


def planted(name: str, source: str) -> str:
    for old, new in PLANTS[name]:
        if source.count(old) != 1:
            raise SystemExit(f"the fault of {name} cannot be planted: {old!r} is there {source.count(old)} times")
        source = source.replace(old, new)
    return source


def tested(folder: Path, name: str, seconds: float, seed: int) -> list[dict[str, Any]]:
    line = [sys.executable, "-m", "stateful", "test", f"{name}.py", "--time", str(seconds), "--seed", str(seed)]
    line += ["--workers", "1", "--db", "x.db", "--json", "-q"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{name}: {done.stderr.strip()[-300:]}")
    faults: list[dict[str, Any]] = json.loads(done.stdout)["faults"]
    return faults


def fails(folder: Path, code: str) -> bool:
    line = [sys.executable, "-c", code]
    try:
        return subprocess.run(line, cwd=folder, capture_output=True, check=False, timeout=10).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def measured(name: str, seconds: float, seed: int) -> Result:
    result = Result(name, seed)
    source = (HERE / f"{name}.py").read_text()
    with tempfile.TemporaryDirectory() as temporary:
        right, wrong = Path(temporary) / "right", Path(temporary) / "wrong"
        for folder, text in ((right, source), (wrong, planted(name, source))):
            folder.mkdir()
            (folder / f"{name}.py").write_text(text)
        result.alarms = [_told(f) for f in tested(right, name, seconds, seed) if f["likelihood"] in BELIEVED]
        for fault in tested(wrong, name, seconds, seed):
            code = fault["reproducer"]
            if code and fails(wrong, code) and not fails(right, code):
                (result.found if fault["likelihood"] in BELIEVED else result.seen).append(_told(fault))
    return result


def _told(fault: dict[str, Any]) -> str:
    what = fault["message"] if fault["law"] else f"{fault['exception']}: {fault['message']}"
    return f"{fault['id']}  {fault['likelihood']}  {fault['routine'].partition(':')[2]}  {' '.join(what.split())[:90]}"


def report(results: Sequence[Result]) -> None:
    for one in results:
        verdict = "found" if one.found else "seen" if one.seen else "missed"
        print(f"{one.name:10} seed {one.seed}  {verdict:7} {(one.found or one.seen or [''])[0]}")
        for alarm in one.alarms:
            print(f"{'':10} as it is       {alarm}")
    found, seen = sum(bool(one.found) for one in results), sum(bool(one.seen and not one.found) for one in results)
    alarms = sum(len(one.alarms) for one in results)
    print(f"\n{found} of {len(results)} planted faults found, {seen} more among the suspicious ones")
    print(f"{alarms} faults believed of the modules as they are, {alarms / len(results):.1f} each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="MODULE", help=f"of {', '.join(PLANTS)}; all if there is none")
    parser.add_argument("--time", type=float, default=20.0, help="seconds for each test")
    parser.add_argument("--seeds", default="1")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="so many are tested at the same time"
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in PLANTS]:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(PLANTS)}")
    jobs = [(name, int(seed)) for seed in options.seeds.split(",") for name in options.names or PLANTS]
    with ThreadPoolExecutor(options.processes) as pool:
        report(list(pool.map(lambda job: measured(job[0], options.time, job[1]), jobs)))


if __name__ == "__main__":
    main()
