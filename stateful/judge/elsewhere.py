"""Exceptions that are not the subject's: a base class from elsewhere raises them, or Python's library on purpose."""

from __future__ import annotations

import inspect
import re
import sysconfig
from collections.abc import Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Any

from stateful.judge.frames import Frames
from stateful.subject.routines import file_of
from stateful.subject.source import raising_lines

__all__ = ["library_that_raised", "stranger_behind"]

LIBRARY = sysconfig.get_paths()["stdlib"]
C_MODULES = ("struct", "zlib", "binascii", "decimal", "array", "select", "sqlite3")
"""Modules that raise exceptions of their own and have no source in Python that could be looked at."""
PACKAGES = ("site-packages", "dist-packages")
MIXINS = ("_collections_abc", "collections")
"""Modules whose methods only do what those of the subclass make of them."""


def stranger_behind(cls: type, name: str, frames: Frames) -> str:
    """The module of the class from which this class has the method, if that is written in Python and not the subject's.

    A method of an abstract class does what its subclasses make of it: that is a stranger's if all of these are."""
    owner = _owner(cls, name)
    if owner is None or not inspect.isabstract(owner):
        return _stranger(owner, name, frames)
    needed = sorted(getattr(owner, "__abstractmethods__", ()))
    behind = [_stranger(_owner(cls, each), each, frames) for each in needed]
    return behind[0] if all(behind) else ""


def _owner(cls: type, name: str) -> type | None:
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def _stranger(owner: type | None, name: str, frames: Frames) -> str:
    if owner is None or owner.__module__ in MIXINS or inspect.isabstract(owner):
        return ""
    member: Any = vars(owner)[name]
    file = file_of(getattr(member, "fget", None) or getattr(member, "__func__", member))
    return owner.__module__ if file and not frames.is_subject(file) else ""


def library_that_raised(error: BaseException) -> str:
    """The module of Python's library that refused something, by a `raise` statement or by an exception of its own."""
    step: TracebackType | None = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return ""
    if type(error).__module__ in C_MODULES or re.fullmatch(r"math (?:domain|range) error", str(error)):
        return type(error).__module__ if type(error).__module__ in C_MODULES else "math"
    file = PurePath(step.tb_frame.f_code.co_filename)
    if not file.is_relative_to(LIBRARY) or _has_any(file.parts, PACKAGES):
        return ""
    module = str(step.tb_frame.f_globals.get("__name__"))
    return module if step.tb_lineno in raising_lines(str(file)) else ""


def _has_any(parts: Sequence[str], names: Sequence[str]) -> bool:
    return any(name in parts for name in names)
