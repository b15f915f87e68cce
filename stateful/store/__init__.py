"""The one door to the database: open, write, query."""

from __future__ import annotations

from stateful.store.database import Database

__all__ = ["Database"]
