"""`stateful infer`: derive clauses."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.cli.options import chosen_classes, class_option, database_option, note, quiet_option, template_option
from stateful.cli.progress import Line
from stateful.contracts import parse
from stateful.contracts.nodes import slots_of
from stateful.errors import UsageError
from stateful.infer.engine import add_templates
from stateful.infer.engine import infer as infer_clauses
from stateful.infer.why import why
from stateful.report.contracts import code_of_test
from stateful.store.database import Database
from stateful.words import counted

__all__ = ["infer"]


@click.command()
@class_option
@template_option
@click.option("--why", "clause", metavar="CLAUSE", help="Only say why it was not inferred, or what became of it.")
@click.option("--routine", metavar="ROUTINE", help="With --why: only of this routine, such as LinkedList.pop.")
@database_option
@quiet_option
def infer(
    class_name: str | None, templates: tuple[str, ...], clause: str | None, routine: str | None, db: Path, quiet: bool
) -> None:
    """Derive preconditions, postconditions, exceptional clauses and invariants from the passing tests.

    \b
    stateful infer
    stateful infer --class LinkedList
    stateful infer --why "len(self) == old(len(self)) - 1" --routine LinkedList.pop
    """
    if clause is not None:
        _say_why(db, clause, routine, class_name)
        return
    if routine is not None:
        raise UsageError("--routine belongs to --why; to infer for one class, use --class")
    with Database.open(db, read_only=False) as database:
        add_templates(database, templates)
        with Line(quiet) as line:
            done = infer_clauses(database, chosen_classes(database, class_name), progress=line.inference)
        evaluated = database.value("SELECT count(*) FROM snapshot_evaluations")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(done.kinds.items()))
    if not evaluated:
        note("nothing was evaluated yet: 'stateful ingest' comes first")
    found = f"{counted(done.clauses, 'clause')} of {counted(done.routines, 'routine')}"
    click.echo(f"{found}, {done.new:,} of them new: {kinds or 'none'}")
    click.echo("list them with 'stateful contracts', try to violate them with 'stateful reduce'")


def _say_why(db: Path, clause: str, routine: str | None, class_name: str | None) -> None:
    expression = parse(clause)
    with Database.open(db) as database:
        database.require_trust()  # its templates are evaluated
        classes = chosen_classes(database, class_name)
        found = why(database, expression, routine, list(classes) if classes else None)
        if not found:
            where = f"routine {routine!r}" if routine else "routine"
            names = ", ".join(slots_of(expression)) or "nothing"
            raise UsageError(f"no {where} in {db} was ingested that has the operands of the clause: {names}")
        for answer in found:
            click.echo(f"{answer.routine.rpartition(':')[2]}  {answer.kind}  {answer.verdict}")
            for value in answer.values:
                click.echo(f"    {value}")
            for line in (code_of_test(database, answer.test) or "").splitlines() if answer.test else ():
                click.echo(f"    | {line}")
