"""Plain retrieval with handles: how much meaning and words count, how many passages are given, a word switched off."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.models.embedding_vectors import normalise
from core.models.embeddings import token_vectors
from core.retrieval.fusion import COMBINED_DEPTH, combine
from core.retrieval.late_interaction import asks
from tools.explorables.recorded import gallery_run, head, shown
from tools.explorables.world import World, ranking, world

RUN = "recorded-linked-passages"
"""Its question: the words find what the meaning does not."""
HOW = (
    "Move the weight from meaning to words, or switch one word of the question off. Choose a passage in the list to "
    "see why it matched."
)
K = 6
SHARES = [step / 10 for step in range(11)]
SEEN = 10
COLUMNS = 12
"""Words of a passage in its heat map: the nearest of each word of the question, then the second ones."""
Heat = dict[str, Any]


def make() -> dict[str, Any]:
    """The question, what each passage scores for it as it is and without each of its words, and passages to look at."""
    found, run = world(), gallery_run(RUN)
    about = head(run, HOW)
    question = about["question"]
    words = re.findall(r"[\w’'-]+", question)
    asking = [word for word in words if asks(word.lower())]
    versions = [question, *(re.sub(rf"\s?\b{word}\b", "", question).strip() for word in asking)]
    dense = [
        [round(float(one), 4) for one in found.vectors @ vector] for vector in found.vectors_of(versions)
    ]
    terms = [_term(word, found) for word in asking]
    data = about | {
        "about": "The question of a recorded run, searched in Pellamar with the built-in embeddings and by BM25.",
        "k": K,
        "depth": COMBINED_DEPTH,
        "words": asking,
        "dense": dense,
        "terms": terms,
    }
    _check(data, found, question)
    stars = sorted(found.places[one] for one in found.starred(run))
    states = [(off, share) for off in range(len(versions)) for share in SHARES]
    seen = sorted({place for off, share in states for place, _ in _ranked(data, off - 1, share)[:SEEN]})
    passages = [found.passages[place] for place in seen]
    cards = shown(passages, run, found.starred(run))
    heats = [_heat(question, found.texts[place]) for place in seen]
    return data | {
        "passages": [
            {"place": place} | card | {"heat": heat}
            for place, card, heat in zip(seen, cards, heats, strict=True)
        ],
        "stars": stars,
        "chosen": max(stars, key=lambda place: dict(_summed(data, -1)).get(place, 0.0)),
    }


def _term(word: str, found: World) -> list[list[float]]:
    """Return the part of each passage's BM25 score that a word of the question adds: places and scores."""
    scored = found.keywords.rank(word, len(found.passages))
    return sorted([found.places[one.chunk], round(score, 4)] for one, score in scored)


def _check(data: Mapping[str, Any], found: World, question: str) -> None:
    """The words' shares have to add up to what the search itself says."""
    sums = dict(_summed(data, -1))
    for one, score in found.keywords.rank(question, len(found.passages)):
        if abs(sums[found.places[one.chunk]] - score) > 1e-3:
            raise ValueError(f"{one.chunk}: the shares of its words are not its BM25 score")


def _heat(question: str, text: str) -> Heat:
    """Return the cosines between token vectors of a passage's words and the question's, in percent."""
    asked, given = _words(question), _words(text)
    asking = [(word, vector) for word, vector in asked if asks(word)]
    looked = [(at, word, vector) for at, (word, vector) in enumerate(given) if asks(word)]
    cosines = np.array([one for _, one in asking]) @ np.array([one for *_, one in looked]).T
    nearest = (-cosines).argsort(axis=1, kind="stable")
    # Of a word that stands there several times, the first that comes.
    best: dict[str, int] = {}
    for at in nearest.T.ravel():
        if len(best) < COLUMNS:
            best.setdefault(looked[at][1], int(at))
    columns = sorted(best.values())
    return {
        "words": [looked[at][1] for at in columns],
        "cells": [[round(100 * float(row[at])) for at in columns] for row in cosines],
    }


def _words(text: str) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """The words that a text's tokens make, each with the mean of its tokens' vectors, at length 1."""
    vectors, pieces = token_vectors(text)
    starts = [at for at, piece in enumerate(pieces) if not piece.startswith("##")]
    ends = [*starts[1:], len(pieces)]
    return [
        (
            "".join(piece.removeprefix("##") for piece in pieces[start:end]),
            normalise(vectors[start:end].mean(axis=0)),
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def _summed(data: Mapping[str, Any], off: int) -> list[tuple[int, float]]:
    """BM25: the words' shares added up; best first, of equal sums the first passage."""
    sums: dict[int, float] = {}
    for at, term in enumerate(data["terms"]):
        for place, score in term if at != off else ():
            sums[place] = sums.get(place, 0.0) + score
    return sorted(sums.items(), key=lambda one: (-one[1], one[0]))


def _ranked(data: Mapping[str, Any], off: int, share: float) -> list[tuple[int, float]]:
    """Passages by both scores together, as hybrid retrieval orders them.

    Args:
        off: Place of the word that is switched off; -1: none.
        share: Weight of the meaning, from 0 to 1.
    """
    depth = data["depth"]
    cosines: Sequence[float] = data["dense"][off + 1]
    near = sorted(enumerate(cosines), key=lambda one: -one[1])[:depth]
    both = combine(ranking(near, depth), ranking(_summed(data, off)[:depth], depth), share)
    return [(int(one.chunk), score) for one, score in both]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`order` and `scores` of the first passages.

    Args:
        data: As `make` gives it.
        values: `share`: weight of the meaning; `off`: "" or the place of the word that is switched off.
    """
    first = _ranked(data, int(values["off"] or -1), values["share"])[:SEEN]
    return {"order": [place for place, _ in first], "scores": [score for _, score in first]}
