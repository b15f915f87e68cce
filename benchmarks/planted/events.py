"""Event emitter with callbacks, weak observers, and a plugin registry."""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import Any, Callable, ClassVar, Iterator, Protocol, TypeVar, runtime_checkable

Handler = Callable[..., object]


class EventEmitter:
    """Calls handlers in the order in which they were added."""

    def __init__(self, max_listeners: int = 10) -> None:
        self._handlers: dict[str, list[tuple[Handler, bool]]] = {}
        self._max = max_listeners
        self._muted = 0

    def on(self, event: str, handler: Handler) -> Handler:
        """Add a handler.

        Raises:
            RuntimeError: if there are too many handlers of the event
        """
        return self._add(event, handler, False)

    def once(self, event: str, handler: Handler) -> Handler:
        return self._add(event, handler, True)

    def _add(self, event: str, handler: Handler, once: bool) -> Handler:
        handlers = self._handlers.setdefault(event, [])
        if self._max and len(handlers) >= self._max:
            raise RuntimeError(f"more than {self._max} handlers of {event!r}")
        handlers.append((handler, once))
        return handler

    def off(self, event: str, handler: Handler) -> bool:
        handlers = self._handlers.get(event, [])
        for i, (each, _) in enumerate(handlers):
            if each == handler:
                del handlers[i]
                if not handlers:
                    del self._handlers[event]
                return True
        return False

    def emit(self, event: str, *args: Any) -> int:
        """Call the handlers; how many were called."""
        if self._muted:
            return 0
        handlers = list(self._handlers.get(event, ()))
        for handler, once in handlers:
            if once:
                self.off(event, handler)
            handler(*args)
        return len(handlers)

    def listener_count(self, event: str) -> int:
        return len(self._handlers.get(event, ()))

    def event_names(self) -> list[str]:
        return sorted(event for event, handlers in self._handlers.items() if handlers)

    @contextmanager
    def muted(self) -> Iterator[EventEmitter]:
        self._muted += 1
        try:
            yield self
        finally:
            self._muted -= 1

    def remove_all(self, event: str | None = None) -> None:
        if event is None:
            self._handlers.clear()
        else:
            self._handlers.pop(event, None)


@runtime_checkable
class Observer(Protocol):
    def update(self, subject: Subject) -> None: ...


class Subject:
    """Tells observers, which it holds weakly, of changes of its value."""

    def __init__(self, value: int = 0) -> None:
        self._value = value
        self._observers: weakref.WeakSet[Observer] = weakref.WeakSet()

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        if value != self._value:
            self._value = value
            for observer in list(self._observers):
                observer.update(self)

    def attach(self, observer: Observer) -> None:
        self._observers.add(observer)

    def detach(self, observer: Observer) -> None:
        self._observers.discard(observer)

    def observers(self) -> int:
        return len(self._observers)


class Counter:
    """An observer that counts and remembers the largest."""

    def __init__(self) -> None:
        self.seen = 0
        self.largest: int | None = None

    def update(self, subject: Subject) -> None:
        self.seen += 1
        if self.largest is None or subject.value > self.largest:
            self.largest = subject.value


P = TypeVar("P", bound="type[Plugin]")


class Plugin:
    """Base of plugins; subclasses register themselves by name."""

    registry: ClassVar[dict[str, type[Plugin]]] = {}
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.name:
            Plugin.registry[cls.name] = cls

    @classmethod
    def create(cls, name: str) -> Plugin:
        """
        Raises:
            LookupError: if no plugin has the name
        """
        try:
            return cls.registry[name]()
        except KeyError:
            raise LookupError(f"no plugin {name!r}") from None

    @classmethod
    def alias(cls, alias: str, name: str) -> None:
        """Give a plugin another name.

        Raises:
            LookupError: if no plugin has the name
            ValueError: if the alias is taken
        """
        if alias in cls.registry:
            raise ValueError(alias)
        if name not in cls.registry:
            raise LookupError(name)
        cls.registry[alias] = cls.registry[name]

    def run(self, text: str) -> str:
        raise NotImplementedError


class Upper(Plugin):
    name = "upper"

    def run(self, text: str) -> str:
        return text.upper()


class Repeat(Plugin):
    name = "repeat"
    times: int = 2

    def run(self, text: str) -> str:
        return text * self.times
