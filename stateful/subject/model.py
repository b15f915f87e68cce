"""The subject as plain data, so that the supervisor knows it without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["DISPLAYS", "RECEIVING", "ClassModel", "Parameter", "Routine", "RoutineKind", "Subject", "Written"]

RoutineKind: TypeAlias = Literal[
    "constructor", "method", "property", "attribute", "setter", "context", "static", "function", "display"
]
"""A setter assigns to a property, a context is entered and left by `with`, a display is a new container of objects."""

DISPLAYS = ("list_of", "tuple_of", "set_of", "dict_of")
"""The displays: `[a, b]`, `(a, b)`, `{a, b}` and `{'a': a, 'b': b}`."""
RECEIVING = ("method", "property", "attribute", "setter", "context")
"""The kinds of routines that are called on an object."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `keyword` if it cannot be passed by position."""

    name: str
    annotation: str | None = None
    required: bool = True
    keyword: bool = False
    variadic: bool = False
    """One of the places of `*args`."""
    keywords: bool = False
    """`**kwargs`: a dict that is spread over the call."""
    kinds: tuple[str, ...] = ()
    """Without an annotation: what its default, the docstring, its name and its use suggest."""

    @property
    def wants_function(self) -> bool:
        """A function is no unusual value here."""
        return "Callable" in (self.annotation or "") or self.kinds[:1] == ("callable",)

    @property
    def base_name(self) -> str:
        """`args` for each of `*args`, which have numbers."""
        return self.name.rpartition("_")[0] if self.variadic else self.name


@dataclass(frozen=True, slots=True)
class Written:
    """A clause from the author of the subject. `text` is in the contract language if `readable`."""

    kind: Literal["requires", "ensures", "invariant"]
    text: str
    source: str
    readable: bool = True
    lines: tuple[int, ...] = ()
    """The lines of the file that a guard or an assert stands on."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A callable of the subject, named 'module:Class.method'."""

    name: str
    kind: RoutineKind
    owner: str | None = None
    parameters: tuple[Parameter, ...] = ()
    doc: str = ""
    file: str = ""
    line: int = 0
    announces: tuple[str, ...] = ()
    """The exceptions that it raises, or that its documentation or a contract names."""
    documents: tuple[str, ...] = ()
    """Those of these that are named to its callers, who may get any subclass."""
    written: tuple[Written, ...] = ()
    helper: bool = False
    """A helper builds arguments; it is not under test itself."""
    conditions: tuple[str, ...] = ()
    """The conditions of its branches that speak of public members and parameters only."""
    asynchronous: bool = False
    generator: bool = False
    guarded: bool = False
    """It looks at its object first, and leaves if that is empty."""
    looks_for: tuple[str, ...] = ()
    """The parameters that it looks for in its object first, and leaves if they are not there."""

    @property
    def short(self) -> str:
        """The last part of the name: 'method', 'prop' of the setter 'prop=', or 'Class' of a constructor."""
        return self.name.rpartition(":")[2].rpartition(".")[2].rstrip("=")

    @property
    def has_receiver(self) -> bool:
        return self.kind in RECEIVING

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the operand slots, the receiver first."""
        return ("self", *(parameter.name for parameter in self.parameters))


@dataclass(frozen=True, slots=True)
class ClassModel:
    """A class, named 'module:Class', and all it conforms to, itself first."""

    name: str
    conforms: tuple[str, ...]
    subject: bool = False
    file: str = ""
    source: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """Everything that was found under the targets."""

    classes: tuple[ClassModel, ...]
    routines: tuple[Routine, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Names that are not called, each with the reason."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Subject:
        classes = tuple(ClassModel(**{**item, "conforms": tuple(item["conforms"])}) for item in data["classes"])
        routines = tuple(_routine(item) for item in data["routines"])
        return cls(classes, routines, tuple((name, why) for name, why in data["left_out"]))


def _routine(item: Mapping[str, Any]) -> Routine:
    parameters = tuple(Parameter(**{**each, "kinds": tuple(each["kinds"])}) for each in item["parameters"])
    written = tuple(Written(**{**clause, "lines": tuple(clause["lines"])}) for clause in item["written"])
    names = {name: tuple(item[name]) for name in ("announces", "documents", "conditions")}
    return Routine(**{**item, **names, "parameters": parameters, "written": written})
