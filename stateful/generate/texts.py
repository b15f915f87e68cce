"""Texts that the subject may understand. A parser takes no random letters: so they are what its regular expressions
match, or words and numbers with the marks between them that its source knows, or texts that it took before or shows in
its documentation, altered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from stateful.subject.vocabulary import Vocabulary

__all__ = ["Texts", "matching"]

FORMS = (
    "2024-02-29", "12:30", "1.5", "-3", "1e3", "0x1F", "[1, 2]", '{"a": 1}', "a/b.txt", "a.b", "k=v", "a,b", "a b",
    "(a)", "http://a.b/c?d=e#f", "a@b.c", "#ff0000", "x + 1", "a\nb", "true", "v1.2.3", "--a", "$a", "*",
)  # fmt: skip
"""The texts that are written down most, one of each form."""
WORDS = ("a", "b", "c", "x", "abc", "A", "key", "a1")
NUMBERS = ("0", "1", "2", "3", "10", "12", "-1", "1.5", "007", "999")
BRACKETS = ("()", "[]", "{}", "<>", '""', "''", "``", "||")
LONGEST_MARK = 3
LONGEST = 200
REPEATED = (0, 0, 1, 1, 2, 3)  # how much oftener than it has to be something is repeated
LITERAL = 0.3  # how often a text is one of the source
SHOWN = 0.2  # how often it is one that the documentation shows, or that altered
MATCHING, USUAL = 0.5, 0.15  # how often another one is what an expression matches, and how often one of `FORMS`


class Texts:
    """Draws texts from what a piece of source knows."""

    def __init__(self, random: Random, vocabulary: Vocabulary) -> None:
        self.random = random
        self.patterns = [parsed for pattern in vocabulary.patterns if (parsed := _parsed(*pattern)) is not None]
        self.shown = vocabulary.shown
        self.literals = literals = [text for text in _all_of(vocabulary) if text.strip() or text == " "]
        marks = [one for one in literals if len(one) <= LONGEST_MARK and not re.search(r"\w", one)]
        self.words = [one for one in literals if re.fullmatch(r"\w+", one) and not one.startswith("__")]
        self.names = [word for word in self.words if word.isidentifier() and not word.startswith("_")]
        self.brackets = [pair for pair in BRACKETS if pair[0] in "".join(marks) and pair[1] in "".join(marks)]
        self.marks = [mark for mark in marks if not any(mark in pair for pair in self.brackets)]
        if not self.marks and self.brackets:
            self.marks = [" "]

    @property
    def knows(self) -> bool:
        """There are patterns or marks to make texts of, and not only the usual forms."""
        return bool(self.patterns or self.marks or self.shown)

    def text(self) -> str:
        if self.shown and self.random.random() < SHOWN:
            return self.altered(self.random.choice(self.shown))
        if self.literals and self.random.random() < LITERAL:
            return self.random.choice(self.literals)
        choice = self.random.random()
        if choice < MATCHING and self.patterns:
            return self._matching(self.random.choice(self.patterns))
        if choice > 1 - USUAL or not self.marks:
            return self.random.choice(FORMS)
        return self._phrase(2)[:LONGEST]

    def altered(self, text: str) -> str:
        """The text with something cut out, put in, doubled or replaced, or another number; now and then as it is."""
        start, end = sorted(self.random.choices(range(len(text) + 1), k=2))
        piece = text[start:end]
        match self.random.randrange(8):
            case 0:
                return text
            case 6 | 7 if numbers := list(re.finditer(r"\d+", text)):
                found = self.random.choice(numbers)
                return text[: found.start()] + self.random.choice(NUMBERS) + text[found.end() :]
            case 1:
                return text[:start] + text[end:]
            case 2:
                return (text[:end] + piece + text[end:])[:LONGEST]
            case 3:
                return (text + self.random.choice(self.marks or [" "]) + text)[:LONGEST]
            case 4:
                return text[:start] + self._word() + text[end:]
        return text[:start] + self.random.choice([*self.marks, *NUMBERS]) + text[start:]

    def _word(self) -> str:
        choice = self.random.random()
        if choice < 0.3 and self.words:
            return self.random.choice(self.words)
        return self.random.choice(WORDS if choice < 0.65 else NUMBERS)

    def _phrase(self, depth: int) -> str:
        """Such as `a=1;b=2`: two marks, one of which binds closer."""
        outer, inner = self.random.choice(self.marks), self.random.choice(self.marks)
        parts = []
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            words = [self._word() for _ in range(self.random.choice((1, 2, 2)))]
            if depth and self.brackets and self.random.random() < 0.3:
                pair = self.random.choice(self.brackets)
                words[-1] = f"{pair[0]}{self._phrase(depth - 1)}{pair[1]}"
            parts.append(inner.join(words))
        text = outer.join(parts)
        return self.random.choice((f"{outer}{text}", f"{text}{outer}")) if self.random.random() < 0.15 else text

    def _matching(self, parsed: Any) -> str:
        text = "".join(_Sampler(self.random).sample(parsed))
        word = re.search(r"[a-z]{2,}", text)
        if word and self.words and self.random.random() < 0.5:  # a name that the source knows, instead of any
            text = text[: word.start()] + self.random.choice(self.words) + text[word.end() :]
        return text[:LONGEST]


def _all_of(vocabulary: Vocabulary) -> Iterable[str]:
    return dict.fromkeys((*vocabulary.literals, *vocabulary.names))


def matching(pattern: str, random: Random, flags: int = 0) -> str:
    """A text that the regular expression matches, or nearly: what it looks ahead or back for is not heeded.

    >>> bool(re.fullmatch(r"(\\d+)-(?:[a-c]|x{2,3})?", matching(r"(\\d+)-(?:[a-c]|x{2,3})?", Random(1))))
    True
    """
    return "".join(_Sampler(random).sample(_parsed(pattern, flags) or ()))


def _parsed(pattern: str, flags: int) -> Any:
    """As Python's own parser reads it; nothing if it cannot be read, or if that parser is no longer where it was."""
    try:
        from re import _parser  # type: ignore[attr-defined]

        return _parser.parse(pattern, flags & ~re.DEBUG)
    except Exception:
        return None


Part: TypeAlias = Any
"""What is behind the name of an operation in a parsed expression: its form depends on the operation."""
LETTERS = "abcxyzABZ0123789     _-.,:;/+*=()[]{}<>#@%&!?'\"\n\t~"
IS_OF: Mapping[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit, "CATEGORY_NOT_DIGIT": lambda char: not char.isdigit(),
    "CATEGORY_SPACE": str.isspace, "CATEGORY_NOT_SPACE": lambda char: not char.isspace(),
    "CATEGORY_WORD": lambda char: char.isalnum() or char == "_",
    "CATEGORY_NOT_WORD": lambda char: not (char.isalnum() or char == "_"),
}  # fmt: skip


class _Sampler:
    """Walks through a parsed expression and chooses wherever there is a choice."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.groups: dict[int, str] = {}

    def sample(self, parsed: Iterable[tuple[Any, Part]]) -> list[str]:
        return [self._of(str(operation), part) for operation, part in parsed]

    def _of(self, operation: str, part: Part) -> str:
        match operation:
            case "LITERAL":
                return chr(part)
            case "NOT_LITERAL":
                return self._one(lambda char: char != chr(part))
            case "ANY":
                return self._one(lambda char: char != "\n")
            case "IN":
                return self._member(part)
            case "BRANCH":
                return self._joined(self.random.choice(part[1]))
            case "SUBPATTERN":
                text = self._joined(part[-1])
                if part[0] is not None:
                    self.groups[part[0]] = text
                return text
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = part
                more = self.random.choice((0, 1) if int(most) == 1 else REPEATED)
                count = min(int(most), int(least) + more)
                return "".join(self._joined(inner) for _ in range(min(count, LONGEST)))
            case "ATOMIC_GROUP":
                return self._joined(part)
            case "GROUPREF":
                return self.groups.get(part, "")
            case "GROUPREF_EXISTS":
                group, yes, no = part
                return self._joined(yes if group in self.groups else no or ())
        return ""  # where it has to stand, and what it looks for before or behind

    def _joined(self, parsed: Iterable[tuple[Any, Part]]) -> str:
        return "".join(self.sample(parsed))

    def _one(self, is_fit: Callable[[str], bool]) -> str:
        return self.random.choice([letter for letter in LETTERS if is_fit(letter)] or [""])

    def _member(self, members: Sequence[tuple[Any, Part]]) -> str:
        """A character of a class such as `[a-z_]`."""
        named = [(str(kind), part) for kind, part in members]
        if named[0][0] == "NEGATE":
            return self._one(lambda char: not any(_is_member(char, kind, part) for kind, part in named[1:]))
        kind, part = self.random.choice(named)
        if kind == "LITERAL":
            return chr(part)
        found = self._one(lambda char: _is_member(char, kind, part))
        return found or (chr(self.random.randint(*part)) if kind == "RANGE" else "")


def _is_member(char: str, kind: str, part: Part) -> bool:
    match kind:
        case "LITERAL":
            return char == chr(part)
        case "RANGE":
            low, high = part
            return bool(low <= ord(char) <= high)
        case "CATEGORY":
            return str(part) in IS_OF and IS_OF[str(part)](char)
    return False
