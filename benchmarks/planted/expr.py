"""A small query DSL, where == builds an expression (like SQLAlchemy, peewee), and a tokenizer with parser."""

from __future__ import annotations

from typing import Any, Iterator, Mapping


class Node:
    """Anything of which expressions are built."""

    def __eq__(self, other):  # type: ignore[override]
        return Compare("=", self, _wrap(other))

    def __ne__(self, other):  # type: ignore[override]
        return Compare("!=", self, _wrap(other))

    def __lt__(self, other):
        return Compare("<", self, _wrap(other))

    def __gt__(self, other):
        return Compare(">", self, _wrap(other))

    def __and__(self, other):
        return Logical("AND", self, _wrap(other))

    def __or__(self, other):
        return Logical("OR", self, _wrap(other))

    def __invert__(self):
        return Not(self)

    __hash__ = object.__hash__

    def sql(self) -> str:
        raise NotImplementedError

    def evaluate(self, row: Mapping[str, Any]) -> Any:
        raise NotImplementedError


def _wrap(value: Any) -> Node:
    return value if isinstance(value, Node) else Literal(value)


class Literal(Node):
    def __init__(self, value: int | str | None) -> None:
        self.value = value

    def sql(self) -> str:
        if self.value is None:
            return "NULL"
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        return str(self.value)

    def evaluate(self, row):
        return self.value


class Column(Node):
    def __init__(self, name: str) -> None:
        self.name = name

    def sql(self) -> str:
        return '"' + self.name.replace('"', '""') + '"'

    def evaluate(self, row):
        return row.get(self.name)


class _Binary(Node):
    def __init__(self, op: str, left: Node, right: Node) -> None:
        self.op = op
        self.left = left
        self.right = right

    def sql(self) -> str:
        return f"({self.left.sql()} {self.op} {self.right.sql()})"


class Compare(_Binary):
    def evaluate(self, row):
        left, right = self.left.evaluate(row), self.right.evaluate(row)
        if left is None or right is None:
            return None
        if self.op == "=":
            return left == right
        if self.op == "!=":
            return left != right
        try:
            return left < right if self.op == "<" else left > right
        except TypeError:
            return None


class Logical(_Binary):
    def evaluate(self, row):
        left, right = self.left.evaluate(row), self.right.evaluate(row)
        return bool(left and right) if self.op == "AND" else bool(left or right)


class Not(Node):
    def __init__(self, inner: Node) -> None:
        self.inner = inner

    def sql(self) -> str:
        return f"NOT {self.inner.sql()}"

    def evaluate(self, row):
        value = self.inner.evaluate(row)
        return None if value is None else not value


class Query:
    def __init__(self, table: str) -> None:
        self._table = table
        self._where: Node | None = None
        self._columns: list[Column] = []
        self._limit: int | None = None

    def _clone(self) -> Query:
        new = Query(self._table)
        new._where, new._columns, new._limit = self._where, list(self._columns), self._limit
        return new

    def where(self, condition: Node) -> Query:
        new = self._clone()
        new._where = condition if self._where is None else self._where & condition
        return new

    def select(self, *names: str) -> Query:
        new = self._clone()
        new._columns.extend(map(Column, names))
        return new

    def limit(self, count: int | None) -> Query:
        """
        Raises:
            ValueError: for a negative count
        """
        if count is not None and count < 0:
            raise ValueError("negative limit")
        new = self._clone()
        new._limit = count
        return new

    def sql(self) -> str:
        parts = ["SELECT", ", ".join(c.sql() for c in self._columns) or "*", "FROM", Column(self._table).sql()]
        if self._where is not None:
            parts += ["WHERE", self._where.sql()]
        if self._limit is not None:
            parts += ["LIMIT", str(self._limit)]
        return " ".join(parts)

    def run(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        given = 0
        for row in rows:
            if self._limit is not None and given >= self._limit:
                return
            if self._where is None or self._where.evaluate(row):
                given += 1
                yield {c.name: row.get(c.name) for c in self._columns} if self._columns else dict(row)
