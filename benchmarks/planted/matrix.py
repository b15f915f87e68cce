"""Vectors and sparse matrices with operators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Sequence


class ShapeError(ValueError):
    """Raised when shapes do not fit."""


@dataclass(frozen=True)
class Vector:
    components: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.components)

    def __getitem__(self, index: int) -> float:
        return self.components[index]

    def _fit(self, other: Vector) -> None:
        if len(self) != len(other):
            raise ShapeError(f"{len(self)} and {len(other)}")

    def __add__(self, other: Vector) -> Vector:
        self._fit(other)
        return Vector(tuple(a + b for a, b in zip(self.components, other.components)))

    def __sub__(self, other: Vector) -> Vector:
        self._fit(other)
        return Vector(tuple(a - b for a, b in zip(self.components, other.components)))

    def __mul__(self, factor: float) -> Vector:
        return Vector(tuple(a * factor for a in self.components))

    __rmul__ = __mul__

    def __neg__(self) -> Vector:
        return self * -1

    def dot(self, other: Vector) -> float:
        self._fit(other)
        return sum(a * b for a, b in zip(self.components, other.components))

    def norm(self) -> float:
        return math.hypot(*self.components)

    def normalized(self) -> Vector:
        """A vector of length 1 in the same direction.

        Raises:
            ZeroDivisionError: for the null vector
        """
        norm = self.norm()
        return Vector(tuple(a / norm for a in self.components))


class SparseMatrix:
    """A matrix that holds only what is not zero."""

    def __init__(self, rows: int, columns: int) -> None:
        if rows < 1 or columns < 1:
            raise ShapeError("rows and columns must be positive")
        self._rows = rows
        self._columns = columns
        self._cells: dict[tuple[int, int], float] = {}

    @classmethod
    def identity(cls, n: int) -> SparseMatrix:
        new = cls(n, n)
        for i in range(n):
            new[i, i] = 1.0
        return new

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[float]]) -> SparseMatrix:
        """
        Raises:
            ShapeError: if rows have different lengths or there are none
        """
        if not rows or any(len(row) != len(rows[0]) for row in rows):
            raise ShapeError("not a rectangle")
        new = cls(len(rows), len(rows[0]))
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                new[i, j] = value
        return new

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows, self._columns

    @property
    def nnz(self) -> int:
        return len(self._cells)

    def _at(self, index: tuple[int, int]) -> tuple[int, int]:
        row, column = index
        if not (0 <= row < self._rows and 0 <= column < self._columns):
            raise IndexError(f"{index} is outside of {self.shape}")
        return row, column

    def __getitem__(self, index: tuple[int, int]) -> float:
        return self._cells.get(self._at(index), 0.0)

    def __setitem__(self, index: tuple[int, int], value: float) -> None:
        at = self._at(index)
        if value == 0:
            self._cells.pop(at, None)
        else:
            self._cells[at] = value

    def transpose(self) -> SparseMatrix:
        new = SparseMatrix(self._columns, self._rows)
        new._cells = {(j, i): value for (i, j), value in self._cells.items()}
        return new

    def map(self, function: Callable[[float], float]) -> SparseMatrix:
        """Apply a function to what is not zero."""
        new = SparseMatrix(self._rows, self._columns)
        for at, value in self._cells.items():
            new[at] = function(value)
        return new

    def __add__(self, other: SparseMatrix) -> SparseMatrix:
        if self.shape != other.shape:
            raise ShapeError(f"{self.shape} and {other.shape}")
        new = SparseMatrix(self._rows, self._columns)
        new._cells = dict(self._cells)
        for at, value in other._cells.items():
            new[at] = new[at] + value
        return new

    def __iadd__(self, other: SparseMatrix) -> SparseMatrix:
        if self.shape != other.shape:
            raise ShapeError(f"{self.shape} and {other.shape}")
        for at, value in list(other._cells.items()):
            self[at] = self[at] + value
        return self

    def __matmul__(self, other: SparseMatrix) -> SparseMatrix:
        if self._columns != other._rows:
            raise ShapeError(f"{self.shape} and {other.shape}")
        new = SparseMatrix(self._rows, other._columns)
        for (i, k), left in self._cells.items():
            for (l, j), right in other._cells.items():
                if k == l:
                    new[i, j] = new[i, j] + left * right
        return new

    def row(self, i: int) -> Vector:
        return Vector(tuple(self[i, j] for j in range(self._columns)))

    def delete_row(self, i: int) -> None:
        """
        Raises:
            IndexError: if there is no such row
            ShapeError: if it is the last one
        """
        if not 0 <= i < self._rows:
            raise IndexError(i)
        if self._rows == 1:
            raise ShapeError("cannot delete the only row")
        self._cells = {(r - (r > i), c): value for (r, c), value in self._cells.items() if r != i}
        self._rows -= 1

    def trace(self) -> float:
        if self._rows != self._columns:
            raise ShapeError("not square")
        return sum(self[i, i] for i in range(self._rows))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseMatrix):
            return NotImplemented
        return self.shape == other.shape and self._cells == other._cells

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for (i, j), value in sorted(self._cells.items()):
            yield i, j, value
