"""Objects survive the way to bytes and back with their raw state, and what they share stays shared."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from stateful.subject.held import keep_functions
from stateful.subject.snapshots import Uncopyable, distinct, dump, dump_apart, keep_singletons, load
from tests.subjects import holding, odd, shapes


def copied(value: Any) -> Any:
    codec, data = dump([value])
    return load(codec, data)[0]


def test_a_classs_own_pickling_is_not_asked() -> None:
    assert copied(shapes.OwnPickling([3, 1, 2])).items == [3, 1, 2]


def test_containers_are_filled_without_their_own_methods() -> None:
    keyed = shapes.Keyed()
    keyed["a"] = 1
    assert list(copied(keyed).items()) == [("a", [1])]
    numbers = copied(shapes.Numbers([3, 4]))
    assert (list(numbers), numbers.extra, type(numbers)) == ([3, 4], 2, shapes.Numbers)


def test_slots_keep_what_is_set_and_what_is_not() -> None:
    copy = copied(shapes.Slotted([1]))
    assert copy.left == [1]
    assert not hasattr(copy, "right")


def test_frozen_and_immutable_objects() -> None:
    assert copied(shapes.Point(1, 2)) == shapes.Point(1, 2)
    assert (copied(shapes.Celsius(2.5)), type(copied(shapes.Celsius(2.5)))) == (2.5, shapes.Celsius)


def test_sharing_and_cycles_survive() -> None:
    shared: list[Any] = []
    a, b = shapes.Slotted(shared), shapes.Slotted(shared)
    a.right = b
    b.right = a
    codec, data = dump([a, b])
    x, y = load(codec, data)
    assert x.left is y.left
    assert x.right is y
    assert y.right is x


def test_two_dumps_of_a_loaded_snapshot_are_the_same_bytes() -> None:
    codec, data = dump([shapes.Numbers([1]), shapes.Slotted({"a": 1})])
    assert dump(load(codec, data)) == (codec, data)


def test_what_dill_only_seems_to_keep_is_refused() -> None:
    with pytest.raises(Uncopyable):
        dump([shapes.Locked()])


def test_lambdas_go_to_dill() -> None:
    codec, data = dump([lambda x: x + 1])
    assert codec == "dill"
    assert load(codec, data)[0](1) == 2


def test_atoms_are_one_object_by_type_and_value() -> None:
    one: list[int] = []
    objects, indices = distinct([one, 1, True, 1.0, one, [], 1])
    assert indices == [0, 1, 2, 3, 0, 4, 1]
    assert len(objects) == 5


def test_the_order_of_an_ordered_dict_is_part_of_the_state() -> None:
    keyed = shapes.Keyed()
    for key in (1, 2, 3):
        keyed[key] = key
    before = dump([keyed])
    keyed.move_to_end(1)
    after = dump([keyed])
    assert before != after
    assert list(copied(keyed)) == [2, 3, 1]


def test_an_object_that_its_module_holds_by_a_name_is_not_copied() -> None:
    keep_singletons([odd])
    missing, gate = load(*dump([odd.MISSING, odd.open_gate("x")]))
    assert missing is odd.MISSING
    assert gate.word == "x"


def test_a_function_that_a_class_or_a_table_holds_is_not_copied() -> None:
    keep_functions([holding])
    by_name, by_place, wrapped = holding.Sorter("size"), holding.Sorter("table"), holding.Sorter("wrapped")
    codec, data = dump([by_name, by_place, wrapped])
    assert codec == "pickle"
    copies = load(codec, data)
    assert copies[0].key is holding.Sorter.by_size
    assert copies[1].key is holding.KEYS["text"]
    assert copies[2].key is holding.traced_length
    assert dump_apart([by_place, 3]) == [dump_apart([by_place])[0], dump_apart([3])[0]]  # type: ignore[index]
    assert dump([by_place, lambda: None])[0] == "dill"


class Bound(enum.Enum):
    OPEN = False
    CLOSED = True

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


def test_a_member_of_an_enum_stays_itself() -> None:
    codec, data = dump([[Bound.OPEN, Bound.CLOSED, Rights.READ, Rights.READ | Rights.WRITE]])
    (members,) = load(codec, data)
    assert members[0] is Bound.OPEN
    assert members[1] is Bound.CLOSED
    assert members[2] is Rights.READ
    assert members[3] == Rights.READ | Rights.WRITE
