"""What a query gives, as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
from rich import box
from rich.console import Console
from rich.table import Table

from stateful.errors import UsageError
from stateful.store.database import Database, sentence

__all__ = ["FORMATS", "as_text", "write_parquet"]

FORMATS = ("table", "csv", "json", "parquet")
Rows = Sequence[Sequence[Any]]


def as_text(database: Database, query: str, form: str) -> str:
    """The answer in one of the formats that are text."""
    names, rows = database.answer(query)
    if form == "json":
        distinct = _distinct(names)
        cells = ([_finite(cell) for cell in row] for row in rows)
        return json.dumps([dict(zip(distinct, row, strict=True)) for row in cells], default=str)
    return _as_csv(names, rows) if form == "csv" else _as_table(names, rows)


def _distinct(names: Sequence[str]) -> list[str]:
    """Two columns of one name are told apart."""
    found: list[str] = []
    for name in names:
        number = sum(name == known.partition(":")[0] for known in found)
        found.append(f"{name}:{number}" if number else name)
    return found


def _finite(cell: Any) -> Any:
    """JSON has no nan and no infinity."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _as_csv(names: Sequence[str], rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().rstrip("\r\n")


def _as_table(names: Sequence[str], rows: Rows) -> str:
    """A line for each row; a line for each cell where a table would be too wide to be read."""
    if not rows:
        return "no rows"
    width = max(80, Console().width)
    cells = [["" if cell is None else _plain(str(cell)) for cell in row] for row in rows]
    columns = zip(*[names, *cells], strict=True)
    needed = sum(min(LEGIBLE, max(len(line) for cell in column for line in cell.split("\n"))) for column in columns)
    if needed + BETWEEN * len(names) > width:
        return _as_records(names, cells, width)
    table = Table(box=box.SIMPLE_HEAD)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return _printed(table, width)


LEGIBLE = 16  # characters of a cell that stand on one line, if it has as many
BETWEEN = 3  # from column to column


def _as_records(names: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> str:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for number, row in enumerate(cells, 1):
        table.add_row(f"row {number}", "")
        for name, cell in zip(names, row, strict=True):
            table.add_row(f"  {name}", cell)
    return "\n".join(map(str.rstrip, _printed(table, width).splitlines()))


def _printed(table: Table, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    console.print(table)
    return console.file.getvalue().strip("\n")  # type: ignore[attr-defined,no-any-return]


def _plain(text: str) -> str:
    """Without characters that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def write_parquet(database: Database, query: str, path: Path) -> int:
    """Write the answer to a Parquet file; the number of rows. The database itself may touch no other file."""
    columns = database.columns(query)
    with duckdb.connect() as writer:
        writer.register("answer", columns)
        try:
            writer.sql("SELECT * FROM answer").write_parquet(str(path))
        except duckdb.Error as error:
            raise UsageError(f"cannot write {path}: {sentence(error)}") from None
    return len(next(iter(columns.values()))) if columns else 0
