"""Building a graph and merging its duplicates: forecast, watch, stop, go on, fail, retry, merge, undo."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.knowledge.store.graphs import Graphs
from core.runs.sources.builds import BuildJob
from core.runs.workbench import Workbench
from core.ui.shell import session
from tests import fleet
from tests.app.drawings import drawings, keys, still, until
from tests.app.pages import app, said, workbench
from tests.app.test_run_view import texts, without_ours
from tests.bench import open_bench
from tests.graphs import contents
from tests.homes import Homes
from tests.patience import Patience
from tests.scripted import Rule, ScriptedServer
from tests.unit.ui.shell.test_safe import harmless

PAGE = "pages/knowledge_graph.py"


@pytest.fixture(scope="module")
def yard(homes: Homes) -> Path:
    """A home with the demo, and the ships as a corpus."""
    home = homes.visited()
    bench = open_bench(home)
    fleet.index(bench.corpora)
    bench.backends.supervisor.release()
    return home


@pytest.fixture
def bench(yard: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer) -> Iterator[Workbench]:
    """A workbench with the ships and the scripted endpoint."""
    endpoint = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "test-key"}
    with workbench(monkeypatch, yard, RETRY_BASE_SECONDS="0.01", **endpoint) as bench:
        session.workbench()
        bench.corpora.demo().result()
        yield bench
        for job in bench.builds.running():
            stop(job)
        bench.graphs.graphs.close()


@pytest.fixture
def graphs(bench: Workbench) -> Graphs:
    return bench.graphs.graphs


def stop(job: BuildJob) -> None:
    """Stop it and wait for its end."""
    job.stop()
    patience = Patience()
    while not job.done:
        patience.ask("The build is not so far.")
        time.sleep(0.01)


def opened(**address: str) -> AppTest:
    return still(app(PAGE, **address))


def form(graph: str = "") -> AppTest:
    """The form for the ships; with a name for the graph."""
    page = app(PAGE, section="Build")
    page.selectbox(key="build-corpus").select(fleet.NAME).run()
    if graph:
        name = next(one for one in page.text_input if str(one.key).startswith("build-name-"))
        name.set_value(graph).run()
    return page


def build(page: AppTest) -> AppTest:
    page.button(key="build-go").click().run()
    return page


def figures(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_what_a_build_takes_is_said_before(bench: Workbench) -> None:
    page = form()
    assert re.search("12 chunks; about 12 model calls; time: .* nobody can tell", said(page))
    page.number_input[0].set_value(3).run()
    assert "3 chunks; about 3 model calls" in said(page)


def test_a_build_is_watched_and_left(bench: Workbench, graphs: Graphs, scripted: ScriptedServer) -> None:
    fleet.hold_back(scripted)
    page = until(build(form("Watched")), "5 of 12 chunks")
    (column,) = [one["columns"][0] for one in drawings(page, "columns")]
    assert len(column["lines"]) == 12
    assert [line["triple"]["subject"]["hyper"] for line in column["lines"]].count(True) >= 2
    assert any(fleet.BAD in line["quote"] for line in column["lines"])
    assert figures(page) == {
        "Triples": str(5 * fleet.ANSWERED), "Per chunk": "5.0", "Dropped": str(fleet.ANSWERED), "Failed": "0"
    }  # fmt: skip
    assert "the quote is not in the chunk" in said(page)
    for text in texts(page):
        harmless(without_ours(text))

    page.switch_page("pages/documents.py").run()
    assert "build-stop" not in keys(page)
    page.switch_page(PAGE).run()
    page.segmented_control(key="section").set_value("Build").run()
    until(page, "5 of 12 chunks")
    other = app(PAGE, owner="somebody else", section="Build")
    assert "Building “Watched”" in said(other)
    page.button(key="build-stop").click().run()
    until(page, "Stopped. What is done stays")


def test_a_stopped_build_is_taken_up_again_and_nothing_is_paid_twice(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    fleet.hold_back(scripted)
    page = until(build(form("Stopped")), "5 of 12 chunks")
    page.button(key="build-stop").click().run()
    until(page, "Stopped. What is done stays")
    assert "5 of 12 chunks done, 7 open." in said(page)
    assert figures(page)["Triples"] == str(5 * fleet.ANSWERED), "what it made stays on the page"
    assert fleet.noted(graphs, "Stopped") == fleet.ANSWERED

    asked = fleet.sent(scripted, answered=True)
    scripted.reset()
    scripted.script(*fleet.rules())
    page.run()
    assert re.search("7 chunks; about 7 model calls; about .* judged from", said(page))
    until(build(page), "12 of 12 chunks done.")
    assert re.search("^7 chunks done in .*, 5 done before", said(page), re.MULTILINE)
    assert sorted([*asked, *fleet.sent(scripted)]) == list(range(fleet.SHIPS))
    still(page.button(key="build-explore").click().run())
    assert "begin-0" in keys(page)
    assert page.query_params["graph"] == "Stopped"


def test_an_unfinished_build_is_offered_to_whoever_comes(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    fleet.hold_back(scripted)
    job = BuildJob(bench.corpora, graphs, fleet.NAME, "Left")
    patience = Patience()
    while job.progress.chunks < fleet.ANSWERED:
        patience.ask("The build is not so far.")
        time.sleep(0.01)
    stop(job)
    scripted.script(*fleet.rules())
    page = form()
    assert "“Left” was not finished." in said(page)
    page.button(key="build-other-Left").click().run()
    assert "5 of 12 chunks done, 7 open." in said(page)
    until(build(page), "12 of 12 chunks done.")
    assert "“Left” was not finished." not in said(page)


def test_a_chunk_that_failed_is_listed_and_retried(bench: Workbench, scripted: ScriptedServer) -> None:
    nonsense = Rule(when=lambda body: "Ariel-7 " in str(body), reply="Once upon a time", times=2)
    scripted.script(nonsense, *fleet.rules())
    page = until(build(form("Retried")), "11 of 12 chunks done, 1 failed.")
    assert re.search(r"\*\*ship-7.txt\*\*, chunk 1: .*without the form", said(page))
    scripted.requests.clear()
    page.button(key="build-retry").click().run()
    until(page, "12 of 12 chunks done.")
    assert fleet.sent(scripted) == [7]
    assert "ship-7.txt" not in said(page)


def test_a_graph_without_a_name_is_not_built(bench: Workbench, scripted: ScriptedServer) -> None:
    page = build(form(" "))
    assert "name" in page.error[0].value
    assert fleet.sent(scripted) == []


@pytest.fixture
def doubled(bench: Workbench, graphs: Graphs, scripted: ScriptedServer) -> Iterator[AppTest]:
    """The proposals for a graph in which three things have two names each."""
    scripted.script(*fleet.rules())
    BuildJob(bench.corpora, graphs, fleet.NAME, "Doubled").result()
    page = opened(section="Duplicates", graph="Doubled")
    page.toggle(key="duplicates-meaning").set_value(False)
    still(page.button(key="duplicates-find").click().run())
    assert "3 pairs to decide" in said(page)
    yield page
    graphs.delete("Doubled")


def decide(page: AppTest, what: str, name: str) -> AppTest:
    """Press a button of the pair that holds a name."""
    pressed = [str(button.key) for button in page.button if str(button.key).startswith(f"{what}-")]
    shown = [one["columns"] for one in drawings(page, "columns")]
    place = next(at for at, columns in enumerate(shown) if any(name in one["head"] for one in columns))
    return still(page.button(key=pressed[place]).click().run())


def test_a_pair_is_shown_with_what_is_said_of_each_and_dismissed(doubled: AppTest) -> None:
    shown = [one["columns"] for one in drawings(doubled, "columns")]
    salt = next(columns for columns in shown if "Salt Company" in columns[0]["head"])
    assert [column["lines"][0]["triple"]["relation"] for column in salt] == ["known to", "known to"]
    decide(doubled, "dismiss", "Salt Company")
    assert "2 pairs to decide" in said(doubled)
    assert "Salt Company" not in str(drawings(doubled, "columns"))


def test_a_merge_is_undone(doubled: AppTest, graphs: Graphs) -> None:
    before, graph = contents(graphs, "Doubled"), graphs.catalogue.graph("Doubled")
    decide(doubled, "merge", "Nero")
    assert "Merged so far: 1" in said(doubled)
    assert "2 pairs to decide" in said(doubled)
    (merged,) = graphs.aliases.merges(graph.id)
    still(doubled.button(key=f"undo-{merged.id}").click().run())
    assert "Undone. Both entities are as they were before." in said(doubled)
    assert "3 pairs to decide" in said(doubled)
    assert contents(graphs, "Doubled") == before


def test_all_safe_pairs_are_merged_at_once(doubled: AppTest, graphs: Graphs) -> None:
    graph = graphs.catalogue.graph("Doubled")
    still(doubled.button(key="duplicates-safe-sure").click().run())
    assert "3 merged. Each can be undone below." in said(doubled)
    assert "Nothing to decide" in said(doubled)
    names = {name for pair in fleet.PAIRS for name in pair}
    assert {one.gone.name for one in graphs.aliases.merges(graph.id)} < names
    assert graphs.catalogue.graph("Doubled").nodes == graph.nodes - 3
