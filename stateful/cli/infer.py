"""`stateful infer`: derive clauses."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.cli.options import chosen_classes, class_option, database_option
from stateful.infer.engine import infer as infer_clauses
from stateful.store.database import Database

__all__ = ["infer"]


@click.command()
@class_option
@database_option
def infer(class_name: str | None, db: Path) -> None:
    """Derive preconditions, postconditions, exceptional clauses and invariants from the passing tests.

    \b
    stateful infer
    stateful infer --class LinkedList
    """
    with Database.open(db, read_only=False) as database:
        done = infer_clauses(database, chosen_classes(database, class_name))
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(done.kinds.items()))
    click.echo(f"{done.clauses} clauses of {done.routines} routines, {done.new} of them new: {kinds or 'none'}")
    click.echo("list them with 'stateful contracts', try to violate them with 'stateful reduce'")
