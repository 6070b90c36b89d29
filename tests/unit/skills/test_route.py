"""The way of a question: votes of labelled questions, and what these are."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from core.corpora.demo import WORLD
from core.evaluation.datasets import WIKIPEDIA, read_folder
from core.models.embedding_vectors import PrecomputedEmbeddings, load_vectors
from core.skills.route import KEPT_OUT, VECTORS, Choice, elected, examples, nearest, route
from core.trace.artefacts import RouteVote, WayName
from tests.embedder import word_counts
from tests.skill_context import skill_context
from tools.demo_world.vectors import builtin


def votes(*pairs: tuple[WayName, float]) -> list[RouteVote]:
    return [RouteVote(question="", way=way, cosine=cosine) for way, cosine in pairs]


def test_most_votes_win_and_the_nearer_of_as_many() -> None:
    assert elected(votes(("one-search", 0.9), ("several-searches", 0.3), ("several-searches", 0.2))) == (
        "several-searches"
    )
    assert elected(votes(("one-search", 0.9), ("several-searches", 0.91))) == "several-searches"
    assert elected(votes(("several-searches", 0.5), ("one-search", 0.5))) == "one-search"


def test_not_to_search_takes_all_votes() -> None:
    assert elected(votes(("no-search", 0.3), ("no-search", 0.2))) == "no-search"
    assert elected(votes(("no-search", 0.9), ("no-search", 0.8), ("one-search", 0.1))) == "one-search"


@pytest.mark.parametrize("written", ["no_search", "No search.", " NO-SEARCH", "no\n search"])
def test_a_way_is_known_however_it_is_spelt(written: str) -> None:
    assert Choice.model_validate({"way": written}).way == "no-search"


def test_neighbours_are_labelled_questions_nearest_first() -> None:
    asked = examples()[7]
    found = asyncio.run(nearest(word_counts(), asked.question, 4))
    assert (found[0].question, found[0].way) == (asked.question, asked.way)
    assert [one.cosine for one in found] == sorted((one.cosine for one in found), reverse=True)
    context = skill_context(builtin=True, methods={"route": "nearest"})
    made = asyncio.run(route(context, asked.question, "", 1))
    assert (made.way, len(made.votes), made.method) == (asked.way, 1, "nearest")
    assert made.reason == "1 of the 1 nearest labelled questions took this way."


def test_the_vectors_that_come_with_the_app_are_of_these_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails: `python -m research.routing --vectors`."""
    embedder = builtin()
    known = load_vectors(VECTORS, embedder.key)
    texts = [one.question for one in examples()]
    assert len(known) == len(texts)
    assert PrecomputedEmbeddings(embedder.embeddings, known).knows(texts)
    monkeypatch.setattr("core.skills.route._KEPT", {})
    asked: Any = asyncio.run(nearest(embedder, texts[3], 1))
    assert asked[0].cosine > 0.99


def test_examples_are_of_every_way_and_of_no_question_that_is_tested_with() -> None:
    labelled, kept_out = examples(), examples(KEPT_OUT)
    assert len({one.question for one in (*labelled, *kept_out)}) == len(labelled) + len(kept_out)
    assert min(Counter(one.way for one in labelled).values()) >= 40
    shipped = {question.text for folder in (WORLD, WIKIPEDIA) for question in read_folder(folder).questions}
    assert not shipped & {one.question for one in labelled}
