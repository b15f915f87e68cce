"""Routines that would do harm, if they were let."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
from pathlib import Path


class Harmful:
    """`victim` is a file that must survive."""

    def __init__(self) -> None:
        self.victim = os.environ["VICTIM"]

    def writes(self) -> None:
        Path(self.victim).write_text("gone")

    def appends(self) -> None:
        with open(self.victim, "a") as file:
            file.write("more")

    def deletes(self) -> None:
        os.remove(self.victim)

    def renames(self) -> None:
        os.rename(self.victim, self.victim + ".moved")

    def truncates(self) -> None:
        os.truncate(self.victim, 0)

    def removes_folder(self) -> None:
        shutil.rmtree(Path(self.victim).parent)

    def links(self) -> None:
        os.symlink("/etc/passwd", self.victim + ".link")

    def climbs(self) -> None:
        """Writes outside by a relative path."""
        Path("../../../../../../../../" + self.victim).write_text("gone")

    def starts(self) -> None:
        subprocess.run(["rm", self.victim])

    def shells(self) -> None:
        os.system(f"rm {self.victim}")

    def forks(self) -> None:
        if os.fork() == 0:
            os._exit(0)

    def kills(self) -> None:
        os.kill(os.getppid(), 15)

    def connects(self) -> None:
        socket.create_connection(("127.0.0.1", 9), timeout=0.1)

    def stores(self) -> None:
        sqlite3.connect(self.victim + ".sqlite")

    def works(self) -> str:
        """What is allowed: the scratch folder, reading, and a database in memory."""
        Path("mine.txt").write_text("x")
        os.mkdir("folder")
        os.rmdir("folder")
        os.remove("mine.txt")
        sqlite3.connect(":memory:").close()
        return Path(self.victim).read_text()

    def makes_fifo(self) -> None:
        """Python's audit hook does not see this; Landlock does."""
        os.mkfifo(self.victim + ".fifo")
