"""A text buffer with a cursor, undo and redo. No annotations, old style."""


class Edit(object):
    __slots__ = ("pos", "removed", "inserted", "cursor")

    def __init__(self, pos, removed, inserted, cursor):
        self.pos = pos
        self.removed = removed
        self.inserted = inserted
        self.cursor = cursor

    def apply(self, text):
        return text[: self.pos] + self.inserted + text[self.pos + len(self.removed) :]

    def revert(self, text):
        return text[: self.pos] + self.removed + text[self.pos + len(self.inserted) :]


class TextBuffer(object):
    """A buffer of text. The cursor is always in 0 .. len(buffer)."""

    def __init__(self, text="", limit=100):
        self._text = text
        self._cursor = len(text)
        self._undo = []
        self._redo = []
        self._limit = limit
        self._mark = None

    @property
    def text(self):
        return self._text

    @property
    def cursor(self):
        return self._cursor

    @cursor.setter
    def cursor(self, value):
        if not 0 <= value <= len(self._text):
            raise IndexError("cursor out of range: %r" % (value,))
        self._cursor = value

    def _do(self, edit):
        self._text = edit.apply(self._text)
        self._cursor = edit.pos + len(edit.inserted)
        self._undo.append(edit)
        if len(self._undo) > self._limit:
            del self._undo[0]
        del self._redo[:]
        if self._mark is not None and self._mark > len(self._text):
            self._mark = None

    def insert(self, text):
        """Insert text at the cursor."""
        if text:
            self._do(Edit(self._cursor, "", text, self._cursor))

    def backspace(self, count=1):
        """Remove up to count characters before the cursor."""
        count = max(0, min(count, self._cursor))
        if count:
            start = self._cursor - count
            self._do(Edit(start, self._text[start : self._cursor], "", self._cursor))

    def delete(self, count=1):
        """Remove up to count characters after the cursor."""
        count = max(0, min(count, len(self._text) - self._cursor))
        if count:
            removed = self._text[self._cursor : self._cursor + count]
            self._do(Edit(self._cursor, removed, "", self._cursor))

    def set_mark(self):
        self._mark = self._cursor

    def selection(self):
        """The text between mark and cursor, or the empty string."""
        if self._mark is None:
            return ""
        low, high = sorted((self._mark, self._cursor))
        return self._text[low:high]

    def cut(self):
        """Remove the selection and return it."""
        selected = self.selection()
        if selected:
            low = min(self._mark, self._cursor)
            self._do(Edit(low, selected, "", self._cursor))
        self._mark = None
        return selected

    def can_undo(self):
        return bool(self._undo)

    def can_redo(self):
        return bool(self._redo)

    def undo(self):
        """Take the last edit back; whether there was one."""
        if not self._undo:
            return False
        edit = self._undo.pop()
        self._text = edit.revert(self._text)
        self._cursor = edit.cursor
        self._redo.append(edit)
        if self._mark is not None and self._mark > len(self._text):
            self._mark = None
        return True

    def redo(self):
        if not self._redo:
            return False
        edit = self._redo.pop()
        self._text = edit.apply(self._text)
        self._cursor = edit.pos + len(edit.inserted)
        self._undo.append(edit)
        if self._mark is not None and self._mark > len(self._text):
            self._mark = None
        return True

    def line_col(self):
        """Line and column of the cursor, counted from 1 and 0."""
        before = self._text[: self._cursor]
        line = before.count("\n")
        return line + 1, len(before) - (before.rfind("\n") + 1)

    def goto(self, line, col=0):
        """Move to a line (from 1) and column; past the end of the line is its end.

        Raises IndexError if there is no such line.
        """
        lines = self._text.split("\n")
        if not 1 <= line <= len(lines):
            raise IndexError("no line %r" % (line,))
        offset = sum(len(each) + 1 for each in lines[: line - 1])
        self._cursor = offset + max(0, min(col, len(lines[line - 1])))

    def find(self, what, start=None):
        """Move behind the next occurrence; whether there is one."""
        found = self._text.find(what, self._cursor if start is None else start)
        if found < 0:
            return False
        self._cursor = found + len(what)
        return True

    def __len__(self):
        return len(self._text)

    def __str__(self):
        return self._text
