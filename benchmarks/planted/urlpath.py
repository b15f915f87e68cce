"""URL-like object, and form with nested field classes collected by a metaclass."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Union


class URL:
    """An immutable URL.

    >>> URL("http", "example.org", "/a/b") / "c"
    URL('http://example.org/a/b/c')
    """

    __slots__ = ("scheme", "host", "path", "query")

    scheme: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]

    def __init__(self, scheme: str, host: str, path: str = "/", query: tuple[tuple[str, str], ...] = ()) -> None:
        object.__setattr__(self, "scheme", scheme.lower())
        object.__setattr__(self, "host", host.lower())
        object.__setattr__(self, "path", path if path.startswith("/") else "/" + path)
        object.__setattr__(self, "query", tuple(query))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"URL is immutable: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"URL is immutable: {name}")

    def __getstate__(self) -> tuple[Any, ...]:
        return (self.scheme, self.host, self.path, self.query)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, state):
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, text: str) -> URL:
        """
        Raises:
            ValueError: if there is no scheme or host
        """
        scheme, separator, rest = text.partition("://")
        if not separator or not scheme:
            raise ValueError("no scheme")
        rest, _, query = rest.partition("?")
        host, slash, path = rest.partition("/")
        if not host:
            raise ValueError("no host")
        pairs = tuple((k, v) for k, _, v in (part.partition("=") for part in query.split("&") if part))
        return cls(scheme, host, slash + path or "/", pairs)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part for part in self.path.split("/") if part)

    @property
    def name(self) -> str:
        return self.parts[-1] if self.parts else ""

    @property
    def parent(self) -> URL:
        return URL(self.scheme, self.host, "/" + "/".join(self.parts[:-1]), self.query)

    def __truediv__(self, name: str) -> URL:
        if not isinstance(name, str):
            return NotImplemented
        return URL(self.scheme, self.host, self.path.rstrip("/") + "/" + name.lstrip("/"), self.query)

    def with_query(self, **values: str) -> URL:
        """Set some values of the query."""
        kept = tuple((k, v) for k, v in self.query if k not in values)
        return URL(self.scheme, self.host, self.path, kept + tuple(values.items()))

    def without_query(self) -> URL:
        return URL(self.scheme, self.host, self.path)

    def get(self, key: str, default: str | None = None) -> str | None:
        for name, value in self.query:
            if name == key:
                return value
        return default

    def is_relative_to(self, other: URL) -> bool:
        return (self.scheme, self.host) == (other.scheme, other.host) and self.parts[: len(other.parts)] == other.parts

    def _key(self) -> tuple[Any, ...]:
        return (self.scheme, self.host, self.path, self.query)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, URL):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        query = "&".join(f"{k}={v}" for k, v in self.query)
        return f"{self.scheme}://{self.host}{self.path}" + (f"?{query}" if query else "")

    def __repr__(self) -> str:
        return f"URL({str(self)!r})"


class FormMeta(type):
    """Collects the fields of a form, also those of its bases."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> FormMeta:
        fields: dict[str, Form.Field] = {}
        for base in bases:
            fields.update(getattr(base, "fields", {}))
        cls = super().__new__(mcls, name, bases, namespace)
        field_class = namespace.get("Field") or (Form.Field if bases else None)
        for key, value in namespace.items():
            if field_class is not None and isinstance(value, field_class):
                fields[key] = value
        cls.fields = fields  # type: ignore[attr-defined]
        return cls


class Form(metaclass=FormMeta):
    """Subclasses declare fields; an instance binds data to them."""

    class Error(Exception):
        def __init__(self, problems: dict[str, str]) -> None:
            super().__init__(", ".join(f"{k}: {v}" for k, v in problems.items()))
            self.problems = problems

    class Field:
        def __init__(self, required: bool = True, strip: bool = True) -> None:
            self.required = required
            self.strip = strip

        def clean(self, text: str) -> Any:
            """
            Raises:
                ValueError: if text is no value of this field
            """
            if self.strip:
                text = text.strip()
            if self.required and not text:
                raise ValueError("required")
            return text

    class IntField(Field):
        def clean(self, text: str) -> Any:
            text = super().clean(text)
            return int(text) if text else None

    fields: dict[str, Any]

    def __init__(self, data: Mapping[str, str] | None = None) -> None:
        self.data = dict(data or {})
        self._errors: dict[str, str] | None = None
        self.cleaned: dict[str, Any] = {}

    @property
    def errors(self) -> dict[str, str]:
        if self._errors is None:
            self._errors = {}
            self.cleaned = {}
            for name, each in self.fields.items():
                try:
                    self.cleaned[name] = each.clean(self.data.get(name, ""))
                except ValueError as error:
                    self._errors[name] = str(error)
        return dict(self._errors)

    def is_valid(self) -> bool:
        return not self.errors

    def set(self, name: str, text: str) -> None:
        if name not in self.fields:
            raise KeyError(name)
        self.data[name] = text
        self._errors = None

    def save(self) -> dict[str, Any]:
        if not self.is_valid():
            raise self.Error(self.errors)
        return dict(self.cleaned)


class SignUp(Form):
    user = Form.Field()
    age = Form.IntField(required=False)


class Login(SignUp):
    password = Form.Field(strip=False)

    def save(self) -> dict[str, Any]:
        values = super().save()
        values["password"] = "*" * len(values["password"])
        return values
