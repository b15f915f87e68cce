"""What calls share behind the operands: class attributes and module globals. What a call changes there is put back,
and so are the names of the modules that this worker itself lives on.

Rebinding is seen after every call in the classes and modules under test; containers, also those that other modules of
the package hold, and those that they hold in turn, are compared by their length after every call, and by their content
now and then.
"""

from __future__ import annotations

import builtins
import copyreg
import json
import operator
import pickle
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from types import FunctionType, ModuleType
from typing import Any

from stateful.subject.discover import Live
from stateful.subject.looking import is_class
from stateful.subject.snapshots import singletons

__all__ = ["World"]

THOROUGH_EVERY = 100  # calls
BASES: tuple[Any, ...] = (OrderedDict, dict, list, set, bytearray, deque)
"""The kinds of containers, each before what it is a kind of."""
DEEPEST, MOST_ITEMS, MOST_CONTAINERS = 3, 200, 600  # containers in containers; and how many at all
PICKLING = ("Pickler", "Unpickler", "dumps", "loads", "dump", "load", "PicklingError", "PickleError")
"""Names of `pickle` that are looked at after every call, because this worker and the laws use them at once."""


class World:
    def __init__(self, live: Live) -> None:
        owners: list[type | ModuleType] = [*live.classes, *dict.fromkeys(live.modules)]
        self.spaces = [_Space(owner) for owner in owners]
        self.others = [_Space(module) for module in (pickle, json, time, operator, copyreg)]
        self.builtins = vars(builtins), vars(builtins).copy()
        self.pickling = vars(pickle), {name: vars(pickle)[name] for name in PICKLING}
        self.recursion = sys.getrecursionlimit()
        held = [(f"{name}.{key}", value) for name, holder in singletons() for key, value in _attributes(holder).items()]
        beside = (_Space(owner).held() for owner in _beside(live.modules))
        named = chain(*(space.held() for space in self.spaces), held, *beside)
        self.containers = list(islice(_containers(named), MOST_CONTAINERS))
        self.holders = [_Holder(name, value) for name, value in singletons() if _has_attributes(value)]
        self.views = [
            *(vars(space.owner).values() for space in self.spaces),
            *(holder.now.values() for holder in self.holders),
        ]
        """What the names of classes, modules and holders are bound to, as it is now."""
        self.values = list(chain.from_iterable(self.views))
        self.lengths = [container.length() for container in self.containers]
        self.changed: dict[str, None] = {}
        """The names that calls changed."""
        self.calls = 0

    def restore(self) -> None:
        """Put back what the last call changed; first of all, and without their help, the tools to do it with."""
        now, before = self.builtins
        if now != before:
            now.update(before)
            self.changed["builtins"] = None
        now, before = self.pickling
        for name in before:
            if now.get(name) is not before[name]:
                now.update(before)
                self.changed["pickle"] = None
        self.calls += 1
        thorough = not self.calls % THOROUGH_EVERY
        sys.setrecursionlimit(self.recursion)
        if thorough or not self._looks_the_same():
            self._restore_each(thorough)

    def _looks_the_same(self) -> bool:
        """All at once, because nearly every call leaves everything as it was."""
        bound = len(self.values) == sum(map(len, self.views))
        return (
            bound
            and all(map(operator.is_, chain.from_iterable(self.views), self.values))
            and self.lengths == [container.length() for container in self.containers]
        )

    def _restore_each(self, thorough: bool) -> None:
        for space in (*self.spaces, *self.others) if thorough else self.spaces:
            if not space.is_same():
                self.changed.update(dict.fromkeys(space.put_back()))
        for holder in self.holders:
            if not holder.is_same():
                holder.put_back()
                self.changed[holder.name] = None
        for container in self.containers:
            if not container.is_same(thorough):
                container.put_back()
                self.changed[container.name] = None
        self.values = list(chain.from_iterable(self.views))


class _Space:
    """The names of a class or a module."""

    def __init__(self, owner: type | ModuleType) -> None:
        self.owner = owner
        self.names = dict(vars(owner))
        self.values = list(self.names.values())

    def is_same(self) -> bool:
        now = vars(self.owner)
        return len(now) == len(self.values) and all(map(operator.is_, now.values(), self.values))

    def put_back(self) -> list[str]:
        now, changed = dict(vars(self.owner)), []
        for name in dict.fromkeys([*now, *self.names]):
            as_it_was = name in now and name in self.names and now[name] is self.names[name]
            imported = name not in self.names and type(now[name]) is ModuleType
            if not (as_it_was or imported) and not _is_internal(name) and self._put_back(name):
                changed.append(f"{_shown(self.owner)}.{name}")
        self.names = dict(vars(self.owner))
        self.values = list(self.names.values())
        return changed

    def _put_back(self, name: str) -> bool:
        """Past the owner's own ways of setting names."""
        assign, remove = (type.__setattr__, type.__delattr__) if isinstance(self.owner, type) else (setattr, delattr)
        try:
            assign(self.owner, name, self.names[name]) if name in self.names else remove(self.owner, name)
        except (AttributeError, TypeError):
            return False
        return True

    def held(self) -> Iterator[tuple[str, Any]]:
        """What it holds by a name, and the defaults of its functions."""
        for name, value in self.names.items():
            if not _is_internal(name):
                yield f"{_shown(self.owner)}.{name}", value
                for default in (value.__defaults__ if type(value) is FunctionType else None) or ():
                    yield f"{_shown(self.owner)}.{name}'s default", default


def _beside(modules: Sequence[ModuleType]) -> list[type | ModuleType]:
    """The other modules of the subject's packages, and their classes. What these are bound to is left alone: a number
    there may be what tells objects apart."""
    packages = {module.__name__.partition(".")[0] for module in modules}
    loaded = [(name, module) for name, module in list(sys.modules.items()) if type(module) is ModuleType]
    others = [each for name, each in loaded if name.partition(".")[0] in packages and each not in modules]
    classes = [
        thing
        for module in others
        for thing in vars(module).values()
        if is_class(thing) and thing.__module__ == module.__name__
    ]
    return [*others, *dict.fromkeys(classes)]


def _attributes(holder: Any) -> dict[str, Any]:
    found = getattr(holder, "__dict__", {})
    return found if isinstance(found, dict) else {}


def _containers(named: Iterator[tuple[str, Any]]) -> Iterator[_Container]:
    """The containers among what is held, and those that they hold in turn; each once."""
    seen: set[int] = set()
    waiting = deque((name, value, 1) for name, value in named)
    while waiting:
        name, value, depth = waiting.popleft()
        base = next((base for base in BASES if issubclass(type(value), base)), None)
        if base is None or id(value) in seen:
            continue
        seen.add(id(value))
        container = _Container(name, value, base)
        yield container
        if depth < DEEPEST:
            waiting.extend((name, item, depth + 1) for item in container.items()[:MOST_ITEMS])


def _has_attributes(value: Any) -> bool:
    """By itself: a proxy has those of another object, and `threading.local` those of the thread."""
    try:
        object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return True


class _Holder:
    """An object that a module holds by a name: it is never copied, so its attributes are put back."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.now: dict[str, Any] = object.__getattribute__(value, "__dict__")
        self.before = self.now.copy()

    def is_same(self) -> bool:
        return len(self.now) == len(self.before) and all(map(operator.is_, self.now.values(), self.before.values()))

    def put_back(self) -> None:
        self.now.clear()
        self.now.update(self.before)


class _Container:
    """A list, dict or set that a class, a module or a default argument holds."""

    def __init__(self, name: str, value: Any, base: Any) -> None:
        """It is looked at and filled by the methods of its `base`, past what its own class makes of them."""
        self.name = name
        self.value = value
        self.base = base
        self.length = partial(base.__len__, value)
        self.content = self._content()

    def _content(self) -> list[Any]:
        return list(self.base.items(self.value) if issubclass(self.base, dict) else self.base.__iter__(self.value))

    def items(self) -> list[Any]:
        return [value for _, value in self.content] if issubclass(self.base, dict) else self.content

    def is_same(self, thorough: bool) -> bool:
        if self.length() != len(self.content):
            return False
        return not thorough or self._is_alike(self._content())

    def _is_alike(self, now: list[Any]) -> bool:
        """The same items, and not just equal ones: comparing must not run the subject's own `==`."""
        if issubclass(self.base, set):
            return set(map(id, now)) == set(map(id, self.content))
        if issubclass(self.base, dict):
            return all(map(operator.is_, chain(*now), chain(*self.content)))
        return all(map(operator.is_, now, self.content))

    def put_back(self) -> None:
        self.base.clear(self.value)
        if issubclass(self.base, dict):
            for key, value in self.content:
                self.base.__setitem__(self.value, key, value)
        else:
            fill = self.base.update if issubclass(self.base, set) else self.base.extend
            fill(self.value, self.content)


def _is_internal(name: str) -> bool:
    """Python's own names, which it sets when it likes."""
    return name.startswith("__") or name == "_abc_impl"


def _shown(owner: type | ModuleType) -> str:
    return owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}:{owner.__qualname__}"
