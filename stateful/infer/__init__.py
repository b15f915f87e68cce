"""Derive clauses: fill the templates, drop what the tests refute, keep what says something."""

from __future__ import annotations

from stateful.infer.engine import Inferred, infer

__all__ = ["Inferred", "infer"]
