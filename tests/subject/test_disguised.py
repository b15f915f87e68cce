"""Packages and classes that are put together in unusual ways."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stateful.subject.discover import discover
from stateful.subject.target import Target

INIT = """
from .wheel import *
from . import about
globals().update({name: value for name, value in vars(about).items() if name.startswith("__")})
"""
WHEEL = """
class Wheel:
    def turn(self) -> None:
        self.turned = True
"""
MADE = """
class Late:
    size: int

    def grow(self) -> None:
        self.size += 1

def made(cls, size: int = 0):
    found = object.__new__(cls)
    found.size = size
    return found

Late.__new__ = made
"""


def test_a_package_that_takes_the_name_of_its_module_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "barrow"
    folder.mkdir()
    for name, content in {"__init__": INIT, "wheel": WHEEL, "about": "__version__ = '1'\n"}.items():
        (folder / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        found = discover([Target("barrow")])
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "barrow"]:
            del sys.modules[name]
    assert "barrow.wheel:Wheel.turn" in found.routines


def test_a_constructor_may_be_a_function_that_was_assigned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "latecomer.py").write_text(MADE)
    monkeypatch.syspath_prepend(tmp_path)
    found = discover([Target("latecomer", None, ("Late",))])
    assert [parameter.name for parameter in found.routines["latecomer:Late"].model.parameters] == ["size"]
