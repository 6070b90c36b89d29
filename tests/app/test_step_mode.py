"""The Playground of a run that stops before its steps: the bar, a guess beside what came, and who may go on."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.runs.workbench import Workbench
from core.trace.events import EACH_STEP
from tests import examples
from tests.app.drawings import keys, still
from tests.app.opening import click, drawings, has, opened
from tests.app.pages import app, drawn_when_done, picked
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who founded the Pellamar Ferry Company?"
GUESS = "Five queries, <b>all of them</b> worse"


def guess(page: AppTest, text: str) -> None:
    (field,) = (one for one in page.text_input if str(one.key).startswith("guess-"))
    field.set_value(text)


def waiting(page: AppTest) -> str:
    """The diagram's node that comes next."""
    (shown,) = drawings(page, "across")
    return str(shown["down"]).partition('<g class="node waiting" data-node="')[2].partition('"')[0]


def test_step_by_step_with_a_guess_and_then_to_the_end(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply="Ilse Marrack founded it [1]."))
    page = app()
    still(picked(page, "rag-fusion"))
    page.selectbox(key="stop-before").set_value(EACH_STEP)
    page.text_area(key="question").set_value(QUESTION).run()
    assert has(page, "Stops before each step")
    click(page, "ask")
    drawn_when_done(page, ready)
    assert has(page, "Stopped before “Write queries”")
    assert has(page, "Search queries are written")
    assert waiting(page) == "queries"
    guess(page, GUESS)
    click(page, "on-each-0")
    drawn_when_done(page, ready)
    assert has(page, "Stopped before “Retrieve, per query” (5 at once)")
    assert waiting(page) == "retrieve"
    assert has(page, "Before “Write queries” you expected")
    assert has(page, "Five queries, the first of them the question itself")
    click(page, "on-end-1")
    drawn_when_done(page, ready)
    assert has(page, "Done in")
    assert has(page, "Your guesses and what happened")
    assert not waiting(page)
    assert not any(GUESS in str(sent["body"]) for sent in scripted.requests)


def test_only_who_asked_it_may_go_on(bench: Workbench) -> None:
    bench.store.append("waits", examples.paused("waits"), "me")
    ways = {"on-each-3", "on-end-3"}
    assert ways < keys(opened("pages/playground.py", run="waits"))
    page = opened("pages/playground.py", "somebody else", run="waits")
    assert not ways & keys(page)
    assert "ask-again" in keys(page)
    assert has(page, "Only the browser that asked this run can let it go on.")
    assert has(opened("pages/runs.py", run="waits"), "Stopped before “Answer”")
