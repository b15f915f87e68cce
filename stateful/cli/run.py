"""`stateful run`: random-testing sessions, recorded in a run file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from stateful.cli.options import (
    Seconds,
    allow_option,
    chosen_seed,
    note,
    quiet_option,
    tell_changes,
    testing_options,
    workers_from,
)
from stateful.cli.progress import Line
from stateful.errors import UsageError
from stateful.generate.confirm import confirm_faults
from stateful.generate.limits import allow, remember_laws
from stateful.generate.session import RunOptions, Summary, describe, run_session
from stateful.generate.settings import settings_from
from stateful.ingest.evaluation import targets_of
from stateful.report.faults import ListedFault, faults_of_targets, shown_list, shown_never_passed, shown_others
from stateful.report.plan import shown_plan
from stateful.store.database import Database
from stateful.subject.target import Target, parse_target
from stateful.words import counted

__all__ = ["run"]


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("run.db"), show_default=True, help="The run file."
)
@click.option(
    "--time",
    "seconds",
    type=Seconds,
    default=60.0,
    show_default=True,
    help="How long each session is, such as 90, 90s, 5m or 1h.",
)
@click.option("--tests", type=click.IntRange(min=1), help="Make this many calls, however long they take.")
@click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="So many sessions, each with a new seed.",
)
@testing_options
@allow_option
@click.option(
    "--trace",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep all calls, whether they become test cases or not, in files of this new folder.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be called, and what not and why.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@quiet_option
def run(
    targets: tuple[str, ...], output: Path, seconds: float, tests: int | None, sessions: int, seed: str | None,
    deadline: float, strategy: str, settings: tuple[str, ...], workers: int | None, values: tuple[str, ...],
    coverage: bool, laws: tuple[str, ...], without_laws: tuple[str, ...], allowed: tuple[str, ...], trace: Path | None,
    dry_run: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Test the classes and functions of TARGET at random, and record every state and call.

    \b
    stateful run examples/linked_list.py -o run.db
    stateful run collections:OrderedDict --time 10s --seed 7
    stateful run package.module --dry-run
    """
    found = [parse_target(target) for target in targets]
    chosen = settings_from(strategy, settings)
    if dry_run:
        _describe(found, allowed, as_json)
        return
    if trace is not None:
        _make_empty(trace)
    is_new = not output.exists()
    with Database.create(output) as database:
        try:
            allow(database, allowed)
            remember_laws(database, laws, without_laws)
            tell_changes(database, more=True)
            options = RunOptions(
                chosen_seed(seed, database), seconds, tests, deadline, strategy=strategy, settings=chosen,
                workers=workers_from(workers, tests), values=values, coverage=coverage, trace=trace,
            )  # fmt: skip
            summary = _sessions(database, found, options, sessions, quiet)
            _look_again(database, summary)
        except BaseException:
            if is_new and not database.value("SELECT count(*) FROM test_cases"):
                database.discard()
            raise
        faults = _print(database, found, summary, as_json)
    raise SystemExit(130 if summary.interrupted else 1 if faults else 0)


def _make_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_used = any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"--trace: {folder} cannot be made: {error.strerror}") from None
    if is_used:
        raise UsageError(f"--trace: {folder} holds something already; name a new folder")


def _describe(targets: list[Target], allowed: tuple[str, ...], as_json: bool) -> None:
    subject = describe(targets, allowed)
    click.echo(json.dumps(subject.as_json()) if as_json else "\n".join(shown_plan(subject)))


def _sessions(database: Database, targets: list[Target], options: RunOptions, sessions: int, quiet: bool) -> Summary:
    """One after the other, each with the next seed; together they are one summary."""
    total: Summary | None = None
    for number in range(sessions):
        one = replace(options, seed=options.seed + number)
        if options.trace is not None:
            one = replace(one, trace=options.trace / f"seed-{one.seed}")
            _make_empty(options.trace / f"seed-{one.seed}")
        note(f"seed {one.seed}", quiet)
        with Line(quiet) as line:
            summary = run_session(database, targets, one, line.session, total.covered if total else None)
        if total is None:
            total = summary
        else:
            total.add(summary)
        if summary.interrupted:
            break
    assert total is not None
    return total


def _look_again(database: Database, summary: Summary) -> None:
    """Reproducers; a second Ctrl-C leaves them, and the report still comes."""
    try:
        confirm_faults(
            database, targets_of(database), seconds=5.0 if summary.interrupted else max(10.0, 0.3 * summary.seconds)
        )
    except KeyboardInterrupt:
        summary.interrupted = True


def _print(database: Database, targets: list[Target], summary: Summary, as_json: bool) -> list[ListedFault]:
    faults, others = faults_of_targets(database, targets)
    if as_json:
        click.echo(json.dumps({**head(summary), "faults": [fault.as_json() for fault in faults]}))
        return faults
    click.echo("\n".join([*shown_list(faults, every=False), *shown_others(others)]))
    click.echo("\n".join([*tail(summary), *shown_never_passed(database, targets)]))
    return faults


def tail(summary: Summary) -> list[str]:
    """What every report of testing ends with."""
    covered = summary.covered.as_json() or {}
    shares = [f"{done} of {all_} {name}" for name, (done, all_) in covered.items() if all_]
    first = ", ".join(
        [counted(summary.calls, "call"), counted(summary.tests, "test"), counted(summary.states, "state")]
    )
    return [
        f"{first}{', ' + ' and '.join(shares) + ' covered' if shares else ''}, in {summary.seconds:.1f} s",
        *summary.notes,
    ]


def head(summary: Summary) -> dict[str, Any]:
    """What every report of testing begins with."""
    return {
        "seed": summary.seed, "seconds": round(summary.seconds, 2), "calls": summary.calls, "tests": summary.tests,
        "states": summary.states, "coverage": summary.covered.as_json(),
    }  # fmt: skip
