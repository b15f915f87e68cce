"""What users write in `[tool.stateful]` of their pyproject.toml, and how they write durations."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from stateful.errors import UsageError

__all__ = ["DEFAULT_DATABASE", "configured", "seconds_from"]

DEFAULT_DATABASE = Path(".stateful/stateful.db")
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_from(text: str) -> float:
    """A duration in seconds.

    >>> seconds_from("90"), seconds_from("1.5m"), seconds_from("1h")
    (90.0, 90.0, 3600.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip())
    if not found:
        raise UsageError(f"{text!r} is no duration; write seconds, or a number with s, m or h, such as 90s or 5m")
    return float(found[1]) * UNITS[found[2]]


def configured(folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """The file and the content of `[tool.stateful]` in the nearest pyproject.toml, from the folder upwards."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if not file.is_file():
            continue
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {file}: {error}") from None
        tools = content.get("tool", {})
        table = tools.get("stateful", {}) if isinstance(tools, dict) else {}
        if not isinstance(table, dict):
            raise UsageError(f"[tool] in {file}: stateful is {table!r}, where a table of options is wanted")
        return file, table
    return None, {}
