"""`stateful reduce`: try to violate each clause."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.cli.options import Seconds, chosen_classes, class_option, database_option, quiet_option, tell_changes
from stateful.cli.progress import Line
from stateful.generate.confirm import confirm_faults
from stateful.ingest.evaluation import targets_of
from stateful.reduce.loop import reduce_to_fixpoint
from stateful.report.faults import faults_of, shown
from stateful.store.database import Database

__all__ = ["reduce"]


@click.command()
@class_option
@click.option("--time", "seconds", type=Seconds, help="Stop after this time.")
@click.option("--explain", is_flag=True, help="Print each attempt with its SQL.")
@database_option
@quiet_option
def reduce(class_name: str | None, seconds: float | None, explain: bool, db: Path, quiet: bool) -> None:
    """Negate each clause, search the database for objects that violate it, and call the routine on them.

    Either the clause falls, or a fault shows that random testing missed. New tests enter the database, clauses
    are inferred again, until nothing changes.

    \b
    stateful reduce --class LinkedList
    """
    with Database.open(db, read_only=False) as database:
        tell_changes(database)
        classes = chosen_classes(database, class_name)
        first = database.next_id("reductions")
        with Line(quiet) as line:
            done = reduce_to_fixpoint(database, classes=classes, seconds=seconds, progress=line.reduction)
        confirm_faults(database, targets_of(database), seconds=5.0 if done.interrupted else 60.0)
        if explain:
            _explain(database, first)
        new = set(done.faults)
        for fault in faults_of(database):
            if fault.found_by != "run" and new:
                click.echo("\n".join(shown(fault)))
    ending = "until nothing changed" if done.fixpoint else "interrupted" if done.interrupted else "more may be found"
    found = f"{done.removed} clauses removed, {done.tests} new tests, {len(new)} new faults"
    click.echo(f"{found}, in {done.rounds} rounds: {ending}")
    raise SystemExit(130 if done.interrupted else 1 if new else 0)


def _explain(database: Database, first: int) -> None:
    for row in database.records(
        "SELECT c.text, r.name, d.* FROM reductions d LEFT JOIN clauses c ON c.id = d.clause_id "
        "LEFT JOIN routines r ON r.id = c.routine_id WHERE d.id >= ? ORDER BY d.id",
        [first],
    ):
        click.echo(f"-- {row['name']}: {row['text']}")
        counts = f"{row['found']} found, {row['tried']} tried, {row['violating']} violating"
        click.echo(f"-- {row['way']}: {counts}: {row['verdict']}")
        if row["residual"]:
            click.echo(f"-- checked on the live objects: {row['residual']}")
        click.echo(f"{row['query']};\n")
