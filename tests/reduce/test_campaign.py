"""How `stateful test` shares its time."""

from __future__ import annotations

import pytest

from stateful.reduce.campaign import LEAST_SHARE, MOST_SHARE, RANDOM_SHARE, SHARE_FOR_FAULTS, share_for_faults, share_of


def test_what_finds_more_per_second_gets_more_time() -> None:
    nothing = share_of({}, RANDOM_SHARE)
    assert nothing == pytest.approx(RANDOM_SHARE)
    assert share_of({True: 10}, RANDOM_SHARE) > nothing > share_of({False: 10}, RANDOM_SHARE)
    assert share_of({True: 4, False: 6}, 0.4) == pytest.approx((RANDOM_SHARE + 0.5) / 2)


@pytest.mark.parametrize("found", [{True: 1000.0}, {False: 1000.0}])
def test_neither_is_ever_starved(found: dict[bool, float]) -> None:
    assert LEAST_SHARE <= share_of(found, RANDOM_SHARE) <= MOST_SHARE


def test_many_faults_get_more_time_to_be_confirmed_but_not_all() -> None:
    shares = [share_for_faults(faults) for faults in (0, 1, 2, 1000)]
    assert 0 < shares[0] < shares[1] < shares[2] < shares[3] == SHARE_FOR_FAULTS < 0.5
