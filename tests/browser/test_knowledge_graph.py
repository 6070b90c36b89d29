"""The page Knowledge graph in a real browser: search, expand, click, filter, paths, queries, hostile names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.knowledge.importing import import_file
from core.knowledge.triples import Source, triple
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench
from tests import examples
from tests.bench import open_bench
from tests.browser.conftest import App, Tab
from tests.browser.test_hostile import HOSTILE, REACHES_OUT

HYPERNODES = "Hypernodes (KG-RAG examples)"
TODD = f"knowledge_graph?graph={HYPERNODES}&entity=mike+todd"
BAD = "<img src=x onerror=alert('graph')> <b>"
CONTROL = "left\u202eright\u2066\u0007 \u05e9\u05dc\u05d5\u05dd ![p](http://attacker.example/p.png)"


def open_graph(tab: Tab, app: App, address: str = "knowledge_graph") -> Page:
    page = tab.page
    page.goto(f"{app.url}/{address}")
    page.wait_for_selector(".st-key-section", timeout=90_000)
    expect(page.get_by_text("The graph is being made ready.")).to_be_hidden(timeout=90_000)
    tab.settle(60)
    return page


def section(tab: Tab, title: str) -> None:
    tab.page.locator(".st-key-section").get_by_text(title, exact=True).click()
    tab.settle()


def choose(tab: Tab, field: str, name: str) -> None:
    """Type a name and take the first that fits."""
    box = tab.page.locator(f"[class*='st-key-{field}'] input")
    box.fill(name)
    tab.page.get_by_role("option", name=name).first.click()
    tab.settle()


def listed(page: Page) -> None:
    """Unfold the list beside the drawing, which holds what can be clicked."""
    page.locator(".root details.list summary").first.click()


def run_query(tab: Tab, text: str) -> None:
    tab.page.locator("[class*='st-key-cypher-g'] textarea").fill(text)
    tab.page.locator(".st-key-cypher-run button").click()
    tab.settle()


def test_search_expand_click_collapse_filter(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app)
    expect(page.get_by_text("60 nodes and 79 edges")).to_be_visible()
    expect(page.locator(".st-key-begin-0").get_by_text("Elizabeth Taylor")).to_be_visible()
    choose(tab, "entity-", "Mike Todd")
    details = page.locator(".st-key-knowledge-details")
    expect(details.get_by_role("heading", name="Mike Todd")).to_be_visible()
    expect(details.get_by_text("person · 4 edges")).to_be_visible()
    expect(page.get_by_text(re.compile("^5 nodes and .* edges are drawn"))).to_be_visible()
    assert "entity=mike+todd" in page.url

    listed(page)
    page.locator(".lines button", has_text="Elizabeth Taylor · person").click()
    expect(details.get_by_role("heading", name="Elizabeth Taylor")).to_be_visible()
    expect(page.get_by_text(re.compile("^17 nodes and .* edges are drawn"))).to_be_visible()
    page.locator(".lines button", has_text="Mike Todd — died in → Grants, New Mexico").click()
    expect(details.get_by_role("heading", name="Mike Todd —died in→ Grants, New Mexico")).to_be_visible()
    expect(details.get_by_text(re.compile("Mike Todd died .*Grants"))).to_be_visible()
    page.locator(".lines button", has_text="Elizabeth Taylor · person").click()
    page.locator(".st-key-node-collapse button").click()
    expect(page.get_by_text(re.compile("^5 nodes and .* edges are drawn"))).to_be_visible()

    page.locator(".st-key-filters button").first.click()
    picker = page.locator("[class*='st-key-filter-relations'] input")
    picker.fill("died in")
    page.get_by_role("option", name="died in").first.click()
    expect(page.get_by_text("2 nodes and 1 edge are drawn.")).to_be_visible()


def test_what_is_not_there_is_said_with_the_nearest(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app)
    box = page.locator("[class*='st-key-entity-'] input")
    box.fill("the television channel Fox Broadcasting")
    box.press("Enter")
    expect(page.get_by_text("Nothing in this graph is called")).to_be_visible()
    page.locator("[class*='-nearest'] button", has_text=re.compile("^Fox$")).click()
    expect(page.get_by_role("heading", name="Fox", exact=True)).to_be_visible()


def test_an_address_leads_to_the_same_view_and_on_to_a_question(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app, TODD)
    expect(page.get_by_role("heading", name="Mike Todd")).to_be_visible()
    page.locator(".st-key-node-ask button").first.click()
    expect(page.locator(".st-key-question textarea")).to_have_value("About Mike Todd: ", timeout=20_000)
    expect(page.locator(".st-key-graph input")).to_have_value(HYPERNODES)
    page.goto(f"{scripted_app.url}/knowledge_graph?graph=No+such+graph&entity=x")
    expect(page.get_by_text("The graph in this address is not here.")).to_be_visible()


def test_paths_between_two_entities(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app, f"{TODD}&section=Paths")
    choose(tab, "path-from-", "Mike Todd")
    choose(tab, "path-to-", "Larry Fortensky")
    lines = page.locator("[class*='st-key-path-g'] label")
    expect(lines.nth(1)).to_contain_text("Mike Todd ←married— Elizabeth Taylor —married→ Larry Fortensky")
    lines.nth(2).click()
    tab.settle()
    expect(page.locator("[class*='st-key-path-g'] input").nth(1)).to_be_checked()
    choose(tab, "path-to-", "Family Guy")
    expect(page.get_by_text("There is no path of at most 3 hops")).to_be_visible()


def test_queries_read_and_never_write(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app, f"{TODD}&section=Cypher")
    run_query(tab, "MATCH p = (e)-[:REL]-(n) WHERE e.name = 'Mike Todd' RETURN p, n.name AS other")
    expect(page.get_by_text(re.compile(r"^2 rows in"))).to_be_visible()
    cells = page.locator("[data-testid='stDataFrame'] [role=gridcell]")
    expect(cells.filter(has_text=re.compile("^Grants, New Mexico$"))).to_be_attached()
    listed(page)
    expect(page.locator(".lines button", has_text="Grants, New Mexico")).to_have_count(2)

    wrong = "MATCH (n) DETACH DELETE n"
    run_query(tab, wrong)
    expect(page.get_by_text("Only reading is allowed, and DETACH is not reading.")).to_be_visible()
    run_query(tab, "MATCH (n RETURN n")
    expect(page.get_by_text("does not accept the query")).to_be_visible()
    section(tab, "Statistics")
    expect(page.get_by_text("Most connected")).to_be_visible()
    section(tab, "Cypher")
    expect(page.locator("[class*='st-key-cypher-g'] textarea")).to_have_value("MATCH (n RETURN n")
    expect(page.get_by_text("60 nodes and 79 edges")).to_be_visible()


@pytest.fixture
def bench(scripted_app: App) -> Iterator[Workbench]:
    """A second process's access to what the app shows."""
    bench = open_bench(scripted_app.home)
    yield bench
    bench.graphs.graphs.close()
    bench.engines.supervisor.release()


@pytest.fixture
def hostile_graph(bench: Workbench, tmp_path: Path) -> str:
    """A graph whose every text is hostile, imported from a file."""
    names = [BAD, f"{HOSTILE[:250]}", CONTROL, "x" * 10_000, "\"'`$(rm)` <script>alert('node')</script>"]
    lines = []
    for place, name in enumerate(names):
        other = names[(place + 1) % len(names)]
        subject = {"type": "entity", "name": name, "kind": BAD}
        statement = {
            "type": "statement",
            "subject": subject,
            "relation": BAD,
            "object": {"type": "entity", "name": other},
        }
        source = {"chunk": BAD, "document": HOSTILE[:200], "quote": HOSTILE}
        lines += [
            {"subject": subject, "relation": BAD, "object": {"type": "entity", "name": other}, "source": source},
            {"subject": statement, "relation": "<script>", "object": {"type": "entity", "name": BAD}, "source": source},
        ]  # fmt: skip
    file = tmp_path / "hostile.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    name = "Hostile <b onmouseover=alert(1)> graph"
    import_file(bench.graphs.graphs, file, name, origin=HOSTILE[:300])
    return name


def test_the_quoted_words_are_marked_where_they_stand(
    tab: Tab, scripted_app: App, bench: Workbench, tmp_path: Path
) -> None:
    text = tmp_path / "wrens.md"
    text.write_text("# Wrens\n\nThe wren sings.\nIt weighs\nnine grams, no more.\n", encoding="utf-8")
    bench.library.index([text], "Wrens").report()
    corpus = bench.library.catalogue.corpus("Wrens")
    document = bench.library.catalogue.documents(corpus.id)[0].id
    chunk = bench.library.opened_document("Wrens", document)[1][0].chunk
    source = Source(chunk=chunk, document=document, quote="It weighs nine grams")
    file = tmp_path / "wrens.jsonl"
    file.write_text(triple("Wren", "weighs", "nine grams", source).model_dump_json(), encoding="utf-8")
    import_file(bench.graphs.graphs, file, "Wren graph", corpus="Wrens")
    page = open_graph(tab, scripted_app, "knowledge_graph?graph=Wren+graph&entity=wren")
    mark = page.locator(".st-key-knowledge-details mark")
    expect(mark).to_have_text(re.compile(r"It weighs\s+nine grams"))
    page.get_by_role("link", name="Open the document here").click()
    expect(page.locator(".stretch.chosen").filter(has_text="The wren sings")).to_be_attached(timeout=20_000)


def test_hostile_names_are_text_everywhere(tab: Tab, scripted_app: App, hostile_graph: str) -> None:
    page = open_graph(tab, scripted_app)
    choose(tab, "graph", hostile_graph)
    expect(page.get_by_text("10 nodes and 20 edges")).to_be_visible(timeout=60_000)
    tab.settle()
    choose(tab, "entity-", BAD)
    expect(page.locator(".st-key-knowledge-details").get_by_role("heading", name=BAD)).to_be_visible()
    listed(page)
    for button in page.locator(".lines button").all()[:12]:
        if button.is_visible():
            button.click()
            tab.settle()
    harmless(tab)
    section(tab, "Paths")
    choose(tab, "path-from-", BAD)
    choose(tab, "path-to-", "xxxxxxxx")
    expect(page.locator("[class*='st-key-path-g'] label").first).to_be_visible()
    harmless(tab)
    section(tab, "Statistics")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    harmless(tab)
    section(tab, "Cypher")
    page.locator(".st-key-cypher-schema summary").click()
    run_query(tab, "MATCH p = (a)-[r]->(b) RETURN p, a.name, r.quote")
    expect(page.get_by_text(re.compile("rows in"))).to_be_visible()
    harmless(tab)
    page.locator(".st-key-graph-delete button").first.click()
    expect(page.get_by_text(f"Deletes the graph “{hostile_graph}” for everybody.")).to_be_visible()
    page.locator(".st-key-graph-delete-sure button").click()
    expect(page.get_by_text("Choose a graph. Those that come with the app")).to_be_visible(timeout=20_000)


def harmless(tab: Tab) -> None:
    """Nothing of what is on the page is an element that a name made."""
    page = tab.page
    assert page.locator("script:has-text('alert(')").count() == 0
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
    assert page.locator("[data-testid='stException']").count() == 0
    assert (tab.foreign, tab.dialogs) == ([], [])


def test_the_graph_and_its_drawing_go_home_as_files(tab: Tab, scripted_app: App, tmp_path: Path) -> None:
    page = open_graph(tab, scripted_app, TODD)
    expect(page.get_by_role("heading", name="Mike Todd")).to_be_visible()
    section(tab, "Export")
    page.locator("[class*='st-key-export-format'] label", has_text="Triples, JSON Lines").click()
    page.locator(".st-key-export-prepare button").click()
    with page.expect_download() as triples:
        page.locator(".st-key-export-graph button").click()
    assert triples.value.suggested_filename == "Hypernodes-KG-RAG-examples.jsonl"
    assert "Chichester" in Path(triples.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as drawing:
        page.locator(".st-key-export-drawing button").click()
    saved = tmp_path / "drawing.html"
    drawing.value.save_as(saved)
    page.goto(saved.as_uri())
    expect(page.locator("canvas")).to_be_visible()


def test_a_run_of_the_graph_is_played_back(tab: Tab, scripted_app: App, bench: Workbench) -> None:
    for run, graph in (("played", HYPERNODES), ("other", "Another graph")):
        started, *events = examples.RUNS["kg-rag"]()
        assert started.type == "run_started"
        first = started.model_copy(update={"run": run, "graph": graph, "question": f"Who is it in {graph}?"})
        bench.store.append(run, [first, *events], COMMAND_LINE)
    page = open_graph(tab, scripted_app, f"{TODD}&section=Playback")
    choose(tab, "playback-run", f"Who is it in {HYPERNODES}?")
    expect(page.get_by_text("The way through the graph")).to_be_visible()
    expect(page.locator("[class*='st-key-playback-frames'] canvas").first).to_be_visible()
    page.locator("[class*='st-key-playback-run'] input").press("ArrowDown")
    expect(page.get_by_role("option", name="Gallery: ")).to_have_count(1)
    expect(page.get_by_role("option", name="Another graph")).to_have_count(0)
