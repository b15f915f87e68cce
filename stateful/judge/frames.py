"""The subject's frames in a traceback."""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

__all__ = ["INNERMOST", "LOOKING_UP", "Frame", "Frames"]

INNERMOST = 9  # frames that show what a recursion without end does
LOOKING_UP = ("__getattr__", "__getattribute__")
"""The hooks that look attributes up; one that needs an attribute itself may never end."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `file` is as shown to people, `path` as the machine knows it."""

    file: str
    line: int
    function: str
    path: str = ""
    is_innermost: bool = False

    def as_json(self) -> list[object]:
        return [self.file, self.line, self.function]

    @property
    def source(self) -> str:
        return linecache.getline(self.path, self.line).strip()


class Frames:
    """Knows which files belong to the subject, and what to call them."""

    def __init__(self, modules: list[ModuleType], folder: str) -> None:
        self.folder = folder
        self.roots = tuple(dict.fromkeys(_root(module) for module in modules if getattr(module, "__file__", None)))
        self.names: dict[str, str] = {}

    def of(self, error: BaseException) -> tuple[Frame, ...]:
        """The subject's frames of the exception's traceback, outermost first."""
        found: list[Frame] = []
        step = error.__traceback__
        while step is not None:
            code = step.tb_frame.f_code
            if self.is_subject(code.co_filename):
                innermost = step.tb_next is None
                found.append(
                    Frame(self.shown(code.co_filename), step.tb_lineno, code.co_name, code.co_filename, innermost)
                )
            step = step.tb_next
        return tuple(found[-40:])

    def is_subject(self, path: str) -> bool:
        return path.startswith(self.roots)

    def shown(self, path: str) -> str:
        """Relative to the user's working directory, or to the folder that it was imported from."""
        if path not in self.names:
            bases = [self.folder, *sorted(filter(None, sys.path), key=len, reverse=True)]
            base = next((base for base in bases if path.startswith(base.rstrip(os.sep) + os.sep)), None)
            self.names[path] = os.path.relpath(path, base) if base else path
        return self.names[path]


def _root(module: ModuleType) -> str:
    """The folder of the module's package, or the module's own file."""
    file = Path(module.__file__ or "")
    package = sys.modules.get(module.__name__.partition(".")[0])
    home = getattr(package, "__file__", None)
    if home and Path(home).name == "__init__.py":
        return str(Path(home).parent) + os.sep
    return str(file)
