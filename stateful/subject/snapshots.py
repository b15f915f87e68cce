"""Objects to bytes and back: the operands of a call in one pickle, so that what they share stays shared.

Classes of pure Python with their own way of pickling, and subclasses of built-in containers, are taken by
their raw state: their own way rebuilds them, which can change the structure that a fault hides in.
"""

from __future__ import annotations

import enum
import io
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from operator import methodcaller
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import dill

from stateful.contracts.evaluate import is_atom
from stateful.subject.held import HeldPickler, has_held, named
from stateful.subject.looking import is_class

__all__ = ["Uncopyable", "digest_of", "distinct", "dump", "dump_apart", "keep_singletons", "load", "singletons"]

PROTOCOL = 5
OWN_WAYS = (
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__setattr__",
    "__getattr__",
)  # fmt: skip
MUTABLE: tuple[type, ...] = (OrderedDict, dict, list, set)
IMMUTABLE: tuple[type, ...] = (tuple, frozenset, str, bytes, int, float, complex)
HEAP_TYPE = 1 << 9
DEFAULT = methodcaller("__reduce_ex__", 4)


class Uncopyable(Exception):
    """Objects that neither pickle nor dill can keep; they are kept as the calls that build them."""


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def distinct(values: Sequence[Any]) -> tuple[list[Any], list[int | None]]:
    """The distinct objects among `values` in order, and for each value its index there; none for `...`, an operand that
    is left out.

    >>> distinct([[], 1, ..., 1])
    ([[], 1], [0, 1, None, 1])
    """
    objects: list[Any] = []
    seen: dict[Any, int] = {}
    slots: list[int | None] = []
    for value in values:
        if value is Ellipsis:
            slots.append(None)
            continue
        cls = type(value)
        key: Any
        if cls is float:
            key = cls, repr(value)
        else:
            key = (cls, value) if is_atom(value) else id(value)
        index = seen.get(key)
        if index is None:
            index = seen[key] = len(objects)
            objects.append(value)
        slots.append(index)
    return objects, slots


def dump(objects: list[Any]) -> tuple[str, bytes]:
    """The codec that could keep the objects, and their bytes."""
    for make in _picklers(objects):
        buffer = io.BytesIO()
        pickler = make(buffer, PROTOCOL)
        pickler.dispatch_table = REDUCERS
        try:
            pickler.dump(objects)
        except Exception:
            continue
        if make is HeldPickler:
            HOLDING.add(type(objects[0]))
        return "pickle", buffer.getvalue()
    return "dill", _dump_with_dill(objects)


HOLDING: set[type] = set()
"""The classes of first objects that pickle's own pickler refused, but not the other one."""


def _picklers(objects: Sequence[Any]) -> tuple[type[pickle.Pickler], ...]:
    """What may keep the objects, the most promising first."""
    if not has_held() or not objects:
        return (pickle.Pickler,)
    return (HeldPickler,) if type(objects[0]) in HOLDING else (pickle.Pickler, HeldPickler)


def dump_apart(objects: Sequence[Any]) -> list[bytes] | None:
    """The bytes of each object by itself; none if they are not everything that it may show in this company: if two of
    them share a part, one is a part of another or is known by a name, or pickle cannot keep one.

    >>> part = [[1]]
    >>> len(dump_apart([[1], [2]]) or ()), dump_apart([[part], [part]])
    (2, None)
    """
    picklers = _picklers(objects)
    return next((found for make in picklers if (found := _dumped_apart(objects, make)) is not None), None)


def _dumped_apart(objects: Sequence[Any], make: type[pickle.Pickler]) -> list[bytes] | None:
    buffer = io.BytesIO()
    pickler = make(buffer, PROTOCOL)
    pickler.dispatch_table = REDUCERS
    found: list[bytes] = []
    seen: dict[int, tuple[int, Any]] = {}
    try:
        for value in objects:
            pickler.dump(value)
            found.append(buffer.getvalue())
            if len(objects) > 1:
                parts = {id(value): (0, value)} if _is_flat(value) else pickler.memo.copy()
                if any(not _is_common(parts[key][1]) for key in seen.keys() & parts.keys()):
                    return None
                seen.update(parts)
            pickler.clear_memo()
            buffer.seek(0)
            buffer.truncate()
    except Exception:
        return None
    return None if any(map(_is_named, objects, found)) else found


BY_NAME = b"\x93\x94."
"""The end of a pickle that holds nothing but the name of a module's global."""


def _is_flat(value: Any) -> bool:
    """A container that cannot share anything, because it holds nothing but atoms."""
    cls = type(value)
    if cls is dict:
        return SIMPLE.issuperset(map(type, value)) and SIMPLE.issuperset(map(type, value.values()))
    return cls in FLAT and SIMPLE.issuperset(map(type, value))


FLAT = frozenset((list, tuple, set, frozenset, range))
SIMPLE = frozenset((int, str, bool, float, bytes, type(None)))


def _is_common(part: Any) -> bool:
    """What objects may share without being able to change it: atoms, and functions by their name."""
    return is_atom(part) or type(part) is FunctionType


def _is_named(value: Any, data: bytes) -> bool:
    """Known by a name, so that it may be shown by objects that do not hold it."""
    if data.endswith(BY_NAME):
        return not is_atom(value)
    return isinstance(REDUCERS.get(type(value)), _Singly) and id(value) in SINGLETONS


def _dump_with_dill(objects: list[Any]) -> bytes:
    try:
        data: bytes = dill.dumps(objects, protocol=PROTOCOL)
        dill.loads(data)
    except Exception as error:
        raise Uncopyable(f"{type(error).__name__}: {error}") from None
    return data


def load(codec: str, data: bytes) -> list[Any]:
    """The objects again, as new copies. Never call this outside a worker."""
    objects: list[Any] = pickle.loads(data) if codec == "pickle" else dill.loads(data)
    return objects


class _Reducers(dict[type, Callable[[Any], Any]]):
    """For each class the function that takes its objects apart; found once for each class."""

    def __missing__(self, cls: type) -> Callable[[Any], Any]:
        if issubclass(cls, type):
            self[cls] = _by_name
        elif issubclass(cls, enum.Enum):
            self[cls] = _member
        else:
            self[cls] = _taking_raw(cls) if _wants_raw(cls) else DEFAULT
        return self[cls]


SINGLETONS: dict[int, tuple[Any, str, str]] = {}
"""Objects that modules and classes of the subject hold by a name, such as sentinels: each with its module and name."""


def keep_singletons(modules: Sequence[ModuleType]) -> None:
    """From now on these objects are not copied: loaded, they are what they were, so that `is` still finds them."""
    for module in modules:
        held = [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
        own = [cls for _, cls in held if is_class(cls) and cls.__module__ == module.__name__]
        held += [(f"{cls.__qualname__}.{name}", value) for cls in own for name, value in vars(cls).items()]
        for name, value in held:
            cls = type(value)
            if (_is_python(cls) or cls is object) and not is_atom(value) and not hasattr(cls, "__get__"):
                SINGLETONS.setdefault(id(value), (value, module.__name__, name))
                if not isinstance(REDUCERS[cls], _Singly):
                    REDUCERS[cls] = _Singly(REDUCERS[cls])


def singletons() -> list[tuple[str, Any]]:
    """Each with the name by which it is known."""
    return [(f"{module}.{name}", value) for value, module, name in SINGLETONS.values()]


class _Singly:
    """Takes an object apart, unless it is known by a name."""

    def __init__(self, otherwise: Callable[[Any], Any]) -> None:
        self.otherwise = otherwise

    def __call__(self, value: Any) -> Any:
        found = SINGLETONS.get(id(value))
        return (named, found[1:]) if found else self.otherwise(value)


def _by_name(cls: type) -> str:
    """A class is found again by its name, whatever its metaclass."""
    return cls.__qualname__


def _member(value: enum.Enum) -> Any:
    """A member of an enum is found again by its name; flags that were put together have none."""
    name = value._name_
    if name is None or type(value).__members__.get(name) is not value:
        return DEFAULT(value)
    return getattr, (type(value), name)


def _new_lock(lock: Any) -> Any:
    """Between two calls a lock is free: a new one is as good, and it is what pickle could not keep."""
    return LOCKS[type(lock)], ()


LOCKS: dict[type, Callable[[], Any]] = {
    type(threading.Lock()): threading.Lock,
    type(threading.RLock()): threading.RLock,
}
REDUCERS = _Reducers(dict.fromkeys(LOCKS, _new_lock))
for _lock in LOCKS:  # dill has its own way with locks, which restores them locked
    dill.register(_lock)(lambda pickler, lock: pickler.save_reduce(*_new_lock(lock), obj=lock))


def _is_python(cls: type) -> bool:
    """Made by a class statement, not in C."""
    return bool(cls.__flags__ & HEAP_TYPE) and "__module__" in vars(cls)


def _wants_raw(cls: type) -> bool:
    if issubclass(cls, type) or not _is_python(cls):
        return False
    made = [base for base in cls.__mro__ if _is_python(base)]
    own_way = any(name in vars(base) for base in made for name in OWN_WAYS)
    return (own_way or issubclass(cls, MUTABLE)) and all(_is_python(b) or b in RAW_BASES for b in cls.__mro__)


RAW_BASES = {object, *MUTABLE, *IMMUTABLE}


def _taking_raw(cls: type) -> Callable[[Any], Any]:
    """The function that takes objects of this class apart by their raw state."""
    base = next((base for base in (*MUTABLE, *IMMUTABLE) if issubclass(cls, base)), object)
    fixes, fills, has_slots = base in IMMUTABLE, base in MUTABLE, bool(_members(cls))

    def raw(value: Any) -> Any:
        fixed = _content(base, value) if fixes else None
        content = _content(base, value) if fills else None
        attributes = getattr(value, "__dict__", None) and dict(object.__getattribute__(value, "__dict__"))
        state = (base, content, attributes, _slots(value) if has_slots else [])
        return _rebuild, (cls, base, fixed), state, None, None, _restore

    return raw


COPIES: dict[type, Callable[[Any], Any]] = {
    str: str.__str__, bytes: bytes.__bytes__, int: int.__int__, float: float.__float__, complex: complex.__complex__,
}  # fmt: skip


def _content(base: type, value: Any) -> Any:
    if base is OrderedDict:
        return list(OrderedDict.items(value))
    if issubclass(base, dict):
        return list(dict.items(value))
    if base in COPIES:
        return COPIES[base](value)
    return list(base.__iter__(value))  # type: ignore[attr-defined]


def _slots(value: Any) -> list[tuple[int, str, Any]]:
    """The values in `__slots__`, each with the place of the class that declares it and its name."""
    found = []
    for place, name, member in _members(type(value)):
        try:
            found.append((place, name, member.__get__(value)))
        except AttributeError:
            continue
    return found


MEMBERS: dict[type, list[tuple[int, str, Any]]] = {}


def _members(cls: type) -> list[tuple[int, str, Any]]:
    """The descriptors of `__slots__`, found once for each class."""
    if cls not in MEMBERS:
        MEMBERS[cls] = [
            (place, name, member)
            for place, base in enumerate(cls.__mro__)
            for name, member in vars(base).items()
            if isinstance(member, MemberDescriptorType) and _is_python(base)
        ]
    return MEMBERS[cls]


def _rebuild(cls: type, base: type, fixed: Any) -> Any:
    make: Callable[..., Any] = base.__new__
    return make(cls, fixed) if fixed is not None else make(cls)


def _restore(value: Any, state: tuple[type, Any, dict[str, Any] | None, list[tuple[int, str, Any]]]) -> None:
    base, content, attributes, slots = state
    if attributes:
        object.__getattribute__(value, "__dict__").update(attributes)
    for place, name, item in slots:
        vars(type(value).__mro__[place])[name].__set__(value, item)
    if issubclass(base, dict):
        for key, item in content:
            base.__setitem__(value, key, item)
    elif base is list:
        list.extend(value, content)
    elif base is set:
        set.update(value, content)
