"""Whether an object keeps what it was given without looking at it.

A constructor that only stores its argument passes with values of any type, so nothing is learned of the right one, and
what the object does with a wrong one fails later, far away. An exception that speaks of the type of such a value may be
the caller's mistake. A record, whose constructor nobody wrote, keeps everything: an index, a key, a number of any size.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from stateful.contracts.evaluate import is_atom
from stateful.judge.law import attributes_of, held
from stateful.subject.discover import LiveRoutine

__all__ = ["Calls", "is_kept_by_record", "kept_unchecked", "reaches_itself"]

Calls: TypeAlias = Sequence[tuple[LiveRoutine, Sequence[Any]]]
"""Those of a program, with their operands."""
MOST_ITEMS = 100
NAMED = re.compile(r"(?:'|\(type )(\w+)['\)]")
GENERATED = ("<string>", "<attrs generated")
"""Where Python says that the code of constructors stands which dataclasses, named tuples and attrs write."""


def kept_unchecked(calls: Calls, objects: Sequence[Any], error: BaseException) -> str | None:
    """The name of a type that the exception speaks of, if one of the objects holds a value of it that a call passed for
    a parameter without annotation; or if all such values that it holds in containers were passed in containers."""
    named = {*NAMED.findall(str(error))} - {"NoneType"} if isinstance(error, TypeError | AttributeError) else ()
    if not named:
        return None
    attributes = [value for one in objects for several in attributes_of(one) for value in several]
    passed = [value for live, operands in calls for value in _unannotated(live, operands)]
    spoken = [value for value in attributes if type(value).__name__ in named]
    kept = next((one for one in spoken if any(one is value for value in passed)), None)
    if kept is None and not spoken:
        spoken, passed = ([item for one in several for item in _items(one)] for several in (attributes, passed))
        spoken = [value for value in spoken if type(value).__name__ in named]
        if all(any(one is value for value in passed) for one in spoken):
            kept = next(iter(spoken), None)
    return None if kept is None else type(kept).__name__


def _items(one: Any) -> Iterator[Any]:
    """What a container of Python's holds, and containers in it."""
    for several in held(one) if type(one) in (list, tuple, set, frozenset, dict, deque) else ():
        for item in several:
            yield item
            if type(item) in (list, tuple):
                yield from item[:MOST_ITEMS]


def is_kept_by_record(calls: Calls, objects: Sequence[Any]) -> bool:
    """One of the objects is a record that holds a plain value as it was passed."""
    return any(_is_record(type(one)) and _is_built_with_plain_values(one, calls) for one in objects)


def reaches_itself(one: Any) -> bool:
    """An object that holds itself, or holds another that does."""
    return _reaches(one, [], set())


def _reaches(one: Any, above: list[Any], done: set[int]) -> bool:
    if any(one is other for other in above):
        return True
    if is_atom(one) or id(one) in done or len(done) > MOST_REACHED or len(above) > DEEPEST:
        return False
    done.add(id(one))
    above.append(one)
    found = any(_reaches(part, above, done) for several in held(one) for part in several)
    above.pop()
    return found


MOST_REACHED, DEEPEST = 2_000, 200


def _unannotated(live: LiveRoutine, operands: Sequence[Any]) -> Iterator[Any]:
    """The arguments of a call whose parameters say nothing of their type."""
    given = operands[1:] if live.model.has_receiver else operands
    for parameter, value in zip(live.model.parameters, given, strict=False):
        if parameter.annotation is None:
            yield value


def _is_record(cls: type) -> bool:
    """Its constructor was written by a decorator or a base, and nothing of its own looks at the arguments."""
    if any(hasattr(cls, name) for name in ("__post_init__", "__attrs_post_init__", "__attrs_pre_init__")):
        return False
    if any(attribute.validator is not None for attribute in getattr(cls, "__attrs_attrs__", ())):
        return False
    name = "__new__" if issubclass(cls, tuple) else "__init__"
    code = getattr(getattr(cls, name, None), "__code__", None)
    return code is not None and code.co_filename.startswith(GENERATED)


def _is_built_with_plain_values(record: Any, calls: Calls) -> bool:
    made = [operands for live, operands in calls if live.model.kind == "constructor" and live.cls is type(record)]
    return any(is_atom(value) and value is not Ellipsis for operands in made for value in operands)
