"""The embedding map: PCA worked out by hand, shapes, links, and hostile titles."""

from dataclasses import replace

import numpy as np
import pytest

from core.cards.texts import wrapped
from core.charts.columns import columns
from core.charts.embedding_map import embedding_map, pca, perplexity, tsne
from core.runs.record import record
from core.runs.vectors import RunVectors, Searched, searched_texts
from core.trace.passages import Passage
from tests import examples

HOSTILE = '<a href="http://evil.example">x</a><script>'


def test_pca_of_a_cross_worked_out_by_hand() -> None:
    # Variance 2·9 along x, 2·4 along y, 2·1 along z, nothing between them: the plane keeps 26 of 28.
    cross = [[3, 0, 0], [-3, 0, 0], [0, 2, 0], [0, -2, 0], [0, 0, 1], [0, 0, -1]]
    made = pca(cross)
    assert made.kept == pytest.approx(26 / 28)
    assert np.allclose(made.points, [[3, 0], [-3, 0], [0, 2], [0, -2], [0, 0], [0, 0]])


def test_rows_beyond_the_fitted_ones_are_only_drawn_in() -> None:
    made = pca([[1, 0, 0], [-1, 0, 0], [5, 0, 9]], fitted=2)
    assert made.kept == pytest.approx(1)
    assert np.allclose(made.points, [[1, 0], [-1, 0], [5, 0]])
    assert pca([[1.0, 2.0]]).kept == 0
    assert pca([[1.0, 2.0]]).points.tolist() == [[0, 0]]


def test_tsne_is_the_same_each_time_and_keeps_neighbours() -> None:
    source = np.random.default_rng(1)
    rows = np.concatenate([source.normal(0, 0.1, (12, 8)), source.normal(3, 0.1, (12, 8))])
    first, again = tsne(rows).points, tsne(rows).points
    assert np.allclose(first, again)
    near = np.linalg.norm(first[:, None] - first[None], axis=2) + np.eye(24) * 1e9
    assert all((near[i].argmin() < 12) == (i < 12) for i in range(24))
    assert perplexity(24) == pytest.approx(23 / 3)
    assert perplexity(500) == 30
    assert tsne(rows[:3]).points.shape == (3, 2)


def passage(chunk: str, title: str = "T", text: str = "Text.") -> Passage:
    return Passage(chunk=chunk, document="d", title=title, text=text, position=0, start=0, end=1)


def vectors(title: str = "T", text: str = "Text.") -> RunVectors:
    return RunVectors(
        searched=(
            Searched("question", "Question", text, ("h1",)),
            Searched("passage", "Passage", text),
            Searched("mean", "Searched with", "the mean", ("h1", "h2", "gone")),
        ),
        searched_vectors=([1.0, 0, 0], [0, 1.0, 0], [0.7, 0.7, 0]),
        hits=(passage("h1", title, text), passage("h2", title, text)),
        hit_vectors=([0.9, 0.1, 0], [0, 0.9, 0.1]),
        others=tuple(passage(f"o{i}", title, text) for i in range(4)),
        other_vectors=tuple([0.1 * i, 0.2, 0.3] for i in range(4)),
        gone=1,
        chunks_by_run={0: ("h1", "h2", "gone")},
    )


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_each_role_has_a_shape_and_each_point_of_a_chunk_is_known(method: str) -> None:
    made = embedding_map(vectors(), "pca" if method == "pca" else "tsne")
    markers = {line.name: line.marker.symbol for line in made.figure.data if line.mode == "markers"}
    assert markers["Question"] == "circle-open"
    assert markers["Passage"] == "triangle-up"
    assert markers["Searched with"] == "x"
    assert markers["Found by question"] == markers["Found with the mean"] == "square"
    assert len(made.chunks) == len(made.figure.data)
    for curve, line in enumerate(made.figure.data):
        for point in range(len(made.chunks[curve])):
            assert line.x[point] is not None
            assert made.chunk(curve, point) is not None
    assert {chunk for chunks in made.chunks for chunk in chunks} == {"h1", "h2", "o0", "o1", "o2", "o3"}
    assert made.chunk(99, 0) is made.chunk(0, 99) is made.chunk(-1, -1) is None
    assert (made.kept is None) == (method == "tsne")
    assert made.figure.layout.xaxis.title.text
    assert made.figure.layout.yaxis.title.text


def test_lines_lead_from_each_text_to_what_it_found() -> None:
    lines = [line for line in embedding_map(vectors()).figure.data if line.mode == "lines"]
    assert [len(line.x) for line in lines] == [3, 6]


def test_beside_others_what_was_found_is_in_the_colour_of_the_first_column_that_found_it() -> None:
    sides = columns([record(examples.plain()), record(examples.rag_fusion())])
    searched = (
        Searched("question", "Question", "Q", ("h1",)),
        Searched("query", "Query 1", "V", ("h2",), run=1),
    )
    made = replace(
        vectors(),
        searched=searched,
        searched_vectors=vectors().searched_vectors[:2],
        chunks_by_run={0: ("h1",), 1: ("h1", "h2")},
    )
    drawn = embedding_map(made, columns=sides)
    squares = {
        drawn.chunks[curve]: (line.name, line.marker.color)
        for curve, line in enumerate(drawn.figure.data)
        if line.marker.symbol == "square"
    }
    assert squares == {
        ("h1",): ("Found by A · Plain retrieval", sides[0].colour),
        ("h2",): ("Found by B · RAG-Fusion", sides[1].colour),
    }


def test_hostile_titles_and_texts_are_escaped() -> None:
    shown = (
        embedding_map(vectors(HOSTILE, HOSTILE))
        .figure.to_json()
        .replace("\\u003c", "<")
        .replace("\\u003e", ">")
    )
    assert "<a" not in shown
    assert "<script" not in shown
    assert wrapped("a" * 300).replace("<br>", "") == "a" * 200 + "…"
    assert wrapped("") == ""


def test_the_texts_of_a_run_are_each_there_once_with_what_they_found() -> None:
    made = searched_texts(record(examples.rag_fusion()))
    assert [item.name for item in made] == ["Question", "Query 2", "Query 3", "Query 4", "Query 5"]
    assert all(len(item.chunks) == 3 for item in made)
    made = searched_texts(record(examples.hyde()))
    assert [item.role for item in made] == ["question", "passage", "mean"]
    assert made[1].chunks == ()
    assert len(made[2].chunks) == 3
    assert [item.role for item in searched_texts(record(examples.plain()))] == ["question"]
    assert searched_texts(record([])) == ()
