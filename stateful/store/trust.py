"""Who may be executed: a database that this user's `stateful` wrote is signed with the user's own key.

Snapshots, recipes, predicates, clauses and reproducers are code. A database from elsewhere can be read and asked in
SQL; before anything in it is executed, its user has to accept it with `stateful trust`.

The signature is over the content, so a changed copy is not trusted. A process that is killed while it writes leaves
a signature that does not fit; then the file is known by its place: a note beside the key says which file it wrote.
"""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_dir

from stateful.errors import DatabaseError

if TYPE_CHECKING:
    from stateful.store.database import Database

__all__ = ["Writing", "is_plain", "is_signed", "sign"]

SIGNATURE = "signature"
WRITING = "writing"
EXECUTED = {
    "about": f"SELECT name, content FROM about WHERE name NOT IN ('{SIGNATURE}', '{WRITING}')",
    "classes": "SELECT id, name FROM classes",
    "conformances": "SELECT class_id, base_id FROM conformances",
    "routines": "SELECT id, name, class_id, kind, slots, conditions FROM routines",
    "parameters": "SELECT routine_id, slot, name, kind, required, learned FROM parameters",
    "snapshots": "SELECT id, codec, sha256(bytes), slots, recipe_test FROM snapshots",
    "objects": "SELECT snapshot_id, index, class_id, path, path_index FROM objects WHERE path IS NOT NULL",
    "test_cases": "SELECT id, routine_id, pre_snapshot, pre_operands, post_snapshot, post_operands FROM test_cases",
    "recipes": "SELECT test_case_id, slot, source_snapshot, source_index, literal FROM recipes",
    "predicates": "SELECT id, text FROM predicates",
    "clauses": "SELECT id, routine_id, kind, text, status FROM clauses",
    "seeds": "SELECT program FROM seeds",
    "retired_faults": "SELECT digest, reproducer FROM retired_faults",
    "faults": "SELECT digest, routine_id, class, law, reproducer FROM faults",
}
"""Everything that decides about what is executed. What is only looked at, such as values, is not signed."""


FOREIGN = "SELECT count(*) FROM system.main.duckdb_functions() WHERE NOT internal"
OWN_TABLES = """
SELECT table_name FROM system.main.duckdb_tables()
WHERE schema_name = 'main' AND NOT internal AND NOT temporary AND database_name = system.main.current_database()
"""


def is_plain(database: Database) -> bool:
    """Without functions of its own, which could stand in for those that we call, and with tables where we read some."""
    tables = {name for (name,) in database.rows(OWN_TABLES)}
    return not database.value(FOREIGN) and set(EXECUTED) <= tables


def content_digest(database: Database) -> bytes:
    """A digest of all that may be executed, whatever the order of the rows."""
    whole = sha256()
    for table, query in EXECUTED.items():
        digest = database.value(
            f"SELECT sha256(coalesce(string_agg(line, '' ORDER BY line), '')) "
            f"FROM (SELECT sha256(row::VARCHAR) AS line FROM ({query}) AS row)"
        )
        whole.update(f"{table}={digest};".encode())
    return whole.digest()


def signature_of(database: Database) -> str:
    return hmac.new(key(), content_digest(database), sha256).hexdigest()


def sign(database: Database) -> None:
    """From now on this user trusts it as it is, and nobody writes it any more: at once, or a kill would lose trust."""
    signature = signature_of(database)
    with database.transaction():
        database.run("DELETE FROM about WHERE name IN (?, ?)", [SIGNATURE, WRITING])
        database.append("about", {"name": [SIGNATURE], "content": [signature]})


def is_signed(database: Database) -> bool:
    """Whether this user's key signed it, just as it is; or whether a process of this user was killed while it wrote."""
    if not is_plain(database):
        return False
    signature = database.value("SELECT content FROM about WHERE name = ?", [SIGNATURE])
    if signature is not None and hmac.compare_digest(str(signature), signature_of(database)):
        return True
    return Writing(database).is_left()


class Writing:
    """The note that a file is being written by a process of this user: there while it is, and after a kill."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.path = database.path.resolve()
        self.note = folder() / "writing" / sha256(str(self.path).encode()).hexdigest()

    def begin(self) -> None:
        """Call it inside a transaction, together with what is written first."""
        self.note.parent.mkdir(exist_ok=True)
        nonce = secrets.token_hex(16)
        self.note.write_text(f"{self._place()} {nonce}", encoding="utf-8")
        self.database.run("DELETE FROM about WHERE name = ?", [WRITING])
        self.database.append("about", {"name": [WRITING], "content": [nonce]})

    def end(self) -> None:
        self.note.unlink(missing_ok=True)

    def is_left(self) -> bool:
        """True if a writer has not ended, and this is the file and the content that it had begun to write."""
        nonce = self.database.value("SELECT content FROM about WHERE name = ?", [WRITING])
        try:
            return nonce is not None and self.note.read_text(encoding="utf-8") == f"{self._place()} {nonce}"
        except OSError:
            return False

    def _place(self) -> str:
        found = self.path.stat()
        return f"{found.st_dev} {found.st_ino} {self.path}"


def key() -> bytes:
    """The user's secret, made when it is first needed."""
    place = folder() / "key"
    if not place.exists():
        descriptor, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):  # another process was quicker, and its key is the one
            os.link(name, place)
        os.unlink(name)
    return place.read_bytes()


@lru_cache(maxsize=1)
def folder() -> Path:
    """Where the key lives; without a home, a private folder that lasts as long as the temporary ones."""
    shared = Path(tempfile.gettempdir()) / f"stateful-{os.getuid()}"
    for place in (Path(user_data_dir("stateful")), shared):
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            if place.stat().st_uid == os.getuid() and os.access(place, os.W_OK):
                return place
        except OSError:
            continue
    raise DatabaseError(f"cannot make a folder for the key that signs databases, neither in your home nor at {shared}")
