"""Keep the subject from harm: no writing or deleting outside the scratch folder, no processes, no network.

An audit hook names what it refuses and works everywhere; under it, Landlock stops what Python does not see on Linux,
such as C++ code and child processes. Neither can be switched off again. Reading is not stopped, nor writing to files
that are open already.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["NETWORK", "PROCESSES", "GuardRefusal", "keep"]

NETWORK, PROCESSES = "network", "processes"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
HARMLESS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


class GuardRefusal(BaseException):
    """The subject tried something that it must not. Not an `Exception`, so that fewer handlers swallow it."""


Check: TypeAlias = Callable[["_Guard", tuple[Any, ...]], "str | None"]
"""Gives in words what is refused, or nothing."""


def keep(scratch: str, allowed: Sequence[str] = ()) -> None:
    """From now on, and for good, refuse what is not `allowed`: paths to write below, 'network', 'processes'."""
    guard = _Guard(scratch, allowed)
    restrict_by_landlock(guard)
    sys.addaudithook(_hook(guard))


def _hook(guard: _Guard) -> Callable[[str, tuple[Any, ...]], None]:
    """A function and not a method: it is called for each `id()` and each class that pickle looks up, too."""
    check_of = CHECKS.get

    def on_event(event: str, arguments: tuple[Any, ...]) -> None:
        check = check_of(event)
        if check is not None and (refused := check(guard, arguments)):
            raise GuardRefusal(refused)

    return on_event


class _Guard:
    def __init__(self, scratch: str, allowed: Sequence[str]) -> None:
        self.paths = [
            os.path.realpath(scratch),
            *(os.path.realpath(path) for path in allowed if path not in (NETWORK, PROCESSES)),
        ]
        self.network = NETWORK in allowed
        self.processes = PROCESSES in allowed

    def may_write(self, path: Any) -> bool:
        if isinstance(path, int):
            return True
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return True
        return real in HARMLESS or any(real == base or real.startswith(base + os.sep) for base in self.paths)


def _opening(guard: _Guard, arguments: tuple[Any, ...]) -> str | None:
    path, mode, flags = (*arguments, None, None)[:3]
    writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool((flags or 0) & WRITING)
    return f"writing {path}" if writes and not guard.may_write(path) else None


def _changing(what: str, *positions: int) -> Check:
    """The arguments at these positions are paths that would be changed."""

    def check(guard: _Guard, arguments: tuple[Any, ...]) -> str | None:
        for position in positions:
            if position < len(arguments) and not guard.may_write(arguments[position]):
                return f"{what} {arguments[position]}"
        return None

    return check


def _process(guard: _Guard, arguments: tuple[Any, ...]) -> str | None:
    return None if guard.processes else "starting or stopping a process"


def _network(guard: _Guard, arguments: tuple[Any, ...]) -> str | None:
    return None if guard.network else "using the network"


def _database(guard: _Guard, arguments: tuple[Any, ...]) -> str | None:
    path = arguments[0]
    return None if path in (":memory:", "", b"") or guard.may_write(path) else f"writing {path}"


CHECKS: dict[str, Check] = {
    "open": _opening,
    "os.remove": _changing("deleting", 0),
    "os.rmdir": _changing("deleting", 0),
    "os.rename": _changing("renaming", 0, 1),
    "os.mkdir": _changing("making", 0),
    "os.truncate": _changing("writing", 0),
    "os.chmod": _changing("changing", 0),
    "os.chown": _changing("changing", 0),
    "os.utime": _changing("changing", 0),
    "os.link": _changing("making", 1),
    "os.symlink": _changing("making", 1),
    "shutil.rmtree": _changing("deleting", 0),
    "shutil.move": _changing("moving", 0, 1),
    "shutil.copyfile": _changing("writing", 1),
    "sqlite3.connect": _database,
    **dict.fromkeys(
        ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.kill",
         "os.killpg", "pty.spawn", "signal.pthread_kill"),
        _process,
    ),
    **dict.fromkeys(
        ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
         "socket.sendmsg"),
        _network,
    ),
}  # fmt: skip


# Landlock: the same on Linux, below Python

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
NO_NEW_PRIVILEGES = 38
PATH_BENEATH = 1
WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
CHANGES = WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove, make directories, files, sockets, links, devices
TCP = 0b11  # bind and connect


def restrict_by_landlock(guard: _Guard) -> bool:
    """Restrict this process and its children, if the kernel can; true if it could."""
    if sys.platform != "linux":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    handled = CHANGES | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("=QQ", handled, 0 if guard.network or version < 4 else TCP)
    ruleset = call(CREATE_RULESET, attributes, len(attributes) if version >= 4 else 8, 0)
    if ruleset < 0:
        return False
    for path in guard.paths:
        _allow(call, ruleset, path, handled)
    for path in HARMLESS:
        _allow(call, ruleset, path, WRITE_FILE)
    ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    failed = call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return not failed


def _allow(call: Callable[..., int], ruleset: int, path: str, access: int) -> None:
    """Allow the access below a path that is there."""
    if not Path(path).exists():
        return
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    on_file = access & (WRITE_FILE | TRUNCATE) if not Path(path).is_dir() else access
    call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", on_file, place), 0)
    os.close(place)
