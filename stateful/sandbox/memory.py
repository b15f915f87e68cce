"""How much of the memory that a worker may have is in use."""

from __future__ import annotations

import resource
from pathlib import Path

__all__ = ["is_nearly_full"]

SHARE = 0.5
PAGE = resource.getpagesize()


def is_nearly_full() -> bool:
    """More than half of the address space is used, or that cannot be told. Most often a call that ran out of memory
    asked for far too much at once, and left nothing behind."""
    bound, _ = resource.getrlimit(resource.RLIMIT_AS)
    try:
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * PAGE
    except OSError:
        return True
    return bound == resource.RLIM_INFINITY or used > SHARE * bound
