"""`stateful find`: objects that satisfy an expression, and how to build them."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import database_option, named_classes
from stateful.contracts import conjuncts, parse
from stateful.contracts.nodes import slots_of
from stateful.errors import UsageError
from stateful.reduce.finding import find_objects
from stateful.store.database import Database

__all__ = ["find"]


@click.command()
@click.argument("class_name", metavar="CLASS")
@click.option("--where", "condition", metavar="EXPR", help="What `self` must satisfy, in the contract language.")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="At most so many objects.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@database_option
def find(class_name: str, condition: str | None, limit: int, as_json: bool, db: Path) -> None:
    """Find objects of CLASS in the database, and print how to build them.

    \b
    stateful find LinkedList --where "not self.is_empty() and self.has(0)"
    """
    expression = parse(condition) if condition else None
    other = [name for name in slots_of(expression) if name != "self"] if expression else []
    if other:
        raise UsageError(f"--where speaks of {other[0]!r}; the object is called `self`")
    with Database.open(db) as database:
        (full,) = named_classes(database, class_name) or ()
        found = find_objects(database, full, conjuncts(expression) if expression else (), limit)
    if as_json:
        click.echo(json.dumps([item.as_json() for item in found]))
        return
    for item in found:
        click.echo(f"# {item.shown}\n{item.code}\n")
    click.echo(f"{len(found)} objects" if found else f"no object of {full} satisfies it")
