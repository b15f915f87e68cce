"""What is written together is not torn apart by Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["undisturbed"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interruption that comes meanwhile is told at the end. Only the main thread is ever interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.signal(number, lambda *came: waiting.append(came)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for came, frame in waiting[:1]:
            handler = handlers[signal.Signals(came)]
            if callable(handler):
                handler(came, frame)
            else:
                signal.raise_signal(came)
