"""Tokenizer and recursive descent parser for arithmetic."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Iterator, NamedTuple, Optional


class ParseError(Exception):
    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at {position}")
        self.position = position


class Token(NamedTuple):
    kind: str
    text: str
    position: int


class Tokenizer:
    """An iterator of tokens that can look ahead and go back."""

    PATTERN = re.compile(r"\s*(?:(?P<num>\d+)|(?P<name>[A-Za-z_]\w*)|(?P<op>[-+*/()=]))")

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._saved: list[int] = []

    def __iter__(self) -> Tokenizer:
        return self

    def _scan(self) -> Optional[tuple[Token, int]]:
        match = self.PATTERN.match(self._text, self._position)
        if match is None:
            if self._text[self._position :].strip():
                raise ParseError("unexpected character", self._position)
            return None
        kind = match.lastgroup
        assert kind is not None
        return Token(kind, match.group(kind), match.start(kind)), match.end()

    def __next__(self) -> Token:
        scanned = self._scan()
        if scanned is None:
            raise StopIteration
        token, self._position = scanned
        return token

    def peek(self) -> Optional[Token]:
        scanned = self._scan()
        return None if scanned is None else scanned[0]

    def save(self) -> None:
        self._saved.append(self._position)

    def restore(self) -> None:
        """Go back to where save was called last.

        Raises:
            IndexError: if nothing was saved
        """
        if not self._saved:
            raise IndexError("nothing saved")
        self._position = self._saved.pop()

    @property
    def at_end(self) -> bool:
        return not self._text[self._position :].strip()


class Expression(ABC):
    @abstractmethod
    def value(self, env: dict[str, Fraction]) -> Fraction: ...

    @abstractmethod
    def __str__(self) -> str: ...


class Number(Expression):
    def __init__(self, number: Fraction) -> None:
        self.number = number

    def value(self, env: dict[str, Fraction]) -> Fraction:
        return self.number

    def __str__(self) -> str:
        return str(self.number)


class Name(Expression):
    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, env: dict[str, Fraction]) -> Fraction:
        """
        Raises:
            NameError: if the name is unknown
        """
        if self.name not in env:
            raise NameError(self.name)
        return env[self.name]

    def __str__(self) -> str:
        return self.name


class Operation(Expression):
    def __init__(self, op: str, left: Expression, right: Expression) -> None:
        if op not in "+-*/" or len(op) != 1:
            raise ValueError(f"no operator: {op!r}")
        self.op = op
        self.left = left
        self.right = right

    def value(self, env: dict[str, Fraction]) -> Fraction:
        """
        Raises:
            ZeroDivisionError: for a division by zero
        """
        left, right = self.left.value(env), self.right.value(env)
        if self.op == "+":
            return left + right
        if self.op == "-":
            return left - right
        if self.op == "*":
            return left * right
        return left / right

    def __str__(self) -> str:
        return f"({self.left} {self.op} {self.right})"


class Calculator:
    def __init__(self) -> None:
        self.env: dict[str, Fraction] = {}
        self.history: list[Fraction] = []

    def parse(self, text: str) -> Expression:
        tokens = Tokenizer(text)
        result = self._sum(tokens)
        rest = tokens.peek()
        if rest is not None:
            raise ParseError(f"unexpected {rest.text!r}", rest.position)
        return result

    def _sum(self, tokens: Tokenizer) -> Expression:
        left = self._product(tokens)
        while (token := tokens.peek()) is not None and token.text in ("+", "-"):
            next(tokens)
            left = Operation(token.text, left, self._product(tokens))
        return left

    def _product(self, tokens: Tokenizer) -> Expression:
        left = self._atom(tokens)
        while (token := tokens.peek()) is not None and token.text in ("*", "/"):
            next(tokens)
            left = Operation(token.text, left, self._atom(tokens))
        return left

    def _atom(self, tokens: Tokenizer) -> Expression:
        token = tokens.peek()
        if token is None:
            raise ParseError("unexpected end", 0)
        next(tokens)
        if token.kind == "num":
            return Number(Fraction(token.text))
        if token.kind == "name":
            return Name(token.text)
        if token.text == "(":
            inner = self._sum(tokens)
            closing = tokens.peek()
            if closing is None or closing.text != ")":
                raise ParseError("missing )", token.position)
            next(tokens)
            return inner
        raise ParseError(f"unexpected {token.text!r}", token.position)

    def evaluate(self, text: str) -> Fraction:
        value = self.parse(text).value(self.env)
        self.history.append(value)
        return value

    def assign(self, name: str, text: str) -> Fraction:
        if not name.isidentifier():
            raise ValueError("not a name")
        self.env[name] = self.evaluate(text)
        return self.env[name]

    def last(self, n: int = 1) -> Fraction:
        """The result n steps back.

        Raises:
            IndexError: if there are fewer results
        """
        if not 1 <= n <= len(self.history):
            raise IndexError(n)
        return self.history[-n]
