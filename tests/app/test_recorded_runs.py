"""Runs that play a recording, on the pages: what is marked, what is listed, and how one goes on where it ended."""

from __future__ import annotations

from dataclasses import replace

from core.models.chat_models import RecordedModel
from core.runs.gallery import PIECES
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.ui.shell.models import BUILTIN_OPTION
from tests import examples
from tests.app.drawings import components
from tests.app.opening import click, opened, table, use_model
from tests.app.pages import drawn_when_done, said
from tests.app.test_run_view import page, texts
from tests.examples.recorded import LESSON, cut_short, played

RUNS, PLAYGROUND = "pages/runs.py", "pages/playground.py"


def test_a_run_says_where_its_replies_come_from_and_marks_each_step_once() -> None:
    app = page(played(examples.rag_fusion()))
    assert any(f"(“{LESSON}”)" in text.replace("\\", "") for text in texts(app))
    badges = [item.value for item in app.markdown if "badge[:material/album:" in item.value]
    assert sum(" recorded]" in badge and "as recorded" not in badge for badge in badges) == 1
    assert sum("as recorded]" in badge for badge in badges) == 5


def test_what_was_new_stands_out_and_says_why() -> None:
    app = page(played(examples.rag_fusion(), "builtin", new="c-answer"))
    mark = next(item for item in app.markdown if "new: built-in method]" in item.value)
    assert "it was recorded with other prompts" in mark.help


def test_the_list_of_runs_names_recordings_where_there_are_some(bench: Workbench) -> None:
    bench.store.append("r-1", examples.rag_fusion("r-1"), "me")
    assert "Recording" in table(opened(RUNS), "runs")  # the gallery has some
    for piece in PIECES:
        if piece.recorded and len(piece.requests) == 1:
            bench.store.delete(piece.id)
    assert "Recording" not in table(opened(RUNS), "runs")
    bench.store.append("r-2", played(examples.rag_fusion("r-2")), "me")
    found = table(opened(RUNS), "runs")["Recording"]
    assert (found.count(LESSON), set(found)) == (1, {"", LESSON})


def test_a_run_that_ended_at_a_missing_reply_offers_who_may_go_on(bench: Workbench) -> None:
    events = cut_short(examples.rag_fusion("cut"))
    bench.store.append("cut", events, "me")
    keys = {button.key for button in opened(PLAYGROUND, run="cut").button}
    assert "continue" in keys, "its recording is gone: any model may go on"
    bench.recordings.to_keep(LESSON, "gpt-example", "me")
    shown = opened(PLAYGROUND, run="cut")
    keys = {button.key for button in shown.button}
    assert {"go-on-builtin", "go-on-endpoint", "ask-again"} <= keys
    assert "continue" not in keys
    assert "so the run ended" in said(shown)
    others = {button.key for button in opened(PLAYGROUND, owner="another", run="cut").button}
    assert not others & {"go-on-builtin", "go-on-endpoint", "continue"}


def test_the_endpoint_goes_on_where_a_recording_ended(ready: Workbench) -> None:
    corpus = ready.corpora.catalogue.corpora()[0].name
    asked = RunRequest("Who built the lighthouse?", "multi-query", corpus=corpus, owner="me")
    kept = ready.recordings.to_keep("A lesson", "scripted", "me")
    keeping = replace(asked, chat=RecordedModel(kept, "endpoint", keeps=True))
    assert record(ready.launcher.start(keeping).result(60)).state == "finished"
    edited = {"answer.model": "[system]\nAnswer.\n[user]\n{context} {question}"}
    job = ready.launcher.start(replace(asked, chat=RecordedModel(kept), prompts=edited))
    job.result(60)
    shown = opened(PLAYGROUND, run=job.run)
    assert "it was recorded with other prompts" in said(shown)
    shown = drawn_when_done(click(shown, "go-on-endpoint"), ready)
    assert "1 was new: asked of scripted, now kept in it." in said(shown)
    assert record(ready.store.events(job.run)).state == "finished"


def test_a_run_that_waits_goes_on_with_its_recording_unless_another_model_is_chosen(ready: Workbench) -> None:
    corpus = ready.corpora.catalogue.corpora()[0].name
    asked = RunRequest("Who built the ferry?", "plain", corpus=corpus, owner="me", stop_before="answer")
    kept = ready.recordings.to_keep("A step", "scripted", "me")
    made = replace(asked, stop_before="", chat=RecordedModel(kept, "endpoint", keeps=True))
    assert record(ready.launcher.start(made).result(60)).state == "finished"
    first, second = (ready.launcher.start(replace(asked, chat=RecordedModel(kept))) for _ in range(2))
    for job in (first, second):
        assert record(job.result(60)).state == "paused"
    shown = opened(PLAYGROUND, run=first.run)
    assert "The recording **“A step”** goes on" in said(shown)
    click(shown, "on-end-1")
    drawn_when_done(shown, ready)
    assert record(ready.store.events(first.run)).totals.played == 1
    shown = opened(PLAYGROUND, run=second.run)
    use_model(shown, BUILTIN_OPTION)
    assert "SmolLM2 135M, built in** goes on, as you chose" in said(shown)


def test_columns_of_a_comparison_say_it(bench: Workbench) -> None:
    bench.store.append("c-1", played(examples.rag_fusion("c-1")), "me")
    bench.store.append("c-2", examples.multi_query("c-2"), "me")
    comparison = bench.comparisons.add(examples.QUESTION, ["c-1", "c-2"], "me")
    shown = opened("pages/compare.py", comparison=comparison.id)
    columns = next(data["columns"] for data in components(shown) if "columns" in data and "ended" in data)
    assert LESSON in columns[0]["origin"]
    assert columns[1]["origin"] == ""
