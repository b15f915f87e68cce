"""Contracts as code: the decorators or asserts of each routine, ready to be pasted above it or into it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from stateful.contracts import nodes as n
from stateful.contracts import parse
from stateful.contracts.to_code import Pasted, pasted
from stateful.errors import ExpressionError
from stateful.store.database import Database
from stateful.subject.files import asked_in
from stateful.subject.model import Routine

__all__ = ["FORMS", "Block", "as_markdown", "blocks_of", "plain_values", "shown_blocks"]

UNDECORATED = ("attribute", "setter", "context", "display")


@dataclass(slots=True)
class Block:
    """What is pasted for one class or routine, and what this form of contract cannot say."""

    name: str
    lines: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)
    olds: dict[str, str] = field(default_factory=dict)
    """The names of old values, with what they stand for."""


def plain_values(database: Database) -> frozenset[str]:
    """The predicates whose values were all numbers, text, truth values or None."""
    return frozenset(text for (text,) in database.rows(PLAIN))


PLAIN = """
SELECT p.text FROM predicates p JOIN evaluations e ON e.predicate_id = p.id LEFT JOIN values v ON v.id = e.value_id
GROUP BY p.text HAVING bool_and(v.kind IS NULL OR v.kind IN ('none', 'bool', 'int', 'float', 'str', 'bytes'))
"""


def blocks_of(
    rows: list[dict[str, Any]], routines: Mapping[str, Routine], form: str, plain: frozenset[str] = frozenset()
) -> list[Block]:
    """The inferred clauses that are kept, by class (its invariants) and routine."""
    kept = [row for row in rows if row["status"] in ("kept", "guards")]
    blocks: dict[str, Block] = {}
    asks = _Asks(routines)
    for routine, group in groupby(kept, lambda row: row["routine"]):
        model = routines[routine]
        owner = model.owner or routine
        clauses = list(group)
        said = _Form(form, model, plain, asks)
        _fill(blocks, owner, [row for row in clauses if row["kind"] == "invariant"], said)
        name = f"{routine}.__init__" if model.kind == "constructor" else routine
        _fill(blocks, name, [row for row in clauses if row["kind"] != "invariant"], said)
    return [block for block in blocks.values() if block.lines or block.unsaid]


def _fill(blocks: dict[str, Block], name: str, rows: list[dict[str, Any]], form: _Form) -> None:
    block = blocks.setdefault(name, Block(name))
    form = replace(form, taken=block.olds)
    before: dict[str, str] = {}
    after: list[str] = []
    for row in rows:
        said = FORMS[form.name](row["kind"], row["text"], form) if form.model.kind not in UNDECORATED else None
        if said is None or not form.asks.add(form.model.short, row):
            block.unsaid.append(f"{row['kind']}: {row['text']}")
            continue
        block.olds.update(said[2])
        before.update(dict.fromkeys(said[0], ""))
        after.append(said[1])
    block.lines += [*before, *after] if form.name != "assert" else _ordered_asserts(list(before), after)


def _ordered_asserts(olds: list[str], lines: list[str]) -> list[str]:
    """What is required first; then what is kept for later; behind the body what is promised."""
    first = [line for line in lines if line.endswith("# requires")]
    last = [line for line in lines if line not in first]
    return [*first, *olds, *(["..."] if last else []), *last]


Said = tuple[list[str], str, dict[str, str]]
"""The lines that keep old values, the contract itself, and the names of old values with what they stand for."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How it is written, for which routine; and which predicates have plain values."""

    name: str
    model: Routine
    plain: frozenset[str]
    asks: _Asks
    taken: dict[str, str] = field(default_factory=dict)
    """The names of old values that this block has so far."""


class _Asks:
    """Which routines the contracts and the bodies of routines call: pasted, no contract may come back to itself, or it
    would never end."""

    def __init__(self, routines: Mapping[str, Routine]) -> None:
        self.graph: dict[str, set[str]] = {}
        self.models: dict[str, list[Routine]] = {}
        for model in routines.values():
            self.models.setdefault(model.short, []).append(model)
        self.bodies: dict[str, set[str]] = {}

    def add(self, routine: str, row: dict[str, Any]) -> bool:
        """Whether the clause can be pasted at the routine; then its calls are remembered."""
        called = _called(parse(row["text"]), self._plain_parameters(routine))
        if row["kind"] == "invariant":
            return True
        if any(routine in self._reached(name) for name in called):
            return False
        self.graph.setdefault(routine, set()).update(called)
        return True

    def run_later(self, clause: n.Expr) -> bool:
        """It calls a routine whose code runs later, or can be run through only once: here it was run to its end."""
        names = {part.name for part in n.walk(clause) if isinstance(part, n.Call)}
        return any(model.asynchronous or model.generator for name in names for model in self.models.get(name, ()))

    def _plain_parameters(self, routine: str) -> set[str]:
        """The parameters of routines of this name whose annotations ask for plain values."""
        several = [parameter for model in self.models.get(routine, ()) for parameter in model.parameters]
        return {parameter.name for parameter in several if parameter.annotation in PLAIN_TYPES}

    def _reached(self, name: str) -> set[str]:
        found, frontier = {name}, [name]
        for one in frontier:
            new = (self.graph.get(one, set()) | self._body(one)) - found
            found |= new
            frontier += new
        return found

    def _body(self, name: str) -> set[str]:
        """What routines of this name call; whatever there is, if their source is not there."""
        if name not in self.bodies:
            written = [model for model in self.models.get(name, ()) if model.line and model.file]
            several = [asked_in(model.file, model.line) for model in written]
            found: set[str] = set().union(*(self.models.keys() if one is None else one for one in several))
            self.bodies[name] = found
        return self.bodies[name]


PLAIN_TYPES = ("int", "str", "float", "bool", "bytes", "complex")
VIEWED = {"len": ("__len__",), "set": ("__iter__",), "dict": ("__iter__", "__getitem__", "keys")}
LISTED = ("__iter__", "__len__")  # whatever makes a list asks how long it will be


def _called(node: n.Expr, plain: Collection[str]) -> set[str]:
    """The routines that Python calls to evaluate it; the operands that are `plain` have none."""
    found: set[str] = set()
    for part in n.walk(node):
        match part:
            case n.Call(name=name) | n.Attribute(name=name):
                found.add(name)
            case n.Builtin(name=name):
                found.update(VIEWED.get(name, LISTED))
            case n.Comparison(operator="in" | "not in"):
                found.update(("__contains__", "__iter__", "__eq__"))
            case n.Comparison(operator="==" | "!=", left=left, right=right):
                names = {_operand(left), _operand(right)} - {None}
                if names and not names & {*plain}:
                    found.add("__eq__")
    return found


def _operand(node: n.Expr) -> str | None:
    inner = node.operand if isinstance(node, n.Old) else node
    return inner.name if isinstance(inner, n.Slot) else None


def _read(kind: str, clause: str, form: _Form, prefix: str) -> Pasted | None:
    """The clause as Python; nothing if it speaks of what such a contract does not see."""
    model = form.model
    try:
        said = pasted(parse(clause), prefix, form.plain, form.taken)
    except ExpressionError:
        return None
    if form.asks.run_later(parse(clause)):
        return None
    given = {parameter.name for parameter in model.parameters if not parameter.variadic and not parameter.keywords}
    seen = {"self", *given, *(() if kind == "requires" or "result" in given else ("result",))}
    if said is None or not set(said.names) <= seen:
        return None
    runs_later = (model.generator or model.asynchronous) and kind == "ensures"
    return None if runs_later or not all(set(names) <= seen for _, _, names in said.olds) else said


def _olds(said: Pasted) -> dict[str, str]:
    return {name: value for name, value, _ in said.olds}


def _icontract(kind: str, clause: str, form: _Form) -> Said | None:
    said = _read(kind, clause, form, "OLD.")
    if said is None:
        return None
    if kind == "invariant":
        return [], f"@icontract.invariant(lambda self: {said.text})", {}
    if kind == "requires":
        return [], f"@icontract.require(lambda {', '.join(said.names)}: {said.text})", {}
    kept = [
        f'@icontract.snapshot(lambda {", ".join(names)}: {value}, name="{name}")' for name, value, names in said.olds
    ]
    names = [*said.names, *(["OLD"] if kept else [])]
    return kept, f"@icontract.ensure(lambda {', '.join(names)}: {said.text})", _olds(said)


def _deal(kind: str, clause: str, form: _Form) -> Said | None:
    """deal has no old values; what explains an exception it calls its reason."""
    try:
        node = parse(clause)
    except ExpressionError:
        return None
    reason = _reason(node)
    said = _read(kind, clause, form, "OLD.") if reason is None else pasted(reason[1], "")
    if said is None or said.olds:
        return None
    model = form.model
    if kind == "invariant":
        return None  # deal asks it at each assignment, also before all attributes are there, and whenever it asks
    if any(not one.required or one.variadic or one.keywords for one in model.parameters):
        return None  # deal calls it with what the caller wrote
    given = ["self"] if model.has_receiver or model.kind == "constructor" else []
    given += [parameter.name for parameter in model.parameters]
    if reason is not None:
        return [], f"@deal.reason({reason[0]}, lambda {', '.join(given)}: {said.text})", {}
    if kind == "requires":
        return [], f"@deal.pre(lambda {', '.join(given)}: {said.text})", {}
    return [], f"@deal.ensure(lambda {', '.join([*given, 'result'])}: {said.text})", {}


def _reason(node: n.Expr) -> tuple[str, n.Expr] | None:
    """The exception and what was true before, of `raises(E) == old(p)` and `implies(raises(E), old(p))`."""
    match node:
        case n.Comparison(operator="==", left=n.Raises(name=name), right=n.Old(operand=why)):
            return name, why
        case n.Implies(premise=n.Raises(name=name), conclusion=n.Old(operand=why)):
            return name, why
    return None


def _assert(kind: str, clause: str, form: _Form) -> Said | None:
    said = _read(kind, clause, form, "old_")
    if said is None:
        return None
    return [f"old_{name} = {value}" for name, value, _ in said.olds], f"assert {said.text}  # {kind}", _olds(said)


FORMS: dict[str, Callable[[str, str, _Form], Said | None]] = {
    "icontract": _icontract, "deal": _deal, "assert": _assert,
}  # fmt: skip


def shown_blocks(blocks: list[Block], form: str) -> Iterator[str]:
    """The blocks under the names of what they are for."""
    if not blocks:
        yield "# no contracts; infer them with 'stateful infer'"
        return
    imports = {"icontract": ["import icontract"], "deal": ["import deal"], "assert": []}[form]
    if any("copy.deepcopy(" in line for block in blocks for line in block.lines):
        imports = ["import copy", *imports]
    yield from imports
    for block in blocks:
        yield ""
        yield f"# {block.name}"
        yield from block.lines
        yield from (f"# {line}" for line in block.unsaid)


def as_markdown(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A section for each routine, a line for each clause."""
    if not rows:
        yield "No contracts."
    for routine, group in groupby(rows, lambda row: row["routine"]):
        yield f"## `{routine.rpartition(':')[2]}`"
        yield ""
        yield "| kind | clause | status | evidence |"
        yield "| --- | --- | --- | --- |"
        for row in group:
            cells = (row["kind"], f"`{row['text']}`", row["status"], row["evidence"] or "")
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        yield ""
