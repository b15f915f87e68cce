"""Laws that users write: functions that look at an object and say whether it is as it should be."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Any

from stateful.errors import UsageError
from stateful.judge.comparing import COMPARING
from stateful.judge.law import Breach, Looked, Rule, State
from stateful.judge.lawbook import LAWS, LawBook
from stateful.sandbox.worker import Session

__all__ = ["OwnLaw", "law_from", "lawbook_from", "main"]


@dataclass(frozen=True, slots=True)
class OwnLaw:
    """A function of one object: false, a text that says what is wrong, or an exception mean that the law is broken.

    It applies to the class that its parameter is annotated with, and to all classes without an annotation."""

    text: str
    function: Callable[[Any], Any]
    cls: type
    strict: bool = True
    costly: bool = False

    @property
    def name(self) -> str:
        return f"own law {self.function.__name__}"

    @property
    def sentence(self) -> str:
        said = inspect.getdoc(self.function) or self.function.__name__.replace("_", " ")
        return said.split("\n")[0].rstrip(".")

    @property
    def example(self) -> str:
        return f"{self.function.__name__}(x) is not False"

    def applies(self, cls: type) -> bool:
        return issubclass(cls, self.cls)

    def look(self, state: State) -> Looked:
        module, _, name = self.text.rpartition(":")
        lines = f"from {module} import {name}", f"said = {name}(x)"
        code = "\n".join([*lines, "assert said is None or (said and not isinstance(said, str))"])
        try:
            said = self.function(state.value)
        except Exception as error:
            return Looked.once(Breach(f"{type(error).__name__}: {error}"[:300], code, error=error))
        if said is None or (said and not isinstance(said, str)):
            return Looked.once(None)
        return Looked.once(Breach(said if isinstance(said, str) else "it is false", code))


def law_from(text: str) -> OwnLaw:
    """The law that a user named as `module:function`. Never call this outside a worker: it imports the module."""
    module, _, name = text.rpartition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        parameters = list(inspect.signature(function).parameters)
        hints = typing.get_type_hints(function)
    except Exception as error:
        raise UsageError(f"cannot take the law {text!r}: {type(error).__name__}: {error}") from None
    wanted = hints.get(parameters[0]) if parameters else None
    return OwnLaw(text, function, wanted if isinstance(wanted, type) else object)


def lawbook_from(
    said: Mapping[str, Any], random: Random | None, deliberate: Callable[[BaseException], bool]
) -> LawBook:
    """All laws but for those that are switched off, and the user's own; `said` is what `limits.laws_of` gives."""
    laws = [*map(law_from, said.get("own", ())), *LAWS]
    without = said.get("without", ())
    rules: list[Rule] = [*laws, *COMPARING]
    names = [rule.name for rule in rules]
    wrong = next((name for name in without if name not in names), None)
    if wrong is not None:
        near = " or ".join(map(repr, get_close_matches(wrong, names, n=3)))
        hint = f"; do you mean {near}?" if near else "; docs/judging.md lists them"
        raise UsageError(f"there is no law {wrong!r} to switch off{hint}")
    return LawBook(random, deliberate, laws, without, said.get("endless", ()))


def main(session: Session) -> None:
    """A worker's program: are these laws, and is there what is to be switched off? Wrong ones are refused."""
    message = session.channel.receive()
    if message is not None:
        lawbook_from(message.body, None, lambda _: False)
        session.channel.send("fine")
