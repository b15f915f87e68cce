"""What a parameter without an annotation seems to want: from its default, the docstring, its name and how it is used.

The kinds are those that `generate.values` makes: 'int', 'str', 'iterable', 'pairs', 'mapping', 'callable', 'index',
'element', 'self' (an object of the routine's own class), 'having a, b' (an object with these attributes), or the name
of a class; of an enum with its module.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, TypeGuard

from stateful.subject.files import Function
from stateful.subject.source import nodes_of, once, tree_of

__all__ = ["HAVING", "classes_by_use", "enum_called", "kinds_by_use"]

TAKES_ITERABLE = {
    "list", "tuple", "set", "frozenset", "sorted", "iter", "sum", "enumerate", "zip", "reversed", "min", "max", "any",
    "all", "dict", "deque", "Counter", "chain",
}  # fmt: skip
FILLS = {"extend", "update", "union", "intersection", "difference", "extendleft", "issubset", "issuperset"}
OF_STRINGS = {"startswith", "endswith", "split", "strip", "lower", "upper", "encode", "join", "replace", "partition"}
OF_MAPPINGS = {"items", "keys", "values", "get", "iteritems", "setdefault"}
IN_DOCSTRINGS = (
    (r"iterable|sequence|list|iterator|collection", "iterable"),
    (r"dict|mapping", "mapping"),
    (r"callable|function", "callable"),
    (r"bool", "bool"),
    (r"str|string", "str"),
    (r"bytes", "bytes"),
    (r"float", "float"),
    (r"int|integer|number", "int"),
    (r"slice", "slice"),
    (r"tuple", "tuple"),
)
BY_NAME = (
    (r"other|others|another|rhs", "self"),
    (r"others", "iterable"),
    (r"args", "element"),
    (r"iterable|iterables|items|values|seq|sequence|elements|elems|data|it|iterator", "iterable"),
    (r"pairs|mapping|dictionary|kwargs", "pairs"),
    (r"i|n|k|count|index|idx|pos|position|size|maxsize|maxlen|max_size|start|stop|step|length|limit|depth", "index"),
    (r"f|fn|func|function|callback|predicate|pred|key_?func|on_\w+|reducer", "callable"),
    (r"name|text|string|s|prefix|suffix|sep|\w*_name|label|path|msg|message", "str"),
    (r"inclusive|reverse|strict|deep|recursive|\w*_only|is_\w+|has_\w+|verbose", "bool"),
    (r"key|item|value|val|elem|element|x|v|obj|\w*_key|data", "element"),
)


def kinds_by_use(function: Any, *, receiver: bool) -> Mapping[str, tuple[str, ...]]:
    """For each parameter the kinds that it seems to want, the surest first."""
    return _behind_receiver(function) if receiver else _of_all(function)


def classes_by_use(function: Any, *, receiver: bool) -> Mapping[str, tuple[type, ...]]:
    """The classes whose objects a parameter takes that has no annotation: it is compared with members of enums, and
    used for nothing else, or its documentation says that it is a number or text."""
    kinds, spoken = kinds_by_use(function, receiver=receiver), dict(_spoken(function))
    found = {}
    for parameter in _parameters(function)[int(receiver) :]:
        classes = _enums(kinds.get(parameter.name, ())) or _told(spoken.get(parameter.name, ""))
        if classes:
            default = () if parameter.default is parameter.empty else (type(parameter.default),)
            found[parameter.name] = (*classes, *default)
    return found


def _enums(kinds: tuple[str, ...]) -> tuple[type, ...]:
    enums: list[Any] = [enum_called(kind) if ":" in kind else None for kind in kinds]
    plain = [cls._member_type_ for cls in enums if cls and cls._member_type_ is not object]
    return (*enums, *plain) if all(enums) else ()


def _told(words: str) -> tuple[type, ...]:
    """`str`, `an integer`, `float, optional`, `string or None`; nothing if it is said in more words."""
    said = re.fullmatch(r"(?:an? )?(str|string|int|integer|float|bytes)(,? optional| or None)?\.?", words.strip(), re.I)
    if said is None:
        return ()
    classes = SAID[said[1].lower()]
    return (*classes, type(None)) if said[2] else classes


SAID: Mapping[str, tuple[type, ...]] = {
    "str": (str,), "string": (str,), "int": (int,), "integer": (int,), "float": (float, int), "bytes": (bytes,),
}  # fmt: skip


@once
def _behind_receiver(function: Any) -> Mapping[str, tuple[str, ...]]:
    return _kinds(function, _parameters(function)[1:])


@once
def _of_all(function: Any) -> Mapping[str, tuple[str, ...]]:
    return _kinds(function, _parameters(function))


def _kinds(function: Any, parameters: list[inspect.Parameter]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for parameter in parameters:
        found[parameter.name] += _default_kinds(parameter)
    tree = tree_of(function)
    several = {parameter.name: parameter.name for parameter in parameters if parameter.kind is parameter.VAR_POSITIONAL}
    items = _loop_variables(tree, several) if tree else {}
    for name, kind in [
        *_compared(function, tree),
        *_having(tree),
        *_documented(function),
        *(_used(tree) if tree else ()),
    ]:
        if name in items:
            found[items[name]].append(kind)
        elif name in found and name not in several:
            found[name].append(kind)
    for name in found:
        found[name] += [kind for pattern, kind in BY_NAME if re.fullmatch(pattern, name)]
    return {name: tuple(dict.fromkeys(kinds)) for name, kinds in found.items() if kinds}


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _default_kinds(parameter: inspect.Parameter) -> list[str]:
    default = parameter.default
    if parameter.kind is parameter.VAR_POSITIONAL:
        return []
    if type(default) in (int, float, str, bytes, bool):
        return [type(default).__name__]
    if issubclass(type(default), enum.Enum):
        return _enum(type(default))
    if type(default) in (list, tuple, set, frozenset):
        return ["iterable"]
    return ["mapping"] if type(default) is dict else []


def _documented(function: Any) -> Iterator[tuple[str, str]]:
    """`:type x: int`, `:param int x:`, `x (int):` and `x : int`; or the name of a class."""
    for name, words in _spoken(function):
        for pattern, kind in IN_DOCSTRINGS:
            if re.search(rf"\b({pattern})s?\b", words, flags=re.I):
                yield name, kind
        if re.fullmatch(r"[A-Z]\w*", words.strip()):
            yield name, words.strip()


def _spoken(function: Any) -> list[tuple[str, str]]:
    """What the docstring says of the types of parameters."""
    doc = inspect.getdoc(function) or ""
    spoken = re.findall(r":type\s+(\w+):\s*([^\n]+)", doc)
    spoken += [(name, kind) for kind, name in re.findall(r":param\s+([\w.\[\]]+)\s+(\w+):", doc)]
    spoken += re.findall(r"^\s*\*{0,2}(\w+)\s*\(([^)\n]+)\)\s*:", doc, flags=re.M)
    return spoken + re.findall(r"^\s*(\w+) : ([^\n]+)", doc, flags=re.M)


def _compared(function: Any, tree: Function | None) -> Iterator[tuple[str, str]]:
    """The enums with whose members a parameter is compared."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for node in nodes_of(tree) if tree else ():
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            values = [each.value for case in node.cases for each in ast.walk(case.pattern) if _is_value(each)]
            sides = [node.subject, *values]
        else:
            continue
        others = [part for side in sides for part in getattr(side, "elts", [side])]
        kinds = [kind for other in others for kind in _enum(_owner(other, names))]
        yield from ((name, kind) for side in sides if (name := _named(side)) for kind in kinds)


def _having(tree: Function | None) -> Iterator[tuple[str, str]]:
    """The attributes that are asked of a parameter, unless something built-in has them all."""
    asked: dict[str, set[str]] = defaultdict(set)
    for node in nodes_of(tree) if tree else ():
        if isinstance(node, ast.Attribute) and (name := _named(node.value)):
            asked[name].add(node.attr)
    for name, attributes in asked.items():
        if not any(attributes <= known for known in BUILT_IN):
            yield name, f"{HAVING}{', '.join(sorted(attributes))}"


HAVING = "having "
BUILT_IN = [frozenset(dir(cls)) for cls in (str, list, dict, set, int, float, bytes, tuple, type, type(len), slice)]


def _is_value(pattern: ast.AST) -> TypeGuard[ast.MatchValue]:
    return isinstance(pattern, ast.MatchValue)


def _owner(member: ast.AST, names: Mapping[str, Any]) -> Any:
    """The class or module whose attribute an expression such as `Bound.OPEN` or `const.Bound.OPEN` is."""
    path = member.value if isinstance(member, ast.Attribute) else None
    if isinstance(path, ast.Name):
        return names.get(path.id)
    owner = _owner(path, names) if isinstance(path, ast.Attribute) else None
    has_names = issubclass(type(owner), type | ModuleType)  # a lazy object may be asked nothing
    return vars(owner).get(path.attr) if isinstance(path, ast.Attribute) and has_names else None


def _enum(cls: Any) -> list[str]:
    """The name of an enum from which something is to be chosen: a single member marks what is missing."""
    is_choice = issubclass(type(cls), enum.EnumMeta) and len(cls.__members__) > 1
    return [f"{cls.__module__}:{cls.__qualname__}"] if is_choice else []


def _used(tree: Function) -> Iterator[tuple[str, str]]:
    for node in nodes_of(tree):
        for looker in LOOKERS.get(type(node), ()):
            yield from looker(node)


def _loop_variables(tree: Function, several: dict[str, str]) -> dict[str, str]:
    """`for other in others`: what `other` is used as tells what is passed."""
    loops = [node for node in nodes_of(tree) if isinstance(node, ast.For | ast.comprehension)]
    return {_named(loop.target): _named(loop.iter) for loop in loops if _named(loop.iter) in several}


def _named(node: ast.AST | None) -> str:
    """The parameter that an expression is, if it is one."""
    node = node.value if isinstance(node, ast.Starred) else node
    return node.id if isinstance(node, ast.Name) else ""


def _iterated(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.For | ast.comprehension) and (name := _named(node.iter)):
        is_pair = isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2
        yield name, "pairs" if is_pair else "iterable"
    if isinstance(node, ast.Starred) and (name := _named(node)):
        yield name, "iterable"


def _called(node: ast.AST) -> Iterator[tuple[str, str]]:
    if not isinstance(node, ast.Call):
        return
    if name := _named(node.func):
        yield name, "callable"
    function = node.func.id if isinstance(node.func, ast.Name) else ""
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    for argument in node.args:
        if name := _named(argument):
            if function in TAKES_ITERABLE or method in FILLS:
                yield name, "iterable"
            elif function == "range":
                yield name, "index"
    if function == "isinstance" and len(node.args) == 2:
        yield from ((_named(node.args[0]), kind) for kind in _class_names(node.args[1]))


def _class_names(node: ast.expr) -> Iterator[str]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    for part in parts:
        name = part.attr if isinstance(part, ast.Attribute) else _named(part)
        if name:
            yield CLASSES.get(name, name)


CLASSES = {
    "dict": "mapping", "Mapping": "mapping", "MutableMapping": "mapping", "list": "iterable", "Iterable": "iterable",
    "Sequence": "iterable", "Callable": "callable", "basestring": "str", "Integral": "int", "Number": "int",
    "set": "set", "Set": "set", "object": "element",
}  # fmt: skip


def _touched(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Attributes, operators and subscripts."""
    if isinstance(node, ast.Attribute) and (name := _named(node.value)):
        if node.attr in OF_STRINGS:
            yield name, "str"
        elif node.attr in OF_MAPPINGS:
            yield name, "mapping"
    if isinstance(node, ast.BinOp | ast.AugAssign):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
        for side in sides:
            other = next((s for s in sides if s is not side), None)
            if _named(side) and isinstance(other, ast.Constant) and isinstance(other.value, int):
                yield _named(side), "index"
    if isinstance(node, ast.Compare) and _named(node.left):
        numbers = [c for c in node.comparators if isinstance(c, ast.Constant) and type(c.value) is int]
        if numbers:
            yield _named(node.left), "index"
    if isinstance(node, ast.Subscript):
        if name := _named(node.slice):
            yield name, "element"
            yield name, "index"
        if name := _named(node.value):
            yield name, "iterable"


LOOKERS: dict[type[ast.AST], tuple[Callable[[Any], Iterator[tuple[str, str]]], ...]] = {
    **dict.fromkeys((ast.For, ast.comprehension, ast.Starred), (_iterated,)),
    ast.Call: (_called,),
    **dict.fromkeys((ast.Attribute, ast.BinOp, ast.AugAssign, ast.Compare, ast.Subscript), (_touched,)),
}
"""For each kind of node those that see something in it: most nodes are names and constants."""


def enum_called(name: str) -> Any:
    """The class of an enum that has been imported, by its module and name."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for step in path.split("."):
        found = getattr(found, step, None)
    return found
