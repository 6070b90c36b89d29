"""Multi-Query with handles: queries on and off, one of them drifting off topic; the pool grows and shrinks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.union import pool, pooled
from core.retrieval.fusion import unite
from core.trace.artefacts import Ranking
from tools.explorables.recorded import gallery_run, head, shown
from tools.explorables.world import ranking, world

RUN = "recorded-multi-query-2"
HOW = (
    "Switch queries on and off, let the last one drift off topic, and set how many passages are given. Choose a "
    "passage in the pool to read it."
)
DRIFT = (
    "Which old buildings are there to see in Ternick?",
    "What does a room at the inn in Ternick cost?",
)
"""The last query as it drifts, step by step; written for this page."""


def make() -> dict[str, Any]:
    """The lists of the run, those of the query that drifts, and all passages of them."""
    found, run = world(), gallery_run(RUN)
    made, started = pooled(run), run.started
    if made is None or started is None:
        raise ValueError(f"{RUN} has pooled nothing")
    own = {one.query: one for one in run.find(Ranking)}
    searched = [list(own[one.query].used) for one in made.lists]
    depth = len(searched[-1])
    hits = [[hit.passage for hit in one] for one in searched]
    drifted = [[passage for passage, _ in found.nearest(text, depth)] for text in DRIFT]
    every = list({one.chunk: one for each in (*hits, *drifted) for one in each}.values())
    place = {one.chunk: at for at, one in enumerate(every)}
    lists = [
        {name: one[name] for name in ("name", "query", "colour")}
        | {"hits": [place[passage.chunk] for passage in each]}
        for one, each in zip(pool(made, Scene(run))["lists"], hits, strict=True)
    ]
    about = head(run, HOW)
    return about | {
        "about": f"{about['about']} The texts of the query that drifts were written for this page.",
        "given": started.params["context_size"],
        "lists": lists,
        "drift": [
            {"query": lists[-1]["query"], "hits": lists[-1]["hits"]},
            *(
                {"query": text, "hits": [place[passage.chunk] for passage in each]}
                for text, each in zip(DRIFT, drifted, strict=True)
            ),
        ],
        "passages": shown(every, run, found.starred(run)),
    }


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`order` of the pool, and the `ranks` of each passage there in the lists that are on.

    Args:
        data: As `make` gives it.
        values: `on`: which lists; `drift`: which version of the last one; `given`: how many passages are given.
    """
    lists = [*(one["hits"] for one in data["lists"][:-1]), data["drift"][values["drift"]]["hits"]]
    made = unite(
        [
            ranking([(place, 0.0) for place in hits], len(hits))
            for hits, on in zip(lists, values["on"], strict=True)
            if on
        ]
    )
    return {
        "order": [int(row.passage.chunk) for row in made.rows],
        "ranks": [list(row.ranks) for row in made.rows],
    }
