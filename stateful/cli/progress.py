"""The live line on standard error: rewritten on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time

from stateful.generate.session import Summary
from stateful.infer.engine import Inferred
from stateful.ingest.evaluation import Evaluated
from stateful.reduce.engine import Reduced

__all__ = ["Line"]

PLAIN_EVERY = 10.0


class Line:
    """Use it in a `with` statement; the line is ended when it is left."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.live = sys.stderr.isatty()
        self.written = False
        self.started = self.said = time.monotonic()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self.written and self.live:
            sys.stderr.write("\n")

    def session(self, summary: Summary) -> None:
        if not summary.calls:
            self._say("random testing begins")
            return
        rate = summary.calls / summary.seconds if summary.seconds else 0
        self._say(
            f"random testing: {rate:,.0f} calls/s  {summary.states:,} states  {summary.tests:,} tests  "
            + (f"{summary.covered.share:.0%} covered  " if summary.covered.share is not None else "")
            + _faults(summary)
        )

    def evaluation(self, done: Evaluated) -> None:
        self._say(f"ingest: {done.snapshots:,} snapshots, {done.evaluations:,} evaluations")

    def inference(self, done: Inferred) -> None:
        self._say(f"inference: {done.routines:,} routines, {done.new:,} new clauses")

    def reduction(self, done: Reduced) -> None:
        self._say(f"reduction: {done.clauses:,} clauses, {done.removed:,} removed, {done.tried:,} operands tried")

    def _say(self, text: str) -> None:
        if self.quiet:
            return
        now = time.monotonic()
        line = f"{now - self.started:5.0f} s  {text}"
        if self.live:
            sys.stderr.write(f"\r\x1b[K{line}")
            self.written = True
        elif now - self.said > PLAIN_EVERY:
            self.said = now
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _faults(summary: Summary) -> str:
    """How many faults of each likelihood."""
    counts = [(name, summary.faults[name]) for name in ("certain", "likely", "suspicious") if summary.faults[name]]
    return f"faults: {', '.join(f'{count} {name}' for name, count in counts)}" if counts else "no faults"
