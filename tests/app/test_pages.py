"""The pages as a whole, with the real workbench in a folder of its own."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.errors import StoreError
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.timing import CallTime
from core.runs.gallery import PIECES
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench, get_workbench
from core.settings import get_settings
from core.strategies import strategies
from core.strategies.lessons import INDEXING, STANDALONE, Standalone, lesson, text
from core.strategies.tutorial import indexing
from core.ui.shell import session
from tests import examples
from tests.app.opening import click
from tests.app.pages import APP, NOWHERE, app, forecast, picked, unfolded, workbench
from tests.homes import Homes, furnish


@pytest.fixture(scope="module")
def kept_home(homes: Homes) -> Path:
    """A home with the gallery, for tests that only add runs of their own to it."""
    return furnish(homes.new())


@pytest.fixture
def kept(kept_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """As `bench`, with that home, and vector and graph databases that are there: no error on a page is theirs."""
    databases = ("CHROMA_URL", "NEO4J_URI")
    others = {name: value for name, value in NOWHERE.items() if name not in databases}
    with workbench(monkeypatch, kept_home, **others) as kept:
        yield kept


def test_both_pages_load(bench: Workbench) -> None:
    page = app()
    assert page.button(key="ask")
    page.switch_page("pages/documents.py").run()
    assert not page.exception
    assert page.button(key="index")


def test_a_stored_run_is_drawn_from_its_address(kept: Workbench) -> None:
    kept.store.append("stored", [
        event.model_copy(update={"run": "stored"}) if event.type == "run_started" else event
        for event in examples.rag_fusion()
    ])  # fmt: skip
    page = app(run="stored")
    assert any(examples.QUESTION.split(",")[0] in item.value for item in page.markdown)
    assert page.text_area(key="question").value == examples.QUESTION


def test_a_foreign_name_for_this_machine_gets_a_sentence_and_no_page(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a page does that has its own name point to this machine; an AppTest has no headers of its own."""
    monkeypatch.setattr(type(st.context), "headers", {"Host": "evil.example:8501"})
    page = app()
    assert "localhost" in page.error[0].value
    assert not page.button


def test_an_unknown_run_says_so(kept: Workbench) -> None:
    page = app(run="<script>")
    assert page.warning


def test_an_empty_question_keeps_the_form_and_says_what_to_do(kept: Workbench) -> None:
    page = app()
    picked(page, "closed-book")
    page.button(key="ask").click().run()
    assert not page.exception
    assert "question is empty" in page.error[0].value


def test_a_question_that_is_too_long_is_kept(kept: Workbench) -> None:
    page = app()
    picked(page, "closed-book")
    page.text_area(key="question").set_value("why " * 25_000).run()
    page.button(key="ask").click().run()
    assert "at most" in page.error[0].value
    assert page.text_area(key="question").value == "why " * 25_000


def test_the_forecast_follows_the_parameters(kept: Workbench) -> None:
    page = app()
    picked(page, "rag-fusion")
    assert any("2 model calls" in caption.value for caption in page.caption)


def test_a_second_judge_is_chosen_where_something_is_reranked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judges(page: AppTest) -> list[str]:
        return [
            title
            for box in page.selectbox
            if box.label == "Rerank what a search found"
            for title in box.options
        ]

    with workbench(monkeypatch, tmp_path / "one", **NOWHERE):
        page = app()
        assert judges(page) == []
        page.slider(key="param-plain-rerank").set_value(20).run()
        assert judges(page) == ["The model puts them in order", "Token by token"]
        assert "2 model calls in 2 rounds" in forecast(page)
        page.selectbox(key="method-rerank-capable").set_value("tokens").run()
        assert "1 model call in 1 round" in forecast(page)
    st.cache_resource.clear()
    with workbench(monkeypatch, tmp_path / "two", **NOWHERE, RERANK_BASE_URL="http://127.0.0.1:9"):
        page = app()
        page.slider(key="param-plain-rerank").set_value(20).run()
        assert judges(page)[-1] == "A reranker at an endpoint"
        assert page.selectbox(key="method-rerank-capable").value == "server"


def test_the_forecast_judges_tokens_from_earlier_runs(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = examples.RUNS["rag-fusion"]()
    for number in range(3):
        started = events[0].model_copy(
            update={"run": f"past-{number}", "chat_model": "none", "builtin": False}
        )
        bench.store.append(f"past-{number}", [started, *events[1:]], COMMAND_LINE)
    page = app()
    picked(page, "rag-fusion")
    assert "written, judged from 3 earlier runs" in forecast(page)
    monkeypatch.setattr(
        "core.ui.playground.forecast.similar_tokens", lambda *_, **__: pytest.fail("asked again")
    )
    page.text_area(key="question").set_value("Why?").run()
    assert "judged from 3 earlier runs" in forecast(page)
    monkeypatch.undo()


def test_the_forecast_says_when_there_is_nothing_to_judge_from(bench: Workbench) -> None:
    bench.store.append("theirs", examples.RUNS["plain"](), "somebody else")
    assert "no earlier run to judge from" in forecast(app())


def test_nothing_is_indexed_without_files_or_name(kept: Workbench) -> None:
    page = app("pages/documents.py")
    assert page.button(key="index").disabled
    assert "Choose at least one file" in page.button(key="index").help
    page.file_uploader(key="files").upload("notes.txt", b"The ship left.").run()
    assert not page.error
    page.button(key="index").click().run()
    assert "Give the corpus a name" in page.error[0].value
    page.text_input(key="corpus-name").set_value("Notes").run()
    assert not [one for one in page.error if "Give" in one.value or "Choose" in one.value]


def test_web_pages_only_where_they_are_allowed_and_only_public_ones(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = app("pages/documents.py")
    assert page.segmented_control(key="way").options == ["Files", "A folder"]
    monkeypatch.setenv("ALLOW_WEB_PAGES", "true")
    get_settings.cache_clear()
    get_workbench.cache_clear()
    st.cache_resource.clear()
    page = app("pages/documents.py")
    page.segmented_control(key="way").set_value("A web page").run()
    for address in ("http://127.0.0.1:8501/", "http://169.254.169.254/latest", "file:///etc/passwd", ""):
        page.text_input(key="page-address").set_value(address)
        page.button(key="page-fetch").click().run()
        assert not page.exception
        assert page.error, address


def test_a_teacher_signs_in_and_may_pin(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEACHER_PASSWORD", "right")
    monkeypatch.setattr(session, "WRONG_PASSWORD_SECONDS", 0.0)
    get_settings.cache_clear()
    get_workbench.cache_clear()
    st.cache_resource.clear()
    store = get_workbench().store
    events = examples.RUNS["plain"]()
    events[0] = events[0].model_copy(update={"run": "theirs"})
    store.append("theirs", events, "somebody else")
    page = app()
    page.query_params["run"] = "theirs"
    page.switch_page("pages/runs.py").run()
    assert not [button for button in page.button if button.key in ("run-pin", "run-delete-sure")]
    for password, right in (("wrong", False), ("right", True)):
        page.text_input(key="teacher-password").set_value(password)
        page.button(key="teacher-sign-in").click().run()
        assert bool([button for button in page.button if button.key == "run-pin"]) is right
    page.button(key="run-pin").click().run()
    assert store.entry("theirs").pinned


def test_every_strategy_has_a_lesson(kept: Workbench) -> None:
    page = app("pages/learn.py")
    for key, strategy in strategies().items():
        click(page, f"open-{key}")
        assert text(key), key
        *before, script = [code.value.strip() for code in page.code]
        assert script == strategy.tutorial.strip(), key
        assert before == [indexing().strip()], key
        click(page, "all-lessons")
        assert page.button(key=f"open-{key}")


@pytest.mark.parametrize("alone", STANDALONE, ids=lambda one: one.key)
def test_a_lesson_without_a_strategy_has_an_exercise_and_a_way_to_its_page(
    kept: Workbench, alone: Standalone
) -> None:
    page = open_lesson(alone.key)
    assert page.header[0].value.replace("\\", "") == alone.title
    assert [code.value.strip() for code in page.code] == [indexing().strip()] * (alone.key == INDEXING)
    task = lesson(alone.key).exercise
    assert task is not None
    page.radio(key=f"predict-{alone.key}").set_value(task.right).run()
    page.button(key="reveal").click().run()
    assert page.success
    page.button(key="go").click().run()
    assert not page.exception


def open_lesson(key: str) -> AppTest:
    page = app("pages/learn.py")
    page.button(key=f"open-{key}").click().run()
    assert not page.exception
    return page


@pytest.mark.parametrize(("choice", "right"), [("X", True), ("A", False)])
def test_an_exercise_is_revealed_only_after_a_prediction(kept: Workbench, choice: str, right: bool) -> None:
    page = open_lesson("rag-fusion")
    assert page.button(key="reveal").disabled
    assert not any("1/64" in item.value for item in page.markdown)
    page.radio(key="predict-rag-fusion").set_value(choice).run()
    page.button(key="reveal").click().run()
    assert not page.exception
    assert bool(page.success) is right
    task = lesson("rag-fusion").exercise
    assert task is not None
    assert right or any(task.tempting[choice] in item.value for item in page.info)
    assert any("1/64 + 1/63" in item.value.replace("\\", "") for item in page.markdown)
    page.button(key="all-lessons").click().run()
    page.button(key="open-rag-fusion").click().run()
    assert page.radio(key="predict-rag-fusion").value == choice
    assert page.radio(key="predict-rag-fusion").disabled


def test_a_failed_local_service_is_shown_and_started_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = ["The vector database stopped *twice*."]
    monkeypatch.setattr(bench.backends, "problems", lambda: list(problems))
    monkeypatch.setattr(bench.backends, "restart", lambda _: problems.clear())
    page = app()
    assert "\\*twice" in page.sidebar.error[0].value
    page.button(key="start-again").click().run()
    assert not page.exception
    assert not problems
    assert not page.sidebar.error


def test_a_database_that_cannot_be_read_is_a_sentence_on_both_pages(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise StoreError("The database is *locked*.")

    monkeypatch.setattr(bench.corpora.catalogue, "corpora", broken)
    page = app()
    assert "\\*locked" in page.error[0].value
    page.switch_page("pages/documents.py").run()
    assert not page.exception
    assert "\\*locked" in page.error[0].value


def test_an_unfinished_run_of_another_process_can_be_looked_at_again(bench: Workbench) -> None:
    events = examples.RUNS["plain"]()
    events[0] = events[0].model_copy(update={"run": "elsewhere"})
    bench.store.append("elsewhere", events[:5])
    page = app(run="elsewhere")
    assert any("Another process" in info.value for info in page.info)
    bench.store.append("elsewhere", events[5:])
    page.button(key="look-again").click().run()
    assert not page.exception
    assert not any("Another process" in info.value for info in page.info)


@pytest.mark.parametrize("owner", ["me", "someone else"])
def test_only_the_session_that_asked_can_stop(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, owner: str
) -> None:
    job = SimpleNamespace(
        run="live",
        owner=owner,
        events=examples.RUNS["plain"]()[:5],
        now=2.0,
        ahead=None,
        done=False,
        stored=False,
        stop=print,
    )
    monkeypatch.setattr(bench.launcher, "job", lambda run: job)
    page = unfolded(AppTest.from_file(str(APP), default_timeout=30), "live")
    page.query_params["run"] = "live"
    page.session_state["owner"] = "me"
    page.run()
    assert not page.exception
    assert any(item.key == "ask" for item in page.button)
    assert any(item.key == "stop" for item in page.button) == (owner == "me")


def test_a_new_home_offers_an_example_run(bench: Workbench) -> None:
    page = app()
    page.button(key="open-example").click().run()
    assert not page.exception
    assert not [button for button in page.button if button.key == "open-example"]


def test_a_run_of_the_gallery_is_drawn_from_its_address(kept: Workbench) -> None:
    page = app(run=PIECES[0].id)
    assert not page.error
    assert any("Done in" in caption.value for caption in [*page.caption, *page.markdown])


def test_the_forecast_says_what_a_run_takes_on_this_machine_and_what_makes_it_shorter(
    bench: Workbench,
) -> None:
    page = app()
    picked(page, "ircot")
    assert "the first question measures it" in forecast(page)
    assert not [button for button in page.button if (button.key or "").startswith("save-")]
    slow = ChatEndpoint(NOWHERE["OPENAI_BASE_URL"], NO_KEY, NOWHERE["CHAT_MODEL"])
    bench.backends.models.speeds.keep(slow, CallTime(2000, 100, 40, 10))  # 20 and 4 tokens a second
    page.text_area(key="question").set_value("Why are there two?").run()
    assert "minutes on this machine, measured by 1 call; usually 4 model calls" in forecast(page)
    shorter = page.button(key="save-max_steps")
    assert re.fullmatch(r"Thoughts: 3 \(up to \d+ minutes less\)", shorter.label)
    shorter.click().run()
    assert page.slider(key="param-ircot-max_steps").value == 3
    assert page.text_area(key="question").value == "Why are there two?"
    assert "4 model calls in 4 rounds" in forecast(page)
