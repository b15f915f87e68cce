"""The command `stateful`: its sub-commands, and what becomes of errors."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from stateful import __version__
from stateful.config import configured
from stateful.errors import StatefulError, UsageError

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS = {
    "test": "stateful.cli.test:test",
    "run": "stateful.cli.run:run",
    "ingest": "stateful.cli.ingest:ingest",
    "infer": "stateful.cli.infer:infer",
    "reduce": "stateful.cli.reduce:reduce",
    "faults": "stateful.cli.faults:faults",
    "show": "stateful.cli.faults:show",
    "replay": "stateful.cli.faults:replay",
    "contracts": "stateful.cli.contracts:contracts",
    "find": "stateful.cli.find:find",
    "sql": "stateful.cli.sql:sql",
    "trust": "stateful.cli.trust:trust",
}
INTERNAL_ERROR = 3
INTERRUPTED = 130


class _Commands(click.Group):
    """Imports a command's file when the command is asked for, so that `--help` and `--version` are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Who has read enough, such as `head`, has not found a fault: click would end with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be flushed goes there
            raise click.exceptions.Exit(0) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, with the defaults of the user's own configuration."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None:
            ctx.default_map = {name: defaults_of(name, command)}
        return name, command, rest


OF_ONE_COMMAND = ("output", "format")
"""Options that mean something else to each command."""


def defaults_of(command_name: str, command: click.Command) -> dict[str, Any]:
    """What `[tool.stateful]` says of the options of all commands, and `[tool.stateful.NAME]` of those of one, by
    parameter; what no command knows is refused."""
    file, whole = configured(Path.cwd())
    shared = {name: value for name, value in whole.items() if name not in COMMANDS}
    for name in OF_ONE_COMMAND:
        if name in shared:
            raise UsageError(
                f"[tool.stateful] in {file} has {name!r}, which means something else to each command; "
                f"put it into [tool.stateful.run], say"
            )
    mine = whole.get(command_name, {})
    if not isinstance(mine, dict):
        raise UsageError(f"[tool.stateful] in {file}: {command_name} is {mine!r}, where a table of options is wanted")
    own = _options(command)
    if strange := [name for name in mine if name not in own]:
        raise UsageError(f"[tool.stateful.{command_name}] in {file} has no option {strange[0]!r}")
    table = {**shared, **mine}
    if not table:
        return {}
    unknown = [name for name in table if name not in own]
    if unknown:
        known = set(own)
        for place in COMMANDS.values():
            module, _, name = place.partition(":")
            known |= set(_options(getattr(import_module(module), name)))
        for name in unknown:
            if name not in known:
                near = get_close_matches(name, sorted(known), n=1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; there is {', '.join(sorted(known))}"
                raise UsageError(f"[tool.stateful] in {file} has no option {name!r}{hint}")
    found = {name: value for name, value in table.items() if name in own}
    options = {str(option.name): option for option in command.params}
    return {own[name]: _fitting(options[own[name]], name, value, file) for name, value in found.items()}


def _fitting(option: click.Parameter, name: str, value: Any, file: Path | None) -> Any:
    """The value of an option as the configuration has it; what can be repeated may stand there alone."""
    if f"--{name}" in option.secondary_opts:  # `no-coverage = true`
        if not isinstance(value, bool):
            raise UsageError(f"[tool.stateful] in {file}: {name} is {value!r}, where true or false is wanted")
        return not value
    several = bool(getattr(option, "multiple", False))
    items = value if isinstance(value, list) else [value]
    if (isinstance(value, list) and not several) or not all(isinstance(one, str | int | float) for one in items):
        wanted = "a list of strings" if several else "one string or number"
        raise UsageError(f"[tool.stateful] in {file}: {option.name} is {value!r}, where {wanted} is wanted")
    return items if several else str(value) if isinstance(option.type, click.Path) else value


def _options(command: click.Command) -> dict[str, str]:
    """The names of the options as a user writes them, without dashes, each with its parameter."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.name]
    texts = ((text, option) for option in options for text in (*option.opts, *option.secondary_opts))
    return {text.lstrip("-"): str(option.name) for text, option in texts if text.startswith("--")}


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stateful")
def cli() -> None:
    """Find faults in Python classes that random testing does not reach, and learn their contracts.

    \b
    stateful test package.module:Class     everything, then the faults
    stateful run TARGET -o run.db          the four steps one by one:
    stateful ingest run.db
    stateful infer
    stateful reduce
    """


def main() -> None:
    """Run the command line; every error that a user can cause is one sentence."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except StatefulError as error:
        click.echo(f"stateful: {error}", err=True)
        sys.exit(error.exit_code)
    except Exception as error:
        if os.environ.get("STATEFUL_DEBUG"):
            traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        click.echo(f"stateful: our own error, please report it ({what}); STATEFUL_DEBUG=1 shows where", err=True)
        sys.exit(INTERNAL_ERROR)
