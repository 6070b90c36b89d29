"""The default retriever: the best by what was measured, by share of the languages, and why in one sentence."""

from __future__ import annotations

import pytest

from core.retrieval.defaults import BUILTIN, BUILTIN_SHARE, Quality, default_for, shared_words, unmeasured

KNOWN = {
    "Korean": Quality(0.55, 0.81, 0.92, 0.3),
    "English": Quality(0.80, 0.85, 0.70, 0.7),
    "Latin": Quality(0.9, 0.8, 0.7),
}


def test_the_best_is_chosen_and_the_sentence_says_why() -> None:
    found = default_for({"Korean": 1.0}, KNOWN)
    assert (found.retriever, found.dense_share) == ("keyword", 0.3)
    assert found.why == (
        "Korean documents: keyword search finds more than dense search with the built-in embeddings "
        "(0.92 against 0.55 nDCG@10)."
    )
    hybrid = default_for({"English": 1.0}, KNOWN)
    assert hybrid.retriever == "hybrid"
    assert hybrid.why == (
        "English documents: hybrid search (70 % by meaning, 30 % by words) finds more than dense search with the "
        "built-in embeddings (0.85 against 0.80 nDCG@10)."
    )
    dense = default_for({"Latin": 1.0}, KNOWN)
    assert (dense.retriever, dense.dense_share) == ("dense", None)
    assert "finds more than keyword search (0.90 against 0.70" in dense.why


@pytest.mark.parametrize(
    ("korean", "retriever", "share"), [(0.9, "keyword", 0.34), (0.5, "hybrid", 0.5), (0.1, "hybrid", 0.66)]
)
def test_each_language_counts_by_its_share(korean: float, retriever: str, share: float) -> None:
    found = default_for({"Korean": korean, "English": 1 - korean}, KNOWN)
    assert found.retriever == retriever
    assert found.dense_share == pytest.approx(share)
    assert found.why.startswith("Korean and English documents: ")


def test_ranks_are_fused_where_most_chunks_are_in_languages_where_they_are() -> None:
    assert default_for({"Latin": 0.6, "Korean": 0.4}, KNOWN).dense_share is None
    assert default_for({"Latin": 0.4, "Korean": 0.6}, KNOWN).dense_share == 0.3


def test_languages_that_were_not_measured_do_not_count() -> None:
    assert default_for({"Welsh": 0.8, "Korean": 0.2}, KNOWN) == default_for({"Korean": 1.0}, KNOWN)
    alone = default_for({"Welsh": 0.8, "Irish": 0.2}, KNOWN, other_share=0.4)
    assert (alone.retriever, alone.dense_share) == ("hybrid", 0.4)
    assert alone.why.startswith("Welsh was not measured with the built-in embeddings: hybrid search (40 %")
    nothing = default_for({}, KNOWN)
    assert (nothing.retriever, nothing.dense_share, nothing.why) == ("hybrid", None, "")


def test_a_small_lead_over_hybrid_search_may_be_chance() -> None:
    assert default_for({"English": 1.0}, {"English": Quality(0.97, 0.97, 0.99)}).retriever == "keyword"
    assert default_for({"English": 1.0}, {"English": Quality(0.97, 0.97, 0.975)}).retriever == "hybrid"


def test_embeddings_of_which_nothing_is_known_are_searched_with_words_as_well_and_the_reason_says_so() -> (
    None
):
    found = unmeasured("e5")
    assert (found.retriever, found.dense_share) == ("hybrid", None)
    assert found.why == "“e5” was not measured in this app: hybrid search takes both, meanings and words."


def test_weights_in_words() -> None:
    assert shared_words(None) == ""
    assert shared_words(0.3) == " (30 % by meaning, 70 % by words)"


def test_the_table_of_the_built_in_embeddings_is_of_what_it_says() -> None:
    for language, quality in BUILTIN.items():
        found = default_for({language: 1.0}, BUILTIN)
        assert max(quality.dense, quality.hybrid, quality.keyword) - getattr(quality, found.retriever) <= 0.01
        assert quality.dense_share is None or 0 < quality.dense_share < 1
    assert {"English", "Korean", "Japanese", "Chinese"} <= BUILTIN.keys()
    assert 0 < BUILTIN_SHARE < 1
