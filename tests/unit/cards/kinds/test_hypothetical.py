"""What is shown of HyDE: support sentence by sentence, and what changed against the question alone."""

from collections.abc import Sequence

import pytest

from core.cards.kind import Scene
from core.cards.kinds.hypothetical import (
    Cosines,
    bare,
    card,
    rankings_of,
    sources,
    support,
    supported,
    unseen,
)
from core.cards.parts import Drawing, Note, Part
from core.cards.reranking import rank_changes
from core.runs.record import Record, record
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.trace.passages import Hit, Passage
from tests import examples

REAL = Passage(
    chunk="a-0", document="a", title="Full Moon High", position=0, start=0, end=1,
    text="Full Moon High is a 1981 horror comedy film directed by Larry Cohen. It cost $1,500 in all.",
)  # fmt: skip


def drawn(run: Record, cosines: Cosines | None = None) -> Sequence[Part]:
    return card(examples.HYPOTHETICAL, Scene(run, "#123456", "run"), cosines).parts


def marked(sentence: str, *known: str) -> list[str]:
    return [piece.text for piece in unseen(sentence, set(known)) if piece.marked]


def test_names_and_numbers_that_nothing_holds_are_marked() -> None:
    (first, second) = support("Full Moon High is a 1981 film by Ann Bo. It cost 1500.", [REAL])
    assert [piece.text for piece in first.pieces if piece.marked] == ["Ann Bo"]
    assert "".join(piece.text for piece in first.pieces) == "Full Moon High is a 1981 film by Ann Bo."
    assert not any(piece.marked for piece in second.pieces)  # 1500 is 1,500
    assert marked("Rain fell on Paris in 1990.", "rain", "paris") == ["1990"]
    assert marked("Rain fell.") == []  # first words are capitalised anyway
    assert marked("New York grew.", "new") == ["New York"]
    assert marked("It was Cohen's.", "cohen") == []
    assert marked("영화는 1981년에 나왔다.") == ["1981년에"]


def test_a_sentence_is_near_what_shares_its_words() -> None:
    near, strange, none = support(
        "A horror comedy film directed by Larry Cohen. A horror comedy film directed by Bo Li. Penguins swim well.",
        [REAL],
    )
    assert (near.level, near.shared, near.words) == ("near", 6, 6)
    assert near.nearest.startswith("Full Moon High is")
    assert near.title == "Full Moon High"
    assert strange.level == "some"  # an unknown name: never near
    assert (none.level, none.shared, none.nearest) == ("none", 0, "")


def test_cosines_count_beside_words_where_they_are_given() -> None:
    text = "Penguins swim well. Fish do too."
    assert len(sources([REAL])) == 2
    first, second = support(text, [REAL], [[0.1, 0.8], [0.2, 0.1]])
    assert (first.level, first.cosine, first.nearest) == ("near", 0.8, "It cost $1,500 in all.")
    assert (second.level, second.cosine) == ("none", 0.2)


def test_before_the_search_nothing_is_said_of_support() -> None:
    assert {sentence.level for sentence in supported(examples.HYPOTHETICAL, None)[0]} == {"unknown"}
    notes = [part.text for part in drawn(Record()) if isinstance(part, Note)]
    assert notes[0] == "Searched with the mean of the question and the passage."
    assert not any("proof" in text for text in notes)


def ranking(query: str, *chunks: str, k: int = 2) -> Ranking:
    hits = tuple(
        Hit(
            rank=rank,
            score=1 / rank,
            passage=REAL.model_copy(update={"chunk": chunk, "title": chunk.upper()}),
        )
        for rank, chunk in enumerate(chunks, 1)
    )
    return Ranking(query=query, retriever="dense", score_name="cosine similarity", k=k, hits=hits)


def test_what_came_in_and_what_dropped_out() -> None:
    view = rank_changes(ranking("q", "a", "b", "c"), ranking("m", "c", "a", "d"))
    assert [stand.remark for stand in view.left] == ["", "dropped out, now below rank 3", ""]
    assert [stand.remark for stand in view.right] == ["came in, was rank 3", "", ""]
    assert [stand.card.faint for stand in view.left] == [False, False, True]
    assert view.summary == "Of 2 passages used, 1 stayed; “C” came in; “B” dropped out."
    assert rank_changes(ranking("q", "a", "b"), ranking("m", "b", "a")).summary.endswith("in another order.")
    assert rank_changes(ranking("q", "a", "b"), ranking("m", "a", "b")).summary.endswith("in the same order.")


def test_the_rankings_of_a_run_are_told_apart() -> None:
    made = HypotheticalDocuments(question="q", style="news", texts=("X.",), with_question=True)
    alone, mean = ranking("q", "a"), ranking("the mean", "b")
    assert rankings_of(made, [alone, mean]) == (mean, alone)
    assert rankings_of(made, [alone]) == (None, alone)
    assert rankings_of(made, []) == (None, None)


def test_the_view_says_by_what_method_and_how_much_is_bare() -> None:
    found = examples.ranking(1)
    told = bare(supported(examples.HYPOTHETICAL, found))
    assert told == "Nothing that was found resembles 1 of 2 sentences; 2 names and numbers are in none of it."
    run = record(examples.hyde())
    assert any(
        "(lexical similarity, not proof)" in part.text for part in drawn(run) if isinstance(part, Note)
    )
    assert [part.name for part in drawn(run) if isinstance(part, Drawing)] == ["moves"]
    used, _ = rankings_of(examples.HYPOTHETICAL, run.find(Ranking))
    assert used is not None
    zeros = [[[0.0] * len(sources([hit.passage for hit in used.used]))] * 2]
    notes = [part.text for part in drawn(run, zeros) if isinstance(part, Note)]
    assert any("(lexical and embedding similarity, not proof)" in text for text in notes)


@pytest.mark.parametrize("texts", [(), ("A.", "B.")])
def test_none_and_several_passages(texts: tuple[str, ...]) -> None:
    made = examples.HYPOTHETICAL.model_copy(update={"texts": texts})
    assert len(supported(made, examples.ranking(1))) == len(texts)
