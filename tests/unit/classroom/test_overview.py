"""The overview: runs of members while the class lasts, and their cost; for the teacher."""

from __future__ import annotations

import pytest

from core.classroom.overview import Overview
from core.drawings.side_by_side import cost
from core.runs.record import record
from core.runs.workbench import Workbench
from core.trace.events import now
from core.users import NotAllowed, User
from tests import examples
from tests.unit.classroom.a_class import BEN, MIA, THE_TEACHER, a_class, end, join, run
from tests.unit.classroom.conftest import PRICES


def listed(overview: Overview) -> list[str]:
    return [line.run.id for line in overview.runs()]


def test_only_the_teacher_opens_it(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    for user in (User(MIA), User(BEN), User()):
        with pytest.raises(NotAllowed, match="Only the teacher of this class"):
            Overview(bench, classroom, user)


def test_runs_count_from_joining_to_the_end(bench: Workbench) -> None:
    classroom = a_class(bench)
    run(bench, MIA, minutes=-1)  # before she joined
    join(bench, classroom, MIA, "Mia")
    first, later = run(bench, MIA, minutes=0.1), run(bench, MIA, "rag-fusion", minutes=1)
    run(bench, BEN)  # no member
    overview = Overview(bench, classroom, THE_TEACHER)
    assert listed(overview) == [later, first]
    over = end(bench, classroom)
    assert listed(Overview(bench, over, THE_TEACHER)) == []


def test_a_member_of_another_class_is_not_listed(bench: Workbench) -> None:
    mine, other = a_class(bench), a_class(bench)
    join(bench, mine, MIA)
    join(bench, other, BEN)
    run(bench, BEN)
    key = run(bench, MIA)
    assert listed(Overview(bench, mine, THE_TEACHER)) == [key]


@pytest.mark.parametrize("count", [None, 12])
def test_calls_tokens_and_cost_are_those_of_the_whole_record(bench: Workbench, count: int | None) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    keys = {run(bench, MIA, name, count=count): name for name in examples.RUNS}
    for line in Overview(bench, classroom, THE_TEACHER).runs():
        whole = record(bench.store.events(line.run.id))
        found, totals = line.totals, whole.totals
        assert (found.calls, found.tokens_in, found.tokens_out) == (
            totals.calls,
            totals.tokens_in,
            totals.tokens_out,
        ), keys[line.run.id]
        assert line.dollars == cost(whole, PRICES)


def test_a_run_that_goes_on_is_read_again(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    key = run(bench, MIA, "rag-fusion", count=3)
    overview = Overview(bench, classroom, THE_TEACHER)
    (before,) = overview.runs()
    bench.store.append(key, examples.rag_fusion()[3:])
    (after,) = overview.runs()
    assert (before.run.state, after.run.state) == ("running", "finished")
    assert before.totals.calls < after.totals.calls


def test_forks_count_what_they_paid_themselves(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    events = examples.forked()
    started = events[0].model_copy(update={"run": "fork", "created": now()})
    numbered = enumerate([started, *events[1:]])
    bench.store.append("fork", [one.model_copy(update={"seq": place}) for place, one in numbered], MIA)
    (line,) = Overview(bench, classroom, THE_TEACHER).runs()
    assert line.totals.calls == record(events).totals.calls < len(record(events).calls)


def test_names_tell_members_apart(bench: Workbench) -> None:
    classroom = a_class(bench)
    nicknames = ["Mia", "", "Ben", "Mia", "", "Ben (1)", "no name (2)"]
    for number, nickname in enumerate(nicknames):
        join(bench, classroom, f"{number:032x}", nickname)
    assert list(Overview(bench, classroom, THE_TEACHER).names().values()) == [
        "Mia (1)",
        "no name (2)",
        "Ben",
        "Mia (4)",
        "no name (5)",
        "Ben (1) (6)",
        "no name (2) (7)",
    ]
