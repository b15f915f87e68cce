"""`stateful contracts`: list the clauses."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import chosen_classes, class_option, database_option
from stateful.errors import UsageError
from stateful.report.contracts import contracts_of, shortened, shown
from stateful.report.pasting import FORMS, as_markdown, blocks_of, plain_values, shown_blocks
from stateful.store.database import Database
from stateful.store.models import routines_of

__all__ = ["contracts"]


@click.command()
@class_option
@click.option("--removed", is_flag=True, help="Those that fell, each with its witness.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", *FORMS]),
    default="text",
    show_default=True,
    help="icontract, deal and assert print code to paste.",
)
@click.option("--all", "every", is_flag=True, help="All clauses of each routine, not only those that say most.")
@database_option
def contracts(class_name: str | None, removed: bool, form: str, every: bool, db: Path) -> None:
    """List the clauses that were written and inferred, or those that fell.

    \b
    stateful contracts --class LinkedList
    stateful contracts --removed
    stateful contracts --class LinkedList --format icontract
    """
    if removed and form in FORMS:
        raise UsageError(f"--format {form} is for what holds; --removed lists what does not")
    with Database.open(db) as database:
        rows = contracts_of(database, classes=chosen_classes(database, class_name), removed=removed)
        routines, plain = routines_of(database), plain_values(database)
    left: dict[str, int] = {}
    if not (every or removed or form == "json"):
        rows, left = shortened(rows)
    if form in FORMS:
        click.echo("\n".join(shown_blocks(blocks_of(rows, routines, form, plain), form)))
    elif form == "markdown":
        click.echo("\n".join(as_markdown(rows)))
    elif form == "json":
        click.echo(json.dumps(rows))
    elif removed and not rows:
        click.echo("no clause has fallen")
    else:
        click.echo("\n".join(shown(rows, left)))
