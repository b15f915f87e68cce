"""TARGET on the command line: a module or a file, and perhaps some of its classes.

>>> parse_target("collections:OrderedDict,Counter")
Target(module='collections', path=None, classes=('OrderedDict', 'Counter'))
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from stateful.errors import SubjectError

__all__ = ["Target", "find_modules_in", "parse_target"]


@dataclass(frozen=True, slots=True)
class Target:
    """`module` is the dotted name to import, with `path` first on the search path if a file was named."""

    module: str
    path: str | None = None
    classes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.module}:{','.join(self.classes)}" if self.classes else self.module


def parse_target(text: str) -> Target:
    """Read a target; a file has to exist, a module is looked for later, by the worker that imports it."""
    place, _, names = text.partition(":")
    classes = tuple(name.strip() for name in names.split(",") if name.strip())
    if place.endswith(".py") or "/" in place:
        return _file_target(Path(place), classes)
    if not place or not all(part.isidentifier() for part in place.split(".")):
        raise SubjectError(f"{text!r} is no target: give package.module, package.module:Class or path/file.py:Class")
    return Target(place, None, classes)


def _file_target(path: Path, classes: tuple[str, ...]) -> Target:
    if not path.is_file():
        raise SubjectError(f"no file {path}")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise SubjectError(f"{path} is no Python module: its name must be an identifier that ends in .py")
    root, parts = path.resolve().parent, [path.stem]
    while (root / "__init__.py").exists():
        parts.insert(0, root.name)
        root = root.parent
    if parts[-1] == "__init__":
        parts.pop()
    return Target(".".join(parts), str(root), classes)


def find_modules_in(folder: str) -> None:
    """Modules in a folder of the user are found before those of installed packages, but after Python's own: a file of
    his that is called `random.py` must not be what Python imports by this name."""
    if folder not in sys.path:
        libraries = [place for place, path in enumerate(sys.path) if "site-packages" in path or "dist-packages" in path]
        sys.path.insert(libraries[0] if libraries else len(sys.path), folder)
