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


class Alone:
    def __str__(self) -> str:
        return self.title  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(("value", "lacks"), [(Shown(), True), (Page("a"), False), (Alone(), False)])
def test_only_a_base_without_a_constructor_lacks_what_subclasses_set(value: Any, lacks: bool) -> None:
    with pytest.raises(AttributeError) as raised:
        str(value)
    assert lacks_as_a_base(raised.value) == lacks
    assert {broken.law for broken in LawBook().check(value)} == (set() if lacks else {"str"})


def test_an_exception_about_no_object_says_nothing() -> None:
    assert not lacks_as_a_base(AttributeError("title"))
    assert not lacks_as_a_base(KeyError("title"))
