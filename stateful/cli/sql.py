"""`stateful sql`: ask the database, once or at a prompt."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from stateful.cli.options import database_option
from stateful.errors import DatabaseError, UsageError
from stateful.report.answers import FORMATS, as_text, write_parquet
from stateful.store.database import Database, is_database
from stateful.store.trust import folder

__all__ = ["sql"]

HISTORY = 1000
EXAMPLES = (
    ("what the routines did", "SELECT routine, outcome, count(*) FROM calls GROUP BY ALL ORDER BY ALL"),
    ("which states were reached", "SELECT class, state, objects, calls FROM states_reached ORDER BY ALL"),
    ("a class as a state machine", "SELECT before, routine, after, tests FROM state_machine ORDER BY ALL"),
    ("what was never tried together", "SELECT class, state, routine FROM never_tried ORDER BY ALL LIMIT 20"),
    ("what routines change", "SELECT routine, predicate, before, after, tests FROM changes ORDER BY ALL LIMIT 20"),
    ("by how much numbers change", "SELECT routine, predicate, changed_by, sum(tests) FROM changes "
     "WHERE changed_by IS NOT NULL GROUP BY ALL ORDER BY ALL"),
    ("who refused what", "SELECT routine, exception, tests, reason FROM refusals ORDER BY tests DESC"),
    ("what became of the clauses", "SELECT routine, kind, text, status, evidence FROM contracts ORDER BY ALL"),
    ("the value of a predicate", "SELECT snapshot_id, var_0, text FROM readings WHERE predicate = 'len($)' LIMIT 10"),
    ("each class in numbers", "SELECT * FROM classes_in_numbers"),
)  # fmt: skip
HELP = """.help         this
.tables       tables and views, with their columns
.predicates   the predicates that were evaluated
.N            run example N
.quit         end, as Ctrl-D does

examples:"""


class _Asking(click.Command):
    """A query may begin with a comment, which looks like an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {one}" if one.startswith("--") and " " in one else one for one in args])


@click.command(cls=_Asking)
@click.argument("query", required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the answer to this file.")
@database_option
def sql(query: str | None, form: str, output: Path | None, db: Path) -> None:
    """Run one SQL query on the database, read-only; without a query, open a prompt (.help says more).

    \b
    stateful sql "SELECT routine, outcome, count(*) FROM calls GROUP BY ALL ORDER BY ALL"
    stateful sql "SELECT * FROM readings" --format parquet -o readings.parquet
    """
    if form == "parquet" and output is None:
        raise UsageError("--format parquet needs a file: -o FILE")
    if query is None and output is not None:
        raise UsageError("-o writes the answer to one query; give the query, too")
    if output is not None and is_database(output):
        raise UsageError(f"{output} is a database; name another file for the answer")
    with Database.open(db) as database:
        if query is None:
            _Prompt(database, form).run()
        elif form == "parquet" and output is not None:
            click.echo(f"{write_parquet(database, query, output)} rows in {output}")
        elif output is not None:
            _write(output, as_text(database, query, form))
        else:
            click.echo(as_text(database, query, form))


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from None


class _Prompt:
    """Reads queries until the input ends; one that fails says why, and the prompt goes on."""

    def __init__(self, database: Database, form: str) -> None:
        self.database = database
        self.form = form

    def run(self) -> None:
        click.echo(f"{self.database.path}, read-only; .help has examples, Ctrl-D ends", err=True)
        with self._line_editing():
            while True:
                try:
                    line = self._read()
                    if line == ".quit":
                        return
                    if line:
                        click.echo(self._answer(line))
                except EOFError:
                    return
                except KeyboardInterrupt:
                    click.echo("", err=True)
                except DatabaseError as error:
                    click.echo(str(error), err=True)

    def _read(self) -> str:
        """A command, or a query: it ends with its line, unless that begins with a comment or a longer query; then with
        a semicolon."""
        lines = [input("sql> ").strip()]
        while lines[0].startswith("--") and not lines[-1].endswith(";"):
            lines.append(input("...> ").rstrip())
        return "\n".join(lines).rstrip(";").strip()

    def _answer(self, line: str) -> str:
        if line == ".help":
            return "\n".join([HELP, *(f".{n:<3} {what}\n     {query}" for n, (what, query) in enumerate(EXAMPLES, 1))])
        if line == ".tables":
            return as_text(self.database, TABLES, "table")
        if line == ".predicates":
            return as_text(self.database, PREDICATES, "table")
        if line[1:].isdigit() and line.startswith(".") and 1 <= int(line[1:]) <= len(EXAMPLES):
            return as_text(self.database, EXAMPLES[int(line[1:]) - 1][1], self.form)
        if line.startswith("."):
            return f"no command {line}; .help says which there are"
        return as_text(self.database, line, self.form)

    @contextlib.contextmanager
    def _line_editing(self) -> Iterator[None]:
        """History and completion, where Python has them."""
        try:
            import readline
        except ImportError:
            yield
            return
        words = sorted(self._words())
        readline.set_completer(lambda text, state: _completed(words, text, state))
        readline.set_completer_delims(" \t\n(,=<>'\"")
        readline.parse_and_bind("tab: complete")
        history = folder() / "sql_history"
        with contextlib.suppress(OSError):
            readline.read_history_file(history)
        try:
            yield
        finally:
            readline.set_history_length(HISTORY)
            with contextlib.suppress(OSError):
                readline.write_history_file(history)

    def _words(self) -> set[str]:
        """Everything that a query may name: tables, columns, predicates, routines, classes, and SQL's own words."""
        queries = (
            "SELECT table_name FROM duckdb_columns() WHERE NOT internal",
            "SELECT column_name FROM duckdb_columns() WHERE NOT internal",
            "SELECT text FROM predicates", "SELECT name FROM routines", "SELECT name FROM classes WHERE subject",
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'",
        )  # fmt: skip
        return {word for query in queries for (word,) in self.database.rows(query)} | {".help", ".tables", ".quit"}


TABLES = """
SELECT table_name AS name, string_agg(column_name, ', ' ORDER BY column_index) AS columns
FROM duckdb_columns() WHERE NOT internal GROUP BY ALL ORDER BY ALL
"""
PREDICATES = """
SELECT p.text AS predicate, count(*) AS evaluations, count(DISTINCT e.value_id) AS values
FROM predicates p JOIN evaluations e ON e.predicate_id = p.id GROUP BY ALL ORDER BY ALL
"""


def _completed(words: list[str], text: str, state: int) -> str | None:
    """The word number `state` that begins like the text, whatever its case."""
    found = [word for word in words if word.lower().startswith(text.lower())]
    return found[state] if state < len(found) else None
