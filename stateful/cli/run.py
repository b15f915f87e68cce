"""`stateful run`: one random-testing session."""

from __future__ import annotations

import json
from pathlib import Path

import click

from stateful.cli.options import Seconds, allow_option, chosen_seed, note, quiet_option
from stateful.cli.progress import Line
from stateful.generate.confirm import confirm_faults
from stateful.generate.covering import measure
from stateful.generate.limits import allow
from stateful.generate.session import RunOptions, Summary, run_session
from stateful.ingest.evaluation import targets_of
from stateful.report.faults import faults_of, shown_list
from stateful.store.database import Database
from stateful.subject.target import Target, parse_target

__all__ = ["run"]


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("run.db"), show_default=True, help="The run file."
)
@click.option(
    "--time", "seconds", type=Seconds, default=60.0, show_default=True, help="How long, such as 90, 90s, 5m or 1h."
)
@click.option("--tests", type=click.IntRange(min=1), help="Make this many calls, however long they take.")
@click.option("--seed", help="A number, or 'last'; without it a new one, which is printed.")
@click.option("--deadline", type=Seconds, default=1.0, show_default=True, help="Seconds for one call.")
@allow_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@quiet_option
def run(
    targets: tuple[str, ...], output: Path, seconds: float, tests: int | None, seed: str | None, deadline: float,
    allowed: tuple[str, ...], as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Test the classes and functions of TARGET at random, and record every state and call.

    \b
    stateful run examples/linked_list.py -o run.db
    stateful run collections:OrderedDict --time 10s --seed 7
    """
    found = [parse_target(target) for target in targets]
    is_new = not output.exists()
    with Database.create(output) as database:
        try:
            allow(database, allowed)
            options = RunOptions(chosen_seed(seed, database), seconds, tests, deadline)
            note(f"seed {options.seed}", quiet)
            with Line(quiet) as line:
                summary = run_session(database, found, options, line.session)
            _look_again(database, found, summary)
        except BaseException:
            if is_new and not database.value("SELECT count(*) FROM test_cases"):
                database.discard()
            raise
        _print(database, summary, as_json)
    raise SystemExit(130 if summary.interrupted else 1 if summary.faults else 0)


def _look_again(database: Database, targets: list[Target], summary: Summary) -> None:
    """Coverage and reproducers; a second Ctrl-C leaves them, and the report still comes."""
    try:
        if not summary.interrupted:
            summary.coverage = measure(database, targets, max(1.0, 0.1 * summary.seconds))
        confirm_faults(
            database, targets_of(database), seconds=5.0 if summary.interrupted else max(10.0, 0.3 * summary.seconds)
        )
    except KeyboardInterrupt:
        summary.interrupted = True


def _print(database: Database, summary: Summary, as_json: bool) -> None:
    faults = faults_of(database)
    if as_json:
        click.echo(json.dumps({**head(summary), "faults": [fault.as_json() for fault in faults]}))
        return
    click.echo("\n".join(shown_list(faults)))
    click.echo(f"{summary.calls} calls, {summary.tests} tests and {summary.states} states in {summary.seconds:.1f} s")
    for text in summary.notes:
        click.echo(text)


def head(summary: Summary) -> dict[str, object]:
    """What every report of testing begins with."""
    return {
        "seed": summary.seed, "seconds": round(summary.seconds, 2), "calls": summary.calls, "tests": summary.tests,
        "states": summary.states, "coverage": summary.coverage,
    }  # fmt: skip
