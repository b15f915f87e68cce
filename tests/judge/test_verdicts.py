"""Written contracts of every kind, called in a session: the outcome of each routine, and the reason in words."""

from __future__ import annotations

import pytest

from stateful.generate.session import RunOptions, run_session
from stateful.store.database import Database
from stateful.subject.target import Target

MODULE = "tests.subjects.contracted"
Seen = dict[str, dict[str, set[str]]]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """For each routine the outcomes that were met, each with its reasons."""
    with Database.create(tmp_path_factory.mktemp("verdicts") / "run.db") as database:
        run_session(database, [Target(MODULE)], RunOptions(seed=1, tests=6000, coverage=False))
        rows = database.rows("SELECT DISTINCT routine, outcome, reason FROM calls")
    found: Seen = {}
    for routine, outcome, reason in rows:
        found.setdefault(routine.partition(":")[2], {}).setdefault(outcome, set()).add(reason)
    return found


@pytest.mark.parametrize(
    ("routine", "outcomes", "reason"),
    [
        ("Account.refuses_a_wrong_amount", {"pass", "refuse"}, "a written precondition is false"),
        ("Account.fails_its_promise", {"fail"}, "a written contract is broken"),
        ("Account.fails_its_promise_about_before", {"fail"}, "a written contract is broken"),
        ("Account.fails_the_invariant", {"fail"}, "a written contract is broken"),
        ("Account.fails_by_calling_wrongly", {"fail"}, "a written contract is broken"),
        ("Account.fails_by_calling_what_calls_wrongly", {"fail"}, "a written contract is broken"),
        ("Account.refuses_by_a_guard", {"pass", "refuse"}, "raises ValueError by a raise statement of the subject"),
        ("Account.refuses_by_an_assert", {"pass", "refuse"}, "a leading assert of the routine is false"),
        ("Account.fails_an_assert_about_itself", {"fail"}, "an assert of the subject is broken"),
        ("Account.refuses_what_is_not_written", {"refuse"}, "raises NotImplementedError: it is not implemented"),
        ("Savings.refuses_a_wrong_amount", {"pass", "refuse"}, "a written precondition is false"),
        ("Savings.fails_its_promise", {"fail"}, "a written contract is broken"),
        ("Savings.fails_by_calling_wrongly", {"fail"}, "a written contract is broken"),
        ("Ticket.refuses_too_few_times", {"pass", "refuse"}, "a written precondition is false"),
        ("Ticket.fails_its_promise", {"fail"}, "a written contract is broken"),
        ("Ticket.fails_its_promise_about_arguments", {"fail"}, "a written contract is broken"),
        ("Ticket.refuses_as_it_announces", {"refuse"}, "raises KeyError as it announces"),
        ("Ticket.fails_the_invariant", {"fail"}, "a written contract is broken"),
        ("Ticket.fails_by_calling_wrongly", {"fail"}, "a written contract is broken"),
        ("Documented.refuses_as_documented", {"refuse"}, "raises StopIteration as it announces"),
        ("Documented.fails_silently", {"fail"}, "an exception that nothing announces"),
    ],
)
def test_each_contract_has_its_outcome_and_reason(seen: Seen, routine: str, outcomes: set[str], reason: str) -> None:
    found = seen[routine]
    assert outcomes <= found.keys() <= outcomes | {"refuse"}
    decisive = "fail" if "fail" in outcomes else "refuse"
    assert any(reason in each for each in found[decisive]), found[decisive]


def test_an_argument_that_contradicts_its_annotation_is_refused(seen: Seen) -> None:
    reasons = seen["Documented.refuses_an_annotation"].get("refuse", {"argument `key` contradicts its annotation"})
    assert reasons == {"argument `key` contradicts its annotation"}
