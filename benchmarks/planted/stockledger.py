"""Stock keeping over a tree of locations, with reservations.

Locations are named by paths ("north/aisle-1/bin-3").  Goods lie in leaf
locations; every location above knows the totals of what is below it.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Dict, Iterator, List, Optional


class LedgerError(Exception):
    """Base class of all errors raised on purpose here."""


class NoSuchLocation(LedgerError, KeyError):
    pass


class NotALeaf(LedgerError):
    pass


class InsufficientStock(LedgerError):
    pass


class NoSuchReservation(LedgerError, KeyError):
    pass


@dataclass(eq=False)
class Location:
    name: str
    parent: Optional["Location"] = field(default=None, repr=False)
    children: Dict[str, "Location"] = field(default_factory=dict, repr=False)
    on_hand: Counter = field(default_factory=Counter)
    reserved: Counter = field(default_factory=Counter)

    @property
    def path(self) -> str:
        above = self.parent.path if self.parent else ""
        return f"{above}/{self.name}" if above else self.name

    def walk(self) -> Iterator["Location"]:
        yield self
        for child in self.children.values():
            yield from child.walk()

    def book(self, sku: str, on_hand: int = 0, reserved: int = 0) -> None:
        """Change the figures here and in every location above."""
        node: Optional[Location] = self
        while node is not None:
            for counter, change in ((node.on_hand, on_hand), (node.reserved, reserved)):
                counter[sku] += change
                if not counter[sku]:
                    del counter[sku]
            node = node.parent


@dataclass
class Reservation:
    number: int
    path: str
    sku: str
    remaining: int


class Ledger:
    """The whole warehouse.

    Invariants, checked by ``verify``: nothing is negative, nowhere is more
    reserved than on hand, totals agree with the leaves, and the reserved
    figures agree with the open reservations.
    """

    def __init__(self) -> None:
        self._root = Location("")
        self._reservations: Dict[int, Reservation] = {}
        self._numbers = count(1)

    def add_location(self, path: str) -> None:
        """Create a location and what is missing above it."""
        if "" in path.split("/"):
            raise ValueError(f"bad path: {path!r}")
        node = self._root
        for name in path.split("/"):
            if name not in node.children:
                if node.on_hand and not node.children:
                    raise LedgerError(f"{node.path} holds stock and cannot be divided")
                node.children[name] = Location(name, node)
            node = node.children[name]

    def _node(self, path: str) -> Location:
        node = self._root
        for name in path.split("/") if path else ():
            try:
                node = node.children[name]
            except KeyError:
                raise NoSuchLocation(path) from None
        return node

    def _leaf(self, path: str) -> Location:
        node = self._node(path)
        if node.children or node is self._root:
            raise NotALeaf(path)
        return node

    # ---- figures; the path "" means everywhere

    def on_hand(self, sku: str, path: str = "") -> int:
        return self._node(path).on_hand[sku]

    def reserved(self, sku: str, path: str = "") -> int:
        return self._node(path).reserved[sku]

    def available(self, sku: str, path: str = "") -> int:
        return self.on_hand(sku, path) - self.reserved(sku, path)

    def find(self, sku: str) -> List[str]:
        """Paths of the leaves where the article lies."""
        return [n.path for n in self._root.walk() if not n.children and n.on_hand[sku]]

    @staticmethod
    def _check(quantity: int) -> None:
        if quantity <= 0:
            raise ValueError(f"quantity must be positive, not {quantity}")

    def _take(self, path: str, sku: str, quantity: int) -> Location:
        self._check(quantity)
        leaf = self._leaf(path)
        free = leaf.on_hand[sku] - leaf.reserved[sku]
        if quantity > free:
            raise InsufficientStock(f"{sku} at {path}: {quantity} wanted, {free} free")
        return leaf

    def receive(self, path: str, sku: str, quantity: int) -> None:
        self._check(quantity)
        self._leaf(path).book(sku, on_hand=quantity)

    def issue(self, path: str, sku: str, quantity: int) -> None:
        self._take(path, sku, quantity).book(sku, on_hand=-quantity)

    def transfer(self, source: str, target: str, sku: str, quantity: int) -> None:
        """Move unreserved goods; nothing happens if it is not possible."""
        to = self._leaf(target)
        self._take(source, sku, quantity).book(sku, on_hand=-quantity)
        to.book(sku, on_hand=quantity)

    # ---- reservations

    def reserve(self, path: str, sku: str, quantity: int) -> int:
        """Set goods aside; returns the number of the reservation."""
        self._take(path, sku, quantity).book(sku, reserved=quantity)
        entry = Reservation(next(self._numbers), path, sku, quantity)
        self._reservations[entry.number] = entry
        return entry.number

    def _entry(self, number: int) -> Reservation:
        try:
            return self._reservations[number]
        except KeyError:
            raise NoSuchReservation(number) from None

    def release(self, number: int) -> None:
        """Cancel what is left of a reservation."""
        entry = self._entry(number)
        self._leaf(entry.path).book(entry.sku, reserved=-entry.remaining)
        del self._reservations[number]

    def fulfil(self, number: int, quantity: Optional[int] = None) -> None:
        """Hand out reserved goods, all of them or just *quantity*."""
        entry = self._entry(number)
        if quantity is None:
            quantity = entry.remaining
        self._check(quantity)
        if quantity > entry.remaining:
            raise InsufficientStock(f"only {entry.remaining} left in reservation {number}")
        leaf = self._leaf(entry.path)
        leaf.book(entry.sku, on_hand=-quantity, reserved=-quantity)
        entry.remaining -= quantity
        if not entry.remaining:
            del self._reservations[number]

    def verify(self) -> None:
        """AssertionError if the books are wrong."""
        open_by_path: Dict[str, Counter] = {}
        for entry in self._reservations.values():
            open_by_path.setdefault(entry.path, Counter())[entry.sku] += entry.remaining
        for node in self._root.walk():
            for sku in node.on_hand.keys() | node.reserved.keys():
                assert 0 <= node.reserved[sku] <= node.on_hand[sku], (node.path, sku)
            if node.children:
                below = list(node.children.values())
                assert node.on_hand == sum((c.on_hand for c in below), Counter()), node.path
                assert node.reserved == sum((c.reserved for c in below), Counter()), node.path
            else:
                assert node.reserved == open_by_path.get(node.path, Counter()), node.path
