"""A program as Python text that a user can paste: imports, one line for each call, good names.

Knows routines only as plain data, so that the supervisor can write code for a subject that it never imports.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from stateful.subject.files import is_managed
from stateful.subject.model import Routine
from stateful.subject.program import KEYS, MISSING, Argument, Literal, Program, Reference, Step, modules_in, name_in

__all__ = ["code_for", "code_for_all", "code_of"]

BINARY = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//", "__mod__": "%",
    "__and__": "&", "__or__": "|", "__xor__": "^", "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=",
    "__gt__": ">", "__ge__": ">=", "__matmul__": "@", "__pow__": "**", "__lshift__": "<<", "__rshift__": ">>",
}  # fmt: skip
UNARY = {
    "__len__": "len({0})", "__iter__": "list({0})", "__bool__": "bool({0})", "__abs__": "abs({0})", "__neg__": "-{0}",
    "__pos__": "+{0}", "__invert__": "~{0}", "__int__": "int({0})", "__float__": "float({0})",
    "__reversed__": "list(reversed({0}))", "__index__": "int({0})", "__next__": "next({0})",
}  # fmt: skip
MUTABLE = ("[", "{", "set(", "list(", "dict(")
COLLECT = "async def collect(items):\n    return [item async for item in items]\n"
STATEMENTS = ("__delitem__", "__setitem__")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
IN_PLACE = {f"__i{name[2:]}": f"{{0}} {symbol}= {{1}}" for name, symbol in BINARY.items() if symbol not in COMPARISONS}
ITEMS = {
    "__getitem__": "{0}[{1}]", "__delitem__": "del {0}[{1}]", "__contains__": "{1} in {0}",
    "__setitem__": "{0}[{1}] = {2}",
}  # fmt: skip


def code_of(
    program: Program, routines: Mapping[str, Routine], *, last: str = "{call}", taken: Collection[str] = ()
) -> str:
    """The program as text. `last` is how its last line is written: `{call}` is the call, `{0}`, `{1}` are its slots.

    The names that are `taken` are used there for something else."""
    return _Writer(program, routines, taken=set(taken)).written(last)


def code_for(program: Program, wanted: Argument, routines: Mapping[str, Routine]) -> str:
    """The text that builds an object; its last line is the object."""
    if isinstance(wanted, Literal):
        writer = _Writer(Program(()), routines)
        literal = writer.said(wanted)
        return "\n".join([*writer.imports, literal])
    writer = _Writer(program, routines, (wanted,))
    return f"{writer.written('{call}')}\n{writer.said(wanted)}"


def code_for_all(program: Program, wanted: Mapping[str, Argument], routines: Mapping[str, Routine]) -> str:
    """The text that builds several objects; its last lines give them their names."""
    built = tuple(argument for argument in wanted.values() if isinstance(argument, Reference))
    writer = _Writer(program, routines, built, taken=set(wanted))
    literals = {name: writer.said(one) for name, one in wanted.items() if isinstance(one, Literal)}
    lines = [writer.written("{call}")]
    lines += [f"{name} = {literals.get(name) or writer.said(argument)}" for name, argument in wanted.items()]
    return "\n".join(filter(None, lines))


@dataclass
class _Writer:
    program: Program
    routines: Mapping[str, Routine]
    wanted: tuple[Reference, ...] = ()
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    imports: dict[str, None] = field(default_factory=dict)
    imported: dict[tuple[str, str], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def written(self, last: str) -> str:
        self.taken |= {routine.rpartition(":")[2].partition(".")[0] for routine in self.routines}
        steps = self.program.steps
        for place, step in enumerate(steps):
            is_last = place == len(steps) - 1
            keep = self._is_used(place, len(step.arguments)) or (is_last and f"{{{len(step.arguments)}}}" in last)
            self._write(place, step, keep, last if is_last else "{call}")
        return "\n".join([*self.imports, *self.lines])

    def _is_used(self, place: int, slot: int) -> bool:
        wanted = Reference(place, slot)
        if wanted in self.wanted:
            return True
        return any(argument == wanted for step in self.program.steps[place + 1 :] for argument in step.arguments)

    def _write(self, place: int, step: Step, keep: bool, form: str) -> None:
        arguments = [self._argument(place, slot, a) for slot, a in enumerate(step.arguments)]
        last = place == len(self.program.steps) - 1
        model = self.routines[step.routine]
        result = self._name(step.routine) if keep else ""
        call = self._call(model, arguments, result, last=last and not keep)
        call = self._run(model, call)
        if keep:
            self.names[place, len(arguments)] = result if model.kind != "setter" else "None"
        if is_managed(model.file, model.line):
            line = f"with {call} as {result}: pass" if keep else f"with {call}: pass"
        else:
            line = f"{result} = {call}" if keep and model.kind not in ("setter", "context") else call
        self.lines += form.format(*arguments, result, call=line).splitlines()

    def _run(self, model: Routine, call: str) -> str:
        """What runs a generator or a coroutine to its end."""
        if model.generator and not model.asynchronous:
            return call if call.startswith("list(") else f"list({call})"
        if not model.asynchronous:
            return call
        self.imports["import asyncio"] = None
        if model.generator:
            self.imports[COLLECT] = None
            return f"asyncio.run(collect({call}))"
        return f"asyncio.run({call})"

    def _argument(self, place: int, slot: int, argument: Argument) -> str:
        """A literal that is used again later gets a name, unless it is a plain value."""
        if isinstance(argument, Reference):
            return self.names[self.origin(argument)]
        if argument.text == MISSING:
            return MISSING
        text = self._literal(argument.text)
        if self._is_used(place, slot):
            self.names[place, slot] = text
            if text.startswith(MUTABLE):
                self.names[place, slot] = self._fresh("items")
                self.lines.append(f"{self.names[place, slot]} = {text}")
        return self.names.get((place, slot), text)

    def said(self, wanted: Argument) -> str:
        """How an object is written: what it was called when it was built, or a literal, whose imports are needed."""
        return self.names[self.origin(wanted)] if isinstance(wanted, Reference) else self._literal(wanted.text)

    def origin(self, argument: Reference) -> tuple[int, int]:
        """Where the object was first: operands of later steps are operands or results of earlier ones."""
        step = self.program.steps[argument.step]
        if argument.slot < len(step.arguments):
            earlier = step.arguments[argument.slot]
            if isinstance(earlier, Reference):
                return self.origin(earlier)
        return argument.step, argument.slot

    def _literal(self, text: str) -> str:
        named = name_in(text)
        if named is None:
            for module in modules_in(text):
                self.imports[f"import {module}"] = None
                self.taken.add(module)
            return text
        module, name = named
        if module == "builtins":
            return name
        first, _, rest = name.partition(".")
        return self._imported(module, first) + (f".{rest}" if rest else "")

    def _imported(self, module: str, name: str) -> str:
        """The name under which something is imported; a second one of the same name gets another."""
        if (module, name) not in self.imported:
            known = name in {own for _, own in self.imported}
            shown = self._fresh(name) if known else name
            self.taken.add(shown)
            self.imported[module, name] = shown
            self.imports[f"from {module} import {name}" + (f" as {shown}" if shown != name else "")] = None
        return self.imported[module, name]

    def _name(self, routine: str) -> str:
        """A variable after the class it holds, or after the routine whose result it is."""
        model = self.routines[routine]
        if model.kind == "display":
            return self._fresh("items")
        made = model.kind == "constructor"
        owner = routine.rpartition(":")[2].split(".")
        base = owner[-1] if made or model.kind == "function" else owner[-1].strip("_") or "result"
        return self._fresh(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", base).lower().strip("_") or "value")

    def _fresh(self, base: str) -> str:
        base = f"{base}_1" if keyword.iskeyword(base) or hasattr(builtins, base) else base
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name

    def _call(self, model: Routine, arguments: list[str], result: str, *, last: bool) -> str:
        """`result` is the name that its result is to have, if somebody needs that."""
        if model.kind in ("property", "attribute"):
            return f"{arguments[0]}.{model.short}"
        if model.kind == "setter":
            return f"{arguments[0]}.{model.short} = {arguments[1]}"
        if model.kind == "display":
            return _container(model.short, [argument for argument in arguments if argument != MISSING])
        if model.kind == "context":
            return f"with {arguments[0]} as {result}: pass" if result else f"with {arguments[0]}: pass"
        if model.kind == "method":
            operator = self._special(model, arguments, keep=bool(result), last=last)
            return operator or f"{arguments[0]}.{model.short}({self._listed(model, arguments[1:])})"
        module, _, qualified = model.name.partition(":")
        first, _, rest = qualified.partition(".")
        name = self._imported(module, first) + (f".{rest}" if rest else "")
        return f"{name}({self._listed(model, arguments)})"

    @staticmethod
    def _special(model: Routine, arguments: list[str], *, keep: bool, last: bool) -> str | None:
        """The operator that calls a special method. A statement has no result; `x += y` may give x another object."""
        if MISSING in arguments or (keep and model.short in STATEMENTS) or (model.short in IN_PLACE and not last):
            return None
        if model.short in BINARY and len(arguments) == 2:
            return f"{_closed(arguments[0])} {BINARY[model.short]} {_closed(arguments[1])}"
        form = {**UNARY, **ITEMS, **IN_PLACE}.get(model.short)
        if not form or form.count("{") != len(arguments):
            return None
        return form.format(*(map(_closed, arguments) if model.short == "__contains__" else arguments))

    @staticmethod
    def _listed(model: Routine, arguments: list[str]) -> str:
        parts = []
        skipped = False
        for parameter, argument in zip(model.parameters, arguments, strict=True):
            if argument == MISSING:
                skipped = skipped or not parameter.variadic
            elif parameter.keywords:
                parts.append(f"**{argument}")
            elif not (parameter.variadic and skipped):
                parts.append(f"{parameter.name}={argument}" if parameter.keyword or skipped else argument)
        return ", ".join(parts)


OPEN = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)


def _closed(text: str) -> str:
    """In brackets, if an operator beside it would tear it apart.

    >>> _closed("1+2j"), _closed("items"), _closed("-1")
    ('(1+2j)', 'items', '-1')
    """
    if text.isidentifier():
        return text
    return f"({text})" if isinstance(ast.parse(text, mode="eval").body, OPEN) else text


def _container(display: str, items: list[str]) -> str:
    listed = ", ".join(items)
    match display:
        case "tuple_of":
            return f"({listed}{',' if len(items) == 1 else ''})"
        case "set_of":
            return f"{{{listed}}}" if items else "set()"
        case "dict_of":
            return f"{{{', '.join(f'{key!r}: {item}' for key, item in zip(KEYS, items, strict=False))}}}"
    return f"[{listed}]"
