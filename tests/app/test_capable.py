"""How capable a model is, beside it; and what other methods did in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.models.chat import UNFIT
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.base import MODEL, SHORT
from core.trace.artefacts import Answer
from core.trace.events import ArtefactMade, Event, ReplyUnusable, Retried, RunStarted
from core.ui.shell.models import BUILTIN_OPTION
from tests import examples
from tests.app.opening import click, drawn, has, keys, opened
from tests.app.pages import NOWHERE, app, workbench
from tests.app.test_run_view import page as run_page
from tests.app.test_run_view import texts
from tests.scripted import ScriptedServer

REASON = (
    "The model “m” twice gave a reply without the form asked for (no JSON). So it was done by another method."
)
SPARE = SKILLS["answer"].spare


def capable(page: AppTest) -> str:
    return str(page.segmented_control(key="how-capable").value)


def test_it_is_preset_by_the_name_and_decides_the_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    own = {**NOWHERE, "OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "some-1.5b"}
    with workbench(monkeypatch, tmp_path, **own):
        page = app()
        page.session_state["strategy"] = "self-rag"
        drawn(page.run())
        assert capable(page) == "small"
        assert has(page, "It has 1.5 billion parameters.")
        assert page.selectbox(key="method-grade_support-small").value == "mixed"
        assert page.selectbox(key="method-grade_relevance-small").value == SHORT
        page.selectbox(key="method-grade_relevance-small").set_value("embedding").run()

        page.segmented_control(key="how-capable").set_value("capable").run()
        assert has(page, "Chosen by you; by its size it would be small.")
        assert has(page, "It does every task by its own judgement.")
        for skill in ("grade_support", "grade_relevance"):
            assert page.selectbox(key=f"method-{skill}-capable").value == MODEL
        page.segmented_control(key="how-capable").set_value("tiny").run()
        assert page.selectbox(key="method-answer-tiny").value == SPARE
        page.segmented_control(key="how-capable").set_value("small").run()
        assert page.selectbox(key="method-grade_relevance-small").value == "embedding", (
            "what was picked is kept"
        )


def refuse(asked: list[RunRequest], request: RunRequest) -> None:
    """Note what is asked, and begin nothing."""
    asked.append(request)
    raise InputError("Not in this test.")


def test_it_is_not_asked_where_it_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE):
        assert "how-capable" not in keys(app(model=BUILTIN_OPTION), "segmented_control")


def other(run: str) -> list[Event]:
    """A finished run whose answer another method gave, as was chosen."""
    return [
        event.model_copy(update={"artefact": event.artefact.model_copy(update={"method": SPARE})})
        if isinstance(event, ArtefactMade) and isinstance(event.artefact, Answer)
        else event
        for event in examples.rag_fusion(run)
    ]


def replaced(run: str) -> list[Event]:
    """The same, since the model's replies could not be used."""
    events: list[Event] = []
    for event in other(run):
        if isinstance(event, ArtefactMade) and isinstance(event.artefact, Answer):
            told = {"step": event.step, "at": event.at}
            events.append(Retried(call="c-answer", attempt=2, wait=0, reason=UNFIT, **told))
            events.append(ReplyUnusable(skill="answer", method=SPARE, reason=REASON, **told))
        events.append(event)
    return [event.model_copy(update={"seq": seq}) for seq, event in enumerate(events)]


def test_a_run_says_once_what_another_method_did() -> None:
    run = record(replaced("r"))
    assert run.totals.replaced == 1
    assert run.answer is not None
    assert run.answer.note.startswith(REASON)
    shown = run_page(replaced("r"))
    said = [text.replace("\\", "") for text in texts(shown)]
    assert any(
        "1 task was done by another method, since the model's replies could not be used" in text
        for text in said
    )
    assert any("other method]" in item.value for item in shown.markdown)
    assert not any("try 2" in text for text in said)


def test_the_model_can_be_asked_to_do_it(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.store.append("r", other("r"), "me")
    page = opened("pages/playground.py", run="r")
    assert has(page, "Done by other methods than the model's own judgement: “Answer from the passages”")
    asked: list[RunRequest] = []
    monkeypatch.setattr(bench.launcher, "start", lambda request: refuse(asked, request))
    click(page, "let-model")
    (request,) = asked
    assert (request.question, request.methods["answer"]) == ("Who wrote it?", MODEL) or request.methods[
        "answer"
    ] == MODEL


def test_nothing_is_offered_where_the_model_did_it_all(bench: Workbench) -> None:
    bench.store.append("r", examples.rag_fusion("r"), "me")
    assert "let-model" not in keys(opened("pages/playground.py", run="r"))
    bench.store.append("u", replaced("u"), "me")
    assert "let-model" not in keys(opened("pages/playground.py", run="u")), (
        "it was asked, and the run says so"
    )
    started, *rest = other("b")
    assert isinstance(started, RunStarted)
    bench.store.append("b", [started.model_copy(update={"builtin": True}), *rest], "me")
    assert "let-model" not in keys(opened("pages/playground.py", run="b"))
