"""Classes that are meant as a base: an object of one alone lacks what its subclasses set."""

from __future__ import annotations

from typing import Any

__all__ = ["lacks_as_a_base"]


def lacks_as_a_base(error: BaseException) -> bool:
    """An attribute is missing that objects of a class have only if a subclass sets it: the class has no constructor of
    its own, and there are subclasses."""
    if not isinstance(error, AttributeError):
        return False
    cls: Any = type(error.obj)
    builds = any(getattr(cls, name) is not getattr(object, name) for name in ("__init__", "__new__"))
    return not builds and bool(type.__subclasses__(cls))
