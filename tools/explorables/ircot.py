"""IRCoT with handles: four sentences to search with, and the run goes on step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.thought import ladder
from core.strategies import ircot
from core.strategies.ircot import Params
from core.trace.artefacts import EVAL_CUTOFF, Context, Ranking, Thought
from core.trace.passages import Hit
from tools.explorables.recorded import answered, done, gallery_run, head, numbered, shown
from tools.explorables.world import world

RUN = "recorded-ircot-2"
SENTENCES = (
    "In which year was the mother of the Warden who signed the fisheries settlement born?",
    "The Warden of the Republic is elected for one term of ten years.",
    "",
    "The mother of a Warden was born in the nineteenth century.",
)
"""Sentences to search with next; the empty one is the sentence of the run."""
HOW = (
    "Read what the question found. Then choose a sentence to search with, see what it brings in, and go on to the step "
    "of the model's sentence. Of the other three, one is the question again and two were written for this page; all "
    "were searched in the same documents."
)
DIGITS = 4


def make() -> dict[str, Any]:
    """The rungs of the run, and what each of four sentences finds after the first search."""
    run = gallery_run(RUN)
    recorded = ladder(Scene(run))
    first, second = run.find(Ranking)
    if recorded is None or run.started is None:
        raise ValueError(f"{RUN} has thought nothing")
    params = Params.model_validate(run.started.params)
    own = [one.text for one in run.find(Thought) if not one.ends]
    sentences = [text or own[0] for text in SENTENCES]
    depth = max(EVAL_CUTOFF, params.k + len(first.used))
    found = {hit.passage.chunk: hit.passage for ranking in (first, second) for hit in ranking.hits}
    hits = [
        [hit.passage.chunk for hit in second.hits] if text == own[0] else _searched(text, depth)
        for text in sentences
    ]
    found |= {one.chunk: one for one in world().passages if any(one.chunk in ranked for ranked in hits)}
    used = [hit.passage.chunk for hit in first.used]
    cards = shown(
        (found[chunk] for chunk in found if chunk in used or any(chunk in one for one in hits)), run
    )
    order = [card["card"]["id"] for card in cards]
    return head(run, HOW) | {
        "colour": ircot.STRATEGY.colour,
        "k": params.k,
        "most": params.paragraphs,
        "first": [order.index(chunk) for chunk in used],
        "sentences": sentences,
        "own": sentences.index(own[0]),
        "hits": [[order.index(chunk) for chunk in one] for one in hits],
        "passages": cards,
        "stars": [at for at, card in enumerate(cards) if card["card"]["starred"]],
        "recorded": {**recorded, "answer": answered(run)},
    }


def _searched(sentence: str, depth: int) -> list[str]:
    """The chunks nearest to a sentence."""
    return [one.chunk for one, _ in world().nearest(sentence, depth)]


class _Stored:
    """A retriever that has one ranking."""

    def __init__(self, hits: Sequence[int]) -> None:
        self._hits = hits

    async def search(self, query: str, k: int, depth: int) -> Ranking:
        hits = [
            Hit(passage=numbered(one), rank=rank, score=0.0) for rank, one in enumerate(self._hits[:depth], 1)
        ]
        return Ranking(query=query, retriever="dense", score_name="", k=k, hits=tuple(hits))


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The passages that are `gathered`, in their order, and what each sentence would have brought in.

    Args:
        data: As `make` gives it.
        values: `step` from "1" to "3", and `search`: the place of a sentence, or "none".
    """
    pool = _pool(data, data["first"], None)
    brings = [_numbers(_pool(data, hits, pool))[len(data["first"]) :] for hits in data["hits"]]
    taken = str(data["own"]) if values["step"] != "1" else values["search"]
    return {
        "brings": brings,
        "gathered": _numbers(pool) + ([] if taken == "none" else brings[int(taken)]),
    }


def _pool(data: Mapping[str, Any], hits: Sequence[int], pool: Context | None) -> Context:
    params = Params(k=data["k"], paragraphs=data["most"])
    context: Any = SimpleNamespace(params=params, retriever=_Stored(hits))
    return done(ircot.gather(context, "", pool, ""))[1]


def _numbers(pool: Context) -> list[int]:
    return [int(item.passage.chunk) for item in pool.passages]
