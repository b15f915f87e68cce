"""The routines of a class or module, each with all that its author says of it. Runs in workers only."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stateful.contracts import Moment, compiled, parse
from stateful.contracts.nodes import slots_of
from stateful.subject.attributes import attributes_of, is_data
from stateful.subject.hints import hints_in
from stateful.subject.looking import is_class
from stateful.subject.model import DISPLAYS, Parameter, Routine, RoutineKind
from stateful.subject.source import (
    announced_by,
    branch_conditions,
    documented_by,
    leading_conditions,
    leaves_if_empty,
    looked_for,
    once,
)
from stateful.subject.usage import classes_by_use, kinds_by_use
from stateful.subject.written import Precondition, dealt_exceptions, precondition_of, written_clauses

__all__ = [
    "NESTED", "LiveRoutine", "Requirement", "class_name", "conforms", "constructor_of", "displays",
    "file_of", "function_of", "is_abstract", "routines_of",
]  # fmt: skip

HEAP_TYPE = 1 << 9
ARITHMETIC = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "xor",
    "or",
)  # fmt: skip
CALLED = frozenset((
    *(f"__{place}{name}__" for name in ARITHMETIC for place in ("", "r", "i") if place != "i" or name != "divmod"),
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__len__", "__iter__", "__next__", "__reversed__",
    "__contains__", "__getitem__", "__setitem__", "__delitem__", "__call__", "__bool__", "__int__", "__float__",
    "__complex__", "__index__", "__bytes__", "__abs__", "__neg__", "__pos__", "__invert__", "__round__", "__trunc__",
    "__floor__", "__ceil__", "__enter__", "__aiter__", "__anext__",
))  # fmt: skip
"""The special methods that are operations on an object: an operator, a statement or a builtin calls them. The laws look
at some others; the rest are hooks, which Python or a library calls when it likes."""


NESTED = "is a class of its own: name it as a target"
LOOKED_AT = frozenset((
    "__del__", "__getattr__", "__setstate__", "__copy__", "__deepcopy__", "__exit__", "__aenter__", "__aexit__",
    "__await__", "__missing__", "__fspath__",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Requirement:
    """A written precondition, compiled, and the names of the slots that it speaks of."""

    slots: tuple[str, ...]
    holds: Callable[[Moment], bool | None]

    @classmethod
    def of(cls, source: str) -> Requirement:
        expression = parse(source)
        return cls(slots_of(expression), compiled(expression))


@dataclass(slots=True)
class LiveRoutine:
    """A routine with what only the process that imported it has."""

    model: Routine
    function: Callable[..., Any]
    cls: type | None
    hints: Mapping[str, Any]
    precondition: Precondition | None = None
    requirements: tuple[Requirement, ...] = ()
    """The written preconditions that the contract language can read."""
    expected: Mapping[str, Any] = field(default_factory=dict)
    """What parameters ask for, as an annotation: their own, or what their use and their documentation say."""
    makes: type | None = None
    """The class whose objects it returns, if that is known."""


def class_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


@once
def file_of(thing: Any) -> str:
    try:
        return inspect.getsourcefile(inspect.unwrap(thing)) or ""
    except (TypeError, ValueError):
        return ""


def routines_of(cls: type, left_out: list[tuple[str, str]]) -> Iterator[LiveRoutine]:
    """Everything that can be called on a class and its objects; what cannot goes to `left_out` with the reason."""
    name = class_name(cls)
    if issubclass(cls, BaseException):
        left_out.append((name, "is an exception"))
        return
    if issubclass(cls, type):
        left_out.append((name, "is a metaclass: its objects are classes"))
        return
    if typing.is_typeddict(cls):
        left_out.append((name, "is a typed dict: its objects are plain dicts"))
        return
    if getattr(cls, "_is_protocol", False):
        left_out.append((name, "is a protocol"))
        return
    if is_abstract(cls):
        left_out.append((name, "is abstract: only objects of its subclasses can be made"))
    elif cls.__name__.startswith("_"):
        left_out.append((name, "is private: its objects are tested where a public routine returns one"))
    elif not _is_enum(cls):
        yield constructor_of(cls)
    for attribute in _names_in(cls):
        if _is_called(cls, attribute):
            yield from _member(cls, attribute, left_out)
        elif _is_hook(cls, attribute):
            left_out.append((f"{name}.{attribute}", "is a hook, which users of the class do not call"))
    for attribute in attributes_of(cls):
        yield _live(f"{name}.{attribute}", "attribute", None, cls, None)


def _names_in(cls: type) -> list[str]:
    """Of an enum `dir` does not list the methods, and its members are no routines; nor is what a number can do."""
    if not _is_enum(cls):
        return dir(cls)
    written = [base for base in cls.__mro__ if base.__flags__ & HEAP_TYPE]
    members = (pair for base in written for pair in vars(base).items())
    own = {name for name, member in members if getattr(member, "__module__", "") != "enum"}
    return sorted(own - {*cls.__members__})  # type: ignore[attr-defined]


def _is_enum(cls: type) -> bool:
    """Its members are values; nobody makes new ones."""
    return any(base.__module__ == "enum" and base.__name__ == "Enum" for base in cls.__mro__)


def _is_called(cls: type, attribute: str) -> bool:
    if attribute.startswith("_") and attribute not in CALLED:
        return False
    owner = next((base for base in cls.__mro__ if attribute in vars(base)), object)
    return owner is not object and owner.__module__ not in ("typing", "enum", "abc")


def _is_hook(cls: type, attribute: str) -> bool:
    """A special method of its own that `object` does not have, and no law looks at."""
    own = vars(cls).get(attribute)
    is_special = attribute.startswith("__") and attribute.endswith("__") and attribute not in CALLED
    return is_special and inspect.isfunction(own) and not hasattr(object, attribute) and attribute not in LOOKED_AT


def is_abstract(cls: type) -> bool:
    """By its abstract methods, or because its author calls it so: an object of it alone is nobody's wish."""
    return inspect.isabstract(cls) or cls.__name__.startswith("Abstract")


def constructor_of(cls: type, *, helper: bool = False) -> LiveRoutine:
    return _live(class_name(cls), "constructor", cls, cls, None, helper=helper)


def function_of(name: str, function: Any, *, helper: bool = False) -> LiveRoutine:
    return _live(name, "function", function, None, None, helper=helper)


def displays() -> list[LiveRoutine]:
    """Containers of objects, such as `[a, b]`, for parameters that want several of them."""
    return [_display(name) for name in DISPLAYS]


def _display(name: str) -> LiveRoutine:
    parameters = tuple(Parameter(item, required=False) for item in ("a", "b", "c"))
    model = Routine(f"stateful:{name}", "display", parameters=parameters, helper=True)
    return LiveRoutine(model, list, None, {})


def _member(cls: type, attribute: str, left_out: list[tuple[str, str]]) -> Iterator[LiveRoutine]:
    name = f"{class_name(cls)}.{attribute}"
    raw = inspect.getattr_static(cls, attribute)
    if attribute == "__enter__":
        yield _live(name, "context", raw, cls, raw)
    elif isinstance(raw, property):
        yield _live(name, "property", raw.fget, cls, None)
        if raw.fset is not None:
            yield _live(f"{name}=", "setter", raw.fset, cls, raw.fset)
    elif type(raw).__name__ == "cached_property":
        yield _live(name, "property", getattr(raw, "func", None), cls, None)
    elif isinstance(raw, classmethod) and is_abstract(cls) and not inspect.isabstract(cls):
        left_out.append((name, "belongs to a class that is called abstract, and may make objects of it"))
    elif isinstance(raw, staticmethod | classmethod):
        yield _live(name, "static", getattr(cls, attribute), cls, raw.__func__)
    elif is_class(raw):
        left_out.append((name, NESTED))
    elif callable(raw):
        yield _live(name, "method", raw, cls, raw)
    elif isinstance(raw, functools.singledispatchmethod):
        yield _live(name, "method", _bound(attribute, raw.func), cls, raw.func)
    elif isinstance(raw, functools.partialmethod):
        yield _live(name, "method", getattr(cls, attribute), cls, raw.func)
    elif hasattr(type(raw), "__get__") and not is_data(cls, attribute):
        yield _live(name, "property", None, cls, None)  # a descriptor of somebody's own
        if inspect.isfunction(setter := getattr(type(raw), "__set__", None)):
            yield _live(f"{name}=", "setter", _assigning(attribute, setter), cls, setter)


def _assigning(attribute: str, setter: Callable[..., Any]) -> Callable[..., Any]:
    """What assigns to an attribute; its parameters are those of a property's setter."""

    def assign(receiver: Any, value: Any) -> None:
        setattr(receiver, attribute, value)

    receiver, value = inspect.signature(assign).parameters.values()
    given = list(inspect.signature(setter).parameters.values())[-1].replace(kind=value.kind)
    assign.__signature__ = inspect.Signature([receiver, given])  # type: ignore[attr-defined]
    return assign


def _bound(attribute: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """What calls a method that only an object gives."""

    @functools.wraps(function)
    def call(receiver: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(receiver, attribute)(*arguments, **keywords)

    return call


def _live(
    name: str, kind: RoutineKind, function: Any, cls: type | None, source: Any, *, helper: bool = False
) -> LiveRoutine:
    code = function if source is None else source
    spoken = _maker(cls) if kind == "constructor" and cls else code
    parameters = _parameters_of(kind, function, spoken)
    written = (*written_clauses(spoken), *(leading_conditions(spoken) if kind != "attribute" else ()))
    model = Routine(
        name=name,
        kind=kind,
        owner=class_name(cls) if cls else None,
        parameters=parameters,
        doc=_doc(code) if code else "",
        file=file_of(spoken) if spoken else "",
        line=_line(spoken),
        announces=(*announced_by(spoken), *dealt_exceptions(spoken)) if spoken else (),
        documents=(*documented_by(spoken), *dealt_exceptions(spoken)) if spoken else (),
        written=tuple(written),
        helper=helper,
        conditions=branch_conditions(spoken) if spoken and not helper else (),
        asynchronous=inspect.iscoroutinefunction(code) or inspect.isasyncgenfunction(code),
        generator=inspect.isgeneratorfunction(code) or inspect.isasyncgenfunction(code),
        guarded=leaves_if_empty(spoken) if spoken else False,
        looks_for=looked_for(spoken) if spoken else (),
    )
    hints = hints_in(cls, spoken)
    hints = {**hints, **{p.name: hints[p.base_name] for p in parameters if p.variadic and p.base_name in hints}}
    asked: dict[str, Any] = {parameter.name: hints.get(parameter.name, Any) for parameter in parameters}
    used = classes_by_use(spoken, receiver=kind not in ("static", "function"))
    told = {name: typing.Union[used[name]] for name in asked.keys() & used if asked[name] in (Any, object)}  # noqa: UP007
    expected = {p.name: told.get(p.name, asked[p.name]) for p in parameters if not p.keywords}
    requirements = tuple(
        Requirement.of(clause.text) for clause in written if clause.kind == "requires" and clause.readable
    )
    makes = cls if kind == "constructor" else _made(hints.get("return"), cls)
    return LiveRoutine(model, function, cls, hints, precondition_of(spoken), requirements, expected, makes)


def _maker(cls: type) -> Any:
    """The function that a constructor runs: `__init__`, or `__new__` where only that is written."""
    if "__init__" not in {name for base in cls.__mro__[:-1] for name in vars(base)}:
        own = next((base for base in cls.__mro__[:-1] if "__new__" in vars(base)), None)
        if own is not None:
            made = vars(own)["__new__"]  # a static method; a plain function, if it was assigned to the class later
            return made.__func__ if isinstance(made, staticmethod) else made
    return cls.__init__  # type: ignore[misc]


def _made(hint: Any, cls: type | None) -> type | None:
    """The class that a return annotation names."""
    if hint is typing.Self or (isinstance(hint, typing.TypeVar) and cls is not None):
        return cls
    made = typing.get_origin(hint) or hint
    return made if isinstance(made, type) and made.__module__ not in ("builtins", "typing", "types") else None


@once
def _doc(function: Any) -> str:
    return (inspect.getdoc(function) or "").strip()[:2000]


def _line(function: Any) -> int:
    code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    return code.co_firstlineno if code else 0


def _parameters_of(kind: RoutineKind, function: Any, spoken: Any) -> tuple[Parameter, ...]:
    if kind in ("property", "attribute", "context"):
        return ()
    receiver = kind in ("method", "setter")
    found = _parameters(function, receiver=receiver)
    uses = kinds_by_use(spoken, receiver=kind != "static" and kind != "function")
    if kind == "static":
        uses = {**kinds_by_use(function, receiver=False), **uses}
    return tuple(
        parameter if parameter.annotation else replace(parameter, kinds=uses.get(parameter.base_name, ()))
        for parameter in found
    )


def _parameters(function: Any, *, receiver: bool) -> tuple[Parameter, ...]:
    """The parameters that can be filled; `*args` stands for up to three arguments, `**kwargs` for a dict."""
    try:
        found = list(inspect.signature(function).parameters.values())[1 if receiver else 0 :]
    except (TypeError, ValueError):
        return (Parameter("a", required=False), Parameter("b", required=False))
    if is_class(function) and _takes_anything(found):
        found = _handed_on(function) or found
    return tuple(each for parameter in found for each in _parameter(parameter))


def _takes_anything(parameters: Sequence[inspect.Parameter]) -> bool:
    """`*args, **kwargs` hand on what somebody else asks for."""
    return {parameter.kind for parameter in parameters} == {
        inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
    }  # fmt: skip


def _handed_on(cls: type) -> list[inspect.Parameter]:
    """What the constructor of a class asks for where its metaclass, or its `__new__`, only hands everything on."""
    for name in ("__new__", "__init__"):
        owner = next((base for base in cls.__mro__[:-1] if name in vars(base)), None)
        function = vars(owner)[name] if owner else None
        function = getattr(function, "__func__", function)
        if inspect.isfunction(function):
            found = list(inspect.signature(function).parameters.values())[1:]
            if not _takes_anything(found):
                return found
    return []


def _parameter(parameter: inspect.Parameter) -> list[Parameter]:
    annotation = parameter.annotation
    written = (
        None if annotation is parameter.empty else annotation if isinstance(annotation, str) else _spelled(annotation)
    )
    if parameter.kind is parameter.VAR_KEYWORD:
        return [Parameter(parameter.name, written, required=False, keywords=True)]
    if parameter.kind is parameter.VAR_POSITIONAL:
        names = (f"{parameter.name}_{number}" for number in range(1, MOST_VARIADIC + 1))
        return [Parameter(name, written, required=False, variadic=True) for name in names]
    required = parameter.default is parameter.empty
    return [Parameter(parameter.name, written, required, parameter.kind is parameter.KEYWORD_ONLY)]


MOST_VARIADIC = 3


def _spelled(annotation: Any) -> str:
    if isinstance(annotation, typing.ForwardRef):
        return annotation.__forward_arg__
    return (
        annotation.__name__
        if isinstance(annotation, type) and not hasattr(annotation, "__origin__")
        else str(annotation)
    )


def conforms(cls: type, other: type) -> bool:
    """Some protocols refuse to be asked; then the members that they name decide."""
    try:
        return issubclass(cls, other)
    except TypeError:
        members: Sequence[str] = getattr(other, "__protocol_attrs__", ()) or _members_of(other)
        return bool(members) and all(hasattr(cls, name) for name in members)


def _members_of(protocol: type) -> list[str]:
    if not getattr(protocol, "_is_protocol", False):
        return []
    own = [name for base in protocol.__mro__ if getattr(base, "_is_protocol", False) for name in vars(base)]
    return [name for name in own if not name.startswith("_") or name in ("__len__", "__iter__", "__contains__")]
