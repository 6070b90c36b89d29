"""Reranking with handles: how many of the first hits a second judge reads, and how many passages are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.jobs import run_blocking
from core.retrieval.late_interaction import WEIGHT, join_scores
from core.runs.budget import gold_of
from core.skills.rerank import likenesses, passage_text
from core.trace.gold import holds_evidence
from tools.explorables.recorded import shown
from tools.explorables.world import World, world

DEPTH = 20
K = 6
ASKED = ("q76", "q50", "q66")
"""Questions: the evidence climbs; a part of it lies too deep; the judge errs."""
HOW = (
    "Set how many hits the second judge reads and how many passages are given. The evidence is marked with ★: on the "
    "left in the search's order, on the right in the judge's. Choose a passage to read it, or another question."
)
DIGITS = 4


def make() -> dict[str, Any]:
    """For each question the first hits of a search, what the judge says of each, and which hold the evidence."""
    found = world()
    return {
        "question": "How deep should the second judge read?",
        "about": "Questions on Pellamar, searched with the built-in embeddings. The judge is “Token by token”: it "
        "compares each word of the question with the words of a passage.",
        "how": HOW,
        "k": K,
        "weight": WEIGHT,
        "searched": len(found.passages),
        "asked": [_asked(found, key) for key in ASKED],
    }


def _asked(found: World, key: str) -> dict[str, Any]:
    asked = found.questions[key]
    gold = gold_of(asked, found.titles)
    near = found.nearest(asked.text, DEPTH)
    passages = [passage for passage, _ in near]
    stars = {one.chunk for one in passages if holds_evidence(gold, one)}
    texts = [passage_text(one) for one in passages]
    likeness = run_blocking(likenesses(asked.text, texts))
    return {
        "question": asked.text,
        "cosines": [round(score, DIGITS) for _, score in near],
        "likeness": [round(one or 0.0, DIGITS) for one in likeness],
        "tokens": [found.embedder.token_count(text) for text in texts],
        "pieces": [[at for at, one in enumerate(passages) if piece.held_by(one)] for piece in gold],
        "passages": shown(passages, None, stars),
    }


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The new `order`, the `scores` of what was judged, and the pieces of evidence that are `held` by what is given.

    Args:
        data: As `make` gives it.
        values: `depth`, `k`, and `asked`: the place of a question.
    """
    asked, depth = data["asked"][int(values["asked"])], values["depth"]
    scores = join_scores(asked["cosines"][:depth], asked["likeness"][:depth]) if depth else np.array([])
    judged = sorted(range(depth), key=lambda at: -scores[at])
    order = [*judged, *range(depth, len(asked["cosines"]))]
    return {
        "order": order,
        "scores": [float(scores[at]) for at in judged],
        "held": _held(asked["pieces"], order[: values["k"]]),
        "alone": _held(asked["pieces"], range(values["k"])),
        "read": sum(asked["tokens"][:depth]),
    }


def _held(pieces: Sequence[Sequence[int]], given: Sequence[int]) -> int:
    return sum(any(at in given for at in piece) for piece in pieces)
