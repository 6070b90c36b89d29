"""The overview: runs of members while the class lasts, their cost, right votes; for the teacher, in few queries."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from core.classroom import overview as overview_module
from core.classroom.overview import Overview
from core.classroom.store import class_store
from core.drawings.side_by_side import cost
from core.runs.record import record
from core.runs.workbench import Workbench
from core.trace.events import now
from core.users import NotAllowed, User
from tests import examples
from tests.unit.classroom.a_class import BEN, MIA, THE_TEACHER, a_class, end, join, question, run
from tests.unit.classroom.conftest import PRICES


def listed(overview: Overview, member: str = "") -> list[str]:
    return [line.run.id for line in overview.runs(member)]


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
    assert [person.runs for person in overview.people()] == [2]
    over = end(bench, classroom)
    assert listed(Overview(bench, over, THE_TEACHER)) == []
    (person,) = Overview(bench, over, THE_TEACHER).people()
    assert person.runs == 0


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
        spent, totals = line.spent, whole.totals
        name = keys[line.run.id]
        assert (name, spent.calls, spent.sent, spent.written) == (
            name,
            totals.calls,
            totals.tokens_in,
            totals.tokens_out,
        )
        assert spent.dollars == cost(whole, PRICES)


def test_a_run_that_goes_on_is_read_again(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    key = run(bench, MIA, "rag-fusion", count=3)
    overview = Overview(bench, classroom, THE_TEACHER)
    (before,) = overview.runs()
    bench.store.append(key, examples.rag_fusion()[3:])
    (after,) = overview.runs()
    assert (before.run.state, after.run.state) == ("running", "finished")
    assert before.spent.calls < after.spent.calls


def test_forks_count_what_they_paid_themselves(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA)
    events = examples.forked()
    started = events[0].model_copy(update={"run": "fork", "created": now()})
    numbered = enumerate([started, *events[1:]])
    bench.store.append("fork", [one.model_copy(update={"seq": place}) for place, one in numbered], MIA)
    (line,) = Overview(bench, classroom, THE_TEACHER).runs()
    assert line.spent.calls == record(events).totals.calls < len(record(events).calls)


def test_it_is_read_page_by_page_and_by_member(bench: Workbench) -> None:
    classroom = a_class(bench)
    for member in (MIA, BEN):
        join(bench, classroom, member)
    keys = [run(bench, member, minutes=place) for place, member in enumerate([MIA, BEN, MIA, MIA, BEN])][::-1]
    overview = Overview(bench, classroom, THE_TEACHER)
    assert [line.run.id for start in (0, 2, 4) for line in overview.runs("", start, 2)] == keys
    assert listed(overview, BEN) == [key for key in keys if key.startswith(BEN[0])]


def test_the_number_of_queries_does_not_grow_with_the_class(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    classroom = a_class(bench, question())
    overview = Overview(bench, classroom, THE_TEACHER)
    statements: list[str] = []
    for store in (overview._store, class_store(bench.settings.database)):
        event.listen(store.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    counts = []
    for size in (2, 30):
        for number in range(size):
            member = f"{size:016x}{number:016x}"
            join(bench, classroom, member)
            run(bench, member)
        statements.clear()
        monkeypatch.setattr(overview_module, "_SPENT", {})
        assert overview.people()
        assert len(overview.runs()) >= size
        overview.hand_ins()
        counts.append(len([one for one in statements if one.startswith("SELECT class") or "FROM" in one]))
    assert counts[0] == counts[1] <= 7


def test_right_votes_count_once_their_question_is_revealed(bench: Workbench) -> None:
    classroom = a_class(bench, question(), question(right="BC"), question())
    store = class_store(bench.settings.database)
    for member in (MIA, BEN):
        join(bench, classroom, member)
    for place, votes in enumerate(["AB", "BC", "AA"]):
        store.show(classroom.id, place, "open")
        for member, option in zip((MIA, BEN), votes, strict=True):
            assert store.vote(classroom.id, place, member, option)
        if place < 2:
            store.show(classroom.id, place, "revealed")
    people = Overview(bench, classroom, THE_TEACHER).people()
    assert [person.right for person in people] == [2, 1]


def test_names_tell_members_apart(bench: Workbench) -> None:
    classroom = a_class(bench)
    nicknames = ["Mia", "", "Ben", "Mia", "", "Ben (1)", "no name (2)"]
    for number, nickname in enumerate(nicknames):
        join(bench, classroom, f"{number:032x}", nickname)
    names = [person.name for person in Overview(bench, classroom, THE_TEACHER).people()]
    assert names == [
        "Mia (1)",
        "no name (2)",
        "Ben",
        "Mia (4)",
        "no name (5)",
        "Ben (1) (6)",
        "no name (2) (7)",
    ]
