"""`stateful find`: objects that satisfy an expression, and how to build them."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import database_option, note
from stateful.report.exploring import Explorer

__all__ = ["find"]


@click.command()
@click.argument("class_name", metavar="[CLASS]", required=False)
@click.option("--where", "condition", metavar="EXPR", help="What the objects must satisfy, in the contract language.")
@click.option(
    "-v",
    "--variable",
    "variables",
    multiple=True,
    metavar="NAME:CLASS",
    help="An object that EXPR speaks of; with CLASS alone it is called `self`. Can be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@database_option
def find(
    class_name: str | None, condition: str | None, variables: tuple[str, ...], limit: int, as_json: bool, db: Path
) -> None:  # fmt: skip
    """Find objects of CLASS in the database, and print their state and how to build them.

    \b
    stateful find LinkedList --where "not self.is_empty() and self.has(0)"
    stateful find --where "a == b and a is not b" -v a:LinkedList -v b:LinkedList
    """
    with Explorer(db) as explorer:
        found = explorer.find(class_name, where=condition, variables=variables, limit=limit)
        if not explorer.database.is_trusted():
            note(f"{db} was not made by you: nothing was loaded, so what SQL cannot decide was not checked")
    if as_json:
        click.echo(json.dumps([item.as_json() for item in found]))
        return
    for item in found:
        for one in item.objects:
            start = "" if len(item.objects) == 1 else f"{one.name}: "
            click.echo(f"# {start}{one.shown if one.shown is not None else 'not loaded'}")
            click.echo(f"#   {one.state}") if one.state else None
        click.echo(f"{item.code}\n")
    click.echo(f"{len(found)} found" if found else "nothing in the database satisfies it")
