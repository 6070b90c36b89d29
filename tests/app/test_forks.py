"""An artefact of a stored run is changed on the page, and the run goes on from there."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.workbench import Workbench
from core.ui.run.whole_run import WHOLE
from tests.app.drawings import keys
from tests.app.pages import drawn_when_done, said
from tests.app.test_playground import QUESTION, asked
from tests.scripted import Rule, ScriptedServer


def edit(page: AppTest, kind: str) -> AppTest:
    """Open the dialog that changes what a step made."""
    name = next(key for key in keys(page) if key.startswith("edit-") and key.endswith(f"-{kind}"))
    page.button(key=name).click().run()
    assert not page.exception
    return page


@pytest.fixture
def page(ready: Workbench, scripted: ScriptedServer) -> AppTest:
    """A finished run, and what the endpoint answers from now on."""
    scripted.script(Rule(skill="answer", reply="The first answer [1]."))
    page = asked(ready, "rag-fusion")
    page.toggle(key=WHOLE).set_value(True).run()
    scripted.script(Rule(skill="answer", reply="Quite another answer [1]."))
    scripted.requests.clear()
    return page


def test_queries_are_changed_and_the_run_goes_on(
    page: AppTest, ready: Workbench, scripted: ScriptedServer
) -> None:
    first = page.query_params["run"]
    edit(page, "queries")
    page.button(key="run-on").click().run()
    assert "Nothing is changed yet" in said(page)
    assert page.query_params["run"] == first
    assert not scripted.requests
    page.text_area(key="edit-lines").set_value(f"{QUESTION}\na silent film of 1915 <b>bold</b>").run()
    page.button(key="run-on").click().run()
    drawn_when_done(page, ready)
    assert page.query_params["run"] != first
    assert len(scripted.requests) == 1
    assert "Forked from another run, with other queries" in said(page)
    assert "a silent film of 1915 <b>bold</b>" in said(page)
    for answer in ("The first answer", "Quite another answer"):
        assert answer in said(page)
    links: Any = page.get("page_link")
    (link,) = [one for one in links if one.value == "The run before the change"]
    assert link.proto.query_string == f"run={first}"


def test_passages_are_taken_out_and_the_run_goes_on(
    page: AppTest, ready: Workbench, scripted: ScriptedServer
) -> None:
    edit(page, "context")
    given = page.multiselect(key="edit-given")
    given.set_value(given.value[:1]).run()
    page.button(key="run-on").click().run()
    drawn_when_done(page, ready)
    assert "−" in said(page)
    assert len(scripted.requests) == 1
    assert "passage]" in said(page)


def test_what_cannot_be_used_is_said_in_the_dialog(page: AppTest, scripted: ScriptedServer) -> None:
    edit(page, "queries")
    page.text_area(key="edit-lines").set_value(" ").run()
    assert page.error
    assert "run-on" not in keys(page)
    assert scripted.requests == []
