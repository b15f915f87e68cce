"""Explore a database from Python: `stateful.open("run.db").find("LinkedList", where="not self.is_empty()")`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from stateful.contracts import conjuncts, parse, text
from stateful.contracts import nodes as n
from stateful.contracts.nodes import slots_of
from stateful.errors import DatabaseError, UsageError
from stateful.ingest.evaluation import targets_of
from stateful.reduce.finding import Found, find_objects
from stateful.store.database import Database

__all__ = ["Explorer", "FoundHere", "named_classes"]


@dataclass(frozen=True, slots=True)
class FoundHere(Found):
    """What was found, and ways to have the objects in this process. Both execute the subject's code."""

    snapshots: tuple[tuple[str, bytes], ...] = ()
    refused: str | None = None
    """Why nothing of it may be executed."""
    folders: tuple[str, ...] = ()
    """Where the subject is imported from, if that is no place where Python looks."""

    def rebuilt(self) -> tuple[Any, ...]:
        """The objects, built by the calls of their recipe."""
        self._check()
        *lines, last = self.code.splitlines()
        names = [one.name for one in self.objects]
        if names == ["self"]:
            lines, names = [*lines, f"self = {last}"], ["self"]
        else:
            lines = [*lines, last]
        found: dict[str, Any] = {}
        with self._importing():
            exec(compile("\n".join(lines), "<recipe>", "exec"), found)
        return tuple(found[name] for name in names)

    def loaded(self) -> tuple[Any, ...]:
        """The objects, loaded from their snapshots. The classes have to be importable here."""
        self._check()
        from stateful.subject.snapshots import load

        with self._importing():
            states = {data: load(codec, data) for codec, data in self.snapshots if codec != "recipe"}
        if len({data for _, data in self.snapshots}) > len(states):
            return self.rebuilt()  # nothing could keep the bytes
        return tuple(states[data][one.index] for one, (_, data) in zip(self.objects, self.snapshots, strict=True))

    @contextmanager
    def _importing(self) -> Iterator[None]:
        """What the subject imports is looked for in its own folder, too, while this lasts."""
        before = list(sys.path)
        sys.path += [folder for folder in self.folders if folder not in before]
        try:
            yield
        except ModuleNotFoundError as error:
            raise DatabaseError(f"the subject cannot be imported here: {error}") from None
        finally:
            sys.path[:] = before

    def _check(self) -> None:
        if self.refused:
            raise DatabaseError(self.refused)


class Explorer:
    """A database, read-only. Use it in a `with` statement, or `close` it."""

    def __init__(self, path: str | Path) -> None:
        self.database = Database.open(Path(path))

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a query gives."""
        return self.database.rows(query, parameters)

    def records(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return self.database.records(query, parameters)

    def find(
        self, class_name: str | None = None, *, where: str | None = None, variables: Sequence[str] = (), limit: int = 5
    ) -> list[FoundHere]:
        """Objects that satisfy an expression. `variables` are such as 'a:LinkedList'; CLASS alone is called `self`."""
        named = self._variables(class_name, variables)
        expression = parse(where) if where else None
        other = [name for name in slots_of(expression) if name not in named] if expression is not None else []
        if other:
            there = ", ".join(f"`{name}`" for name in named)
            raise UsageError(
                f"the expression speaks of {other[0]!r}; there is {there}, and -v {other[0]}:CLASS adds it"
            )
        if expression is not None:
            self._check_names(expression, named)
        found = find_objects(self.database, named, conjuncts(expression) if expression is not None else (), limit)
        refused = self._refusal()
        folders = tuple(target.path for target in targets_of(self.database) if target.path)
        return [FoundHere(item.objects, item.code, self._snapshots(item), refused, folders) for item in found]

    def _check_names(self, expression: n.Expr, named: Mapping[str, str]) -> None:
        """A name that nothing has would be a state that nothing is in."""
        timed = next((part for part in n.walk(expression) if isinstance(part, n.Old | n.Raises)), None)
        if timed is not None:
            raise UsageError(f"`{text(timed)}` speaks of a call; objects are found as they are")
        for part in n.walk(expression):
            match part:
                case n.Call(target=n.Slot(name=slot), name=name) | n.Attribute(target=n.Slot(name=slot), name=name):
                    self._check_name(name, named[slot])

    def _check_name(self, name: str, cls: str) -> None:
        rows = self.database.rows("SELECT name FROM routines WHERE starts_with(name, ? || '.')", [cls])
        known = sorted({routine.rpartition(".")[2].rstrip("=") for (routine,) in rows})
        if known and name not in known and not name.startswith("_"):
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"nothing is known of {name!r} of {cls}{hint}")

    def _refusal(self) -> str | None:
        try:
            self.database.require_trust()
        except DatabaseError as error:
            return str(error)
        return None

    def _variables(self, class_name: str | None, variables: Sequence[str]) -> dict[str, str]:
        named = {"self": class_name} if class_name else {}
        for variable in variables:
            name, colon, cls = variable.partition(":")
            if not colon or not name.isidentifier() or not cls:
                raise UsageError(f"{variable!r} is no variable; write NAME:CLASS, such as a:LinkedList")
            named[name] = cls
        if not named:
            raise UsageError("name a class, or variables such as -v a:LinkedList")
        return {name: named_classes(self.database, cls)[0] for name, cls in named.items()}

    def _snapshots(self, found: Found) -> tuple[tuple[str, bytes], ...]:
        """Of each object the snapshot's codec and bytes, if it may be loaded."""
        if not self.database.is_trusted():
            return ()
        query = "SELECT codec, bytes FROM snapshots WHERE id = ?"
        return tuple(self.database.rows(query, [one.snapshot])[0] for one in found.objects)


def named_classes(database: Database, name: str) -> Sequence[str]:
    """The full name of the class that a user means."""
    known = [known for (known,) in database.rows("SELECT name FROM classes WHERE subject ORDER BY name")]
    found = [
        full for full in known if name in (full, full.partition(":")[2], full.rpartition(".")[2].rpartition(":")[2])
    ]
    found = found or [full for full in known if full.replace(":", ".") == name]
    if len(found) == 1:
        return found
    if len(found) > 1:
        raise UsageError(f"class {name!r} is ambiguous: {', '.join(found)}")
    near = get_close_matches(name, [full.partition(":")[2] for full in known], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else f"; it has {', '.join(known)}" if known else ""
    raise UsageError(f"no class {name!r} in {database.path}{hint}")
