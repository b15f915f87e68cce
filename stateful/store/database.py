"""Open a DuckDB file, check that it is ours, read and write it; every failure is one sentence."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import ClauseElement

from stateful.errors import DatabaseError
from stateful.resources import text_of
from stateful.store.trust import Writing, is_plain, is_signed, sign

__all__ = ["FORMAT", "VERSION", "Database", "is_database", "sql_of"]

FORMAT = "stateful"
VERSION = 6
SPARING = "128MB"
DIALECT = postgresql.dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]
Column = Sequence[Any] | np.ndarray[Any, Any]


def sql_of(query: ClauseElement, *, literal: bool = False) -> str:
    """The text of a query; with `literal`, values stand in it and it can be pasted into `stateful sql`."""
    options = {"literal_binds": True} if literal else {}
    return str(query.compile(dialect=DIALECT, compile_kwargs=options))


class Database:
    """One open database. Use it in a `with` statement; it is closed, and its log merged, at the end."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        self.path = path
        self.connection = connection
        self.read_only = read_only
        self.closed = False
        self.trusted: bool | None = None
        """Whether what it holds may be executed; None until somebody asks."""
        self.is_beside = False

    @classmethod
    def create(cls, path: Path) -> Database:
        """Open the database at `path` for writing; make it, with its folder, if it is not there."""
        if path.exists() and not _is_unmade(path):
            return cls.open(path, read_only=False)
        _make_folder(path)
        database = cls(path, _connect(path, read_only=False), read_only=False)
        with database.transaction():
            database.run(text_of("schema", "tables.sql"))
            database.run(text_of("schema", "views.sql"))
            database.append("about", {"name": ["format", "version"], "content": [FORMAT, str(VERSION)]})
            Writing(database).begin()
        database.trusted = True
        return database

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True, accept: bool = False) -> Database:
        """Open an existing database; for writing only one that is trusted, unless it is to be accepted."""
        if not path.exists():
            raise DatabaseError(f"no database at {path}; make one with 'stateful run' or 'stateful test'")
        if path.is_dir():
            raise DatabaseError(f"{path} is a folder, not a database")
        database = cls(path, _connect(path, read_only=read_only), read_only=read_only)
        try:
            database._check_version()
            if not read_only and not accept:
                database.require_trust()
            if not read_only:
                database._begin_writing(trusted=database.is_trusted())
        except DatabaseError:
            database.connection.close()
            raise
        return database

    def _begin_writing(self, *, trusted: bool) -> None:
        self.trusted = trusted
        if trusted:
            with self.transaction():
                Writing(self).begin()

    def is_trusted(self) -> bool:
        """Whether this user made it, or accepted it: only then may anything in it be executed."""
        if self.trusted is None:
            self.trusted = is_signed(self)
        return self.trusted

    def require_trust(self) -> None:
        """Called before anything in it is executed."""
        if not self.is_trusted():
            raise DatabaseError(
                f"{self.path} was not made by you, and what it holds would be executed; look at it with "
                f"'stateful sql', then accept it with 'stateful trust {self.path}'"
            )

    def trust(self) -> None:
        """The user accepts it: it is signed when it is closed. Views that are not ours would only deceive."""
        if not is_plain(self):
            raise DatabaseError(f"{self.path} has functions of its own, or views for tables: it cannot be trusted")
        with self.transaction():
            for (name,) in self.rows("SELECT view_name FROM system.main.duckdb_views() WHERE NOT internal"):
                self.run(f'DROP VIEW IF EXISTS "{name.replace(chr(34), chr(34) * 2)}" CASCADE')
            self.run(text_of("schema", "views.sql"))
        self._begin_writing(trusted=True)

    def _check_version(self) -> None:
        try:
            about = dict(self.connection.execute("SELECT name, content FROM about").fetchall())
        except duckdb.Error:
            about = {}
        if about.get("format") != FORMAT:
            raise DatabaseError(f"{self.path} is a DuckDB database, but not one that stateful made")
        found = int(about["version"])
        if found != VERSION:
            remedy = "upgrade stateful-testing to read it" if found > VERSION else "make it anew with 'stateful run'"
            raise DatabaseError(f"{self.path} has version {found}, this stateful reads version {VERSION}; {remedy}")

    def close(self) -> None:
        """Close it; what was written is signed. On a full disk it is not, and the note that we wrote it stays."""
        if self.closed:
            return
        self.closed = True
        signing = bool(self.trusted) and not self.read_only
        with suppress(DatabaseError):
            if signing:
                sign(self)
                Writing(self).end()
        self.connection.close()

    def discard(self) -> None:
        """Close and remove a database that nothing was written to."""
        Writing(self).end()
        self.connection.close()
        self.closed = True
        folder = self.path.parent
        for path in (self.path, self.path.with_name(self.path.name + ".wal")):
            path.unlink(missing_ok=True)
        if folder.name == ".stateful" and [path.name for path in folder.iterdir()] == [".gitignore"]:
            (folder / ".gitignore").unlink()
            folder.rmdir()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that happens inside is written, or nothing."""
        self.run("BEGIN")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.run("COMMIT")

    @contextmanager
    def scratch(self) -> Iterator[str]:
        """The name of a schema in memory for tables that nobody needs afterwards; all connections of this process see
        it."""
        name = self.another_name("scratch")
        self.run(f"ATTACH ':memory:' AS {name}")
        try:
            yield name
        finally:
            self.run(f"DETACH {name}")

    def another_name(self, name: str) -> str:
        """A name for an attached database. DuckDB calls this one after its file, which may be called so, too."""
        return name + "_2" * (str(self.value("SELECT current_database()")).lower() == name)

    @contextmanager
    def sparing(self) -> Iterator[None]:
        """While rows are only appended, little of the file stays in memory."""
        self.run(f"SET memory_limit = '{SPARING}'")
        try:
            yield
        finally:
            self.run("RESET memory_limit")

    @contextmanager
    def beside(self, first: str | None = None) -> Iterator[Database]:
        """The same database for another thread, as it is now, whatever is written meanwhile; with `first`, a table that
        is in that schema is taken from there."""
        other = Database(self.path, self.connection.cursor(), read_only=True)
        other.is_beside = True
        try:
            if first is not None:
                own = str(other.value("SELECT current_database()")).replace('"', '""')
                other.run("SET search_path = ?", [f'{first}.main,"{own}".main'])
            other._stand_still()
            yield other
        finally:
            other.connection.close()

    def _stand_still(self) -> None:
        """From now on what others write is not seen; DuckDB begins at the first query."""
        self.run("BEGIN TRANSACTION READ ONLY")
        self.rows("SELECT name FROM about LIMIT 1")

    def run(self, query: str | ClauseElement, parameters: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        """Execute a query; the one place where DuckDB's errors become ours."""
        try:
            if isinstance(query, str):
                return (
                    self.connection.execute(query, list(parameters)) if parameters else self.connection.execute(query)
                )
            compiled = query.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
            names = compiled.positiontup or []  # type: ignore[attr-defined]
            return self.connection.execute(str(compiled), [compiled.params[name] for name in names])
        except duckdb.Error as error:
            raise DatabaseError(f"{self.path}: {sentence(error)}") from error
        except RuntimeError as error:
            raise interruption(error) from None

    def rows(self, query: str | ClauseElement, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        cursor = self.run(query, parameters)
        return self._fetched(cursor)

    def rows_within(self, query: str | ClauseElement, seconds: float) -> list[tuple[Any, ...]] | None:
        """The rows, or None if that takes longer."""
        done, late = threading.Event(), threading.Event()

        def watch() -> None:
            if done.wait(seconds):
                return
            late.set()
            while not done.is_set():  # an interruption is lost if the query has not begun yet
                self.connection.interrupt()
                done.wait(0.1)

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            return self.rows(query)
        except (DatabaseError, KeyboardInterrupt):  # our interruption looks like Ctrl-C while rows are fetched
            if not late.is_set():
                raise
        finally:
            done.set()
            watching.join()
        if self.is_beside:  # what is interrupted ends its transaction
            self.run("ROLLBACK")
            self._stand_still()
        return None

    def _fetched(self, cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
        try:
            return cursor.fetchall()
        except duckdb.Error as error:
            raise DatabaseError(f"{self.path}: {sentence(error)}") from error
        except RuntimeError as error:
            raise interruption(error) from None

    def records(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        cursor = self.run(query, parameters)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in self._fetched(cursor)]

    def answer(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns, and the rows."""
        cursor: duckdb.DuckDBPyConnection | None = self.run(query)
        if cursor is None or cursor.description is None:
            raise DatabaseError("there is no query in it")
        return [column[0] for column in cursor.description], self._fetched(cursor)

    def value(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row; None without one."""
        rows = self.rows(query, parameters)
        return rows[0][0] if rows else None

    def columns(self, query: str, parameters: Sequence[Any] = ()) -> dict[str, np.ndarray[Any, Any]]:
        """The result as NumPy arrays, masked where NULL."""
        return self.run(query, parameters).fetchnumpy()

    def next_id(self, table: str) -> int:
        return int(self.value(f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))

    def append_rows(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Load rows that all have the same columns; none are no work."""
        if rows:
            self.append(table, {name: [row[name] for row in rows] for name in rows[0]})

    def append(self, table: str, columns: Mapping[str, Column]) -> None:
        """Load rows by columns."""
        arrays = {name: _array(column) for name, column in columns.items()}
        if not arrays or not len(next(iter(arrays.values()))):
            return
        names = ", ".join(arrays)
        try:
            self.connection.register("loading", arrays)
            self.connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM loading")
        except duckdb.Error as error:
            raise DatabaseError(f"{self.path}: cannot write to {table}: {sentence(error)}") from error
        except RuntimeError as error:
            raise interruption(error) from None
        finally:
            self.connection.unregister("loading")


def _is_unmade(path: Path) -> bool:
    """An empty database: whoever made it was killed before it wrote anything."""
    if path.is_dir():
        return False
    connection = _connect(path, read_only=False)
    try:
        return connection.execute(EVERYTHING).fetchone() == (0,)
    finally:
        connection.close()


EVERYTHING = """
SELECT (SELECT count(*) FROM system.main.duckdb_tables())
     + (SELECT count(*) FROM system.main.duckdb_views() WHERE NOT internal)
     + (SELECT count(*) FROM system.main.duckdb_functions() WHERE NOT internal)
"""


def _array(column: Column) -> np.ndarray[Any, Any]:
    """A NumPy column: typed and masked for numbers and truth values, of objects for everything else."""
    if isinstance(column, np.ndarray):
        return column
    kinds = {type(item) for item in column} - {type(None)}
    for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if kinds == {kind}:
            mask = [item is None for item in column]
            return np.ma.MaskedArray([item or 0 for item in column], mask=mask, dtype=dtype)
    array = np.empty(len(column), dtype=object)
    for position, item in enumerate(column):
        array[position] = item
    return array


def _make_folder(path: Path) -> None:
    """The folder of a new database; `.stateful` gets a `.gitignore` of its own."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == ".stateful" and not (path.parent / ".gitignore").exists():
            (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise DatabaseError(f"cannot make the folder {path.parent}: {error.strerror}") from None


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Nothing is downloaded, and reading touches no other file, whatever a foreign database has in its views."""
    config = {
        "pandas_analyze_sample": "1000000000",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_external_access": "false" if read_only else "true",
        "disabled_optimizers": "in_clause",  # takes most of the time of a long query, for lists of three kinds
    }
    try:
        # absolute, for DuckDB takes what stands before a colon in a plain name for an extension
        return duckdb.connect(str(path.absolute()), read_only=read_only, config=config)  # type: ignore[arg-type]
    except duckdb.Error as error:
        raise DatabaseError(_why_not_opened(path, str(error))) from error


def _why_not_opened(path: Path, message: str) -> str:
    holder = re.search(r"Conflicting lock is held in (.+?) \(PID (\d+)\)", message)
    if holder:
        return f"{path} is in use by process {holder[2]} ({Path(holder[1]).name}); wait until it has ended"
    if _is_sqlite(path):
        return f"{path} is an SQLite database, and no DuckDB database"
    if "No such file or directory" in message:
        return f"cannot make {path}: there is no such folder, or none that files can be made in"
    if "not a valid DuckDB database file" in message:
        return f"{path} is not a DuckDB database"
    if "replaying WAL" in message:
        return f"{path} has a damaged log; delete {path}.wal to go on with what was saved before"
    if "version number" in message or "newer version" in message:
        return f"{path} was written by a newer DuckDB than this one ({duckdb.__version__}); upgrade duckdb"
    if "Permission denied" in message:
        return f"no permission to open {path}"
    return f"cannot open {path}, it may be truncated: {sentence(message)}"


def is_database(path: Path) -> bool:
    """The file is a DuckDB database, of whatever kind, or one of SQLite."""
    return _beginning(path)[8:12] == b"DUCK" or _is_sqlite(path)


def _is_sqlite(path: Path) -> bool:
    return _beginning(path).startswith(b"SQLite format 3")


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError:
        return b""


def interruption(error: RuntimeError) -> BaseException:
    """Ctrl-C in the middle of a query: DuckDB has its own way of saying so."""
    return KeyboardInterrupt() if "interrupted" in str(error).lower() else error


def sentence(error: object) -> str:
    """The first line of a DuckDB message, without its own label."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else "unknown error"
    return re.sub(r"^\w+ ?\w* Error: ", "", first)
