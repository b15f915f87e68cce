"""Numbers by digest behave as a dictionary, however many there are."""

from __future__ import annotations

import random

import pytest

from stateful.store.digests import FEWEST_RECENT, Digests


def test_digests_are_a_dictionary() -> None:
    chosen = random.Random(1)
    same_half = ["ab" * 8 + f"{number:016x}" for number in range(300)]  # more than a binary search can tell apart
    digests = [*same_half, "00" * 16, *(f"{chosen.getrandbits(128):032x}" for _ in range(2 * FEWEST_RECENT))]
    chosen.shuffle(digests)
    known = Digests([(bytes.fromhex(digests[0]), 1)])
    for number, digest in enumerate(digests[1:], 2):
        assert digest not in known
        known.add(digest, number)
    assert [known[digest] for digest in digests] == list(range(1, len(digests) + 1))
    assert len(known) == len(digests)
    assert known.get("ff" * 16) is None
    with pytest.raises(KeyError, match="ffff"):
        known["ff" * 16]
