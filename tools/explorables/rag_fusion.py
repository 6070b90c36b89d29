"""RAG-Fusion with handles: passages are dragged within their lists, k and the first rank are set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.cards.kinds.fusion import SEEN, fusion_flow
from core.cards.texts import SERIES
from core.retrieval.fusion import fuse
from core.trace.artefacts import Fusion, Ranking
from core.trace.passages import Hit
from tools.explorables.recorded import gallery_run, head, numbered, shown

RUN = "recorded-rag-fusion"
HOW = (
    "Drag a passage up or down in a list, with the mouse or by its grip, or press Alt and an arrow key. "
    "Move k, or count ranks from 0. The fused order on the right follows."
)
KEPT = ("name", "detail", "leads", "colour")


def make() -> dict[str, Any]:
    """The lists of the run, and its passages in the fused order."""
    run = gallery_run(RUN)
    made = next(reversed(run.find(Fusion)), None)
    if made is None or run.context is None:
        raise ValueError(f"{RUN} has fused nothing")
    flow = fusion_flow(made)
    cards = shown((row.passage for row in made.rows), run)
    lists = [
        {
            "name": column["name"],
            "meaning": column["meaning"],
            "colour": SERIES[at % len(SERIES)],
            "hits": _held([row.ranks[at] for row in made.rows]),
        }
        for at, column in enumerate(flow["lists"])
    ]
    return head(run, HOW) | {
        "k": made.k,
        "seen": SEEN,
        "given": sum(one.given for one in run.context.passages),
        "lists": lists,
        "passages": [
            {name: one[name] for name in KEPT} | {"card": card["card"]}
            for one, card in zip(flow["passages"], cards, strict=True)
        ],
    }


def _held(ranks: Sequence[int | None]) -> list[int]:
    """Places of the passages that a list holds, its best first, from the rank of every passage in it."""
    held = [(rank, place) for place, rank in enumerate(ranks) if rank is not None]
    return [place for _, place in sorted(held)]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`order` and `scores` of the fused passages.

    Args:
        data: As `make` gives it.
        values: `k`, `from` ("0" or "1"), and `order`: per list the places of its hits, in their new order.
    """
    rankings = [
        Ranking(
            query=str(at),
            retriever="dense",
            score_name="",
            k=len(order),
            hits=tuple(
                Hit(passage=numbered(one["hits"][place]), rank=rank, score=0.0)
                for rank, place in enumerate(order, 1)
            ),
        )
        for at, (one, order) in enumerate(zip(data["lists"], values["order"], strict=True))
    ]
    made = fuse(rankings, values["k"], 0 if values["from"] == "0" else 1)
    return {
        "order": [int(row.passage.chunk) for row in made.rows],
        "scores": [row.score for row in made.rows],
    }
