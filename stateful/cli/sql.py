"""`stateful sql`: ask the database."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from stateful.cli.options import database_option
from stateful.errors import DatabaseError
from stateful.store.database import Database

__all__ = ["sql"]


@click.command()
@click.argument("query", required=False)
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@database_option
def sql(query: str | None, form: str, db: Path) -> None:
    """Run one SQL query on the database, read-only; without a query, open a prompt.

    \b
    stateful sql "SELECT routine, outcome, count(*) FROM calls GROUP BY ALL ORDER BY ALL"
    """
    with Database.open(db) as database:
        if query is not None:
            click.echo(_answer(database, query, form))
            return
        _prompt(database, form)


def _prompt(database: Database, form: str) -> None:
    """Read queries until the input ends; a query that fails says why, and the prompt goes on."""
    click.echo(f"{database.path}, read-only; an empty line or Ctrl-D ends", err=True)
    while True:
        try:
            query = input("sql> ").strip()
        except EOFError:
            return
        if not query:
            return
        try:
            click.echo(_answer(database, query, form))
        except DatabaseError as error:
            click.echo(str(error), err=True)


def _answer(database: Database, query: str, form: str) -> str:
    rows = database.records(query)
    if form == "json":
        return json.dumps(rows, default=str)
    if form == "csv":
        return _as_csv(rows)
    return _as_table(rows)


def _as_csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


def _as_table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "no rows"
    table = Table(box=box.SIMPLE_HEAD)
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row.values()))
    console = Console(file=io.StringIO(), width=max(80, Console().width))
    console.print(table)
    return console.file.getvalue().strip("\n")  # type: ignore[attr-defined,no-any-return]
