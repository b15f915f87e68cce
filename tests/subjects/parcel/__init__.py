"""A package that takes what it offers from its modules."""

from tests.subjects.parcel.inner import Parcel, wrap

__all__ = ["Parcel", "wrap"]
