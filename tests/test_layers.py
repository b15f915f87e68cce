"""The house has floors, and imports go downwards only."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "stateful"
LAYERS = (
    "contracts", "subject", "store", "sandbox", "judge", "generate", "ingest", "infer", "reduce", "report", "cli",
)  # fmt: skip
ANYWHERE = {"errors", "config", "resources", "words", ""}
WORKER_PROGRAMS = (
    "stateful.generate.engine",
    "stateful.generate.replay",
    "stateful.generate.tracing",
    "stateful.ingest.observer",
    "stateful.reduce.trying",
)


def imports_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name for name in names if name.startswith("stateful")}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_from_layers_below(layer: str) -> None:
    upwards = []
    for file in (PACKAGE / layer).glob("*.py"):
        for name in imports_of(file):
            other = [*name.split("."), ""][1]
            if other not in ANYWHERE and LAYERS.index(other) > LAYERS.index(layer):
                upwards.append(f"{file.name} imports {name}")
    assert upwards == []


def test_every_package_is_a_layer() -> None:
    assert {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()} == set(LAYERS)


@pytest.mark.parametrize("program", WORKER_PROGRAMS)
def test_a_worker_does_not_import_the_database(program: str) -> None:
    code = f"import sys, {program}; print([m for m in ('duckdb', 'sqlalchemy', 'click') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_workers_import_the_subject_or_unpickle() -> None:
    """The supervisor's modules never reach the code that imports subjects or loads snapshots."""
    supervisor = (
        "stateful.cli.main",
        "stateful.cli.test",
        "stateful.cli.find",
        "stateful.cli.sql",
        "stateful.cli.reduce",
    )
    code = f"import sys, {', '.join(supervisor)}; print([m for m in sys.modules if m.startswith('stateful.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "stateful.reduce.engine" in done.stdout
    for module in (
        "stateful.subject.discover",
        "stateful.subject.snapshots",
        "stateful.generate.calls",
    ):
        assert module not in done.stdout
