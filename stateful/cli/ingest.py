"""`stateful ingest`: merge run files into the database and evaluate every query."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.cli.options import allow_option, database_option, note, quiet_option, tell_changes
from stateful.cli.progress import Line
from stateful.errors import DatabaseError
from stateful.generate.limits import allow
from stateful.ingest.evaluation import evaluate_all
from stateful.ingest.merge import merge
from stateful.store.database import Database
from stateful.words import counted

__all__ = ["ingest"]


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@allow_option
@click.option("--workers", type=click.IntRange(min=1, max=64), help="Processes that evaluate; one for each core.")
@database_option
@quiet_option
def ingest(runs: tuple[Path, ...], allowed: tuple[str, ...], workers: int | None, db: Path, quiet: bool) -> None:
    """Merge run files into the database, and evaluate every public query of every object.

    Merging a file twice changes nothing. A file that cannot be read is named, and the others go in.

    \b
    stateful ingest run.db
    """
    refused = []
    if len(runs) == 1:
        with Database.open(runs[0]) as source:
            source.require_trust()
    with Database.create(db) as database:
        allow(database, allowed)
        for run in runs:
            try:
                merged = merge(database, run)
                note(f"{run}: {counted(merged.tests, 'new test case')}{merged.note}", quiet)
            except DatabaseError as error:
                refused.append(str(error))
        tell_changes(database)
        with Line(quiet) as line:
            done = evaluate_all(database, progress=line.evaluation, again=True, workers=workers)
    click.echo(f"{counted(done.evaluations, 'evaluation')} on {counted(done.snapshots, 'snapshot')} in {db}")
    if done.bounded or done.failed:
        click.echo(
            f"{counted(done.bounded, 'snapshot')} had more to evaluate than the bound, "
            f"{done.failed:,} could not be evaluated"
        )
    for name in done.changing:
        click.echo(f"{name} changes its object, or does not come back: it is no query")
    if refused:
        raise DatabaseError("; ".join(refused))
