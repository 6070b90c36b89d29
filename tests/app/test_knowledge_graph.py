"""The page Knowledge graph: search, click, filter, paths, queries, files, playback, hostile names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.knowledge.records import Statistics
from core.knowledge.store.importing import import_file
from core.knowledge.triples import TripleSource
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench
from core.trace.events import RunStopped
from core.ui.knowledge import statistics
from core.ui.knowledge.page import RARE
from tests import examples, hostile_graph
from tests.app.drawings import Clicks, drawings, keys, still
from tests.app.pages import app, said
from tests.app.test_run_view import texts, without_ours
from tests.graphs import triple
from tests.homes import READY
from tests.unit.ui.shell.test_safe import harmless

_, _, HYPERNODES = READY
TODD = "mike todd"
PAGE = "pages/knowledge_graph.py"
WRENS = "# Wrens\n\nThe wren sings.\nIt weighs\nnine grams, no more.\n"


@pytest.fixture
def clicks(monkeypatch: pytest.MonkeyPatch) -> Clicks:
    return Clicks(monkeypatch)


def opened(section: str = "Explore", graph: str = HYPERNODES, entity: str = "") -> AppTest:
    """The page at an address, when its graph is ready."""
    query = {"section": section if section != "Explore" else "", "graph": graph, "entity": entity}
    return still(app(PAGE, **{name: value for name, value in query.items() if value}))


def named(page: AppTest, kind: str, begin: str) -> Any:
    """The widget whose key begins so; the rest of it is the graph's."""
    return next(widget for widget in page.get(kind) if str(widget.key).startswith(begin))


def choose(page: AppTest, begin: str, name: str) -> AppTest:
    """Choose the first whose name holds this."""
    box = named(page, "selectbox", begin)
    return still(box.select(next(option for option in box.options if name in option)).run())


def typed(page: AppTest, begin: str, text: str) -> AppTest:
    """Type what is no name in the list."""
    box = named(page, "selectbox", begin)
    box.options.append(text)
    box.select(text).run()
    named(page, "selectbox", begin).options.append(text)  # an AppTest knows no other value than the options
    return still(page)


def section(page: AppTest, title: str) -> AppTest:
    if title in RARE:
        still(page.segmented_control(key="section").set_value("More").run())
    key = "more" if title in RARE else "section"
    return still(page.segmented_control(key=key).set_value(title).run())


def run_query(page: AppTest, text: str) -> AppTest:
    named(page, "text_area", "cypher-").set_value(text)
    return still(page.button(key="cypher-run").click().run())


def drawn_line(page: AppTest) -> str:
    """How much is drawn."""
    return next(caption.value for caption in page.caption if "drawn." in caption.value)


def literally(page: AppTest) -> None:
    """Nothing that Streamlit renders as Markdown does more than format."""
    for text in texts(page):
        harmless(without_ours(text))


def test_search_click_collapse_and_filter(ready: Workbench, clicks: Clicks) -> None:
    page = opened()
    assert "60 nodes and 79 edges" in said(page)
    assert "Elizabeth Taylor" in page.button(key="begin-0").label
    choose(page, "entity-", "Mike Todd")
    assert "### Mike Todd" in said(page)
    assert "person · 4 edges" in said(page)
    assert drawn_line(page).startswith("3 nodes and "), "hypernodes are left out at first"
    page = still(page.toggle(key="show-hypernodes").set_value(True).run())
    assert drawn_line(page).startswith("5 nodes and ")
    assert page.query_params["entity"] == TODD

    clicks.on(page, "node", "elizabeth taylor")
    assert "### Elizabeth Taylor" in said(page)
    assert drawn_line(page).startswith("17 nodes and ")
    (network,) = drawings(page, "nodes")
    died = next(edge for edge in network["edges"] if (edge["from"], edge["title"]) == (f"#{TODD}", "died in"))
    clicks.on(page, "edge", died["id"][1:])
    assert "### Mike Todd —died in→ Grants, New Mexico" in said(page)
    assert re.search("Mike Todd died .*Grants", str(drawings(page, "cards")))

    clicks.on(page, "node", "elizabeth taylor")
    still(page.button(key="node-collapse").click().run())
    assert drawn_line(page).startswith("5 nodes and ")
    assert not page.multiselect, "filters are counted when they are asked for"
    page.session_state["filters"] = True
    still(page.run())
    still(named(page, "multiselect", "filter-relations").set_value(["died in"]).run())
    assert drawn_line(page) == "2 nodes and 1 edge are drawn."


def test_a_click_expands_and_another_collapses_where_that_is_wanted(ready: Workbench, clicks: Clicks) -> None:
    page = opened(entity=TODD)
    clicks.on(page, "node", "elizabeth taylor")
    clicks.on(page, "node", "elizabeth taylor")
    assert drawn_line(page).startswith("3 nodes and ")
    page.toggle(key="click-expands").set_value(False)
    clicks.on(page, "node", "elizabeth taylor")
    assert "### Elizabeth Taylor" in said(page)
    assert drawn_line(page).startswith("3 nodes and ")
    clicks.on(page, "node", "nobody")  # not of this drawing
    assert "### Elizabeth Taylor" in said(page)
    still(page.button(key="node-begin").click().run())
    assert page.query_params["entity"] == "elizabeth taylor"
    assert "### Elizabeth Taylor" in said(page)


def test_all_of_a_small_graph_is_drawn_at_once(ready: Workbench) -> None:
    page = opened()
    still(page.button(key="begin-whole").click().run())
    assert drawn_line(page).startswith("60 nodes and ")


def test_what_is_not_there_is_said_with_the_nearest(ready: Workbench) -> None:
    page = opened()
    typed(page, "entity-", "the television channel Fox Broadcasting")
    assert "Nothing in this graph is called" in said(page)
    near = next(button for button in page.button if "-near-" in str(button.key) and button.label == "Fox")
    still(near.click().run())
    assert "### Fox" in said(page)
    assert page.query_params["entity"] == "fox"


def test_a_part_of_a_name_is_enough(ready: Workbench) -> None:
    page = typed(opened(), "entity-", "fortensky")
    assert "### Larry Fortensky" in said(page)


def test_an_address_leads_to_the_same_view_and_on_to_a_question(ready: Workbench) -> None:
    page = opened(entity=TODD)
    assert "### Mike Todd" in said(page)
    page.button(key="node-ask").click().run()
    assert not page.exception
    assert page.text_area(key="question").value == "What is known about Mike Todd?"
    assert page.session_state["strategy"] == "kg-rag"
    assert page.selectbox(key="graph").value == HYPERNODES


def test_the_way_on_to_a_question_leads_from_any_address(ready: Workbench) -> None:
    page = still(app(PAGE, section="Explore", graph=HYPERNODES, entity=TODD))
    page.button(key="node-ask").click().run()
    assert not page.exception
    assert page.text_area(key="question").value == "What is known about Mike Todd?"


def test_a_redraw_takes_back_no_choice_that_is_on_its_way(ready: Workbench) -> None:
    page = opened("Cypher").run()
    for widget in (
        named(page, "selectbox", "graph"),
        *(page.segmented_control(key=key) for key in ("section", "more")),
    ):
        assert not widget.proto.set_value  # the browser would show it in place of the choice


def test_what_an_address_names_and_is_not_there_is_said(ready: Workbench) -> None:
    page = opened(graph="No such graph", entity="x")
    assert "The graph in this address is not here." in said(page)
    page = opened(entity="nobody")
    assert "The entity in this address is not in this graph." in said(page)


def test_paths_between_two_entities(ready: Workbench) -> None:
    page = opened("Paths")
    assert named(page, "radio", "path-").options, "an example is filled in"
    still(named(page, "selectbox", "path-from-").set_value(None).run())
    assert "Choose two entities" in said(page)
    choose(page, "path-from-", "Mike Todd")
    choose(page, "path-to-", "Larry Fortensky")
    paths = named(page, "radio", "path-")
    assert "Mike Todd ←married— Elizabeth Taylor —married→ Larry Fortensky" in paths.options[0]
    before = lit(page)
    still(paths.set_value(1).run())
    assert lit(page) != before
    assert {"elizabeth taylor"} < before | lit(page)
    choose(page, "path-to-", "Family Guy")
    assert "There is no path of at most 3 hops" in said(page)
    choose(page, "path-to-", "Mike Todd")
    assert "Both are the same entity." in said(page)


def lit(page: AppTest) -> set[str]:
    """Nodes and edges of the path that is chosen."""
    (network,) = drawings(page, "nodes")
    nodes = {one["id"][1:] for one in network["nodes"] if one.get("borderWidth") == 4}
    return nodes | {one["id"] for one in network["edges"] if one.get("color", {}).get("color") == "lit"}


def test_queries_read_and_never_write(ready: Workbench) -> None:
    page = opened("Cypher")
    run_query(page, "MATCH p = (e)-[:REL]-(n) WHERE e.name = 'Mike Todd' RETURN p, n.name AS other")
    assert re.search(r"^2 rows in", said(page), re.MULTILINE)
    assert "Grants, New Mexico" in set(page.dataframe[0].value["other"])
    (network,) = drawings(page, "nodes")
    assert "Grants, New Mexico" in {node["title"].partition("\n")[0] for node in network["nodes"]}

    run_query(page, "MATCH (n) DETACH DELETE n")
    assert "Only reading is allowed, and DETACH is not reading." in said(page)
    run_query(page, "MATCH (n RETURN n")
    assert "does not accept the query" in said(page)
    section(page, "Statistics")
    assert "Most connected" in said(page)
    section(page, "Cypher")
    assert named(page, "text_area", "cypher-").value == "MATCH (n RETURN n"
    assert "60 nodes and 79 edges" in said(page)


def test_an_example_query_is_filled_in_and_runs(ready: Workbench) -> None:
    page = opened("Cypher")
    page.selectbox(key="cypher-example").select_index(0).run()
    still(page.button(key="cypher-run").click().run())
    assert re.search(r"^\d+ rows? in", said(page), re.MULTILINE)
    assert not page.error


def test_statistics_count_what_there_is(ready: Workbench) -> None:
    page = opened("Statistics")
    assert [(one.label, one.value) for one in page.metric[:2]] == [("Nodes", "60"), ("Edges", "79")]
    connected, relations = (table.value for table in page.dataframe)
    assert list(connected.columns) == ["Entity", "Kind", "Edges"]
    assert list(connected["Edges"]) == sorted(connected["Edges"], reverse=True)
    assert sum(relations["Edges"]) == 79 - 2 * int(page.metric[2].value)  # without the parts of hypernodes
    assert not any("_" in name for name in relations["Relation"])


def test_statistics_are_drawn_where_only_hypernodes_were_counted(
    ready: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = Statistics(nodes=90, edges=180, statements=90, relations=(), labels=(), connected=())
    monkeypatch.setattr(statistics, "graph_numbers", lambda _: bare)
    page = opened("Statistics")
    assert not page.error
    assert [len(table.value) for table in page.dataframe] == [0, 0]
    assert [table.proto.alt for table in page.dataframe] == [
        "The entities with the most edges",
        "The most frequent relations",
    ]


def test_the_graph_and_its_drawing_go_home_as_files(
    ready: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: dict[str, str] = {}
    offer = st.download_button

    def offered(label: str, data: str, name: str, *rest: Any, **options: Any) -> bool:
        taken[name] = data
        return offer(label, data, name, *rest, **options)

    monkeypatch.setattr(st, "download_button", offered)
    page = opened("Export")
    assert "Draw something in Explore first" in said(page)
    page = section(opened(entity=TODD), "Export")
    named(page, "radio", "export-format").set_value("jsonl")
    still(page.button(key="export-prepare").click().run())
    assert set(taken) == {"Hypernodes-KG-RAG-examples.jsonl", "Hypernodes-KG-RAG-examples.html"}
    assert "Chichester" in taken["Hypernodes-KG-RAG-examples.jsonl"]
    assert len(taken["Hypernodes-KG-RAG-examples.jsonl"].splitlines()) == 45
    assert "Mike Todd" in taken["Hypernodes-KG-RAG-examples.html"]


def test_a_run_of_the_graph_is_played_back(ready: Workbench) -> None:
    def ran(
        question: str, strategy: str = "kg-rag", graph: str = HYPERNODES, *, stopped: bool = False
    ) -> None:
        started, *events = examples.RUNS[strategy]()
        assert started.type == "run_started"
        first = started.model_copy(update={"run": question, "graph": graph, "question": question})
        rest = [RunStopped(seq=1, reason="Stopped.")] if stopped else events
        ready.store.append(question, [first, *rest], COMMAND_LINE)

    ran("Is it played?")
    ran("Is it of another graph?", graph="Another graph")
    ran("Is it asked by queries?", "agentic")
    ran("Is it stopped?", stopped=True)
    page = opened("Playback")
    offered = named(page, "selectbox", "playback-run-").options
    assert sorted(label.partition(" ·")[0] for label in offered) == ["Is it played?", "Is it stopped?"]
    choose(page, "playback-run-", "Is it stopped?")
    assert "there is nothing to play" in said(page)
    choose(page, "playback-run-", "Is it played?")
    assert "Replay of the walk" in said(page)
    (frames,) = drawings(page, "frames")
    assert len(frames["frames"]) > 5


@pytest.fixture
def wrens(ready: Workbench, tmp_path: Path) -> Iterator[str]:
    """A corpus, and a graph that was built from it."""
    text = tmp_path / "wrens.md"
    text.write_text(WRENS, encoding="utf-8")
    ready.corpora.index([text], "Wrens").result()
    corpus = ready.corpora.catalogue.corpus("Wrens")
    document = ready.corpora.catalogue.documents(corpus.id)[0].id
    chunk = ready.corpora.opened_document("Wrens", document)[1][0].chunk
    source = TripleSource(chunk=chunk, document=document, quote="It weighs nine grams")
    file = tmp_path / "wrens.jsonl"
    file.write_text(triple("Wren", "weighs", "nine grams", source).model_dump_json(), encoding="utf-8")
    import_file(ready.graphs.graphs, file, "Wren graph", corpus="Wrens")
    yield corpus.id
    ready.graphs.delete("Wren graph")
    ready.corpora.delete("Wrens")


def test_the_quoted_words_are_marked_where_they_stand(ready: Workbench, wrens: str) -> None:
    page = opened(graph="Wren graph", entity="wren")
    (shown,) = drawings(page, "cards")
    marked = [piece["text"] for card in shown["cards"] for piece in card["pieces"] if piece["marked"]]
    assert [" ".join(words.split()) for words in marked] == ["It weighs nine grams"]
    links: Any = page.get("page_link")
    link = next(one for one in links if one.value == "Open the document here")
    query = dict(part.split("=") for part in link.proto.query_string.split("&"))
    assert query["corpus"] == wrens
    there = app("pages/documents.py", **query)
    (opened_there,) = drawings(there, "stretches")
    assert "The wren sings" in json.dumps(opened_there)


def test_hostile_names_are_text_everywhere(ready: Workbench, clicks: Clicks, tmp_path: Path) -> None:
    hostile_graph.import_hostile(ready.graphs.graphs, tmp_path)
    page = opened(graph=hostile_graph.NAME)
    assert "10 nodes and 20 edges" in said(page)
    literally(page)
    choose(page, "entity-", hostile_graph.BAD)
    (network,) = drawings(page, "nodes")
    for what, one in [("node", one) for one in network["nodes"][::2]] + [
        ("edge", one) for one in network["edges"][::4]
    ]:
        clicks.on(page, what, one["id"][1:])
        literally(page)
    section(page, "Paths")
    choose(page, "path-from-", hostile_graph.BAD)
    choose(page, "path-to-", "xxxxxxxx")
    assert named(page, "radio", "path-").options
    literally(page)
    literally(section(page, "Statistics"))
    section(page, "Cypher")
    run_query(page, "MATCH p = (a)-[r]->(b) RETURN p, a.name, r.quote")
    assert "rows in" in said(page)
    literally(section(page, "Delete"))
    assert f"Deletes the graph “{hostile_graph.NAME}” for everybody." in said(page)
    still(page.button(key="graph-delete-sure").click().run())
    assert "Choose a graph. Those that come with the app" in said(page)
    assert hostile_graph.NAME not in ready.graphs.names()
    assert "graph-delete-sure" not in keys(page)
