"""What a session would call: every routine with its types and contracts, and what is left out and why."""

from __future__ import annotations

from stateful.subject.model import Parameter, Routine, Subject
from stateful.words import counted

__all__ = ["shown_plan"]


def shown_plan(subject: Subject) -> list[str]:
    """The lines of `stateful run --dry-run`."""
    tested = [routine for routine in subject.routines if not routine.helper]
    lines = [f"{counted(len(tested), 'routine')} to be called:"]
    for routine in tested:
        lines += _shown(routine)
    helpers = [routine.name for routine in subject.routines if routine.helper and routine.kind != "display"]
    if helpers:
        lines += ["", f"{len(helpers)} more may be called to build arguments:"]
        lines += [f"  {name}" for name in helpers]
    if subject.left_out:
        lines += ["", "left out:"]
        lines += [f"  {name}: {reason}" for name, reason in subject.left_out]
    return lines


def _shown(routine: Routine) -> list[str]:
    listed = ", ".join(map(_parameter, routine.parameters))
    lines = [f"  {routine.name}({listed})" + (f"  [{routine.kind}]" if routine.kind != "method" else "")]
    for clause in routine.written:
        lines.append(f"      {clause.kind} {clause.text}" + ("" if clause.readable else "  (evaluated, not searched)"))
    if routine.announces:
        lines.append(f"      raises {', '.join(routine.announces)}")
    return lines


def _parameter(parameter: Parameter) -> str:
    wanted = parameter.annotation or " or ".join(parameter.kinds[:3]) or "anything"
    star = "*" if parameter.variadic else "**" if parameter.keywords else ""
    return f"{star}{parameter.name}: {wanted}" + ("" if parameter.required or star else " = ...")
