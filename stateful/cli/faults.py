"""`stateful faults` and `stateful show`: what was found."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import database_option
from stateful.errors import UsageError
from stateful.report.explaining import explained
from stateful.report.faults import faults_of, shown_list
from stateful.store.database import Database

__all__ = ["faults", "show"]


@click.command()
@click.option("--all", "every", is_flag=True, help="The less believable ones in full, too.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of all.")
@database_option
def faults(every: bool, as_json: bool, db: Path) -> None:
    """List the faults, the most believable first, each with a reproducer.

    Those that may be wrong calls, and those that did not happen again, get a line each, unless you want --all.

    \b
    stateful faults
    stateful faults --all
    stateful faults --json --db run.db
    """
    with Database.open(db) as database:
        found = faults_of(database)
    lines = shown_list(found, every=every)
    click.echo(json.dumps([fault.as_json() for fault in found]) if as_json else "\n".join(lines))


@click.command()
@click.argument("fault")
@database_option
def show(fault: str, db: Path) -> None:
    """Explain one fault, such as F1: what happened, why it is believed, and what passes nearby.

    \b
    stateful show F1
    """
    with Database.open(db) as database:
        found = faults_of(database)
        chosen = next((item for item in found if item.id.lower() == fault.lower()), None)
        if chosen is None:
            there = f"there are F1 to F{len(found)}" if found else "there are none"
            raise UsageError(f"no fault {fault!r} in {db}; {there}")
        lines = list(explained(chosen, database))
    click.echo("\n".join(lines))
