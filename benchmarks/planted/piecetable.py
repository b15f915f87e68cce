"""A text buffer for editors, kept as a piece table.

The original text is never copied; inserted text is appended to a second
buffer, and the document is a list of pieces of the two.  Typing without
moving the cursor extends one piece instead of making a new one for each key.
"""

from __future__ import annotations

from typing import Iterator, Optional, Union


class _Piece:
    __slots__ = ("added", "start", "length")

    def __init__(self, added: bool, start: int, length: int) -> None:
        self.added = added
        self.start = start
        self.length = length


class TextBuffer:
    """Mutable text with cheap insertion and deletion anywhere.

    Positions are offsets in characters, ``0 <= pos <= len(buffer)``; one
    outside of that range gives an ``IndexError``.
    """

    __slots__ = ("_original", "_added", "_pieces", "_length", "_typing")

    def __init__(self, text: str = "") -> None:
        self._original = text
        self._added = ""
        self._pieces: list[_Piece] = [_Piece(False, 0, len(text))] if text else []
        self._length = len(text)
        # the piece inserted last, which ends where the added text ends
        self._typing: Optional[_Piece] = None

    # -- internals ---------------------------------------------------------

    def _text(self, piece: _Piece) -> str:
        source = self._added if piece.added else self._original
        return source[piece.start : piece.start + piece.length]

    def _locate(self, pos: int) -> tuple[int, int]:
        """Index of the piece that holds *pos*, and the offset in it.

        A position between two pieces belongs to the second one.
        """
        if not 0 <= pos <= self._length:
            raise IndexError(f"position {pos} not in 0..{self._length}")
        for index, piece in enumerate(self._pieces):
            if pos < piece.length:
                return index, pos
            pos -= piece.length
        return len(self._pieces), 0

    def _split(self, pos: int) -> int:
        """Make *pos* a piece boundary; return the index of the piece there."""
        index, offset = self._locate(pos)
        if not offset:
            return index
        piece = self._pieces[index]
        rest = _Piece(piece.added, piece.start + offset, piece.length - offset)
        piece.length = offset
        self._pieces.insert(index + 1, rest)
        if piece is self._typing:
            self._typing = rest
        return index + 1

    def _range(self, start: int, stop: int) -> str:
        parts = []
        index, offset = self._locate(start)
        wanted = stop - start
        while wanted > 0:
            part = self._text(self._pieces[index])[offset : offset + wanted]
            parts.append(part)
            wanted -= len(part)
            index, offset = index + 1, 0
        return "".join(parts)

    # -- editing -----------------------------------------------------------

    def insert(self, pos: int, text: str) -> None:
        """Insert *text* before position *pos*."""
        index = self._split(pos)
        if not text:
            return
        start = len(self._added)
        self._added += text
        self._length += len(text)
        if index and self._pieces[index - 1] is self._typing:
            self._typing.length += len(text)
            return
        self._typing = _Piece(True, start, len(text))
        self._pieces.insert(index, self._typing)

    def append(self, text: str) -> None:
        self.insert(self._length, text)

    def delete(self, start: int, stop: int) -> str:
        """Delete the characters ``start <= pos < stop`` and return them."""
        if stop < start:
            raise ValueError("stop lies before start")
        first, offset = self._locate(start)
        removed = self._range(start, min(stop, self._length))
        if stop > self._length:
            raise IndexError(f"position {stop} not in 0..{self._length}")
        if not removed:
            return ""
        piece = self._pieces[first]
        if offset and offset + len(removed) == piece.length:
            # the end of a single piece, as backspace does
            piece.length = offset
            if piece is self._typing:
                self._typing = None
        else:
            first = self._split(start)
            last = self._split(stop)
            if self._typing in self._pieces[first:last]:
                self._typing = None
            del self._pieces[first:last]
        self._length -= len(removed)
        return removed

    def replace(self, old: str, new: str) -> int:
        """Replace every occurrence, from left to right; return their number."""
        if not old:
            raise ValueError("empty search text")
        found, pos = 0, self.find(old)
        while pos >= 0:
            self.delete(pos, pos + len(old))
            self.insert(pos, new)
            found, pos = found + 1, self.find(old, pos + len(new))
        return found

    def compact(self) -> None:
        """Start over with the present text as the original."""
        self.__init__(str(self))  # type: ignore[misc]

    # -- reading -----------------------------------------------------------

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        return "".join(map(self._text, self._pieces))

    def __repr__(self) -> str:
        return f"<TextBuffer: {self._length} characters in {len(self._pieces)} pieces>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextBuffer):
            return NotImplemented
        return self._length == other._length and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[str]:
        for piece in list(self._pieces):
            yield from self._text(piece)

    def __getitem__(self, key: Union[int, slice]) -> str:
        if isinstance(key, slice):
            start, stop, step = key.indices(self._length)
            if step > 0:
                return self._range(start, max(start, stop))[::step]
            return self._range(min(start, stop) + 1, start + 1)[::step]
        if key < 0:
            key += self._length
        if not 0 <= key < self._length:
            raise IndexError(f"no character {key}")
        return self._range(key, key + 1)

    def find(self, text: str, start: int = 0) -> int:
        """Position of the first occurrence from *start* on, or -1."""
        return str(self).find(text, start)

    def lines(self) -> list[str]:
        """The lines without their ends; there is always at least one."""
        return str(self).split("\n")
