"""What the first visit shows of a run."""

from __future__ import annotations

from core.cards.welcome import HITS, SEEN, welcome
from core.runs.gallery import PIECES, read
from core.runs.record import record
from tests import examples


def test_the_shipped_run_tells_what_fusing_finds() -> None:
    piece = next(one for one in PIECES if [it.strategy for it in one.requests] == ["rag-fusion"])
    _, (events,) = read(piece)
    shown = welcome(record(events))
    assert shown is not None
    assert shown["question"] == piece.requests[0].question
    assert shown["lists"][0]["text"] == shown["question"]
    known = shown["passages"]
    assert all(set(one["hits"]) <= set(known) and len(one["hits"]) <= HITS for one in shown["lists"])
    assert len(shown["fused"]) == SEEN
    stars = [one for one in shown["fused"] if known[one]["star"]]
    assert stars
    assert all(known[one]["name"].startswith("★ ") for one in stars)
    # The first list holds none of them, which is what the scene says.
    assert not set(stars) & set(shown["lists"][0]["hits"])
    assert "does not hold the ★" in shown["scenes"][3]
    assert (
        "the one piece of evidence was found; plain retrieval with 6 passages does not find it"
        in shown["scenes"][4]
    )
    assert "bioluminescent" in shown["answer"]


def test_the_best_hits_stand_first_in_each_list() -> None:
    run = record(examples.rag_fusion())
    shown = welcome(run)
    assert shown is not None
    for place, one in enumerate(shown["lists"]):
        fusion = next(made for _, made in run.artefacts if made.kind == "fusion")
        ranks = {row.passage.chunk: row.ranks[place] for row in fusion.rows}
        found = [ranks[chunk] for chunk in one["hits"]]
        known = [rank for rank in found if rank is not None]
        assert found == sorted(known)


def test_a_run_without_fusion_or_answer_is_not_shown() -> None:
    assert welcome(record(examples.plain())) is None
    assert welcome(record(examples.rag_fusion()[:3])) is None
