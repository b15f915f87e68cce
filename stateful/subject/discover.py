"""Import the targets and find what can be called. Runs in workers only."""

from __future__ import annotations

import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from types import ModuleType
from typing import Any

from stateful.contracts import Moment, compiled, parse
from stateful.contracts.nodes import slots_of
from stateful.errors import NothingToTest, SubjectError
from stateful.subject.model import ClassModel, Parameter, Routine, RoutineKind, Subject
from stateful.subject.source import announced_by, leading_conditions, literals_in, public_attributes
from stateful.subject.target import Target
from stateful.subject.written import Precondition, precondition_of, written_clauses

__all__ = ["Live", "LiveRoutine", "class_name", "discover", "model_of"]

SKIPPED = {
    "__init__", "__new__", "__del__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__class__",
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__copy__",
    "__deepcopy__", "__init_subclass__", "__subclasshook__", "__class_getitem__", "__sizeof__", "__dir__", "__repr__",
    "__str__", "__format__", "__hash__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__next__",
    "__set_name__", "__get__", "__set__", "__delete__", "__instancecheck__", "__subclasscheck__", "__missing__",
}  # fmt: skip
"""Special methods that a user does not call as operations on an object; the laws look at some of them."""


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
    expected: Mapping[str, tuple[type, ...]] = field(default_factory=dict)
    """For annotated parameters the classes whose objects fit."""


@dataclass(slots=True)
class Live:
    """The imported subject."""

    modules: list[ModuleType]
    classes: list[type]
    routines: dict[str, LiveRoutine]
    literals: list[Any]
    left_out: list[tuple[str, str]] = field(default_factory=list)
    files: frozenset[str] = frozenset()

    def described(self) -> Subject:
        """The plain data of it."""
        subjects = set(self.classes)
        bases = dict.fromkeys(base for cls in self.classes for base in cls.__mro__)
        models = tuple(model_of(cls, subject=cls in subjects) for cls in bases)
        return Subject(models, tuple(routine.model for routine in self.routines.values()), tuple(self.left_out))


def class_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def model_of(cls: type, *, subject: bool = False) -> ClassModel:
    conforms = tuple(class_name(base) for base in cls.__mro__)
    return ClassModel(
        class_name(cls), conforms, subject, _file(cls), _source_digest(cls), (inspect.getdoc(cls) or "")[:2000]
    )


def _file(thing: Any) -> str:
    try:
        return inspect.getsourcefile(inspect.unwrap(thing)) or ""
    except (TypeError, ValueError):
        return ""


def _source_digest(cls: type) -> str:
    try:
        return blake2b(inspect.getsource(cls).encode(), digest_size=16).hexdigest()
    except (OSError, TypeError):
        return ""


def discover(targets: Sequence[Target]) -> Live:
    """Import the targets and find their classes and routines."""
    modules: list[ModuleType] = []
    classes: dict[type, None] = {}
    functions: dict[str, Any] = {}
    for target in targets:
        module = _imported(target)
        modules.append(module)
        classes.update(dict.fromkeys(_wanted_classes(module, target)))
        if not target.classes:
            functions.update(_functions(module))
    routines, left_out = _routines(classes, functions, modules)
    if not any(not routine.model.helper for routine in routines.values()):
        raise NothingToTest(
            f"nothing to test in {', '.join(map(str, targets))}: no public class or function of its own"
        )
    literals = [literal for module in modules for literal in literals_in(module)]
    files = frozenset(file for file in map(_file, [*modules, *classes]) if file)
    return Live(modules, list(classes), routines, literals, left_out, files)


def _imported(target: Target) -> ModuleType:
    if target.path and target.path not in sys.path:
        sys.path.insert(0, target.path)
    try:
        return importlib.import_module(target.module)
    except ModuleNotFoundError as error:
        if error.name and (target.module == error.name or target.module.startswith(error.name + ".")):
            raise SubjectError(
                f"no module {target.module!r}; is it installed, or do you mean a path/file.py?"
            ) from None
        raise SubjectError(f"cannot import {target.module}: {error}") from None
    except BaseException as error:
        remedy = "; allow it with --allow" if type(error).__name__ == "GuardRefusal" else ""
        raise SubjectError(f"cannot import {target.module}: {type(error).__name__}: {error}{remedy}") from None


def _wanted_classes(module: ModuleType, target: Target) -> list[type]:
    if not target.classes:
        return [cls for name, cls in _members(module, inspect.isclass) if not name.startswith("_")]
    return [_named_class(module, name) for name in target.classes]


def _named_class(module: ModuleType, name: str) -> type:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if inspect.isclass(found):
        return found
    known = [known for known, _ in _members(module, inspect.isclass)]
    near = get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else f"; it has {', '.join(known)}" if known else ""
    raise SubjectError(f"no class {name!r} in {module.__name__}{hint}")


def _members(module: ModuleType, kind: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """The members that the module defines itself."""
    for name, member in vars(module).items():
        if kind(member) and getattr(member, "__module__", None) == module.__name__:
            yield name, member


def _functions(module: ModuleType) -> dict[str, Any]:
    return {
        f"{module.__name__}:{name}": f for name, f in _members(module, inspect.isfunction) if not name.startswith("_")
    }


def _routines(
    classes: Mapping[type, None], functions: Mapping[str, Any], modules: Sequence[ModuleType]
) -> tuple[dict[str, LiveRoutine], list[tuple[str, str]]]:
    found: dict[str, LiveRoutine] = {}
    left_out: list[tuple[str, str]] = []
    for cls in classes:
        for live in _routines_of(cls, left_out):
            found[live.model.name] = live
    for name, function in functions.items():
        found[name] = _live(name, "function", function, None, None)
    for cls in _helpers(classes, modules):
        helper = _constructor(cls, helper=True)
        found.setdefault(helper.model.name, helper)
    return found, left_out


def _helpers(classes: Mapping[type, None], modules: Sequence[ModuleType]) -> list[type]:
    """Other classes of the same package that the modules know: their objects may be wanted as arguments."""
    known = ((module, cls) for module in modules for cls in vars(module).values() if inspect.isclass(cls))
    others = dict.fromkeys(cls for module, cls in known if _package(cls.__module__) == _package(module.__name__))
    return [
        cls
        for cls in others
        if cls not in classes and not inspect.isabstract(cls) and not issubclass(cls, BaseException)
    ]


def _package(module: str) -> str:
    return module.partition(".")[0]


def _routines_of(cls: type, left_out: list[tuple[str, str]]) -> Iterator[LiveRoutine]:
    name = class_name(cls)
    if inspect.isabstract(cls):
        left_out.append((name, "is abstract: only objects of its subclasses can be made"))
    elif issubclass(cls, BaseException):
        left_out.append((name, "is an exception"))
        return
    else:
        yield _constructor(cls)
    for attribute in dir(cls):
        if _is_called(cls, attribute):
            yield from _member(cls, attribute, left_out)
    for attribute in public_attributes(cls):
        if not hasattr(cls, attribute):
            yield _live(f"{name}.{attribute}", "attribute", None, cls, None)


def _is_called(cls: type, attribute: str) -> bool:
    if attribute in SKIPPED or (attribute.startswith("_") and not attribute.endswith("__")):
        return False
    owner = next((base for base in cls.__mro__ if attribute in vars(base)), object)
    return owner is not object and not (attribute.startswith("__") and owner is typing.Generic)


def _constructor(cls: type, *, helper: bool = False) -> LiveRoutine:
    return _live(class_name(cls), "constructor", cls, cls, None, helper=helper)


def _member(cls: type, attribute: str, left_out: list[tuple[str, str]]) -> Iterator[LiveRoutine]:
    name = f"{class_name(cls)}.{attribute}"
    raw = inspect.getattr_static(cls, attribute)
    if isinstance(raw, property) or type(raw).__name__ == "cached_property":
        yield _live(name, "property", getattr(raw, "fget", None) or getattr(raw, "func", None), cls, None)
    elif isinstance(raw, staticmethod | classmethod):
        yield _live(name, "static", getattr(cls, attribute), cls, raw.__func__)
    elif inspect.iscoroutinefunction(raw):
        left_out.append((name, "is asynchronous"))
    elif callable(raw) and not inspect.isclass(raw):
        yield _live(name, "method", raw, cls, raw)


def _live(
    name: str, kind: RoutineKind, function: Any, cls: type | None, source: Any, *, helper: bool = False
) -> LiveRoutine:
    code = function if source is None else source
    spoken = cls.__init__ if kind == "constructor" and cls else code  # type: ignore[misc]
    parameters = () if kind in ("property", "attribute") else _parameters(function, receiver=kind == "method")
    written = (*written_clauses(spoken), *(leading_conditions(spoken) if kind != "attribute" else ()))
    model = Routine(
        name=name,
        kind=kind,
        owner=class_name(cls) if cls else None,
        parameters=parameters,
        doc=(inspect.getdoc(code) or "").strip()[:2000] if code else "",
        file=_file(spoken) if spoken else "",
        line=_line(spoken),
        announces=announced_by(spoken) if spoken else (),
        written=tuple(written),
        helper=helper,
    )
    hints = _hints(spoken)
    expected = {parameter.name: expected_classes(hints.get(parameter.name)) for parameter in parameters}
    fitting = {name: classes for name, classes in expected.items() if classes}
    requirements = tuple(
        Requirement.of(clause.text) for clause in written if clause.kind == "requires" and clause.readable
    )
    return LiveRoutine(model, function, cls, hints, precondition_of(spoken), requirements, fitting)


def _line(function: Any) -> int:
    code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    return code.co_firstlineno if code else 0


def _hints(function: Any) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(function))
    except Exception:
        return {}


def _parameters(function: Any, *, receiver: bool) -> tuple[Parameter, ...]:
    """The parameters that can be filled; `*args` stands for up to one argument, `**kwargs` for none."""
    try:
        found = list(inspect.signature(function).parameters.values())[1 if receiver else 0 :]
    except (TypeError, ValueError):
        return (Parameter("a", required=False), Parameter("b", required=False))
    return tuple(_parameter(p) for p in found if p.kind is not p.VAR_KEYWORD)


def _parameter(parameter: inspect.Parameter) -> Parameter:
    annotation = parameter.annotation
    written = (
        None if annotation is parameter.empty else annotation if isinstance(annotation, str) else _spelled(annotation)
    )
    required = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
    return Parameter(parameter.name, written, required, parameter.kind is parameter.KEYWORD_ONLY)


def _spelled(annotation: Any) -> str:
    return (
        annotation.__name__
        if isinstance(annotation, type) and not hasattr(annotation, "__origin__")
        else str(annotation)
    )


def expected_classes(hint: Any) -> tuple[type, ...]:
    """The classes whose objects an annotation admits; nothing if it admits anything, or is not understood.

    >>> expected_classes(int | None)
    (<class 'int'>, <class 'NoneType'>)
    >>> expected_classes(list[int]), expected_classes(typing.Any)
    ((<class 'list'>,), ())
    """
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [expected_classes(part) for part in typing.get_args(hint)]
        return tuple(cls for part in parts for cls in part) if all(parts) else ()
    cls = typing.get_origin(hint) or hint
    if cls is float:
        return (float, int)
    return (cls,) if isinstance(cls, type) and cls is not object and _can_be_asked(cls) else ()


def _can_be_asked(cls: type) -> bool:
    try:
        isinstance(None, cls)
    except TypeError:
        return False
    return True
