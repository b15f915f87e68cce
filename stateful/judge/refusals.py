"""What Python's own collection refuses, because it is not there, a class that says it is one refuses, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stateful.judge.families import LIST, MAPPING, SET, Family, held_by
from stateful.judge.forms import about, done, filled, holes_of
from stateful.judge.law import Breach, Looked, State

__all__ = ["REFUSALS", "Refusal"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A method, and ways of asking it for what is not there; written as those of a `Promise` are."""

    family: Family
    method: str
    forms: tuple[str, ...]
    strict: bool = False
    costly: bool = True

    @property
    def name(self) -> str:
        return f"{self.method} refuses like {self.family.name}"

    @property
    def sentence(self) -> str:
        return f"{self.method} of what is not there raises"

    @property
    def example(self) -> str:
        return f"callable(x.{self.method})"

    def applies(self, cls: type) -> bool:
        return (
            self.family.belongs(cls) and callable(getattr(cls, self.method, None)) and not hasattr(cls, "__missing__")
        )

    def look(self, state: State) -> Looked:
        found = Looked()
        model = held_by(self.family, state.another())
        if model is None:
            return found
        holes = holes_of(model)
        for form in self.forms:
            for text in filled(form, lambda values: values[:1], holes):
                self._ask(state, form, text, found)
        return found

    def _ask(self, state: State, form: str, text: str, found: Looked) -> None:
        value = state.another()
        refused = _raised(text, self.family.build(value))
        if not isinstance(refused, LookupError | ValueError):
            return
        found.count(form)
        if _raised(text, value) is None:
            said = f"{about(text)} raises nothing, but a {self.family.name} raises {type(refused).__name__}"
            code = f"try:\n    {about(text)}\nexcept Exception:\n    pass\nelse:\n    raise AssertionError"
            found.breaches.append(Breach(said, code, self.method, form=form))


def _raised(text: str, it: Any) -> Exception | None:
    try:
        done(text, it)
    except Exception as error:
        return error
    return None


def _all() -> Iterator[Refusal]:
    for family, methods in FORMS:
        for method, forms in methods.items():
            yield Refusal(family, method, forms)


FORMS: tuple[tuple[Family, dict[str, tuple[str, ...]]], ...] = (
    (LIST, {
        "__getitem__": ("it[len(it)]", "it[-len(it) - 1]"),
        "__delitem__": ("del it[len(it)];", "del it[-len(it) - 1];"),
        "pop": ("it.pop(len(it));",),
        "index": ("it.index(<new>)",),
        "remove": ("it.remove(<new>);",),
    }),
    (SET, {"remove": ("it.remove(<new>);",)}),
    (MAPPING, {
        "__getitem__": ("it[<new>]",),
        "__delitem__": ("del it[<new>];",),
        "pop": ("it.pop(<new>);",),
    }),
)  # fmt: skip
REFUSALS: tuple[Refusal, ...] = tuple(_all())
