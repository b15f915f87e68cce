"""Classes that each do one evil thing in `bad`, beside a `fine` that has to go on being tested."""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import os
import pickle
import socket
import sys
import threading
import time
from typing import Any


class Fine:
    def __init__(self) -> None:
        self.n = 0

    def fine(self) -> int:
        self.n += 1
        return self.n


class Segfaults(Fine):
    def bad(self) -> None:
        ctypes.string_at(0)


class Leaves(Fine):
    def bad(self) -> None:
        os._exit(0)


class Exits(Fine):
    def bad(self) -> None:
        sys.exit(0)


class Swallows(Fine):
    def bad(self) -> None:
        while True:
            try:
                while True:
                    pass
            except:  # noqa: E722
                pass


class LoopsInC(Fine):
    def bad(self) -> int:
        return sum(range(10**12))


class Sleeps(Fine):
    def bad(self) -> None:
        time.sleep(1000)


class Deadlocks(Fine):
    def bad(self) -> None:
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Recurses(Fine):
    def bad(self) -> object:
        return self.bad()


class Deepens(Fine):
    def bad(self) -> None:
        sys.setrecursionlimit(30)


class Hoards(Fine):
    def bad(self) -> list[bytes]:
        return [bytes(1 << 28) for _ in range(100)]


class Forks(Fine):
    def bad(self) -> None:
        if os.fork() == 0:
            os._exit(0)


class Writes(Fine):
    def bad(self) -> None:
        with open(os.environ["VICTIM"], "w") as file:
            file.write("gone")


class Deletes(Fine):
    def bad(self) -> None:
        os.remove(os.environ["VICTIM"])


class Connects(Fine):
    def bad(self) -> None:
        socket.create_connection(("127.0.0.1", 9), timeout=0.1)


class Patches(Fine):
    def bad(self) -> None:
        builtins.len = builtins.isinstance = builtins.tuple = None  # type: ignore
        pickle.loads = pickle.Pickler = None  # type: ignore


class Closes(Fine):
    def bad(self) -> None:
        os.closerange(3, 70_000)


class Scribbles(Fine):
    """Into the files that have low numbers, whatever they are."""

    def bad(self) -> None:
        for number in range(3, 50):
            with contextlib.suppress(OSError):
                os.write(number, b"nonsense" * 9)


class ClosesSome(Fine):
    def bad(self) -> None:
        os.closerange(3, 50)


class Prints(Fine):
    def bad(self) -> None:
        for _ in range(1024):
            print("x" * (1 << 20))


class RaisesBase(Fine):
    def bad(self) -> None:
        raise BaseException("base")


class HangingState(Fine):
    def __getstate__(self) -> Any:
        while True:
            pass


class RaisingState(Fine):
    def __getstate__(self) -> Any:
        raise ValueError("no state")


class HangingEq(Fine):
    def __eq__(self, other: object) -> bool:
        while True:
            pass


class RaisingEq(Fine):
    def __eq__(self, other: object) -> bool:
        raise ValueError("no eq")


class RaisingHash(Fine):
    def __hash__(self) -> int:
        raise ValueError("no hash")


class RaisingRepr(Fine):
    def __repr__(self) -> str:
        raise ValueError("no repr")


class HangingRepr(Fine):
    def __repr__(self) -> str:
        while True:
            pass


class RaisingDel(Fine):
    def __del__(self) -> None:
        raise ValueError("no del")


class HangingDel(Fine):
    def __del__(self) -> None:
        while getattr(self, "n", 0) > 3:
            pass


class RaisingGetattr(Fine):
    def __getattr__(self, name: str) -> Any:
        raise ValueError(name)


class HangingGetattr(Fine):
    def __getattr__(self, name: str) -> Any:
        while True:
            pass


class HangingMessage(Fine):
    def bad(self) -> None:
        class Odd(Exception):
            def __str__(self) -> str:
                while True:
                    pass

        raise Odd
