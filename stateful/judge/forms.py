"""Ways of calling a method, written about `it`: their holes are filled, they are done, and told about another name.

A form that does something ends in `;`, the others have a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from types import CodeType
from typing import Any

__all__ = ["EXAMPLES", "about", "done", "filled", "holes_of", "whole"]


def filled(form: str, chosen: Callable[[list[str]], list[str]], holes: Mapping[str, list[str]]) -> list[str]:
    """The form with what is chosen for each of its holes; none if there is nothing to fill one with."""
    names = [name for name in holes if f"<{name}>" in form]
    if not all(holes[name] for name in names):
        return []
    texts = []
    for values in product(*(chosen(holes[name]) for name in names)):
        text = form
        for name, value in zip(names, values, strict=True):
            text = text.replace(f"<{name}>", value)
        texts.append(text)
    return texts


def holes_of(model: Any) -> Mapping[str, list[str]]:
    """What the holes of a form may be filled with, for a content."""
    indices = [str(i) for i in (0, 1, 2, -1, -2, len(model) // 2) if -len(model) <= i < len(model)]
    first = "[min(it)]" if isinstance(model, set) else "list(it)[:1]"
    new = _new(list(model))
    others = [first, "list(it)", *[f"[*{first}, {text}]" for text in new], *[f"[{text}, {text}]" for text in new]]
    return {"i": list(dict.fromkeys(indices)), "j": ["0", "-1"], "s": SLICES, "new": new, "others": others}


EXAMPLES = {"i": ["0"], "j": ["-1"], "s": ["1:3"], "new": ["7"], "others": ["[7]"]}
BOUNDS = ("", "1", "2", "4", "-1", "-2")
SLICES = [f"{a}:{b}:{c}".removesuffix(":") for a, b, c in product(BOUNDS, BOUNDS, ("", "2", "-1", "-2"))]


def _new(items: list[Any]) -> list[str]:
    """A value of the kind of the items that is not among them; a low one, so that it shows who sorts."""
    kinds = set(map(type, items))
    if not kinds:
        return []
    if kinds <= {int, bool, float}:
        return [str(min(items) - 1 if min(items) else max(items) + 1)]
    if kinds == {str}:
        return ["'!'" if min(items) > "!" else repr(max(items) + "z")]
    return []


@cache
def _compiled(text: str) -> CodeType:
    return compile(text.rstrip(";"), "<law>", "exec" if text.endswith(";") else "eval")


def done(text: str, it: Any) -> Any:
    """The value of an expression about `it`; or `it`, after something was done to it."""
    names = {"it": it}
    if text.endswith(";"):
        exec(_compiled(text), names)
        return names["it"]
    return eval(_compiled(text), names)


def whole(text: str) -> str:
    """In brackets, if it is a comparison."""
    return f"({text})" if re.search(r"[<>]| in ", text) else text


@cache
def about(text: str, name: str = "x") -> str:
    """The form, written about an object of this name."""
    shown = f"({name})" if " " in name else name
    return re.sub(r"\bit\b", shown, text.rstrip(";"))
