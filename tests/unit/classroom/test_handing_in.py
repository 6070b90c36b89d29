"""Handing in: one's own things only, once each, seen by the teacher and by nobody else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from core.classroom.handing_in import MAX_NOTE, HandInRow, HandIns, Kind, hand_ins
from core.classroom.store import Classroom, ClassStore, class_store
from core.classroom.tables import Base
from core.database import open_engine
from core.errors import InputError
from core.runs.workbench import Workbench
from tests.unit.classroom.a_class import (
    BEN,
    MIA,
    TEACHER,
    a_class,
    comparison,
    data_set_of,
    end,
    join,
    run,
)

MAKERS: dict[Kind, Callable[[Workbench, str], str]] = {
    "run": run,
    "comparison": comparison,
    "dataset": data_set_of,
}


@pytest.fixture
def store(bench: Workbench) -> HandIns:
    return hand_ins(bench.settings.database)


@pytest.fixture
def classroom(bench: Workbench) -> Classroom:
    """A class of two members."""
    classroom = a_class(bench)
    join(bench, classroom, MIA, "Mia")
    join(bench, classroom, BEN, "Ben")
    return classroom


def seen(store: HandIns, classroom: Classroom) -> list[tuple[str, str, str, str]]:
    """Member, kind, title and note of each hand-in, as the teacher sees them."""
    return [(one.member, one.kind, one.title, one.note) for one in store.of_class(classroom.id)]


def test_a_run_a_comparison_and_a_data_set_are_handed_in_with_a_note(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    for kind, make in MAKERS.items():
        store.hand_in(classroom.id, MIA, kind, make(bench, MIA), f" My {kind}\nin two lines ")
    assert [(kind, note) for _, kind, _, note in seen(store, classroom)] == [
        (kind, f"My {kind}\nin two lines") for kind in MAKERS
    ]
    assert [title for _, _, title, _ in seen(store, classroom)][1:] == ["Compared?", "Wrens"]


def test_handing_in_again_replaces_the_note(bench: Workbench, store: HandIns, classroom: Classroom) -> None:
    key = run(bench, MIA, question="Mine?")
    for note in ("First.", "Second.", ""):
        store.hand_in(classroom.id, MIA, "run", key, note)
        assert seen(store, classroom) == [(MIA, "run", "Mine?", note)]


def test_nobody_hands_in_what_is_not_theirs(bench: Workbench, store: HandIns, classroom: Classroom) -> None:
    for kind, make in MAKERS.items():
        key = make(bench, MIA)
        for target in (key, "gone", "", "../../etc/passwd", "' OR 1=1 --"):
            with pytest.raises(InputError, match="not yours, or it was deleted"):
                store.hand_in(classroom.id, BEN, kind, target, "mine!")
    assert seen(store, classroom) == []


def test_only_a_member_of_a_class_that_is_not_over_hands_in(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    other = "d" * 32
    for member, key in ((other, classroom.id), (MIA, "no such class"), (MIA, a_class(bench).id)):
        with pytest.raises(InputError, match="Only members"):
            store.hand_in(key, member, "run", run(bench, member))
    end(bench, classroom)
    with pytest.raises(InputError, match="Only members of a class that is not over"):
        store.hand_in(classroom.id, MIA, "run", run(bench, MIA))


def test_a_member_takes_back_their_own_and_nobody_elses(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    key = run(bench, MIA, question="Mine?")
    store.hand_in(classroom.id, MIA, "run", key)
    store.take_back(classroom.id, BEN, "run", key)
    store.take_back(classroom.id, MIA, "comparison", key)
    assert len(seen(store, classroom)) == 1
    store.take_back(classroom.id, MIA, "run", key)
    assert seen(store, classroom) == []


def test_a_member_sees_their_own_and_nobody_elses(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    key = run(bench, MIA)
    store.hand_in(classroom.id, MIA, "run", key, "Secret.")
    own = store.get(classroom.id, MIA, "run", key)
    assert own is not None
    assert own.note == "Secret."
    assert store.get(classroom.id, BEN, "run", key) is None


def test_what_was_deleted_since_is_listed_as_deleted(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    key = run(bench, MIA)
    store.hand_in(classroom.id, MIA, "run", key, "Look.")
    bench.store.delete(key)
    assert seen(store, classroom) == [(MIA, "run", "", "Look.")]


def test_hand_ins_go_with_their_member_and_their_class(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    for member in (MIA, BEN):
        store.hand_in(classroom.id, member, "run", run(bench, member))
    class_store(bench.settings.database).leave(classroom.id, MIA)
    assert [member for member, *_ in seen(store, classroom)] == [BEN]
    class_store(bench.settings.database).delete(classroom.id)
    with store.session() as session:
        assert session.scalar(select(func.count()).select_from(HandInRow)) == 0


def test_a_note_is_bounded_and_holds_no_control_characters(
    bench: Workbench, store: HandIns, classroom: Classroom
) -> None:
    key = run(bench, MIA, question="Mine?")
    with pytest.raises(InputError, match="at most 2,000 characters; this one has 2,001"):
        store.hand_in(classroom.id, MIA, "run", key, "x" * (MAX_NOTE + 1))
    store.hand_in(classroom.id, MIA, "run", key, "👩‍🚀" + "x" * (MAX_NOTE - 3))
    store.hand_in(classroom.id, MIA, "run", key, "a\x00b\u202egnp.exe\nc\ud800")
    assert seen(store, classroom)[0][3] == "abgnp.exe\nc"


def test_a_class_knows_since_when_it_is_over(bench: Workbench, classroom: Classroom) -> None:
    assert classroom.ended is None
    over = end(bench, classroom)
    assert over.ended is not None
    assert end(bench, classroom).ended == over.ended
    assert class_store(bench.settings.database).show(classroom.id, -1, "waiting").ended is None


def test_a_database_from_before_hand_ins_is_opened(tmp_path: object) -> None:
    path = f"{tmp_path}/old.sqlite"
    tables = [table for name, table in Base.metadata.tables.items() if name != "class_hand_ins"]
    Base.metadata.create_all(open_engine(f"sqlite:///{path}"), tables=tables)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE classes DROP COLUMN ended")
    classroom = ClassStore(f"sqlite:///{path}").open(TEACHER, "Old")
    assert (classroom.ended, HandIns(f"sqlite:///{path}").of_class(classroom.id)) == (None, [])
