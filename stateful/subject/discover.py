"""Import the targets and find what can be called. Runs in workers only."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from stateful.errors import NothingToTest, SubjectError
from stateful.subject.examples import Example, examples_in
from stateful.subject.files import source_of_class
from stateful.subject.held import keep_functions
from stateful.subject.looking import home_of, is_class, is_hashable, is_routine
from stateful.subject.model import ClassModel, Subject
from stateful.subject.routines import (
    NESTED,
    LiveRoutine,
    Requirement,
    class_name,
    constructor_of,
    displays,
    file_of,
    function_of,
    is_abstract,
    routines_of,
)
from stateful.subject.snapshots import keep_singletons
from stateful.subject.source import literals_in, once
from stateful.subject.target import Target, find_modules_in
from stateful.subject.vocabulary import Vocabulary, vocabulary_in
from stateful.subject.written import call_as_written

__all__ = ["Live", "LiveRoutine", "Requirement", "bring", "class_name", "discover", "model_of"]

NO_WORDS = Vocabulary()
MOST_HELPING_FUNCTIONS = 60
MOST_MODULES = 40  # of a package, as one target


@dataclass(slots=True)
class Live:
    """The imported subject."""

    modules: list[ModuleType]
    classes: list[type]
    routines: dict[str, LiveRoutine]
    literals: list[Any]
    left_out: list[tuple[str, str]] = field(default_factory=list)
    files: frozenset[str] = frozenset()
    examples: list[Example] = field(default_factory=list)
    vocabulary: Vocabulary = NO_WORDS

    def described(self) -> Subject:
        """The plain data of it."""
        subjects = set(self.classes)
        bases = dict.fromkeys(base for cls in self.classes for base in cls.__mro__)
        models = tuple(model_of(cls, subject=cls in subjects) for cls in bases)
        return Subject(models, tuple(routine.model for routine in self.routines.values()), tuple(self.left_out))


def model_of(cls: type, *, subject: bool = False) -> ClassModel:
    conforms = tuple(class_name(base) for base in cls.__mro__)
    return ClassModel(
        class_name(cls), conforms, subject, file_of(cls), _source_digest(cls), (inspect.getdoc(cls) or "")[:2000]
    )


@once
def _source_digest(cls: type) -> str:
    source = source_of_class(cls)
    return blake2b(source.encode(errors="replace"), digest_size=16).hexdigest() if source else ""


@dataclass(slots=True)
class Brought:
    """What the targets name, imported and not yet looked into."""

    modules: list[ModuleType] = field(default_factory=list)
    classes: dict[type, None] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)


def bring(targets: Sequence[Target]) -> Brought:
    """Import the targets, as far as snapshots need it: their objects can be loaded, and singletons are what they were.
    Most of the time of `discover` goes into what their source says."""
    found = Brought()
    for target in targets:
        module = _imported(target)
        for each in [module] if target.classes else _offering(module, found.left_out):
            found.modules.append(each)
            for cls in _wanted_classes(each, target):
                if is_hashable(cls):
                    found.classes[cls] = None
                else:
                    found.left_out.append((class_name(cls), "its metaclass makes classes that have no hash"))
            if not target.classes:
                found.functions.update(_functions(each))
    homes = [sys.modules.get(thing.__module__) for thing in [*found.classes, *found.functions.values()]]
    found.modules = list(dict.fromkeys([*found.modules, *filter(None, homes)]))
    for module in found.modules:
        for name, cls in [(name, member) for name, member in vars(module).items() if is_class(member)]:
            call_as_written(cls)
            _name_by_place(cls, module, name)
    packages = {_package(module.__name__) for module in found.modules}
    own = [module for name, module in list(sys.modules.items()) if _package(name) in packages]
    keep_singletons(own)
    keep_functions(own)
    return found


def _name_by_place(cls: type, module: ModuleType, name: str) -> None:
    """What a factory made may have a name of its own, such as `make.<locals>.Meter`, by which nobody finds it."""
    found: Any = module
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not cls and cls.__module__ == module.__name__:
        with contextlib.suppress(TypeError, AttributeError):
            cls.__qualname__ = name


def discover(targets: Sequence[Target]) -> Live:
    """Import the targets and find their classes and routines."""
    found = bring(targets)
    modules, classes = found.modules, found.classes
    routines = _routines(classes, found.functions, modules, found.left_out)
    if not any(not routine.model.helper for routine in routines.values()):
        raise NothingToTest(
            f"nothing to test in {', '.join(map(str, targets))}: no public class or function of its own"
        )
    own = {class_name(cls) for cls in classes}
    found.left_out = [(name, why) for name, why in found.left_out if why != NESTED or name not in own]
    literals = [literal for module in modules for literal in literals_in(module)]
    files = frozenset(file for file in map(file_of, [*modules, *classes]) if file)
    shown = examples_in([*modules, *classes, *(r.function for r in routines.values() if r.model.kind != "constructor")])
    vocabulary = Vocabulary.together(map(vocabulary_in, modules))
    return Live(modules, list(classes), routines, literals, found.left_out, files, shown, vocabulary)


def _imported(target: Target) -> ModuleType:
    if target.path:
        find_modules_in(target.path)
    try:
        module = importlib.import_module(target.module)
        return _known_by_its_name(_as_meant(module, target), target.module)
    except SubjectError:
        raise
    except ModuleNotFoundError as error:
        if error.name and (target.module == error.name or target.module.startswith(error.name + ".")):
            raise SubjectError(
                f"no module {target.module!r}; is it installed, or do you mean a path/file.py?"
            ) from None
        raise SubjectError(f"cannot import {target.module}: {error}") from None
    except BaseException as error:
        remedy = "; allow it with --allow" if type(error).__name__ == "GuardRefusal" else ""
        raise SubjectError(f"cannot import {target.module}: {type(error).__name__}: {error}{remedy}") from None


def _as_meant(module: ModuleType, target: Target) -> ModuleType:
    """The module in the file that was named, and not another one of the same name."""
    file = getattr(module, "__file__", None)
    if target.path and (file is None or not Path(file).resolve().is_relative_to(target.path)):
        named = Path(target.path, *target.module.split(".")).with_suffix(".py")
        raise SubjectError(
            f"cannot import {named}: by the name {target.module!r} Python knows another module; rename the file"
        )
    return module


def _known_by_its_name(module: ModuleType, name: str) -> ModuleType:
    """A package that copies the names of one of its modules may have taken that module's own name, too."""
    if sys.modules.get(module.__name__) is not module:
        module.__name__ = name
    return module


def _wanted_classes(module: ModuleType, target: Target) -> list[type]:
    if not target.classes:
        own = [cls for _, cls in _members(module, is_class)]
        return [each for cls in own for each in (cls, *_nested(cls))]
    return [_named_class(module, name) for name in target.classes]


def _named_class(module: ModuleType, name: str) -> type:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if is_class(found):
        return found
    known = [known for known, _ in _members(module, is_class)]
    near = get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else f"; it has {', '.join(known)}" if known else ""
    raise SubjectError(f"no class {name!r} in {module.__name__}{hint}")


def _offering(module: ModuleType, left_out: list[tuple[str, str]]) -> list[ModuleType]:
    """The module; or, for a package that offers nothing itself, its public modules."""
    offers = next(_members(module, lambda member: is_class(member) or is_routine(member)), None)
    if offers is not None or not hasattr(module, "__path__"):
        return [module]
    found: list[ModuleType] = []
    for info in pkgutil.iter_modules(module.__path__, module.__name__ + "."):
        name = info.name.rpartition(".")[2]
        if not name.startswith("_") and "test" not in name and len(found) < MOST_MODULES:
            try:
                found.append(importlib.import_module(info.name))
            except BaseException as error:  # it needs what is not installed, or runs something
                left_out.append((info.name, f"cannot be imported: {type(error).__name__}: {error}"))
    return found or [module]


def _members(module: ModuleType, kind: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """The members that the module defines itself; of a package also the public ones that it takes from its modules."""
    for name, member in list(vars(module).items()):
        if is_class(member):
            call_as_written(member)
        home = home_of(member)
        offered = hasattr(module, "__path__") and home.startswith(module.__name__ + ".") and not name.startswith("_")
        if (home == module.__name__ or offered) and kind(member):
            yield name, member


def _nested(cls: type) -> Iterator[type]:
    """The public classes that a class holds and that were written inside of it."""
    for name, member in vars(cls).items():
        written_inside = is_class(member) and member.__qualname__.startswith(cls.__qualname__ + ".")
        if written_inside and not name.startswith("_") and member is not cls:
            yield member
            yield from _nested(member)


def _functions(module: ModuleType) -> dict[str, Any]:
    return {
        f"{_home(module, name, function)}:{name}": function
        for name, function in _members(module, is_routine)
        if not name.startswith("_")
    }


def _home(module: ModuleType, name: str, function: Any) -> str:
    """Where the function can be imported from by this name: where it was written, or else here."""
    written = sys.modules.get(function.__module__ or "")
    return function.__module__ if getattr(written, name, None) is function else module.__name__


def _routines(
    classes: Mapping[type, None],
    functions: Mapping[str, Any],
    modules: Sequence[ModuleType],
    left_out: list[tuple[str, str]],
) -> dict[str, LiveRoutine]:
    found: dict[str, LiveRoutine] = {}
    for cls in classes:
        for live in routines_of(cls, left_out):
            found[live.model.name] = live
    for name, function in functions.items():
        found[name] = function_of(name, function)
    for helper in _helpers(classes, modules):
        found.setdefault(helper.model.name, helper)
    return found


def _helpers(classes: Mapping[type, None], modules: Sequence[ModuleType]) -> Iterator[LiveRoutine]:
    """What may build objects: constructors of the package's other classes, its functions, containers of objects."""
    for cls in _helping_classes(classes, modules):
        yield constructor_of(cls, helper=True)
    for name, function in _helping_functions(modules):
        yield function_of(name, function, helper=True)
    if classes:
        yield from displays()


def _helping_classes(classes: Mapping[type, None], modules: Sequence[ModuleType]) -> list[type]:
    """Other classes of the same package that the modules know: their objects may be wanted as arguments."""
    known = ((module, cls) for module in modules for cls in vars(module).values() if _is_known(cls))
    others = dict.fromkeys(cls for module, cls in known if _package(cls.__module__) == _package(module.__name__))
    others |= dict.fromkeys(nested for cls in [*classes, *others] for nested in _nested(cls))
    return [cls for cls in others if cls not in classes and not is_abstract(cls) and not issubclass(cls, BaseException)]


def _is_known(thing: Any) -> bool:
    return is_class(thing) and is_hashable(thing)


def _helping_functions(modules: Sequence[ModuleType]) -> list[tuple[str, Any]]:
    """Public functions of the modules and of their package: some classes are never built by their constructor."""
    found: dict[str, Any] = {}
    for module in modules:
        found |= _functions(module)
        package = sys.modules.get(_package(module.__name__))
        for name, function in vars(package).items() if package else ():
            home = home_of(function)
            if (
                type(function) is FunctionType
                and not name.startswith("_")
                and _package(home) == _package(module.__name__)
            ):
                found.setdefault(f"{home}:{function.__qualname__}", function)
    named = [(name, function) for name, function in found.items() if name.rpartition(":")[2].isidentifier()]
    return named[:MOST_HELPING_FUNCTIONS]


def _package(module: str) -> str:
    return module.partition(".")[0]
