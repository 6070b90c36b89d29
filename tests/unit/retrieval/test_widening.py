"""Hits with what stands around them: what is given, merged, left out, and what is said of it. Tokens are words here."""

from __future__ import annotations

import pytest

from core.retrieval.widening import Give, Selection, Widening, counting, fit
from core.trace.passages import Hit, Passage, chunk_id

WORDS = counting(lambda text: len(text.split()))


def chunk(document: str, position: int, words: int = 10, title: str = "", step: int = 100) -> Passage:
    """A chunk of so many words, each of two letters; chunks begin `step` characters apart."""
    text = " ".join(["ab"] * words)
    start = position * step
    return Passage(
        chunk=chunk_id(document, position),
        document=document,
        title=title,
        text=text,
        position=position,
        start=start,
        end=start + len(text),
        heading=f"Part {position}",
    )


def document(name: str, chunks: int, words: int = 10) -> list[Passage]:
    return [chunk(name, place, words) for place in range(chunks)]


def hits(*passages: Passage) -> list[Hit]:
    return [Hit(rank=rank, score=1 / rank, passage=one) for rank, one in enumerate(passages, 1)]


def give(
    found: list[Hit],
    chunks: list[Passage],
    kind: Give = "surroundings",
    neighbours: int = 1,
    most: int = 10_000,
    used: int = 20,
    missing: frozenset[str] = frozenset(),
) -> Selection:
    return fit(found, used, chunks, missing, Widening(kind, neighbours, most), WORDS)


def given(fit: Selection) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.chunk, one.chunks) for one, _ in fit.given]


def test_a_hit_comes_with_its_neighbours_as_one_passage() -> None:
    own = document("d", 5)
    fit = give(hits(own[2]), own)
    ((passage, score),) = fit.given
    assert (passage.chunk, passage.chunks, score) == ("d-2", ("d-1", "d-2", "d-3"), 1.0)
    assert [span.found for span in passage.spans] == [False, True, False]
    assert (passage.start, passage.end) == (own[1].start, own[3].end)
    assert (passage.position, passage.heading, passage.first_position) == (2, "Part 2", 1)
    # The space between chunks is as long as it was, so that every character stays where it was in the document.
    assert len(passage.text) == passage.end - passage.start
    assert list(passage.apart()) == [one.model_copy(update={"heading": "Part 2"}) for one in own[1:4]]
    assert fit.note.startswith("30 tokens; the hit alone: 10.")


def test_windows_that_touch_are_one_passage_at_the_rank_of_the_better_hit() -> None:
    own, other = document("d", 12), document("e", 3)
    fit = give(hits(own[8], other[0], own[1], own[4], own[10]), own + other)
    assert given(fit) == [
        ("d-8", ("d-7", "d-8", "d-9", "d-10", "d-11")),
        ("e-0", ("e-0", "e-1")),
        ("d-1", ("d-0", "d-1", "d-2", "d-3", "d-4", "d-5")),
    ]
    best = fit.given[0][0]
    assert [span.chunk for span in best.spans if span.found] == ["d-8", "d-10"]


def test_what_overlapping_chunks_share_comes_once() -> None:
    text = "".join(chr(ord("a") + place % 26) for place in range(300))
    own = [
        Passage(
            chunk=chunk_id("d", place),
            document="d",
            title="",
            text=text[start : start + 120],
            position=place,
            start=start,
            end=start + 120,
        )
        for place, start in enumerate((0, 80, 160))
    ]
    ((passage, _),) = give(hits(own[1]), own).given
    assert passage.text == text[:280]
    assert [one.text for one in passage.apart()] == [one.text for one in own]


@pytest.mark.parametrize("kind", ["surroundings", "documents"])
def test_a_document_of_one_chunk_stays_what_it_was(kind: Give) -> None:
    own = document("d", 1)
    fit = give(hits(*own), own, kind)
    assert [one for one, _ in fit.given] == own
    assert "fit" not in fit.note


def test_neighbours_that_are_gone_are_left_out() -> None:
    own = document("d", 5)
    assert given(give(hits(own[2]), [own[2], own[3]])) == [("d-2", ("d-2", "d-3"))]
    assert given(give(hits(own[2]), [])) == [("d-2", ("d-2",))]


def test_a_gap_is_never_bridged() -> None:
    own = document("d", 5)
    assert given(give(hits(own[1]), [own[0], own[3]], neighbours=3)) == [("d-1", ("d-0", "d-1"))]


def test_whole_documents_at_the_rank_of_their_best_hit() -> None:
    own, other = document("d", 4), document("e", 2)
    fit = give(hits(other[1], own[3], own[0]), own + other, "documents")
    assert given(fit) == [("e-1", ("e-0", "e-1")), ("d-3", ("d-0", "d-1", "d-2", "d-3"))]


def test_the_hits_come_first_and_then_the_best_one_is_widened() -> None:
    own, other = document("d", 5), document("e", 5)
    found = hits(own[2], other[2])
    assert [len(chunks) for _, chunks in given(give(found, own + other, most=60))] == [3, 3]
    tight = give(found, own + other, most=45)
    assert [len(chunks) for _, chunks in given(tight)] == [3, 1]
    assert "Of 2 hits, 1 came without neighbours, which did not fit into 45 tokens." in tight.note
    assert tight.note.startswith("40 tokens; the 2 hits alone: 20.")
    whole = give(found, own + other, "documents", most=60)
    assert [len(chunks) for _, chunks in given(whole)] == [5, 1]
    assert "Of 2 documents, 1 fits whole into 60 tokens." in whole.note


def test_hits_that_do_not_fit_are_not_given_but_the_first_always_is() -> None:
    own = document("d", 3)
    fit = give(hits(own[0], own[2]), own, most=15)
    assert given(fit) == [("d-0", ("d-0",))]
    assert [hit.passage for hit in fit.rest] == [own[2]]
    assert "Of 2 hits, 1 fits into 15 tokens." in fit.note
    assert given(give(hits(own[0], own[2]), own, most=1)) == [("d-0", ("d-0",))]


def test_a_document_too_large_to_be_read_leaves_its_hits_as_they_are() -> None:
    own = document("d", 3)
    fit = give(hits(own[1]), [], "documents", missing=frozenset("d"))
    assert given(fit) == [("d-1", ("d-1",))]
    assert "Of 1 document, 0 fit whole" in fit.note


def test_hits_below_k_stay_in_the_ranking_unless_they_are_given() -> None:
    own, other = document("d", 5), document("e", 1)
    fit = give(hits(own[2], own[3], other[0]), own + other, used=1)
    assert [(hit.rank, hit.passage.chunk) for hit in fit.rest] == [(3, "e-0")]
    # It was found, but not among the hits that count.
    assert [span.found for span in fit.given[0][0].spans] == [False, True, False]


def test_nothing_found_is_nothing_given() -> None:
    assert give([], []) == Selection((), (), "")


def test_a_word_without_end_is_not_one_token() -> None:
    assert WORDS("x" * 2000) == 100


def test_titles_cost_tokens_too() -> None:
    titled = chunk("d", 0, title="Four words of title")
    assert give(hits(titled), [titled]).note.startswith("14 tokens")


def test_ten_thousand_chunks() -> None:
    own = document("d", 10_000)
    ((passage, _),) = give(hits(own[5000]), own, "documents", most=200_000).given
    assert len(passage.chunks) == 10_000
    assert [len(chunks) for _, chunks in given(give(hits(own[5000]), own, "documents", most=50_000))] == [1]
    assert len(give(hits(*own[:20]), own, neighbours=10).given[0][0].chunks) == 30
