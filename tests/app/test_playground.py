"""Questions from the form to their answers, with real engines and the scripted endpoint; and what cannot be asked."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.errors import StoreError
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.shell import models
from tests.app.drawings import drawings, keys, shown, still, until
from tests.app.opening import click, open_models
from tests.app.pages import app, drawn_when_done, picked, said, unfolded
from tests.app.test_run_view import texts, without_ours
from tests.scripted import Rule, ScriptedServer
from tests.unit.ui.shell.test_safe import HOSTILE, harmless

QUESTION = "Who founded the Pellamar Ferry Company?"
ANSWER = "Ilse Marrack founded it [1]."


def asked(bench: Workbench, strategy: str, question: str = QUESTION) -> AppTest:
    """The Playground with a run that has ended."""
    page = app()
    still(picked(page, strategy))
    page.text_area(key="question").set_value(question)
    page.button(key="ask").click().run()
    return drawn_when_done(page, bench)


@pytest.mark.parametrize("strategy", list(strategies()))
def test_every_strategy_is_asked_and_drawn(ready: Workbench, strategy: str) -> None:
    page = asked(ready, strategy)
    assert "Done in" in said(page)
    assert f"### {QUESTION}" in said(page)
    assert "run" in page.query_params
    assert "ask" in keys(page)
    assert not page.error


def test_an_error_at_the_click_is_said_and_what_was_typed_stays(
    ready: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreError("The database is gone.")

    page = app()
    still(picked(page, "plain"))
    page.text_area(key="question").set_value(QUESTION)
    monkeypatch.setattr("core.ui.playground.form.default_here", broken)
    page.button(key="ask").click().run()
    assert "The database is gone" in page.error[0].value
    assert not page.exception
    assert page.text_area(key="question").value == QUESTION


@pytest.mark.parametrize(
    ("strategy", "key"), [("step-back", "example"), ("agentic", "example"), ("kg-rag", "graph-example")]
)
def test_example_questions_for_the_strategy_come_first_and_one_is_filled_in(
    ready: Workbench, strategy: str, key: str
) -> None:
    page = app()
    still(picked(page, strategy))
    asked = {one.text: one for one in ready.corpora.catalogue.corpus(DEMO_CORPUS).questions}
    choice = page.selectbox(key=key)
    texts = [label.rpartition(" · ")[0] for label in choice.options]
    fitting = [strategy in asked[text].strategies for text in texts]
    assert fitting == sorted(fitting, reverse=True)
    assert any(fitting)
    choice.set_value(texts[0]).run()
    assert page.text_area(key="question").value == texts[0]
    assert [one.key for one in page.selectbox if one.label == "More questions"] == [key]


def test_an_answer_with_its_citation_opens_the_passage(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply=ANSWER))
    page = asked(ready, "rag-fusion")
    assert "Ilse Marrack founded it" in said(page)
    cite = next(key for key in keys(page) if key.startswith("cite-"))
    page.button(key=cite).click().run()
    opened = [
        card for shown in drawings(page, "cards") for card in shown["cards"] if card["id"] == shown["open"]
    ]
    marked = "".join(piece["text"] for card in opened for piece in card["pieces"] if piece["marked"])
    assert "Ilse Marrack" in marked


def test_what_is_given_has_the_parameters_that_belong_to_it(
    ready: Workbench, scripted: ScriptedServer
) -> None:
    page = app()
    still(picked(page, "plain"))
    offered: dict[str, set[str]] = {
        "passages": set(),
        "surroundings": {"neighbours", "most_tokens"},
        "documents": {"most_tokens"},
        "everything": {"most_tokens"},
    }
    for give, names in offered.items():
        still(page.selectbox(key="param-plain-give").set_value(give).run())
        drawn = {one.key for one in [*page.slider, *page.number_input]}
        assert drawn & {f"param-plain-{name}" for name in ("neighbours", "most_tokens")} == {
            f"param-plain-{name}" for name in names
        }
    still(page.selectbox(key="param-plain-give").set_value("surroundings").run())
    page.text_area(key="question").set_value(QUESTION)
    page.button(key="ask").click().run()
    page = drawn_when_done(page, ready)
    assert "the 6 hits alone" in said(page)
    (given,) = [
        shown
        for shown in drawings(page, "cards")
        if any("chunks" in card["where"] for card in shown["cards"])
    ]
    assert any(piece["around"] for card in given["cards"] for piece in card["pieces"])
    assert not all(piece["around"] for card in given["cards"] for piece in card["pieces"])


def test_the_k_slider_asks_no_model(ready: Workbench, scripted: ScriptedServer) -> None:
    page = asked(ready, "rag-fusion")
    calls = len(scripted.requests)
    slider = next(one for one in page.slider if str(one.key).startswith("rrf-k"))
    slider.set_value(50).run()
    assert "lists were fused with k = 60" in said(page)
    assert len(scripted.requests) == calls


def test_a_failure_is_one_sentence_and_nothing_is_lost(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", fault="server_error"))
    page = asked(ready, "rag-fusion")
    assert "status 500" in page.error[0].value
    assert "Traceback" not in said(page)
    assert "Rank fusion" in said(page)
    assert page.text_area(key="question").value == QUESTION
    scripted.script(Rule(skill="answer", reply=ANSWER))
    page.button(key="continue").click().run()
    drawn_when_done(page, ready)
    assert "Ilse Marrack founded it" in said(page)


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param(text, marks=() if place % 7 == 0 else pytest.mark.thorough)
        for place, text in enumerate(HOSTILE)
    ],
)
def test_hostile_text_in_an_endpoints_error_is_text(
    ready: Workbench, scripted: ScriptedServer, hostile: str
) -> None:
    scripted.script(Rule(status=418, reply=hostile))
    page = asked(ready, "closed-book")
    assert "status 418" in said(page)
    for text in texts(page):
        harmless(without_ours(text))


@pytest.mark.parametrize(
    ("question", "sentence"), [("", "The question is empty"), ("x" * 100_000, "characters")]
)
def test_bad_questions_are_refused_and_kept(
    ready: Workbench, scripted: ScriptedServer, question: str, sentence: str
) -> None:
    page = app()
    scripted.requests.clear()  # whether the endpoint is there was asked before
    page.text_area(key="question").set_value(question)
    page.button(key="ask").click().run()
    assert sentence in page.error[0].value
    assert page.text_area(key="question").value == question
    assert scripted.requests == []


def test_a_run_is_stopped_and_keeps_what_it_has(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply="slow word " * 500, pause=0.05))
    page = app()
    page.text_area(key="question").set_value(QUESTION)
    page.button(key="ask").click().run()
    until(page, "slow word")
    page.button(key="stop").click().run()
    drawn_when_done(page, ready)
    assert "This run was stopped" in shown(page)
    assert "slow word" in said(page)
    assert scripted.requests[-1]["cut_off"]
    assert {"ask", "continue"} < keys(page)


def endpoint(page: AppTest, url: str, key: str) -> AppTest:
    """Set another endpoint."""
    open_models(page)
    page.text_input(key="endpoint-url").set_value(url)
    page.text_input(key="endpoint-model").set_value("scripted")
    page.text_input(key="endpoint-key").set_value(key)
    return page.button(key="endpoint-use").click().run()


@pytest.mark.over_http
def test_an_endpoint_is_set_in_the_dialog(ready: Workbench, scripted: ScriptedServer) -> None:
    scripted.key = "browser-key"
    page = app()
    endpoint(page, scripted.base_url, "wrong-key")
    assert "refused the key" in page.error[0].value
    assert models.ENDPOINT not in page.session_state
    endpoint(page, scripted.base_url, "browser-key")
    assert not page.error
    picked(page, "closed-book")
    page.text_area(key="question").set_value("Why?")
    page.button(key="ask").click().run()
    drawn_when_done(page, ready)
    assert "Done in" in said(page)
    assert scripted.requests[-1]["headers"]["authorization"] == "Bearer browser-key"
    click(open_models(page), "endpoint-reset")
    assert "endpoint-reset" not in keys(open_models(page))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.txt", b"", "is empty"),
        ("broken.pdf", b"%PDF-1.4\nnothing", "is damaged or not what its name says"),
    ],
)
def test_bad_files_are_refused_with_a_reason(
    ready: Workbench, name: str, content: bytes, sentence: str
) -> None:
    page = app("pages/documents.py")
    page.file_uploader(key="files").upload(name, content).run()
    page.text_input(key="corpus-name").set_value("Refused")
    page.button(key="index").click().run()
    still(page)
    assert f"“{name}”" in shown(page)
    assert sentence in shown(page)
    assert "Refused" not in [corpus.name for corpus in ready.corpora.catalogue.corpora()]


def test_what_is_chosen_in_the_same_moment_as_ask_is_asked(ready: Workbench) -> None:
    """A browser sends several changes at once where the page is slow: the form was drawn with none of them."""
    page = app()
    page.session_state["options"] = True
    still(page.run())
    page.text_area(key="question").set_value("Where is the salt museum?")
    page.segmented_control(key="retriever").set_value("keyword")
    page.slider(key="param-plain-k").set_value(2)
    page.button(key="ask").click().run()
    page = drawn_when_done(page, ready)
    started = ready.store.started(page.query_params["run"])
    assert started is not None
    assert (started.question, started.retriever) == ("Where is the salt museum?", "keyword")
    assert started.params["k"] == 2


def test_a_wrong_filter_written_in_the_same_moment_as_ask_is_refused(ready: Workbench) -> None:
    scope = f"filter-{ready.corpora.catalogue.corpus(DEMO_CORPUS).id}-"
    page = app()
    page.text_area(key="question").set_value("Where is the salt museum?")
    page.text_area(key=f"{scope}more").set_value("no condition")
    still(page.button(key="ask").click().run())
    assert "run" not in page.query_params
    assert page.session_state["form-error"]
    assert page.text_area(key="question").value == "Where is the salt museum?"


def test_a_filter_is_chosen_kept_with_the_run_and_filled_in_from_it(ready: Workbench) -> None:
    corpus = ready.corpora.catalogue.corpus(DEMO_CORPUS)
    scope = f"filter-{corpus.id}-"
    page = still(app())
    page.multiselect(key=f"{scope}=kind").set_value(["minutes"])
    still(page.text_input(key=f"{scope}from").set_value("1970").run())
    assert "**2 of 70 documents**" in said(page)
    page.text_area(key="question").set_value("What did the harbour board decide?")
    page.button(key="ask").click().run()
    page = drawn_when_done(page, ready)
    run = page.query_params["run"]
    started = ready.store.started(run)
    assert started is not None
    assert started.where == ("kind=minutes", "date>=1970")
    assert "only where kind is minutes, date is 1970 or later" in said(page)
    # A filter that leaves nothing is said before anything is asked.
    still(page.text_input(key=f"{scope}from").set_value("2024").run())
    assert page.button(key="ask").disabled
    assert any("leaves no document" in warning.value for warning in page.warning)
    still(page.text_input(key=f"{scope}from").set_value("soon").run())
    assert page.button(key="ask").disabled
    # Whoever opens the run's link has its filter in the form.
    other = unfolded(app(), run)
    other.query_params["run"] = run
    still(other.run())
    assert other.multiselect(key=f"{scope}=kind").value == ["minutes"]
    assert other.text_input(key=f"{scope}from").value == "1970"
    still(other.button(key=f"{scope}clear").click().run())
    assert "All 70 documents" in said(other)
    assert not other.button(key="ask").disabled
