"""What is under test: its classes, routines, types and written contracts, and how its objects are kept.

Only workers import the subject (`discover`, `snapshots`, `Program.run`); everything else here is plain data.
"""

from __future__ import annotations

from stateful.subject.model import ClassModel, Parameter, Routine, Subject, Written
from stateful.subject.target import Target, parse_target

__all__ = ["ClassModel", "Parameter", "Routine", "Subject", "Target", "Written", "parse_target"]
