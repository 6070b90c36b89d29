"""The first visit: a few sentences and a run that is played, which are folded once somebody has asked."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.ui.playground import welcome
from tests.app.drawings import drawings, still
from tests.app.opening import click, opened
from tests.app.pages import APP, app, drawn_when_done, picked, said


def welcomed(page: AppTest) -> bool:
    return bool(drawings(page, "scenes"))


def test_a_new_browser_is_welcomed_until_it_asks(ready: Workbench) -> None:
    page = still(app(owner="a" * 32))
    assert welcomed(page)
    assert "Pellamar" in said(page)
    page.text_area(key="question").set_value("Who founded the Pellamar Ferry Company?")
    page.button(key="ask").click().run()
    drawn_when_done(page, ready)
    assert not welcomed(page)
    assert not welcomed(
        still(page.switch_page("pages/learn.py").run().switch_page("pages/playground.py").run())
    )


def test_a_new_question_leads_from_a_run_to_the_start_page_with_its_settings(ready: Workbench) -> None:
    page = picked(opened("pages/playground.py", run=welcome._played()[0]), "rag-fusion")
    assert not drawings(page, "starters")
    click(page, "new-question")
    assert "run" not in page.query_params
    assert drawings(page, "starters")
    assert page.text_area(key="question").value == ""
    assert page.session_state["strategy"] == "rag-fusion"
    page.session_state["about"] = True
    assert welcomed(page.run())


def test_a_browser_that_has_asked_before_is_not_welcomed(ready: Workbench) -> None:
    mine = ready.launcher.start(RunRequest("Who?", "closed-book", owner="b" * 32))
    mine.result(60)
    for owner, new in (("b" * 32, False), ("c" * 32, True)):
        page = AppTest.from_file(str(APP), default_timeout=60)
        page.session_state["owner"], page.session_state["owner-known"] = owner, True
        page.run()
        assert welcomed(page) is new


def test_a_run_in_the_address_is_what_the_page_shows(ready: Workbench) -> None:
    page = opened("pages/playground.py", run=welcome._played()[0])
    assert not welcomed(page)
    assert not drawings(page, "starters")
