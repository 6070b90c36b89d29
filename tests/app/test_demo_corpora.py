"""Corpora that come with the app are offered wherever one is chosen, and made ready when they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.reports import IndexReport
from core.jobs import Job
from core.runs.record import record
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.models import Option
from core.ui.shell.safe import JOINER
from core.users import APP
from tests.app.opening import click, click_row, drawn, has, keys, opened, table, value
from tests.app.pages import app, workbench
from tests.homes import Homes
from tests.scripted import ScriptedServer

_, KOREAN, JAPANESE, CHINESE = DEMO_CORPORA


@pytest.fixture
def bench(homes: Homes, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer) -> Iterator[Workbench]:
    """With the first of them, as after the first start."""
    endpoint = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "test-key"}
    with workbench(monkeypatch, homes.visited(), **endpoint) as bench:
        session.workbench()
        bench.corpora.demo().result()
        assert there(bench) == [DEMO_CORPUS]
        yield bench
        st.cache_resource.clear()


def there(bench: Workbench) -> list[str]:
    return [corpus.name for corpus in bench.corpora.catalogue.corpora()]


def made_ready(bench: Workbench, page: AppTest, name: str) -> AppTest:
    """The page when the corpus that was chosen there is ready."""
    report: IndexReport = bench.corpora.demo(name).result()
    assert report.documents
    return drawn(page.run())


def test_one_is_chosen_made_ready_and_asked(bench: Workbench) -> None:
    page = opened("pages/playground.py")
    assert page.selectbox(key="corpus").options[:1][0].startswith(DEMO_CORPUS)
    assert page.selectbox(key="corpus").options[1:] == [KOREAN, JAPANESE, CHINESE]
    drawn(page.selectbox(key="corpus").set_value(KOREAN).run())
    made_ready(bench, page, KOREAN)
    assert there(bench) == [DEMO_CORPUS, KOREAN]
    question = bench.corpora.catalogue.corpus(KOREAN).questions[0].text
    assert any(one.startswith(question) for one in page.selectbox(key="example").options)
    page.text_area(key="question").set_value(question)
    click(page, "ask")
    job = bench.launcher.job(value(page, "run"))
    assert job is not None
    job.result(60)
    assert has(drawn(page.run()), "Done in")


def why(page: AppTest) -> str:
    """Why the retriever is the default, as its help says."""
    return str(page.segmented_control(key="retriever").proto.help).replace(JOINER, "").replace("\\", "")


def test_the_default_retriever_says_why_and_a_choice_stays(bench: Workbench) -> None:
    bench.corpora.demo(KOREAN).result()
    page = opened("pages/playground.py")
    assert page.segmented_control(key="retriever").value == "hybrid"
    assert "English documents: hybrid search (" in why(page)
    drawn(page.selectbox(key="corpus").set_value(KOREAN).run())
    assert page.segmented_control(key="retriever").value == "hybrid"
    told = "Korean documents: hybrid search (30 % by meaning, 70 % by words) finds more than dense search"
    assert told in why(page)
    drawn(page.segmented_control(key="retriever").set_value("keyword").run())
    drawn(page.selectbox(key="corpus").set_value(DEMO_CORPUS).run())
    assert page.segmented_control(key="retriever").value == "keyword"
    page.text_area(key="question").set_value("Who is the Warden?")
    click(page, "ask")
    job = bench.launcher.job(value(page, "run"))
    assert job is not None
    started = record(job.result(60)).started
    assert started is not None
    assert started.retriever == "keyword"


def test_how_a_run_searched_its_documents_is_no_choice_for_others(bench: Workbench) -> None:
    bench.corpora.index([("wrens.md", b"The wren sings in the hedge.")], "Wrens").result()
    (recording,) = bench.recordings.store.listed([APP.owner])
    page = app(model=Option("recording", recording.id), run="recorded-rag-fusion")
    assert page.segmented_control(key="retriever").value == "dense"
    drawn(page.selectbox(key="corpus").set_value("Wrens").run())
    assert page.segmented_control(key="retriever").value == "hybrid"


def test_while_one_is_made_ready_the_page_says_so_and_nothing_can_be_asked(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: object) -> IndexReport:
        raise AssertionError("it is held back")

    held, of_app = IndexJob(never), bench.corpora.demo
    held.stop()
    monkeypatch.setattr(IndexJob, "done", property(lambda job: job is not held))
    monkeypatch.setattr(
        bench.corpora, "demo", lambda name=DEMO_CORPUS: held if name == KOREAN else of_app(name)
    )
    page = opened("pages/playground.py")
    drawn(page.selectbox(key="corpus").set_value(KOREAN).run())
    assert has(page, f"“{KOREAN}” is chosen for the first time: its documents are being indexed.")
    assert page.button(key="ask").disabled


@pytest.mark.parametrize("path", ["pages/playground.py", "pages/compare.py"])
def test_one_that_becomes_ready_while_the_page_is_drawn_can_be_asked(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    asked: list[IndexJob] = []
    done: property = vars(Job)["done"]

    def late(job: IndexJob) -> bool:
        """Not done when the page first asks, and done before it asks again."""
        if job is not bench.corpora.demo(KOREAN) or job in asked:
            return bool(done.__get__(job))
        asked.append(job)
        job.result()
        return False

    page = opened(path)
    monkeypatch.setattr(IndexJob, "done", property(late))
    drawn(page.selectbox(key="corpus").set_value(KOREAN).run())
    assert len(asked) == 1
    question = bench.corpora.catalogue.corpus(KOREAN).questions[0].text
    assert any(one.startswith(question) for one in page.selectbox(key="example").options)
    page.text_area(key="question").set_value(question).run()
    assert not page.button(key="ask" if "playground" in path else "compare-ask").disabled


def test_a_click_in_the_list_makes_one_ready_and_opens_it(bench: Workbench) -> None:
    page = opened("pages/documents.py")
    listed = table(page, "corpora")
    assert listed["Corpus"] == list(DEMO_CORPORA)
    click_row(page, "corpora", 2)
    made_ready(bench, page, JAPANESE)
    assert value(page, "corpus") == bench.corpora.catalogue.corpus(JAPANESE).id
    assert "corpus-delete-sure" not in keys(page)


def test_a_data_set_can_be_made_of_one(bench: Workbench) -> None:
    page = opened("pages/evaluate.py", section="Data sets")
    page.segmented_control(key="adding-way").set_value("Make one").run()
    page.selectbox(key="making-corpus").set_value(CHINESE).run()
    made_ready(bench, page, CHINESE)
    page.text_input(key="making-name").set_value("Of an island")
    click(page, "making-begin")
    assert has(page, "Of an island")

    # And another is taken instead.
    page.selectbox(key="making-other").set_value(KOREAN).run()
    made_ready(bench, page, KOREAN)
    click(page, "making-move-go")
    assert has(
        page, f"documents of **{KOREAN.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}**"
    ) or has(page, KOREAN)


def test_a_graph_can_be_built_of_one(bench: Workbench) -> None:
    page = opened("pages/knowledge_graph.py", section="Build")
    page.selectbox(key="build-corpus").set_value(KOREAN).run()
    made_ready(bench, page, KOREAN)
    assert page.selectbox(key="build-corpus").value == KOREAN
    assert "build-graph" in {str(one.key) for one in page.selectbox}
