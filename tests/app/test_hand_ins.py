"""Handing in from the pages, and the overview of the teacher, from stored runs."""

from __future__ import annotations

import io
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.handing_in import hand_ins
from core.classroom.store import Classroom
from core.runs.workbench import Workbench
from core.ui.shell.address import CLASS
from tests.app.opening import (
    TakenHome,
    click,
    click_row,
    drawn,
    harmless,
    has,
    keys,
    links,
    opened,
    table,
)
from tests.hostile import EVIL
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


@pytest.fixture
def classroom(bench: Workbench) -> Classroom:
    """A class that Mia joined."""
    classroom = a_class(bench)
    join(bench, classroom, MIA, "Mia")
    return classroom


def overview(classroom: Classroom, owner: str = TEACHER) -> AppTest:
    """The page Class with its overview."""
    page = opened("pages/classroom.py", owner, **{CLASS: classroom.id})
    page.session_state[f"view-{classroom.id}"] = "Overview"
    return drawn(page.run())


def notes(bench: Workbench, classroom: Classroom) -> list[str]:
    """The notes that the teacher has."""
    return [one.note for one in hand_ins(bench.settings.database).of_class(classroom.id)]


def unfold(page: AppTest) -> AppTest:
    page.session_state["hand-in"] = True
    return drawn(page.run())


# The student's side


def test_a_run_is_handed_in_noted_anew_and_taken_back(bench: Workbench, classroom: Classroom) -> None:
    key = run(bench, MIA)
    page = unfold(opened("pages/runs.py", MIA, run=key))
    (note,) = (one for one in page.text_area if str(one.key).startswith("hand-in-note"))
    note.set_value("Look at **step 2**.")
    click(page, "hand-in-do")
    assert notes(bench, classroom) == ["Look at **step 2**."]
    assert has(page, "Handed in to “Class 1” at ")
    note = next(one for one in page.text_area if str(one.key).startswith("hand-in-note"))
    note.set_value("Or rather step 3.")
    click(page, "hand-in-do")
    assert notes(bench, classroom) == ["Or rather step 3."]
    click(page, "hand-in-undo")
    assert notes(bench, classroom) == []
    assert not has(page, "Handed in to")
    assert "hand-in-do" in keys(page)


def test_everything_that_is_ones_own_can_be_handed_in(bench: Workbench, classroom: Classroom) -> None:
    places = [
        ("pages/playground.py", {"run": run(bench, MIA)}),
        ("pages/compare.py", {"comparison": comparison(bench, MIA)}),
        ("pages/evaluate.py", {"dataset": data_set_of(bench, MIA), "section": "Data sets"}),
    ]
    for count, (path, query) in enumerate(places, 1):
        page = opened(path, MIA, **query)
        click(unfold(page), "hand-in-do")
        assert len(notes(bench, classroom)) == count


def test_it_is_offered_to_members_for_their_own_while_the_class_lasts(
    bench: Workbench, classroom: Classroom
) -> None:
    mine, bens = run(bench, MIA), run(bench, BEN)
    for owner, key, offered in (
        (MIA, mine, True),
        (MIA, bens, False),
        (BEN, bens, False),
        (BEN, mine, False),
    ):
        page = unfold(opened("pages/runs.py", owner, run=key))
        assert ("hand-in-do" in keys(page)) is offered, (owner, key)
    end(bench, classroom)
    assert "hand-in-do" not in keys(unfold(opened("pages/runs.py", MIA, run=mine)))


def test_of_several_classes_the_newest_has_it(bench: Workbench, classroom: Classroom) -> None:
    later = a_class(bench, name=EVIL[:60])
    join(bench, later, MIA)
    page = unfold(opened("pages/runs.py", MIA, run=run(bench, MIA)))
    click(page, "hand-in-do")
    assert (len(notes(bench, classroom)), len(notes(bench, later))) == (0, 1)
    assert harmless(page)


# The teacher's


def test_a_click_opens_the_run_that_was_shown_though_others_came_since(
    bench: Workbench, classroom: Classroom
) -> None:
    first = run(bench, MIA, question="The first?", minutes=0.1)
    page = overview(classroom)
    rows = table(page, "class-runs")
    assert (rows["Who"], rows["Question or name"], rows["State"]) == (["Mia"], ["The first?"], ["✓ finished"])
    run(bench, MIA, "rag-fusion", question="The second?", minutes=1)
    page.session_state["class-runs"] = {"selection": {"rows": [], "columns": [], "cells": [(0, "")]}}
    gone_to: list[dict[str, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.switch_page", lambda page, query_params: gone_to.append(query_params))
        drawn(page.run())
    assert gone_to == [{"run": first}]
    assert table(page, "class-runs")["Question or name"] == ["The second?", "The first?"]
    assert table(page, "class-runs")["Tokens"] == [816, 0]


def test_what_was_handed_in_and_who_is_there_are_listed(bench: Workbench, classroom: Classroom) -> None:
    page = overview(classroom)
    listed = page.segmented_control(key="class-listed")
    listed.set_value("Handed in").run()
    assert has(drawn(page), "Nothing was handed in yet")
    key, gone = comparison(bench, MIA), run(bench, MIA)
    store = hand_ins(bench.settings.database)
    store.hand_in(classroom.id, MIA, "comparison", key, EVIL)
    store.hand_in(classroom.id, MIA, "run", gone)
    bench.store.delete(gone)
    rows = table(drawn(page.run()), "class-hand-ins")
    assert (rows["What"], rows["Question or name"]) == (["comparison", "run"], ["Compared?", "deleted since"])
    click_row(page, "class-hand-ins", 0)
    assert links(page)[-1].endswith(f"comparison={key}")
    assert has(page, "onerror=alert(1)")
    assert harmless(page)
    store.hand_in(classroom.id, MIA, "dataset", data_set_of(bench, MIA))
    drawn(page.run())
    assert links(page)[-1].endswith(f"comparison={key}")  # it stays open while others come
    click_row(page, "class-hand-ins", 2)
    assert "class-data-set" in keys(page, "download_button")
    click_row(page, "class-hand-ins", 1)
    assert "class-data-set" not in keys(page, "download_button")
    page.segmented_control(key="class-listed").set_value("Members").run()
    assert table(drawn(page), "class-members")["Who"] == ["Mia"]


def test_only_the_teacher_sees_it(
    bench: Workbench, classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(bench, MIA)
    monkeypatch.setattr("core.ui.shell.models.is_teacher", lambda bench: False)
    for owner in (MIA, BEN):
        page = overview(classroom, owner)
        assert "class-runs" not in [one.key for one in page.dataframe]
        assert "hand-out-make" not in keys(page)
    assert len(table(overview(classroom), "class-runs")["Who"]) == 1


def test_the_archive_is_made_and_taken_home(bench: Workbench, classroom: Classroom, taken: TakenHome) -> None:
    key = run(bench, MIA)
    hand_ins(bench.settings.database).hand_in(classroom.id, MIA, "run", key)
    page = click(overview(classroom), "hand-out-make")
    page.session_state[f"class-archive-{classroom.id}"].result(60)
    drawn(page.run())
    assert taken.name("hand-out-download") == "Class-1.zip"
    with zipfile.ZipFile(io.BytesIO(taken.data("hand-out-download"))) as archive:
        assert f"rag-loupe/run-{key}.html" in archive.namelist()
