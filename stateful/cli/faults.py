"""`stateful faults`, `stateful show` and `stateful replay`: what was found, and whether it is still there."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import database_option
from stateful.errors import UsageError
from stateful.generate.confirm import run_again
from stateful.ingest.evaluation import targets_of
from stateful.report.explaining import explained
from stateful.report.faults import BELIEVED, ListedFault, faults_of, shown_list
from stateful.store.database import Database

__all__ = ["faults", "replay", "show"]


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
        chosen = _named(faults_of(database), fault, db)
        lines = list(explained(chosen, database))
    click.echo("\n".join(lines))


@click.command()
@click.argument("names", nargs=-1, metavar="[FAULT...]")
@database_option
def replay(names: tuple[str, ...], db: Path) -> None:
    """Run reproducers again, on the subject as it is now: those of the named faults, or of all believable ones.

    The exit code is 1 if one of them still fails, or has no calls that could be run.

    \b
    stateful replay F1
    stateful replay
    """
    still = 0
    with Database.open(db) as database:
        found = faults_of(database)
        wanted = [_named(found, name, db) for name in names] or [f for f in found if f.likelihood in BELIEVED]
        if not wanted:
            click.echo("no certain or likely fault; name another, such as F1" if found else "no faults found")
        for fault in wanted:
            if fault.reproducer is None:
                still += 1
                click.echo(f"{fault.id}  its calls are not known, test again  {fault.routine.rpartition(':')[2]}")
                continue
            ended = run_again(database, targets_of(database), fault.reproducer)
            still += ended is not None
            how = {None: "passes now", "hang": "still hangs", "crash": "still kills its process"}
            click.echo(f"{fault.id}  {how.get(ended, f'still fails: {ended}')}  {fault.routine.rpartition(':')[2]}")
    raise SystemExit(1 if still else 0)


def _named(found: list[ListedFault], name: str, db: Path) -> ListedFault:
    """The fault that a user means."""
    chosen = next((item for item in found if item.id.lower() == name.lower()), None)
    if chosen is None:
        there = (
            "there are none" if not found else "there is F1" if len(found) == 1 else f"there are F1 to F{len(found)}"
        )
        raise UsageError(f"no fault {name!r} in {db}; {there}")
    return chosen
