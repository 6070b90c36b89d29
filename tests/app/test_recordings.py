"""Recordings on the pages: chosen in the sidebar, kept from an endpoint, and looked after on the page Runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.models.recordings.items import Head, Item, KeptReply, KeptRun, Recording
from core.models.recordings.open_recording import digest
from core.runs.workbench import Workbench
from core.ui.shell.another_model import mark
from core.ui.shell.models import BUILTIN_OPTION, Option
from core.users import APP
from tests.app.opening import (
    TakenHome,
    click,
    click_row,
    drawn,
    harmless,
    has,
    keys,
    open_models,
    opened,
    table,
    use_model,
    value,
)
from tests.app.pages import NOWHERE, app, drawn_when_done, picked, unfolded, workbench
from tests.app.test_compare import settings
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/runs.py"
QUESTION = "Who founded the Pellamar Ferry Company?"
ANSWER = "Ilse Marrack founded it [1]."
APP_S = "Pellamar"
"""Name of the recording that comes with the app."""
EVIL = "<img src=x onerror=alert(1)> ![](http://evil.example/x) [a](javascript:alert(3))"


def made(bench: Workbench, name: str, *more: Item, owner: str = "me", model: str = "scripted") -> Recording:
    """A recording with one reply."""
    store = bench.recordings.store
    begun = store.begin(Head(name=name, model=model, created=datetime.now(UTC)), owner)
    store.keep(begun.id, [KeptReply(key=digest(name), skill="answer", text=ANSWER), *more], 2**20)
    return store.get(begun.id)


def own(bench: Workbench, owner: str = "me") -> list[Recording]:
    """Those of an owner, without those of the app."""
    return [one for one in bench.recordings.store.listed([owner]) if one.owner == owner]


def names(page: AppTest) -> list[str]:
    """Of the recordings in the list, without those of the app."""
    return [name for name in table(page, "recordings")["Name"] if name != APP_S]


def recordings(owner: str = "me", **query: str) -> AppTest:
    page = opened(PAGE, owner, **query)
    if query:
        return page
    return drawn(page.segmented_control(key="runs-shown").set_value("Recordings").run())


def keep(page: AppTest, name: str) -> AppTest:
    """Switch keeping on."""
    drawn(page.toggle(key="keep-replies").set_value(True).run())
    page.text_input(key="keep-name").set_value(name)
    return click(page, "keep-begin")


def choose(page: AppTest, recording: Recording, missing: str) -> AppTest:
    """Have a recording answer."""
    if f"use-{mark(Option('recording', recording.id))}" in keys(open_models(page)):  # it is not chosen yet
        use_model(page, Option("recording", recording.id))
    unfolded(page).run()
    return drawn(page.selectbox(key="missing-choice").set_value(missing).run())


def asked(page: AppTest, bench: Workbench, question: str = QUESTION) -> str:
    """Id of a run that has ended."""
    page.text_area(key="question").set_value(question)
    click(page, "ask")
    drawn_when_done(page, bench)
    return value(page, "run")


# The sidebar


def test_replies_are_kept_and_played(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply=ANSWER))
    page = keep(app(owner="keeper"), "Lesson *one*")
    assert has(page, "Kept in “Lesson *one*”: 0 replies")
    assert has(page, "Replies are kept in the recording “Lesson *one*”")
    asked(page, ready)
    assert has(page, "Kept in “Lesson *one*”: 1 reply")
    (kept,) = own(ready, "keeper")
    calls = len(scripted.requests)
    choose(page, kept, "ask")
    assert has(page, "Recorded from scripted, 1 reply.")
    assert has(page, "Fully recorded in “Lesson *one*”: 1 call replayed, no new one.")
    run = asked(page, ready)
    assert has(page, "Ilse Marrack")
    assert len(scripted.requests) == calls
    started = ready.store.started(run)
    assert started is not None
    assert (started.recording, started.missing) == (kept.name, "ask")
    drawn(page.text_area(key="question").set_value("Who else?").run())
    assert has(page, "The recording does not cover this.** This question was not recorded.")
    assert {"let-tiny-playground", "connect-playground"} <= keys(page)
    asked(page, ready, "Who else?")
    assert has(page, "The run waits at “Answer”.")
    assert {"go-on-builtin", "go-on-endpoint", "go-on-connect"} <= keys(page)
    assert len(scripted.requests) == calls
    choose(page, kept, "endpoint")
    drawn(page.toggle(key="keep-new").set_value(True).run())
    asked(page, ready, "Who else?")
    assert len(scripted.requests) == calls + 1
    assert ready.recordings.store.get(kept.id).replies == 2
    ready.recordings.store.delete(kept.id)
    assert has(drawn(page.run()), "Set by the administrator of this server")


def test_documents_that_a_recording_does_not_know_are_asked_of_another_model(
    ready: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill="answer", reply="Somebody [1]."))
    strange = KeptRun(key=digest("run"), question=QUESTION, strategy="plain", corpus="Notes", mark="other")
    kept = made(ready, "Of other documents", strange)
    page = choose(app(owner="me"), kept, "endpoint")
    assert has(
        page, "The recording “Of other documents” holds nothing about these documents: scripted answers."
    )
    started = ready.store.started(asked(page, ready))
    assert started is not None
    assert started.recording == ""
    choose(page, kept, "builtin")
    assert has(page, "no model calls")
    assert has(page, "the built-in model takes its place, or a simpler method where that is too small.")
    assert has(choose(page, kept, "ask"), "It was recorded with other documents")
    page.text_area(key="question").set_value("")
    assert has(drawn(page.run()), "It holds nothing about these documents.")
    page.text_area(key="question").set_value(QUESTION)
    assert has(drawn(picked(page, "closed-book")), "This question was recorded with other strategies only.")


def test_one_recording_holds_replies_of_one_model(ready: Workbench) -> None:
    made(ready, "Taken", owner="me", model="another")
    page = keep(app(owner="me"), "Taken")
    assert "holds replies of the model “another”" in page.error[0].value.replace("\\", "")
    assert not has(page, "Kept in")


def test_a_recording_of_the_app_answers_where_nothing_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = {name: url for name, url in NOWHERE.items() if name not in ("OPENAI_BASE_URL", "CHAT_MODEL")}
    with workbench(monkeypatch, tmp_path, **without) as bench:
        kept = made(bench, "Shipped", owner=APP.owner)
        bench.recordings.store.pin(kept.id, True)
        page = app(owner="me")
        assert has(page, "Recorded from scripted, 1 reply.")
        assert has(page, "Anything else waits until you choose a model for it.")
        made(bench, "Shipped")
        use_model(drawn(page.run()), BUILTIN_OPTION)
        assert not has(page, "Recorded from")
        page = settings(page.switch_page("pages/compare.py").run())
        titles = next(box for box in page.selectbox if box.label == "Model").options
        assert len(set(titles)) == len(titles) > 2, "the browser tells them apart by what it shows"


# The page Runs


def test_a_recording_is_named_licensed_taken_home_deleted_and_brought_in_again(
    bench: Workbench, taken: TakenHome
) -> None:
    kept = made(bench, "Lesson")
    page = recordings()
    assert names(page) == ["Lesson"]
    click_row(page, "recordings", table(page, "recordings")["Name"].index("Lesson"))
    assert value(page, "recording") == kept.id
    made(bench, "Another")
    page.text_input(key=f"recording-name-{kept.id}").set_value("Another")
    click(page, "recording-rename-save")
    assert has(page, "There is a recording “Another” already.")
    page.text_input(key=f"recording-name-{kept.id}").set_value(EVIL)
    click(page, "recording-rename-save")
    page.text_area(key=f"recording-licence-{kept.id}").set_value(EVIL)
    click(page, "recording-licence-save")
    assert bench.recordings.store.get(kept.id).licence == EVIL
    click(page, "recording-pin")
    assert bench.recordings.store.get(kept.id).pinned
    assert harmless(page)
    assert has(page, "replies that quote passages")
    exported = taken.text("recording-export")
    click(page, "recording-delete-sure")
    assert value(page, "recording") == ""
    page = recordings()
    page.file_uploader(key="import-recording-file").upload("lesson.jsonl", exported.encode())
    click(page, "import-recording-button")
    again = bench.recordings.store.get(value(page, "recording"))
    assert (again.name, again.replies, again.owner, again.pinned) == (EVIL, 1, "me", False)
    click(page, "recording-play")
    assert has(drawn(app_of(page)), "Recorded from scripted, 1 reply.")


def app_of(page: AppTest) -> AppTest:
    """The Playground of the same session."""
    return page.switch_page("pages/playground.py").run()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("{}\n", "is no line of a recording"),
        (
            KeptReply(key=digest("alone"), skill="answer", text=ANSWER).model_dump_json(),
            "begin with the head",
        ),
    ],
)
def test_a_file_that_is_no_recording_is_refused(bench: Workbench, content: str, sentence: str) -> None:
    page = recordings()
    page.file_uploader(key="import-recording-file").upload("bad.jsonl", content.encode())
    click(page, "import-recording-button")
    assert has(page, sentence)
    assert own(bench) == []


def test_a_question_that_it_knows_fills_the_playground(ready: Workbench) -> None:
    known = KeptRun(
        key=digest("run"),
        question=QUESTION,
        strategy="rag-fusion",
        params={"n": 3, "nonsense": EVIL},
        retriever="hybrid",
    )
    usual = KeptRun(key=digest("usual"), question="Where?", strategy="rag-fusion", retriever="dense")
    kept = made(ready, "Lesson", known, usual)
    page = recordings(recording=kept.id)
    assert table(page, "recording-knows")["Settings"] == ["as usual", "hybrid, Queries 3"]
    click_row(page, "recording-knows", 1)
    page = drawn(app_of(page))
    assert page.text_area(key="question").value == QUESTION
    assert page.session_state["strategy"] == "rag-fusion"
    assert page.segmented_control(key="retriever").value == "hybrid"
    assert page.slider(key="param-rag-fusion-n").value == 3
    assert has(page, "Recorded from scripted, 1 reply.")
    page.query_params["recording"] = kept.id
    click_row(page.switch_page(PAGE).run(), "recording-knows", 0)
    page = drawn(app_of(page))
    assert page.text_area(key="question").value == "Where?"
    assert page.slider(key="param-rag-fusion-n").value == 4


def test_what_is_not_one_s_own_can_be_played_but_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right") as bench:
        theirs, pinned = made(bench, "Theirs", owner="other"), made(bench, "For all", owner="other")
        bench.recordings.store.pin(pinned.id, True)
        assert names(recordings()) == ["For all"]
        assert has(recordings(recording=theirs.id), "no recording with the id in this address")
        page = recordings(recording=pinned.id)
        assert "recording-play" in keys(page)
        assert not keys(page) & {"recording-pin", "recording-delete-sure", "recording-licence-save"}
