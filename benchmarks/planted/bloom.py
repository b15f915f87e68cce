"""Bloom filter, a rope, and a generic repository by ABC."""

import abc
import dataclasses
import hashlib
import threading
import typing as t


class BloomFilter:
    """May say yes wrongly, never no."""

    def __init__(self, capacity: int = 100, error_rate: float = 0.01):
        import math

        if capacity < 1:
            raise ValueError("capacity must be positive")
        if not 0 < error_rate < 1:
            raise ValueError("error_rate must be between 0 and 1")
        self.capacity = capacity
        self.bits = max(8, math.ceil(-capacity * math.log(error_rate) / math.log(2) ** 2))
        self.hashes = max(1, round(self.bits / capacity * math.log(2)))
        self._array = bytearray(-(-self.bits // 8))
        self.count = 0

    def _positions(self, item: str) -> t.Iterator[int]:
        digest = hashlib.sha256(item.encode("utf-8", "surrogatepass")).digest()
        a = int.from_bytes(digest[:8], "big")
        b = int.from_bytes(digest[8:16], "big") | 1
        for i in range(self.hashes):
            yield (a + i * b) % self.bits

    def add(self, item: str) -> bool:
        """Add an item; whether it was certainly new."""
        new = False
        for position in self._positions(item):
            byte, bit = divmod(position, 8)
            if not self._array[byte] >> bit & 1:
                self._array[byte] |= 1 << bit
                new = True
        self.count += new
        return new

    def __contains__(self, item: str) -> bool:
        return all(self._array[p // 8] >> p % 8 & 1 for p in self._positions(item))

    def union(self, other: "BloomFilter") -> "BloomFilter":
        if (self.bits, self.hashes) != (other.bits, other.hashes):
            raise ValueError("filters differ")
        new = self.copy()
        for i, byte in enumerate(other._array):
            new._array[i] |= byte
        new.count = max(self.count, other.count)
        return new

    def copy(self) -> "BloomFilter":
        new = BloomFilter.__new__(BloomFilter)
        new.__dict__.update(self.__dict__)
        new._array = bytearray(self._array)
        return new

    def clear(self) -> None:
        self._array = bytearray(len(self._array))
        self.count = 0

    def __bool__(self) -> bool:
        return any(self._array)


ID = t.TypeVar("ID", int, str)
E_co = t.TypeVar("E_co", bound="Entity")


@dataclasses.dataclass
class Entity:
    id: int
    version: int = dataclasses.field(default=0, compare=False)


@dataclasses.dataclass
class User(Entity):
    name: str = ""
    tags: t.List[str] = dataclasses.field(default_factory=list)

    def rename(self, name: str) -> None:
        if not name:
            raise ValueError("empty name")
        self.name = name
        self.version += 1


class Conflict(Exception):
    pass


class Repository(abc.ABC, t.Generic[E_co]):
    @abc.abstractmethod
    def _load(self, id: int) -> t.Optional[E_co]: ...

    @abc.abstractmethod
    def _store(self, entity: E_co) -> None: ...

    @abc.abstractmethod
    def __len__(self) -> int: ...

    def get(self, id: int) -> E_co:
        entity = self._load(id)
        if entity is None:
            raise LookupError(id)
        return entity

    def save(self, entity: E_co) -> None:
        """Store an entity; its version must not be older than the stored one."""
        old = self._load(entity.id)
        if old is not None and old.version > entity.version:
            raise Conflict(entity.id)
        self._store(entity)


class UserRepository(Repository[User]):
    def __init__(self) -> None:
        self._users: t.Dict[int, User] = {}
        self._by_name: t.Dict[str, t.Set[int]] = {}
        self._lock = threading.RLock()

    def _load(self, id: int) -> t.Optional[User]:
        with self._lock:
            found = self._users.get(id)
            return None if found is None else dataclasses.replace(found, tags=list(found.tags))

    def _unindex(self, user: User) -> None:
        ids = self._by_name[user.name]
        ids.remove(user.id)
        if not ids:
            del self._by_name[user.name]

    def _store(self, entity: User) -> None:
        with self._lock:
            old = self._users.get(entity.id)
            if old is not None:
                self._unindex(old)
            self._users[entity.id] = dataclasses.replace(entity, tags=list(entity.tags))
            self._by_name.setdefault(entity.name, set()).add(entity.id)

    def delete(self, id: int) -> None:
        with self._lock:
            user = self._users.pop(id, None)
            if user is None:
                raise LookupError(id)
            self._unindex(user)

    def by_name(self, name: str) -> t.List[User]:
        with self._lock:
            return [self.get(id) for id in sorted(self._by_name.get(name, ()))]

    def names(self) -> t.List[str]:
        return sorted(self._by_name)

    def __len__(self) -> int:
        return len(self._users)

    @classmethod
    def of(cls, *users: User) -> "UserRepository":
        new = cls()
        for user in users:
            new.save(user)
        return new
