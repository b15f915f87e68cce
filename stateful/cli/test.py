"""`stateful test`: run, ingest, infer, reduce, again until nothing changes or the time is over."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import (
    Seconds,
    allow_option,
    chosen_seed,
    database_option,
    note,
    quiet_option,
    tell_changes,
    template_option,
    testing_options,
    workers_from,
)
from stateful.cli.progress import Line
from stateful.cli.run import head, tail
from stateful.generate.limits import allow, remember_laws
from stateful.generate.session import RunOptions
from stateful.generate.settings import settings_from
from stateful.infer.engine import add_templates
from stateful.reduce.campaign import Campaign, run_campaign
from stateful.report.faults import ListedFault, faults_of_targets, shown_list, shown_never_passed, shown_others
from stateful.store.database import Database
from stateful.subject.target import Target, parse_target
from stateful.words import counted

__all__ = ["test"]


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "--time", "seconds", type=Seconds, default=60.0, show_default=True, help="How long, such as 90, 90s, 5m or 1h."
)
@testing_options
@allow_option
@template_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@database_option
@quiet_option
def test(
    targets: tuple[str, ...],
    seconds: float,
    seed: str | None,
    deadline: float,
    strategy: str,
    settings: tuple[str, ...],
    workers: int | None,
    values: tuple[str, ...],
    coverage: bool,
    laws: tuple[str, ...],
    without_laws: tuple[str, ...],
    allowed: tuple[str, ...],
    templates: tuple[str, ...],
    as_json: bool,
    db: Path,
    quiet: bool,
) -> None:
    """Test TARGET: find faults and contracts, and print the faults with their reproducers.

    TARGET is package.module, package.module:Class, package.module:Class,Other, path/file.py or path/file.py:Class.
    The exit code is 0 without faults, 1 with faults, 2 for wrong use, 5 if there is nothing to test.

    \b
    stateful test examples/two_way_tree.py:TwoWayTree --time 30s
    """
    found = [parse_target(target) for target in targets]
    changed = settings_from(strategy, settings)
    is_new = not db.exists()
    with Database.create(db) as database:
        try:
            allow(database, allowed)
            remember_laws(database, laws, without_laws)
            add_templates(database, templates)
            tell_changes(database, more=True)
            chosen = chosen_seed(seed, database)
            note(f"seed {chosen}", quiet)
            options = RunOptions(
                chosen, seconds, None, deadline, strategy=strategy, settings=changed,
                workers=workers_from(workers, None), values=values, coverage=coverage,
            )  # fmt: skip
            with Line(quiet) as line:
                done = run_campaign(database, found, options, line)
        except BaseException:
            if is_new and not database.value("SELECT count(*) FROM test_cases"):
                database.discard()
            raise
        faults = _print(database, found, done, as_json)
    raise SystemExit(130 if done.summary.interrupted else 1 if faults else 0)


def _print(database: Database, targets: list[Target], done: Campaign, as_json: bool) -> list[ListedFault]:
    faults, others = faults_of_targets(database, targets)
    summary = done.summary
    if as_json:
        clauses = {"inferred": done.inferred, "removed": done.removed, "kept": done.kept}
        body = {**head(summary), "clauses": clauses, "faults": [fault.as_json() for fault in faults]}
        click.echo(json.dumps(body))
        return faults
    click.echo("\n".join([*shown_list(faults, every=False), *shown_others(others)]))
    click.echo("\n".join([*tail(summary), *shown_never_passed(database, targets)]))
    click.echo(f"{counted(done.inferred, 'clause')} inferred, {done.removed} of them removed; see 'stateful contracts'")
    looked, there = database.rows(LOOKED_AT)[0]
    if there and not database.value("SELECT count(*) FROM inferences"):
        click.echo("there was no time for inference; give more with --time")
    elif looked < ENOUGH * there:
        click.echo(f"they hold for {looked:,} of {there:,} passing tests; 'stateful reduce' looks at the others, too")
    return faults


ENOUGH = 0.9  # of the tests, of which nothing has to be said
LOOKED_AT = """
SELECT count(*) FILTER (b.snapshot_id IS NOT NULL AND a.snapshot_id IS NOT NULL), count(*) FROM test_cases t
LEFT JOIN snapshot_evaluations b ON b.snapshot_id = t.pre_snapshot
LEFT JOIN snapshot_evaluations a ON a.snapshot_id = t.post_snapshot
WHERE t.outcome = 'pass'
"""
