"""From one run to what comes next: its form, a comparison with other strategies, the page Runs."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.ui.compare.form import columns_with
from core.ui.forms.setting import SettingDraft
from tests import examples
from tests.app.opening import click, drawings, drawn, has, links, opened, scenes, turn
from tests.app.pages import picked, unfolded
from tests.app.test_compare import cards, settings

PLAYGROUND, RUNS, COMPARE = "pages/playground.py", "pages/runs.py", "pages/compare.py"


def store(bench: Workbench, run: str, events: Sequence[Event], **started: object) -> str:
    bench.store.append(run, [events[0].model_copy(update={"run": run, **started}), *events[1:]], "me")
    return run


def follow(page: AppTest, path: str) -> AppTest:
    """Click the page's first link that leads to another one."""
    found = (one.partition("?") for one in links(page))
    query = next(query for name, _, query in found if path == f"pages/{name or 'playground'}.py")
    page.switch_page(path)
    page.query_params.clear()
    for name, value in parse_qsl(query):
        page.query_params[name] = value
    page.run()
    page._page_hash = ""
    return drawn(page)


def asked(page: AppTest) -> tuple[str, str]:
    """Question and documents of the form."""
    return str(page.text_area(key="question").value), str(page.selectbox(key="corpus").value)


def chosen(page: AppTest) -> list[str]:
    """Strategies of the columns."""
    return [str(page.selectbox(key=f"{card}strategy").value) for card in cards(page)]


# To a comparison


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("rag-fusion", ["plain", "rag-fusion"]), ("plain", ["plain", "multi-query", "rag-fusion"])],
)
def test_a_run_opened_by_link_takes_its_question_and_strategy_to_compare(
    bench: Workbench, strategy: str, expected: list[str]
) -> None:
    run = store(bench, "stored-1", examples.RUNS[strategy]())
    bench.comparisons.add("Another question?", ["a", "b"], "me")
    page = follow(opened(PLAYGROUND, run=run), COMPARE)
    assert page.text_area(key="question").value == examples.QUESTION
    assert chosen(page) == expected
    assert "like" not in page.query_params


def test_the_example_run_takes_its_question_to_compare(bench: Workbench) -> None:
    page = follow(click(opened(PLAYGROUND), "open-example"), COMPARE)
    assert page.text_area(key="question").value


def test_the_settings_of_a_run_are_those_of_its_column(bench: Workbench) -> None:
    run = store(
        bench, "stored-1", examples.rag_fusion(), retriever="keyword", params={"rrf_k": 7, "of-long-ago": 1}
    )
    page = settings(follow(opened(PLAYGROUND, run=run), COMPARE))
    own = cards(page)[1]
    assert page.segmented_control(key=f"{own}retriever").value == "keyword"
    assert {str(one.key): one.value for one in [*page.slider, *page.number_input]}[
        f"{own}param-rag-fusion-rrf_k"
    ] == 7


@pytest.mark.parametrize("owner", ["me", "somebody-else"])
def test_a_run_on_the_page_runs_takes_everything_to_compare(ready: Workbench, owner: str) -> None:
    where = ("title~film",)
    run = store(
        ready,
        f"from-runs-{owner}",
        examples.rag_fusion(),
        corpus=DEMO_CORPUS,
        retriever="keyword",
        where=where,
        params={"rrf_k": 7},
    )
    page = settings(follow(opened(RUNS, owner, run=run), COMPARE))
    assert asked(page) == (examples.QUESTION, DEMO_CORPUS)
    corpus = ready.corpora.catalogue.corpus(DEMO_CORPUS)
    assert page.session_state[f"filter-{corpus.id}-title"] == "film"
    assert chosen(page) == ["plain", "rag-fusion"]
    assert [page.segmented_control(key=f"{card}retriever").value for card in cards(page)] == ["keyword"] * 2


def test_plain_retrieval_keeps_its_retriever_beside_a_strategy_with_its_own(bench: Workbench) -> None:
    own = SettingDraft("linked-passages", "linked")
    assert columns_with(own) == (SettingDraft("plain"), own)


def test_documents_of_a_run_that_are_gone_are_said_on_compare(bench: Workbench) -> None:
    page = follow(opened(PLAYGROUND, run=store(bench, "stored-1", examples.plain(), corpus="gone")), COMPARE)
    assert "The documents of this run are missing" in [str(one.proto.title) for one in page.warning]


def test_what_was_compared_before_gives_way_to_the_form(bench: Workbench) -> None:
    runs = [store(bench, name, examples.RUNS[name]()) for name in ("plain", "rag-fusion")]
    made = bench.comparisons.add(examples.QUESTION, runs, "me")
    page = opened(COMPARE, comparison=made.id)
    page.switch_page(PLAYGROUND).run()
    page.query_params["run"] = "plain"
    page.run()
    assert cards(follow(drawn(page), COMPARE))


def test_a_run_that_is_gone_is_a_sentence_on_compare(bench: Workbench) -> None:
    page = opened(COMPARE, like="<b>nowhere")
    assert "The run to compare is missing" in [str(one.proto.title) for one in page.warning]
    assert cards(page)


# To somebody else


@pytest.mark.parametrize("path", [PLAYGROUND, RUNS])
def test_a_run_has_a_link_to_copy(bench: Workbench, path: str) -> None:
    page = opened(path, run=store(bench, "stored-1", examples.plain()))
    assert drawings(page, "what") == [{"name": "run", "value": "stored-1", "what": "run"}]


def test_a_comparison_has_a_link_to_copy(bench: Workbench) -> None:
    runs = [store(bench, name, examples.RUNS[name]()) for name in ("plain", "rag-fusion")]
    made = bench.comparisons.add(examples.QUESTION, runs, "me")
    page = opened(COMPARE, comparison=made.id)
    assert drawings(page, "what") == [{"name": "comparison", "value": made.id, "what": "comparison"}]


# To the form


def test_an_example_run_fills_the_form_and_says_its_strategy(bench: Workbench) -> None:
    page = opened(PLAYGROUND)
    assert page.session_state["strategy"] == "plain"
    page.text_area(key="question").set_value("Something else?").run()
    click(page, "open-example")
    run = bench.store.entry(str(page.session_state["shown-run"]))
    unfolded(page, run.id).run()
    assert page.session_state["strategy"] == run.strategy
    assert asked(page) == (run.question, run.corpus)


def test_what_is_typed_below_a_run_stays(bench: Workbench) -> None:
    page = opened(PLAYGROUND, run=store(bench, "stored-1", examples.rag_fusion()))
    assert page.session_state["strategy"] == "rag-fusion"
    picked(page, "hyde")
    page.text_area(key="question").set_value("And now?").run()
    page.switch_page(RUNS).run()
    unfolded(page.switch_page(PLAYGROUND), "stored-1").run()
    assert page.text_area(key="question").value == "And now?"
    assert page.session_state["strategy"] == "hyde"


def test_a_run_of_unknown_things_is_opened_and_compared(bench: Workbench) -> None:
    run = store(
        bench,
        "stored-1",
        examples.plain(),
        strategy="of-tomorrow",
        corpus="gone",
        retriever="odd",
        graph="no",
    )
    page = opened(PLAYGROUND, run=run)
    assert page.text_area(key="question").value == examples.QUESTION
    assert has(page, "of-tomorrow")
    page = follow(page, COMPARE)
    assert page.text_area(key="question").value == examples.QUESTION
    assert len(cards(page)) == 3


@pytest.mark.parametrize("path", [PLAYGROUND, RUNS])
def test_a_result_says_which_strategy_made_it(bench: Workbench, path: str) -> None:
    page = opened(path, run=store(bench, "stored-1", examples.rag_fusion()))
    assert has(page, "**RAG-Fusion** · :gray[demo] · :gray[Dense retrieval]")


# To the page Runs


def opened_passages(page: AppTest) -> list[str]:
    """Chunks that the drawings of the page are to open and scroll to."""
    return [data["open"] for data in drawings(page, "cards") if data["open"]]


def cite(page: AppTest) -> AppTest:
    """Choose the first citation."""
    return click(page, next(str(one.key) for one in page.button if str(one.key).startswith("cite-")))


def test_a_chosen_citation_stays_on_its_page(bench: Workbench) -> None:
    run = store(bench, "stored-1", examples.rag_fusion())
    page = cite(opened(PLAYGROUND, run=run))
    (first,) = set(opened_passages(page))
    assert not opened_passages(follow(page, RUNS))
    assert set(opened_passages(cite(page))) == {first}
    page.switch_page(PLAYGROUND).run()
    assert not opened_passages(drawn(page))


def test_a_replay_forgets_the_chosen_citation(bench: Workbench) -> None:
    run = store(bench, "stored-1", examples.rag_fusion())
    page = cite(opened(RUNS, run=run))
    counted = [data["asked"] for data in drawings(page, "cards") if data["open"]]
    turn(page, run, 0)
    turn(page, run, len(scenes(page)) - 1)
    assert not opened_passages(page)
    assert set(opened_passages(cite(page)))
    click(page, "replay-back")
    assert not opened_passages(click(page, "replay-next"))
    # A drawing that was there all the time opens the same passage only when it is told so anew.
    assert [data["asked"] for data in drawings(cite(page), "cards") if data["open"]] > counted
