"""What calls share behind their operands is put back, however deep it lies and whatever kind of container it is."""

from __future__ import annotations

from pathlib import Path

from stateful.generate.session import RunOptions, run_session
from stateful.ingest.evaluation import evaluate_all
from stateful.store.database import Database
from stateful.subject.target import parse_target

SHARED = """
from collections import OrderedDict, defaultdict, deque

from {package} import state

class Registry(dict):
    def __len__(self):
        raise RuntimeError("not asked")

class Counts:
    counts = defaultdict(int)
    nested = {{"a": {{"b": []}}}}
    ordered = OrderedDict(first=1)
    recent = deque(maxlen=3)
    registry = Registry()

    def __init__(self) -> None:
        self.name = ""

    def by_default(self, key: int) -> int:
        self.counts[key] += 1
        return len(self.counts)

    def inside(self, key: int) -> int:
        self.nested["a"]["b"].append(key)
        return len(self.nested["a"]["b"])

    def in_order(self, key: int) -> int:
        self.ordered[key] = key
        return len(self.ordered)

    def lately(self, key: int) -> int:
        self.recent.append(key)
        return len(self.recent)

    def registered(self, key: int) -> int:
        dict.__setitem__(self.registry, key, key)
        return dict.__len__(self.registry)

    def elsewhere(self, key: int) -> int:
        state.JOURNAL.append(key)
        return len(state.JOURNAL)
"""


def test_whatever_a_call_adds_is_gone_before_the_next(tmp_path: Path) -> None:
    package = tmp_path / "sharing"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "state.py").write_text("JOURNAL = []\n")
    (package / "counts.py").write_text(SHARED.format(package="sharing"))
    with Database.create(tmp_path / "run.db") as database:
        target = parse_target(f"{package / 'counts.py'}:Counts")
        summary = run_session(database, [target], RunOptions(seed=1, tests=400))
        evaluate_all(database)
        results = dict(database.rows(RESULTS))
    assert results == {
        "by_default": [1], "inside": [1], "in_order": [2], "lately": [1], "registered": [1], "elsewhere": [1],
    }  # fmt: skip
    assert any("sharing.state.JOURNAL" in note for note in summary.notes)


RESULTS = """
SELECT split_part(r.name, '.', -1) AS name, list(DISTINCT v.integer ORDER BY v.integer) FROM test_cases t
JOIN routines r ON r.id = t.routine_id
JOIN readings v ON v.snapshot_id = t.post_snapshot AND v.predicate = '$' AND v.var_0 = list_extract(t.post_operands, -1)
WHERE t.outcome = 'pass' AND r.kind = 'method' GROUP BY ALL
"""
