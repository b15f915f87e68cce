"""What an object of a base class alone lacks is no fault; a typo is one."""

from __future__ import annotations

from typing import Any

import pytest

from stateful.judge.bases import lacks_as_a_base
from stateful.judge.lawbook import LawBook


class Shown:
    """A base: who inherits from it has a title."""

    title: str

    def __str__(self) -> str:
        return self.title


class Page(Shown):
    def __init__(self, title: str) -> None:
        self.titel = title


class Leaving(Shown):
    """It leaves it to subclasses to keep what is set."""

    def __init__(self) -> None:
        self.title = "a"

    def __setattr__(self, name: str, value: object) -> None: ...


class Keeping(Leaving):
    __setattr__ = object.__setattr__


class Numbered(Shown):
    """It has a constructor, but no title."""

    def __init__(self) -> None:
        self.number = 1


class Headed(Numbered):
    def __init__(self) -> None:
        super().__init__()
        self.title = "a"


class Forgetful(Numbered):
    def __str__(self) -> str:
        return self.forgotten  # type: ignore[attr-defined, no-any-return]


class Remembering(Forgetful): ...


class Alone:
    def __str__(self) -> str:
        return self.title  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("value", "lacks"),
    [
        (Shown(), True), (Page("a"), False), (Alone(), False), (Leaving(), True), (Numbered(), True),
        (Forgetful(), False),
    ],
)  # fmt: skip
def test_only_a_base_lacks_what_subclasses_set(value: Any, lacks: bool) -> None:
    with pytest.raises(AttributeError) as raised:
        str(value)
    assert lacks_as_a_base(raised.value) == lacks
    assert {broken.law for broken in LawBook().check(value)} == (set() if lacks else {"str"})


class Tagged(list[int]):
    def __init__(self) -> None:
        super().__init__()
        self.tag = 1


@pytest.mark.parametrize("value", [[], type("Meant", (), {}), Tagged()])
def test_a_list_and_a_class_are_no_bases(value: Any) -> None:
    with pytest.raises(AttributeError) as raised:
        print(value.tagged if isinstance(value, Tagged) else value.tag)
    assert not lacks_as_a_base(raised.value)


def test_an_exception_about_no_object_says_nothing() -> None:
    assert not lacks_as_a_base(AttributeError("title"))
    assert not lacks_as_a_base(KeyError("title"))
