"""Reading a subject and its specification: `NAME.py` with one class, and `NAME.toml`.

class = "Stack"
model = ["list(self)"]              its abstract state, as expressions
queries = ["__len__", ...]          they change nothing; what is not here is a command
invariants = []
[routines.pop]
ensures = [...]                     of calls that pass; together they say all about the state after and the result
raises = [...]                      of all calls
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import tomllib
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from stateful.contracts import Moment, compiled, parse

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Clause:
    """One clause, ready to be asked; it holds if it is true, not if it is undefined."""

    routine: str
    kind: str
    text: str
    truth: Callable[[Moment], bool | None] = field(compare=False)

    def holds(self, moment: Moment) -> bool:
        return self.truth(moment) is True


def clause(routine: str, kind: str, text: str) -> Clause:
    return Clause(routine, kind, text, compiled(parse(text)))


@dataclass(frozen=True)
class Routine:
    """A public routine: what to call, and its parameters with their annotations, without the receiver."""

    name: str
    function: Callable[..., Any] = field(compare=False)
    parameters: dict[str, Any] = field(compare=False)
    is_constructor: bool = field(compare=False)
    is_query: bool = field(compare=False)
    returns: Any = field(compare=False)


@dataclass
class Specification:
    name: str
    cls: Any
    model: list[CodeType]
    routines: dict[str, Routine]
    invariants: list[Clause]
    ensures: dict[str, list[Clause]]
    raises: dict[str, list[Clause]]

    @cached_property
    def commands(self) -> list[Routine]:
        return [routine for routine in self.routines.values() if not routine.is_query]

    @cached_property
    def observers(self) -> list[Routine]:
        return [routine for routine in self.routines.values() if routine.is_query and not routine.parameters]

    def view(self, item: Any) -> Any:
        """The abstract state."""
        return tuple(canonical(eval(code, {"self": item})) for code in self.model)

    def show(self, value: Any) -> str:
        """A value as people read it; an object of the class by its abstract state."""
        if not isinstance(value, self.cls):
            return repr(value)
        parts = [repr(eval(code, {"self": value})) for code in self.model]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def shown(self, slots: dict[str, Any]) -> str:
        return ", ".join(f"{name}={self.show(value)}" for name, value in slots.items())

    def posts(self, routine: str) -> list[Clause]:
        """What is to be true after it: its postconditions and the invariants."""
        return self.ensures.get(routine, []) + self.invariants

    def exceptions(self, routine: str) -> set[str]:
        """The names that its clauses announce."""
        texts = [found.text for found in self.raises.get(routine, [])]
        return {text.split("raises(", 1)[1].split(")", 1)[0] for text in texts}


def canonical(value: Any) -> Any:
    """Equal for what is equal, whatever order sets and dicts are in."""
    if isinstance(value, dict):
        return ("dict", *sorted((canonical(key), canonical(item)) for key, item in value.items()))
    if isinstance(value, set | frozenset):
        return ("set", *sorted(map(canonical, value)))
    return tuple(map(canonical, value)) if isinstance(value, list | tuple) else value


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Specification:
    module = imported(name)
    with (FOLDER / f"{name}.toml").open("rb") as file:
        told = tomllib.load(file)
    cls = getattr(module, told["class"])
    clauses: dict[str, dict[str, list[Clause]]] = {"ensures": {}, "raises": {}}
    for routine, kinds in told["routines"].items():
        for kind, texts in kinds.items():
            clauses[kind][routine] = [clause(routine, kind, text) for text in texts]
    return Specification(
        name,
        cls,
        [compile(text, name, "eval") for text in told["model"]],
        {routine.name: routine for routine in routines_of(cls, module, told["queries"])},
        [clause("__init__", "invariant", text) for text in told["invariants"]],
        clauses["ensures"],
        clauses["raises"],
    )


def imported(name: str) -> ModuleType:
    """The subject, under a name that is nobody else's: there is a `queue` already."""
    place = importlib.util.spec_from_file_location(f"subject_{name}", FOLDER / f"{name}.py")
    assert place
    assert place.loader
    module = importlib.util.module_from_spec(place)
    sys.modules[module.__name__] = module
    place.loader.exec_module(module)
    return module


def routines_of(cls: Any, module: ModuleType, queries: list[str]) -> Iterator[Routine]:
    for name, member in vars(cls).items():
        function = plain(member)
        is_special = name.startswith("__") and name.endswith("__")
        if not inspect.isfunction(function) or (name.startswith("_") and not is_special):
            continue
        hints = typing.get_type_hints(function)
        parameters = {parameter: hints[parameter] for parameter in list(inspect.signature(function).parameters)[1:]}
        is_constructor = name == "__init__"
        called = cls if is_constructor else asked(cls, name)
        yield Routine(name, called, parameters, is_constructor, name in queries, hints["return"])


def plain(member: Any) -> Any:
    """The function of a method or a property."""
    return member.fget if isinstance(member, property) else member


def asked(cls: Any, name: str) -> Callable[..., Any]:
    """Looked up at each call, so that a mutant can take the place of a method for one."""

    def function(receiver: Any, *arguments: Any) -> Any:
        return plain(vars(cls)[name])(receiver, *arguments)

    return function
