"""`stateful trust`: accept a database that was made elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from stateful.store.database import Database

__all__ = ["trust"]

HELD = (
    ("tests", "SELECT DISTINCT split_part(content, chr(9), 1) FROM about WHERE name = 'target' ORDER BY 1"),
    ("imports from", "SELECT DISTINCT split_part(content, chr(9), 2) FROM about WHERE name = 'target' ORDER BY 1"),
    ("lets the subject use", "SELECT content FROM about WHERE name = 'allow' ORDER BY 1"),
    ("has laws in", "SELECT content FROM about WHERE name = 'law' ORDER BY 1"),
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def trust(file: Path) -> None:
    """Accept a database that somebody else made: from now on, what it holds may be executed.

    Its snapshots, recipes, clauses and reproducers are code, and run in the sandbox when they are needed. SQL and lists
    work without this.

    \b
    stateful trust colleagues.db
    """
    with Database.open(file, read_only=False, accept=True) as database:
        if database.trusted:
            click.echo(f"{file} is trusted already")
            return
        for what, query in HELD:
            found = [content for (content,) in database.rows(query) if content]
            if found:
                click.echo(f"{what}: {', '.join(found)}")
        database.trust()
    click.echo(f"{file} is trusted from now on")
