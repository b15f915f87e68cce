"""Sparse two-dimensional grids with NumPy-like views.

``grid[r, c]`` with two integers is a cell.  As soon as a slice is involved,
the result is a view: a window on the same cells, through which they can be
read and written.  An integer next to a slice selects one row or column and
keeps the dimension, so that views are always two-dimensional.  Slices may
have any step; ``grid[::-1, :]`` is the grid upside down.
"""

__version__ = "1.1.0"


def _axis(base, key):
    """Select from a range with an int or a slice; always gives a range."""
    if isinstance(key, slice):
        return base[key]
    position = base[key]
    return range(position, position + 1)


def _position(axis, n):
    """Where the grid coordinate n is on the axis, None if it is not there."""
    return axis.index(n) if n in axis else None


class _Window(object):
    """Whatever has rows, columns and a dictionary of cells behind it."""

    __slots__ = ("_cells", "_rows", "_cols", "default")

    def __init__(self, cells, rows, cols, default):
        self._cells = cells
        self._rows = rows
        self._cols = cols
        self.default = default

    @property
    def shape(self):
        return len(self._rows), len(self._cols)

    def _keys(self, key):
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError("two indices expected")
        return key

    def __getitem__(self, key):
        row, col = self._keys(key)
        if isinstance(row, slice) or isinstance(col, slice):
            return View(self._cells, _axis(self._rows, row), _axis(self._cols, col), self.default)
        return self._cells.get((self._rows[row], self._cols[col]), self.default)

    def __setitem__(self, key, value):
        """Set a cell; or, through slices, every cell of the view.

        The value for a view is another grid or view of the same shape, or
        a single value for all of its cells.
        """
        row, col = self._keys(key)
        if isinstance(row, slice) or isinstance(col, slice):
            self[row, col].assign(value)
        else:
            self._store((self._rows[row], self._cols[col]), value)

    def _store(self, place, value):
        if value == self.default:
            self._cells.pop(place, None)
        else:
            self._cells[place] = value

    def assign(self, value):
        """Overwrite all cells; ValueError if the shapes do not match."""
        if isinstance(value, _Window):
            if value.shape != self.shape:
                raise ValueError("cannot put shape %s into shape %s" % (value.shape, self.shape))
            # a list, because the two may overlap
            table = value.to_lists()
            for r, row in enumerate(table):
                for c, item in enumerate(row):
                    self[r, c] = item
        else:
            for r in self._rows:
                for c in self._cols:
                    self._store((r, c), value)

    def items(self):
        """List of ((row, col), value), sorted, for the cells that are set.

        The coordinates are relative to this grid or view.
        """
        found = []
        for (r, c), value in self._cells.items():
            row = _position(self._rows, r)
            col = _position(self._cols, c)
            if row is not None and col is not None:
                found.append(((row, col), value))
        found.sort(key=lambda item: item[0])
        return found

    def __len__(self):
        """Number of cells that are set, i.e. differ from the default."""
        return len(self.items())

    def __bool__(self):
        return len(self) > 0

    def __iter__(self):
        """Coordinates of the cells that are set."""
        return iter([place for place, _ in self.items()])

    def __contains__(self, place):
        """True if the cell at (row, col) exists and is set."""
        row, col = place
        rows, cols = self.shape
        return 0 <= row < rows and 0 <= col < cols and (self._rows[row], self._cols[col]) in self._cells

    def to_lists(self):
        """All cells, defaults included, as a list of rows."""
        return [[self._cells.get((r, c), self.default) for c in self._cols] for r in self._rows]

    def copy(self):
        """An independent grid with the same shape and content."""
        rows, cols = self.shape
        twin = Grid(rows, cols, self.default)
        twin._cells.update(self.items())
        return twin

    def transposed(self):
        """An independent grid with rows and columns swapped."""
        rows, cols = self.shape
        twin = Grid(cols, rows, self.default)
        for (r, c), value in self.items():
            twin._cells[c, r] = value
        return twin

    def __eq__(self, other):
        if not isinstance(other, _Window):
            return NotImplemented
        return self.shape == other.shape and self.default == other.default and self.to_lists() == other.to_lists()

    __hash__ = None

    def __str__(self):
        return "\n".join(" ".join(map(str, row)) for row in self.to_lists())

    def __repr__(self):
        return "<%s %dx%d, %d set>" % ((type(self).__name__,) + self.shape + (len(self),))


class View(_Window):
    """Made by slicing; shares its cells with the grid it came from."""

    __slots__ = ()


class Grid(_Window):
    """The owner of the cells."""

    __slots__ = ()

    def __init__(self, rows, cols, default=0):
        if rows < 0 or cols < 0:
            raise ValueError("negative size")
        super(Grid, self).__init__({}, range(rows), range(cols), default)

    @classmethod
    def from_lists(cls, table, default=0):
        """Build a grid from a list of rows of equal length."""
        width = len(table[0]) if table else 0
        if any(len(row) != width for row in table):
            raise ValueError("rows of different lengths")
        grid = cls(len(table), width, default)
        for r, row in enumerate(table):
            for c, value in enumerate(row):
                grid[r, c] = value
        return grid

    def clear(self):
        self._cells.clear()
