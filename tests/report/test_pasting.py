"""Contracts as code: pasted into the subject, they hold on the very test cases that they came from."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stateful.cli.main import cli
from stateful.infer.engine import infer
from stateful.ingest.evaluation import evaluate_all
from stateful.report.contracts import contracts_of
from stateful.report.pasting import FORMS, Block, blocks_of, plain_values
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_of
from tests.conftest import EXAMPLES, session

SOURCE = EXAMPLES / "linked_list.py"


@pytest.fixture(scope="module")
def inferred(linked_list: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inferred") / "list.db"
    path.write_bytes(linked_list.read_bytes())
    with Database.open(path, read_only=False) as database:
        infer(database)
    return path


def decorated(blocks: dict[str, Block], form: str) -> str:
    """The source of the subject with the blocks pasted in."""
    lines = SOURCE.read_text().splitlines()
    tree = ast.parse(SOURCE.read_text())
    inserts: list[tuple[int, list[str]]] = []
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        nodes: list[tuple[str, ast.stmt]] = [(f"linked_list:{cls.name}", cls)]
        nodes += [
            (f"linked_list:{cls.name}.{node.name}", node) for node in cls.body if isinstance(node, ast.FunctionDef)
        ]
        for name, node in nodes:
            block = blocks.get(name)
            if block is not None and form != "assert":
                inserts.append((node.lineno - 1, [" " * node.col_offset + line for line in block.lines]))
            elif block is not None:
                inserts.append((node.lineno - 1, [f"{' ' * node.col_offset}@asserting({block.lines!r})"]))
    for place, new in sorted(inserts, reverse=True):
        lines[place:place] = new
    start = next(i for i, line in enumerate(lines) if line.startswith("from __future__")) + 1
    lines[start:start] = [
        *PREAMBLE.splitlines(),
        *(["import icontract, deal, copy"] if form != "assert" else ["import copy"]),
    ]
    return "\n".join(lines)


PREAMBLE = '''
import functools, inspect

def asserting(lines):
    """The asserts run as they would if they stood in the body."""
    def decorate(function):
        parameters = ", ".join(inspect.signature(function).parameters)
        body = lines if "..." in lines else [*lines, "..."]
        text = ["result = original(" + parameters + ")" if line == "..." else line for line in body]
        code = f"def f({parameters}):\\n    " + "\\n    ".join(text) + "\\n    return result"
        names = {"original": function, "copy": __import__("copy")}
        exec(code, names)
        return functools.wraps(function)(names["f"])
    return decorate
'''


@pytest.mark.parametrize("form", list(FORMS))
def test_pasted_contracts_hold_on_their_own_tests(inferred: Path, form: str, tmp_path: Path) -> None:
    with Database.open(inferred) as database:
        routines, recipes = routines_of(database), Recipes(database)
        blocks = {
            block.name: block for block in blocks_of(contracts_of(database), routines, form, plain_values(database))
        }
        passing = [test for (test,) in database.rows("SELECT id FROM calls WHERE outcome = 'pass' ORDER BY id")][::6]
        programs = [code_of(recipes.of_test(test), routines) for test in passing]
    assert sum(len(block.lines) for block in blocks.values()) > 10
    (tmp_path / "programs.txt").write_text(repr(programs))
    for group in groups(blocks):
        (tmp_path / "linked_list.py").write_text(decorated(group, form))
        done = subprocess.run([sys.executable, "-c", RUNNER], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (list(group), done.stderr[-2000:])


RUNNER = "import ast\nfor code in ast.literal_eval(open('programs.txt').read()): exec(code, {})\n"
QUERIES = ("__eq__", "__iter__", "__len__", "has", "is_empty")


def groups(blocks: dict[str, Block]) -> list[dict[str, Block]]:
    """The commands together, and each query alone: checking a contract calls queries in ways that no test did, and what
    was inferred of them is only known of their tests."""
    commands = {name: block for name, block in blocks.items() if not name.endswith(QUERIES)}
    return [commands, *({name: block} for name, block in blocks.items() if name not in commands)]


def test_a_pasted_contract_can_fail(inferred: Path, tmp_path: Path) -> None:
    """The class with another body breaks what was promised."""
    with Database.open(inferred) as database:
        found = blocks_of(contracts_of(database), routines_of(database), "icontract", plain_values(database))
        blocks = {block.name: block for block in found}
    source = decorated(blocks, "icontract")
    broken = source.replace("def is_empty(self) -> bool:", "def is_empty(self) -> bool:\n        return True", 1)
    assert broken != source
    (tmp_path / "linked_list.py").write_text(broken)
    code = "from linked_list import LinkedList\none = LinkedList()\none.extend(1)\none.is_empty()\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "ViolationError" in done.stderr


def test_every_form_can_be_printed(inferred: Path) -> None:
    for form, said in (
        ("icontract", "@icontract.ensure("),
        ("deal", "@deal.ensure("),
        ("assert", "assert "),
        ("markdown", "| ensures |"),
    ):
        done = CliRunner().invoke(cli, ["contracts", "--format", form, "--db", str(inferred)])
        assert done.exit_code == 0
        assert said in done.stdout


JAR = """
class Jar:
    def __init__(self):
        self._kept = []

    def put(self, item: int) -> None:
        self._kept.append(item)

    def amount(self) -> int:
        return len(self._kept)

    def is_empty(self) -> bool:
        return self.amount() == 0

    def backwards(self):
        return reversed(self._kept)

    def doubled(self):
        return map(lambda item: 2 * item, self._kept)
"""
USE = """
jar = Jar()
jar.put(1)
jar.put(2)
assert jar.amount() == 2 and not jar.is_empty()
assert list(jar.backwards()) == [2, 1] and list(jar.doubled()) == [2, 4]
"""


@pytest.mark.parametrize("form", ["icontract", "deal"])
def test_all_contracts_together_end_and_change_nothing(form: str, tmp_path: Path) -> None:
    """Bodies call routines that have contracts, too; an iterator that a contract looks at is used up by that."""
    (tmp_path / "jar.py").write_text(JAR)
    with Database.create(tmp_path / "jar.db") as database:
        session(database, str(tmp_path / "jar.py"), tests=600)
        evaluate_all(database)
        infer(database)
        found = blocks_of(contracts_of(database), routines_of(database), form, plain_values(database))
    blocks = {block.name.rpartition(".")[2]: block.lines for block in found}
    assert sum(map(len, blocks.values())) > 3
    lines = [f"import {form}"]
    for line in JAR.splitlines():
        name = line.strip().removeprefix("def ").partition("(")[0] if "def " in line else line.strip(":")
        name = "jar:Jar" if name == "class Jar" else name
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + pasted for pasted in blocks.get(name, [])] + [line]
    code = "\n".join([*lines, USE])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


LATER = """
class Line:
    def __init__(self, first: int) -> None:
        self.items = [first]

    def put(self, item: int) -> None:
        self.items.append(item)

    async def later(self) -> int:
        return len(self.items)

    def each(self):
        yield from self.items

    def size(self) -> int:
        return len(self.items)
"""


def test_what_runs_later_is_no_value_in_pasted_contracts(tmp_path: Path) -> None:
    (tmp_path / "line.py").write_text(LATER)
    with Database.create(tmp_path / "line.db") as database:
        session(database, f"{tmp_path / 'line.py'}:Line", tests=400)
        evaluate_all(database)
        infer(database)
        rows = contracts_of(database)
        assert any("self.later()" in row["text"] for row in rows)
        for form in FORMS:
            for block in blocks_of(rows, routines_of(database), form):
                assert not any(name in line for line in block.lines for name in ("later()", "each()"))
                if form == "icontract" and block.name.endswith(".put"):
                    assert any("self.size()" in line for line in block.lines)
