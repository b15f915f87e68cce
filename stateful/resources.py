"""Find the package data, `schema/` and `inference/`, installed or in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["folder", "text_of"]


def folder(name: str) -> Path:
    """The folder `name`: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parent
    return package / name if (package / name).is_dir() else package.parent / name


def text_of(name: str, file: str) -> str:
    return (folder(name) / file).read_text(encoding="utf-8")
