"""The graph of mentions, and walks on it: worked out by hand, and against networkx."""

from __future__ import annotations

import networkx
import pytest

from core.retrieval.linked import stops, visits, way
from core.retrieval.links import ALWAYS, Links
from core.trace.passages import Passage
from tests.cases import cases


def links(**documents: str | tuple[str, ...]) -> Links:
    """A graph of documents, each with its title (`_` for a blank) and the texts of its passages."""
    passages = [
        Passage(
            chunk=f"{title}-{position}",
            document=title,
            title=title,
            text=text,
            position=position,
            start=0,
            end=len(text),
        )
        for title, texts in documents.items()
        for position, text in enumerate((texts,) if isinstance(texts, str) else texts)
    ]
    return Links(passages, {title: title.replace("_", " ") for title in documents})


CHAIN: dict[str, str | tuple[str, ...]] = {
    "Anna": "Anna wrote to Bert Olsen.",
    "Bert_Olsen": "Bert Olsen lived in Carrick.",
    "Carrick": ("Carrick is a town.", "It lies on the sea."),
    "Delta": "Nothing leads here.",
}


def test_a_mention_joins_a_passage_with_all_passages_of_the_document() -> None:
    graph = links(**CHAIN)
    assert graph.count == 2
    first = visits(graph, {0: 1.0}, 3)
    assert first[1].tolist() == [0, 1, 0, 0, 0]
    # Bert Olsen is all that the others lead to.
    assert graph.shares(1).tolist() == pytest.approx([1, 0, 1, 1, 0])
    # Of Bert's mass, half goes back to Anna, and a quarter to each passage about Carrick: both names are equally rare.
    assert first[2].tolist() == pytest.approx([0.5, 0, 0.25, 0.25, 0])
    assert first.sum(axis=1).tolist() == pytest.approx([1, 1, 1, 1])


@cases(
    ("query", "seeds", "expected"),
    [
        ("Who knew Carrick?", 2, [0, 2, 1, 4]),
        ("Who knew Bert Olsen?", 2, [0, 1, 4]),
        ("Who knew Carrick and Delta?", 2, [0, 2, 1, 4]),
        ("Who knew Carrick and Delta?", 4, [0, 2, 1, 4]),
        ("Who knew Carrick?", 1, [0, 1, 4]),
        ("Who knew it?", 2, [0, 1, 4]),
    ],
)
def test_what_a_query_names_is_where_a_walk_begins(query: str, seeds: int, expected: list[int]) -> None:
    assert links(**CHAIN).named_first(query, [0, 1, 4], seeds) == expected


def test_a_walk_does_not_begin_at_what_everybody_mentions() -> None:
    others = {f"Letter_{number}": "Sent from Carrick." for number in range(9)}
    assert links(**CHAIN, **others).named_first("Who knew Carrick?", [0, 1, 4], 2) == [0, 1, 4]


def test_from_where_nothing_leads_away_one_begins_again() -> None:
    graph = links(**CHAIN)
    assert stops(visits(graph, {4: 2.0}), 0.3).tolist() == pytest.approx([0, 0, 0, 0, 1])
    both = visits(graph, {0: 1.0, 4: 1.0})
    assert both[1].tolist() == pytest.approx([0.25, 0.5, 0, 0, 0.25])
    assert stops(both, 1.0).tolist() == pytest.approx([0.5, 0, 0, 0, 0.5])


def test_stops_are_personalised_pagerank() -> None:
    graph = links(**CHAIN)
    directed = networkx.DiGraph()
    directed.add_nodes_from(range(5))
    directed.add_weighted_edges_from(
        (other, passage, share)
        for passage in range(len(graph.passages))
        for other, share in enumerate(graph.shares(passage).tolist())
        if share
    )
    expected = networkx.pagerank(directed, alpha=0.6, personalization={0: 1.0, 2: 3.0, 4: 2.0}, tol=1e-12)
    found = stops(visits(graph, {0: 1.0, 2: 3.0, 4: 2.0}, 60), 0.4)
    assert [expected[place] for place in range(5)] == pytest.approx(found.tolist(), abs=1e-9)


def test_the_way_to_a_passage_with_its_mentions() -> None:
    graph = links(**CHAIN)
    visited = visits(graph, {0: 1.0})
    assert way(graph, visited, 3) == [0, 1, 3]
    assert way(graph, visited, 0) == [0]
    assert way(graph, visited, 4) == []
    mention = next(graph.mentions(1, 3))
    assert graph.passages[mention.source].text[mention.start : mention.end] == "Carrick"
    back = next(graph.mentions(3, 1))
    assert back.source == 1


def test_what_everybody_mentions_leads_nowhere() -> None:
    few = {f"Note{number}": "The Republic." for number in range(ALWAYS)}
    assert links(Republic="The subject.", **few).count == ALWAYS
    assert links(Republic="The subject.", More="Republic!", **few).count == 0


def test_a_name_of_several_documents_is_shared_out() -> None:
    graph = links(Note="On the Petrel.", Petrel=("A ship.", "Afloat."))
    shared = Links(
        [*graph.passages, graph.passages[2].model_copy(update={"document": "other", "chunk": "other"})],
        {"Note": "Note", "Petrel": "Petrel (steamer)", "other": "Petrel (ship)"},
    )
    assert visits(shared, {0: 1.0}, 1)[1].tolist() == pytest.approx([0, 0.25, 0.25, 0.5])


def test_a_corpus_of_one_passage() -> None:
    graph = links(Only="Only this.")
    assert graph.count == 0
    assert stops(visits(graph, {0: 1.0}), 0.5).tolist() == pytest.approx([1.0])


def test_within_some_documents_one_walks_as_if_there_were_no_others() -> None:
    rest = {title: CHAIN[title] for title in ("Anna", "Bert_Olsen", "Delta")}
    inside = links(**CHAIN).within(rest)
    alone = visits(links(**rest), {0: 1.0}, 4)
    found = visits(inside, {0: 1.0}, 4)
    assert found[:, [0, 1, 4]].ravel().tolist() == pytest.approx(alone.ravel().tolist())
    assert not found[:, [2, 3]].any()
    assert inside.shares(1).tolist() == pytest.approx([1, 0, 0, 0, 0])
    assert not inside.leads_on(2)
    assert links(**CHAIN).within(CHAIN).shares(1).tolist() == links(**CHAIN).shares(1).tolist()
