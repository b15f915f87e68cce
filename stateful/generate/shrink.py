"""Make a program shorter and its literals simpler, as long as it shows the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from stateful.judge.ordinary import oddness
from stateful.subject.model import Routine
from stateful.subject.program import MISSING, Argument, Literal, Program

__all__ = ["shrunk", "simpler_literals", "with_small_numbers"]

Shown = TypeVar("Shown")
Items: TypeAlias = ast.List | ast.Tuple | ast.Set | ast.Dict
MOST_PIECES = 80  # of a text that are left out, each in turn
SIMPLE = ("0", "1", "2", "10", "100", "''", "'a'", "[]")


def shrunk(
    program: Program,
    routines: Mapping[str, Routine],
    shows: Callable[[Program], Shown | None],
    is_over: Callable[[], bool],
) -> tuple[Program, Shown | None]:
    """The program without what it does not need, and what it `shows` then; nothing if it stays as it is.

    Ends when all that could be left out was refused, for each change makes it shorter or a literal simpler. After a
    change it goes on from the same place: what was refused before seldom does better then."""
    last: Shown | None = None
    candidates, place, refused = list(_smaller(program, routines)), 0, 0
    while refused < len(candidates) and not is_over():
        smaller = candidates[place % len(candidates)]
        shown = shows(smaller)
        if shown is None:
            place, refused = place + 1, refused + 1
        else:
            program, last, refused = smaller, shown, 0
            candidates = list(_smaller(program, routines))
    return program, last


def _smaller(program: Program, routines: Mapping[str, Routine]) -> Iterator[Program]:
    """Programs that are a little simpler: without a call, without an argument, with a simpler literal.

    Without the last call, too: an object may have been broken before it, and only looked at there."""
    if len(program.steps) > 1:
        yield Program(program.steps[:-1]).connected()
    for place in range(len(program.steps) - 1):
        smaller = program.without(place)
        if smaller is not None:
            yield smaller
    for place, step in enumerate(program.steps):
        model = routines[step.routine]
        shift = 1 if model.has_receiver else 0
        for slot, argument in enumerate(step.arguments):
            optional = slot >= shift and not model.parameters[slot - shift].required
            if optional and argument != Literal(MISSING) and not program.uses(place, slot):
                yield _with(program, place, slot, Literal(MISSING))
            if isinstance(argument, Literal) and argument.text != MISSING:
                yield from (_with(program, place, slot, Literal(text)) for text in simpler_literals(argument.text))


def with_small_numbers(program: Program) -> Program | None:
    """The program with 100 for each larger number among its literals; none if there is none.

    >>> from stateful.subject.program import Step
    >>> with_small_numbers(Program((Step("m:power", (Literal("[7, -738]"), Literal("'a 738'"))),)))
    Program(steps=(Step(routine='m:power', arguments=(Literal(text='[7, -100]'), Literal(text="'a 738'"))),))
    """

    def small(argument: Argument) -> Argument:
        is_plain = isinstance(argument, Literal) and "'" not in argument.text and '"' not in argument.text
        return Literal(LARGER.sub("100", argument.text)) if is_plain else argument  # type: ignore[union-attr]

    calmer = Program(tuple(replace(step, arguments=tuple(map(small, step.arguments))) for step in program.steps))
    return None if calmer == program else calmer


LARGER = re.compile(r"(?<![\w.])[1-9]\d{2,}(?![\w.])")


def _with(program: Program, place: int, slot: int, argument: Argument) -> Program:
    step = program.steps[place]
    arguments = (*step.arguments[:slot], argument, *step.arguments[slot + 1 :])
    return Program((*program.steps[:place], replace(step, arguments=arguments), *program.steps[place + 1 :]))


def simpler_literals(text: str) -> Iterator[str]:
    """Shorter literals that may do as well: the usual ones, and containers and texts with less in them.

    >>> list(simpler_literals("[7, 'x']"))
    ['0', '1', '2', '10', '100', "''", "'a'", '[]', "['x']", '[7]']
    >>> list(simpler_literals("[7, 8, 9, 2**31, 1e300, 5]"))[8:12]
    ['[7, 8, 9, 5]', '[2 ** 31, 1e+300, 5]', '[7, 8, 9]', '[8, 9, 2 ** 31, 1e+300, 5]']
    >>> list(simpler_literals("'a=1;b'"))[8:]
    ["'1;b'", "'a=b'", "'a=1;'", "'=1;b'", "'a1;b'", "'a=;b'", "'a=1b'"]
    """
    yield from (simple for simple in SIMPLE if (len(simple), simple) < (len(text), text))
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str | bytes):
        value: Any = tree.value
        shorter = (value[:start] + value[end:] for start, end in _pieces(len(value)))
        yield from dict.fromkeys(map(repr, islice(shorter, MOST_PIECES)))
    if isinstance(tree, Items):
        yield from filter(None, dict.fromkeys(_without(tree, places) for places in _left_out(tree)))


def _left_out(tree: Items) -> Iterator[set[int]]:
    """The places of items that may not be needed: all that are odd, then halves, quarters, and each alone."""
    size = _size(tree)
    odd = {place for place in range(size) if oddness(_item(tree, place))}
    if 1 < len(odd) < size:
        yield odd
    yield from (set(range(start, end)) for start, end in _pieces(size))
    if size == 1:
        yield {0}


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    """Halves, quarters, and so on to each alone, as ends of ranges."""
    step = size // 2
    while step:
        yield from ((start, min(start + step, size)) for start in range(0, size, step))
        step //= 2


def _size(tree: Items) -> int:
    return len(tree.keys) if isinstance(tree, ast.Dict) else len(tree.elts)


def _item(tree: Items, place: int) -> str:
    if isinstance(tree, ast.Dict):
        key = tree.keys[place]
        return ast.unparse(ast.Tuple([tree.values[place] if key is None else key, tree.values[place]]))
    return ast.unparse(tree.elts[place])


def _without(tree: Items, places: set[int]) -> str:
    if isinstance(tree, ast.Dict):
        rest = [(k, v) for i, (k, v) in enumerate(zip(tree.keys, tree.values, strict=True)) if i not in places]
        return ast.unparse(ast.Dict([k for k, _ in rest], [v for _, v in rest]))
    items = [item for i, item in enumerate(tree.elts) if i not in places]
    return "" if isinstance(tree, ast.Set) and not items else ast.unparse(type(tree)(items))
