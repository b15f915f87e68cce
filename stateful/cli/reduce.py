"""`stateful reduce`: try to violate each clause."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.cli.options import (
    Seconds,
    chosen_classes,
    class_option,
    database_option,
    note,
    quiet_option,
    tell_changes,
)
from stateful.cli.progress import Line
from stateful.contracts import parse, text
from stateful.errors import UsageError
from stateful.generate.confirm import confirm_faults
from stateful.ingest.evaluation import targets_of
from stateful.reduce.loop import reduce_to_fixpoint
from stateful.reduce.scope import Limits, Scope
from stateful.report.faults import faults_of, shown
from stateful.store.database import Database
from stateful.words import counted

__all__ = ["reduce"]


@click.command()
@class_option
@click.option("--routine", metavar="ROUTINE", help="Only the clauses of this routine, such as LinkedList.pop.")
@click.option("--clause", metavar="CLAUSE", help="Only this clause, again if it was tried before.")
@click.option(
    "--time", "seconds", type=Seconds, help="Stop after this time; replaying new faults may take a quarter more."
)
@click.option(
    "--most", type=click.IntRange(1), default=45, show_default=True, help="Violating operands for each clause."
)
@click.option("--timeout", type=Seconds, default=60.0, show_default=True, help="Give up one query after this time.")
@click.option(
    "--drop",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="Conditions given up at once, for calls that establish them.",
)
@click.option(
    "--chain",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Longest sequence of calls, the routine itself included.",
)
@click.option(
    "--fresh",
    type=click.IntRange(0),
    default=5000,
    show_default=True,
    help="Random calls between two rounds, for objects that are not there yet (with --time, a part of it); 0 for none.",
)
@click.option("--explain", is_flag=True, help="Print each attempt with its SQL.")
@database_option
@quiet_option
def reduce(
    class_name: str | None,
    routine: str | None,
    clause: str | None,
    seconds: float | None,
    most: int,
    timeout: float,
    drop: int,
    chain: int,
    fresh: int,
    explain: bool,
    db: Path,
    quiet: bool,
) -> None:
    """Negate each clause, search the database for objects that violate it, and call the routine on them.

    Either the clause falls, or a fault shows that random testing missed. New tests enter the database, random calls
    make objects that it lacks, and clauses are inferred again, until nothing changes or three rounds are over.

    \b
    stateful reduce --class LinkedList
    stateful reduce --routine LinkedList.pop --clause "not self.is_empty()" --explain
    """
    limits = Limits(most, timeout, drop, chain, fresh)
    with Database.open(db, read_only=False) as database:
        tell_changes(database)
        scope = _scope(database, class_name, routine, clause)
        first = database.next_id("reductions")
        old = {fault.digest for fault in faults_of(database)}
        with Line(quiet) as line:
            done = reduce_to_fixpoint(database, scope, limits, seconds=seconds, line=line)
        confirm_faults(database, targets_of(database), seconds=_confirming(seconds, done.interrupted))
        if explain:
            _explain(database, first)
        new = [fault for fault in faults_of(database) if fault.digest not in old]
        for fault in new:
            click.echo("\n".join(shown(fault)))
    for told in dict.fromkeys(done.notes):
        note(told, quiet)
    ending = "until nothing changed" if done.fixpoint else "interrupted" if done.interrupted else "more may be found"
    found = (
        counted(done.removed, "clause") + " removed",
        counted(done.tests, "new test"),
        counted(len(new), "new fault"),
    )
    click.echo(f"{', '.join(found)}, in {counted(done.rounds, 'round')}: {ending}")
    raise SystemExit(130 if done.interrupted else 1 if new else 0)


def _confirming(seconds: float | None, interrupted: bool) -> float:
    """Seconds to replay new faults: a quarter of the time that was asked for."""
    return 5.0 if interrupted else min(60.0, max(5.0, (seconds or 240.0) / 4))


def _scope(database: Database, class_name: str | None, routine: str | None, clause: str | None) -> Scope:
    """What is asked for; that there is no such clause is said before anything is done."""
    said = None if clause is None else text(parse(clause))
    scope = Scope(chosen_classes(database, class_name), routine, said)
    rows = database.rows(
        "SELECT k.name, r.name, c.text FROM clauses c JOIN routines r ON r.id = c.routine_id "
        "LEFT JOIN classes k ON k.id = r.class_id WHERE c.status IN ('kept', 'guards')"
    )
    if (routine or clause) and not any(scope.holds(*row) for row in rows):
        where = f" of {routine}" if routine else ""
        what = "clause" if said is None else f"clause {said!r}"
        raise UsageError(f"no {what}{where} is kept in {database.path}; 'stateful contracts' lists those that are")
    return scope


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
        click.echo(f"{row['query']};\n" if row["query"] else "")
