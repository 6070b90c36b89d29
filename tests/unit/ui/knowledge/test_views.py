"""What the page Knowledge graph shows, from values made by hand."""

from __future__ import annotations

from core.knowledge.explore.browsing import SeenNode, Surroundings
from core.knowledge.records import (
    Count,
    DrawnEdge,
    DrawnNode,
    EdgeRecord,
    NodeRecord,
    PathRecord,
    QueryResult,
    RelationRecord,
    Statistics,
)
from core.knowledge.store.query_guard import check_read_only
from core.trace.passages import Passage
from core.ui.knowledge.console import DRAWN, cell_text, cypher_examples, result_network, table
from core.ui.knowledge.details import as_written, relation_lines, sources
from core.ui.knowledge.explore import neighbourhood_network, shown_line
from core.ui.knowledge.paths import distinct_paths, path_line, paths_network

HOSTILE = "<a href='javascript:alert(1)'>x</a>%{y}"
TAYLOR = NodeRecord(id="taylor", name="Elizabeth Taylor", kind="person")
TODD = NodeRecord(id="todd", name="Mike Todd", kind="person")
PLACE = NodeRecord(id="grants", name="Grants", kind="place")
HYPER = NodeRecord(id="h", name="(Elizabeth Taylor)-[married]->(Mike Todd)", kind="Statement")


def edge(src: str, rel: str, dst: str, type: str = "REL", chunk: str = "", quote: str = "") -> EdgeRecord:
    return EdgeRecord(src=src, dst=dst, type=type, rel=rel, chunk=chunk, quote=quote)


MARRIED, DIED = edge("taylor", "married", "todd"), edge("todd", "died_in", "grants")
WAY = PathRecord(hops=2, nodes=(PLACE, TODD, TAYLOR), edges=(DIED, MARRIED))


def test_a_path_reads_in_its_own_direction_and_each_arrow_in_the_edges() -> None:
    assert path_line(WAY) == "Grants ←died in— Mike Todd ←married— Elizabeth Taylor"
    other = PathRecord(hops=1, nodes=(TAYLOR, TODD), edges=(MARRIED,))
    assert path_line(other) == "Elizabeth Taylor —married→ Mike Todd"


def test_the_same_way_from_two_sources_is_one_path() -> None:
    again = WAY.model_copy(update={"edges": (DIED, edge("taylor", "married", "todd", chunk="other"))})
    assert distinct_paths([WAY, again]) == [WAY]


def test_the_chosen_path_is_lit_and_paths_run_from_left_to_right() -> None:
    around = PathRecord(
        hops=2,
        nodes=(PLACE, HYPER, TAYLOR),
        edges=(edge("h", "in", "grants"), edge("h", "SUBJECT", "taylor", type="SUBJECT")),
    )
    drawn = paths_network([WAY, around], 0)
    assert {node.key: node.state for node in drawn.nodes} == {
        "grants": "start", "todd": "path", "taylor": "path", "h": ""
    }  # fmt: skip
    places = {node.key: (node.x or 0, node.y or 0) for node in drawn.nodes}
    assert {places[key][1] for key in ("grants", "todd", "taylor")} == {0}
    assert places["grants"][0] < places["h"][0] == places["todd"][0] < places["taylor"][0]
    assert places["h"][1] != 0
    assert [one.label for one in drawn.edges if one.state == "path"] == ["died_in", "married"]
    assert [node.key for node in drawn.nodes if node.hypernode] == ["h"]
    assert [one.label for one in drawn.edges if one.part] == ["SUBJECT"]
    assert not any(one.state for one in paths_network([WAY], None).edges)


def test_a_result_is_a_table_of_text_and_numbers() -> None:
    result = QueryResult(
        columns=["n", "n", "number", "mixed"],
        rows=[
            [{"labels": ["Entity"], "name": "Mike Todd"}, {"type": "REL", "rel": "married"}, 3, 1],
            [[{"labels": ["Film"], "title": "Up"}, {"type": "SEEN"}], None, 4, "two"],
        ],
        truncated=False,
        seconds=0.1,
    )
    assert table(result) == {
        "n": ["Mike Todd", "Up —SEEN—"], "n (2)": ["—married—", ""], "number": [3, 4], "mixed": ["1", "two"]
    }  # fmt: skip
    assert len(cell_text("x" * 9000)) == 500
    assert cell_text({"a": 1}) == '{"a": 1}'
    assert result_network(result) is None


def test_the_nodes_of_a_result_are_drawn_those_asked_for_first() -> None:
    many = [DrawnNode(key=f"end{i}", labels=("Entity",), properties={}) for i in range(DRAWN)]
    asked = DrawnNode(
        key="a", labels=("Entity",), properties={"name": HOSTILE, "kind": "Statement", "id": "i"}
    )
    film = DrawnNode(key="b", labels=("Film",), properties={"title": "Up"})
    edges = [DrawnEdge(key="e", src="a", dst="b", type="REL", properties={"rel": "about"}),
             DrawnEdge(key="f", src="a", dst="gone", type="SUBJECT", properties={})]  # fmt: skip
    drawn = result_network(QueryResult([], [], False, 0.0, [*many, asked, film], edges))
    assert drawn is not None
    assert [(node.label, node.kind) for node in drawn.nodes[:2]] == [(HOSTILE, "Statement"), ("Up", "Film")]
    assert drawn.nodes[0].hypernode
    assert (len(drawn.nodes), drawn.hidden) == (DRAWN, 2)
    assert [one.label for one in drawn.edges] == ["about"]


def test_examples_fit_the_graph_pass_the_guard_and_quote_names() -> None:
    odd = "O'Neil\\' RETURN 1 //"
    numbers = Statistics(
        nodes=2, edges=1, statements=1, labels=(),
        relations=(Count(name="it's", count=1),), connected=((NodeRecord(id="o", name=odd), 1),),
    )  # fmt: skip
    for native in (True, False):
        for query in cypher_examples(numbers, native, hypernodes=not native).values():
            assert check_read_only(query)
    queries = cypher_examples(numbers, False, True).values()
    assert any(r"'O\'Neil\\\' RETURN 1 //'" in query for query in queries)
    assert any("Statement" in query for query in queries)
    empty = numbers.model_copy(update={"connected": (), "relations": ()})
    assert len(cypher_examples(empty, False, False)) == 1


def around(**more: object) -> Surroundings:
    values: dict[str, object] = {
        "nodes": (
            SeenNode(node=TAYLOR, degree=9),
            SeenNode(node=TODD, degree=2),
            SeenNode(node=HYPER, degree=3),
        ),
        "edges": (MARRIED, edge("h", "SUBJECT", "taylor", type="SUBJECT")),
        "hidden": 0, "edges_cut": False,
    }  # fmt: skip
    return Surroundings.model_validate(values | more)


def test_a_neighbourhood_marks_where_it_began_and_what_was_clicked() -> None:
    drawn = neighbourhood_network(around(), "taylor", MARRIED.key, native=False)
    assert [(node.state, node.degree, node.hypernode) for node in drawn.nodes] == [
        ("start", 9, False), ("", 2, False), ("", 3, True)
    ]  # fmt: skip
    assert [(one.state, one.part) for one in drawn.edges] == [("chosen", False), ("", True)]
    native = neighbourhood_network(around(), "taylor", "", native=True)
    assert not any(node.hypernode for node in native.nodes)


def test_what_is_not_drawn_is_counted_with_a_way_to_see_it() -> None:
    assert shown_line(around()) == "3 nodes and 2 edges are drawn."
    assert "The 1,204 least connected neighbours are hidden" in shown_line(around(hidden=1204))
    assert "neighbour is hidden. Filter" in shown_line(around(hidden=1))
    assert "more edges" in shown_line(around(edges_cut=True))


def test_relations_read_as_arrows_and_parts_of_hypernodes_as_what_they_are() -> None:
    rows = [
        RelationRecord(id="t", rel="acted_in", type="REL", direction="out", count=1200),
        RelationRecord(id="t", rel="married", type="REL", direction="in", count=1),
        RelationRecord(id="t", rel="SUBJECT", type="SUBJECT", direction="in", count=7),
    ]
    assert relation_lines(rows, native=False, limit=3) == (
        "—acted in→ 1,200 nodes", "←married— 1 node", "subject of 7 hypernodes"
    )  # fmt: skip
    assert relation_lines(rows, native=True, limit=9)[2] == "←SUBJECT— 7 nodes"


def test_quoted_words_are_marked_in_the_passage_across_its_line_breaks() -> None:
    text = "Taylor (actress)\nmarried  Mike Todd in 1957. He died."
    assert as_written(text, "(actress) married Mike Todd") == "(actress)\nmarried  Mike Todd"
    assert as_written(text, "not there") == as_written(text, "") == ""
    passage = Passage(chunk="c:0", document="c", title="Taylor", text=text, position=4, start=0, end=9)
    stated = [
        edge("a", "r", "b", chunk="c:0", quote="married Mike Todd"),
        edge("a", "s", "b", chunk="c:0", quote="He died"),
        edge("a", "r", "c", quote="Words alone."),
        edge("a", "r", "d"),
    ]
    found = sources(stated, {"c:0": passage}, limit=9)
    card, inside = found[0]
    assert [piece.text for piece in card.pieces if piece.marked] == ["married  Mike Todd", "He died"]
    assert inside is passage
    assert card.where == "chunk 5"
    assert (found[1][1], found[1][0].where) == (None, "the quoted words")
    assert len(found) == 2
    assert len(sources(stated, {}, limit=1)) == 1
