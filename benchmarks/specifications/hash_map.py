"""A map from strings to integers in buckets."""

from __future__ import annotations

from collections.abc import Iterator


class HashMap:
    """Each key has one value."""

    def __init__(self) -> None:
        self._buckets: list[list[tuple[str, int]]] = [[], [], [], []]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        """The keys, in no order."""
        return (key for bucket in self._buckets for key, _ in bucket)

    def __contains__(self, key: str) -> bool:
        return any(known == key for known, _ in self._bucket(key))

    def __getitem__(self, key: str) -> int:
        for known, value in self._bucket(key):
            if known == key:
                return value
        raise KeyError(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HashMap) and dict(self) == dict(other)

    def keys(self) -> list[str]:
        """The keys, in no order."""
        return list(self)

    def values(self) -> list[int]:
        """The values, in the order of the keys."""
        return [value for bucket in self._buckets for _, value in bucket]

    def is_empty(self) -> bool:
        """Is there no key?"""
        return self._count == 0

    def get(self, key: str, default: int) -> int:
        """The value of `key`, or `default` if it has none."""
        for known, value in self._bucket(key):
            if known == key:
                return value
        return default

    def put(self, key: str, value: int) -> None:
        """Give `key` a value, whether it had one or not."""
        bucket = self._bucket(key)
        for index, (known, _) in enumerate(bucket):
            if known == key:
                bucket[index] = (key, value)
                return
        bucket.append((key, value))
        self._count += 1

    def setdefault(self, key: str, value: int) -> int:
        """Give `key` a value if it has none; returns the one that it has then."""
        if key not in self:
            self.put(key, value)
        return self[key]

    def delete(self, key: str) -> None:
        """Remove `key` and its value."""
        self.pop(key)

    def pop(self, key: str) -> int:
        """Remove `key` and return its value."""
        value = self[key]
        self._bucket(key).remove((key, value))
        self._count -= 1
        return value

    def rename(self, key: str, name: str) -> None:
        """Move the value of `key` to the new key `name`."""
        if key not in self:
            raise KeyError(key)
        if name in self:
            raise ValueError("this key is taken")
        self.put(name, self.pop(key))

    def update(self, other: HashMap) -> None:
        """Take over the keys and values of `other`."""
        for key in list(other):
            self.put(key, other[key])

    def clear(self) -> None:
        """Remove all keys."""
        self._buckets = [[], [], [], []]
        self._count = 0

    def _bucket(self, key: str) -> list[tuple[str, int]]:
        return self._buckets[hash(key) % len(self._buckets)]
