"""A corpus and the graph that cites it are chosen together."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.runs.workbench import Workbench
from tests.app.drawings import keys, still
from tests.app.opening import value
from tests.app.pages import app, drawn_when_done, picked
from tests.homes import READY
from tests.scripted import ScriptedServer

PELLAMAR, MOVIES, _ = READY
KOREAN = DEMO_CORPORA[1]


def turned_to(page: AppTest, strategy: str) -> AppTest:
    return still(picked(page, strategy))


def choose(page: AppTest, key: str, value: str) -> AppTest:
    return still(page.selectbox(key=key).set_value(value).run())


def test_the_demo_is_one_world_of_documents_and_graph(ready: Workbench) -> None:
    page = turned_to(app(), "agentic")
    assert page.selectbox(key="corpus").value == DEMO_CORPUS
    assert page.selectbox(key="graph").value == PELLAMAR
    assert "graph-example" not in keys(page)  # those of the documents are for both
    offered = turned_to(page, "kg-rag").selectbox(key="graph-example").options
    asked = {question.text for question in ready.corpora.catalogue.corpus(DEMO_CORPUS).questions}
    assert "How many ships did Clara Lisk design?" in " ".join(offered)
    assert all(any(option.startswith(question) for question in asked) for option in offered)
    assert len(offered) < len(asked)


def test_who_chooses_documents_finds_their_graph_chosen(ready: Workbench) -> None:
    page = choose(turned_to(app(), "kg-rag"), "graph", MOVIES)
    page = turned_to(page, "plain")
    page.session_state["corpus"] = KOREAN
    page = choose(page, "corpus", DEMO_CORPUS)
    assert turned_to(page, "kg-rag").selectbox(key="graph").value == PELLAMAR


def test_who_chooses_a_graph_finds_its_documents_chosen(ready: Workbench) -> None:
    page = choose(turned_to(app(), "kg-rag"), "graph", MOVIES)
    page.session_state["corpus"] = KOREAN
    page = choose(page, "graph", PELLAMAR)
    assert page.session_state["corpus"] == DEMO_CORPUS


def test_where_both_are_chosen_each_stays_as_it_is_and_both_are_asked(
    ready: Workbench, scripted: ScriptedServer
) -> None:
    page = choose(turned_to(app(), "agentic"), "graph", MOVIES)
    assert page.selectbox(key="corpus").value == DEMO_CORPUS
    assert choose(page, "graph", MOVIES).selectbox(key="graph").value == MOVIES
    page.text_area(key="question").set_value("Who is it?")
    page.button(key="ask").click().run()
    started = ready.store.started(value(drawn_when_done(page, ready), "run"))
    assert started is not None
    assert (started.corpus, started.graph) == (DEMO_CORPUS, MOVIES)
