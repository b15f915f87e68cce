"""`stateful contracts`: list the clauses."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import chosen_classes, class_option, database_option
from stateful.report.contracts import contracts_of, shown
from stateful.store.database import Database

__all__ = ["contracts"]


@click.command()
@class_option
@click.option("--removed", is_flag=True, help="Those that fell, each with its witness.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@database_option
def contracts(class_name: str | None, removed: bool, form: str, db: Path) -> None:
    """List the clauses that were written and inferred, or those that fell.

    \b
    stateful contracts --class LinkedList
    stateful contracts --removed
    """
    with Database.open(db) as database:
        rows = contracts_of(database, classes=chosen_classes(database, class_name), removed=removed)
    if form == "json":
        click.echo(json.dumps(rows))
    elif removed and not rows:
        click.echo("no clause has fallen")
    else:
        click.echo("\n".join(shown(rows)))
