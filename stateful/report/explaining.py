"""One fault explained: what happened, why it is believed, what would make it a false alarm, and what passes nearby."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from stateful.errors import NoRecipe
from stateful.report.faults import ListedFault
from stateful.store.database import Database
from stateful.store.models import routines_of
from stateful.store.recipes import Recipes
from stateful.subject.code import code_of
from stateful.subject.program import Program
from stateful.words import counted

__all__ = ["explained"]

DOUBTS = {
    "clause": "the contract itself says more than its author meant",
    "hang": "the call only needs more time: try a longer --deadline",
    "crash": "the call is meant to end its process, or to need that much memory or depth",
    "law": "the class means to differ from this law: '--without-law \"{law}\"' switches it off",
    "exception": "the routine must not be called like this: say so with a guard that raises, an assert or a contract",
}
PASSING = """
SELECT t.id FROM test_cases t
LEFT JOIN snapshots s ON s.id = t.post_snapshot
WHERE t.outcome = 'pass' AND t.routine_id = (SELECT routine_id FROM faults WHERE digest = ?)
ORDER BY s.recipe_calls, t.id LIMIT 60
"""
FILES = "SELECT DISTINCT file FROM routines WHERE file IS NOT NULL ORDER BY file"


def explained(fault: ListedFault, database: Database) -> Iterator[str]:
    """The fault as lines of text."""
    yield fault.head
    yield ""
    yield f"what happened    {_what(fault)}"
    for file, line, function in fault.trace:
        yield f"                 {file}:{line} in {function}"
        source = _source_line(database, file, line)
        if source:
            yield f"                     {source}"
    yield f"why              {fault.likelihood}: {fault.reason}"
    yield f"                 seen in {counted(fault.tests, 'test case')}, found by {fault.found_by}"
    yield f"a false alarm if {DOUBTS[fault.kind].format(law=fault.law)}"
    if fault.reproducer:
        yield from ("", "these calls show it:", "", textwrap.indent(fault.reproducer, "    "))
    passing = nearest_passing(fault, database)
    if passing:
        yield from ("", "while these pass:", "", textwrap.indent(passing, "    "))


def _what(fault: ListedFault) -> str:
    return fault.message if fault.law else f"{fault.routine.rpartition(':')[2]}: {fault.title}"


def _source_line(database: Database, file: str, line: int) -> str:
    """The line of the subject's source, if it is still there."""
    known = [path for (path,) in database.rows(FILES) if path == file or path.endswith("/" + file)]
    for path in [Path(file), *map(Path, known)]:
        try:
            return path.read_text(encoding="utf-8").splitlines()[line - 1].strip()
        except (OSError, UnicodeDecodeError, IndexError):
            continue
    return ""


def nearest_passing(fault: ListedFault, database: Database) -> str | None:
    """Calls that end with the same routine and pass: of the short ones those that are most like the reproducer."""
    recipes, routines = Recipes(database), routines_of(database)
    wanted = _parts(fault.reproducer or "")
    found: list[tuple[int, int, str]] = []
    for (test,) in database.rows(PASSING, [UUID(fault.digest)]):
        try:
            program: Program = recipes.of_test(test)
        except NoRecipe:
            continue
        code = code_of(program, routines)
        found.append((-len(wanted & _parts(code)), len(program.steps), code))
    return min(found)[2] if found else None


def _parts(code: str) -> set[str]:
    """The calls and values of which some code is made."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set()
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Constant | ast.Compare)}
