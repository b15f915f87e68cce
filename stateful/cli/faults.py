"""`stateful faults` and `stateful show`: what was found."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import database_option
from stateful.errors import UsageError
from stateful.report.faults import faults_of, shown, shown_list
from stateful.store.database import Database

__all__ = ["faults", "show"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@database_option
def faults(as_json: bool, db: Path) -> None:
    """List the faults, the most believable first, each with a reproducer.

    \b
    stateful faults
    stateful faults --json --db run.db
    """
    with Database.open(db) as database:
        found = faults_of(database)
    click.echo(json.dumps([fault.as_json() for fault in found]) if as_json else "\n".join(shown_list(found)))


@click.command()
@click.argument("fault")
@database_option
def show(fault: str, db: Path) -> None:
    """Show one fault, such as F1.

    \b
    stateful show F1
    """
    with Database.open(db) as database:
        found = faults_of(database)
    chosen = next((item for item in found if item.id.lower() == fault.lower()), None)
    if chosen is None:
        there = f"there are F1 to F{len(found)}" if found else "there are none"
        raise UsageError(f"no fault {fault!r} in {db}; {there}")
    click.echo("\n".join(shown(chosen)))
    for file, line, function in chosen.trace:
        click.echo(f"    {file}:{line} in {function}")
