"""A question from the form to its answer, under AppTest, with real engines and the scripted endpoint."""

from core.runs.workbench import Workbench
from tests.app.pages import app, drawn_when_done, said
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


def test_a_question_is_asked_and_its_run_drawn(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply="Sidney J. Furie directed it [1]."))
    page = app()
    page.segmented_control(key="strategy").set_value("rag-fusion").run()
    page.text_area(key="question").set_value(QUESTION).run()
    page.button(key="ask").click().run()
    drawn_when_done(page, ready)
    assert "Done in" in said(page)
    assert "Sidney J. Furie directed it" in said(page)
    assert "run" in page.query_params
