"""Linked passages with handles: the restart probability is set, and links are cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from core.cards.passages import pieces, shortened
from core.corpora.sentence_spans import sentence_at
from core.knowledge.triples import quoted_entities
from core.retrieval.kinds import Walking
from core.retrieval.linked import POOL, STEPS, WalkResult, walk_from, way
from core.retrieval.links import Links, Mass
from core.retrieval.titles import mention_name
from core.strategies.linked_passages import STRATEGY
from core.trace.artefacts import Ranking, Walk
from tools.explorables.recorded import gallery_run, head, numbered, shown
from tools.explorables.world import triples, world

RUN = "recorded-linked-passages"
HOW = (
    "Set the restart probability: how soon a reader stops instead of following a mention. Or cut a link: choose it in "
    "the list, and again to join it. Choose a passage to see the way to it."
)
RESTARTS = (0.05, 0.35, 1.0)
"""At which it is worked out which passages are drawn."""
DRAWN = 7
"""The best, which are."""
CUTS = 8
"""Links that can be cut: those that bring most readers."""
SHORT = 40
"""Letters of a name in a list."""
DIGITS = 5
COSINE_DIGITS = 4


class Stored(Links):
    """The links that an explorable holds, some of them cut."""

    def __init__(self, shares: Mass) -> None:
        """
        Args:
            shares: From each passage to each other one, as weights; 0: there is no link.
        """
        self.passages = [numbered(place) for place in range(len(shares))]
        self._shares = shares
        self._degree = shares.sum(axis=1)

    @property
    def count(self) -> int:
        """The number of pairs of passages that are joined."""
        return int(np.count_nonzero(self._shares)) // 2

    def step(self, mass: Mass) -> Mass:
        """The mass at each passage after one step."""
        found: Mass = self._scaled(mass) @ self._shares
        return found

    def shares(self, passage: int) -> Mass:
        """For each passage the share of its mass that goes to this one in a step."""
        return self._scaled(self._shares[:, passage])

    def _scaled(self, mass: Mass) -> Mass:
        found: Mass = np.divide(mass, self._degree, out=np.zeros_like(mass), where=self._degree > 0)
        return found


def make() -> dict[str, Any]:
    """The run's first hits, all links of the corpus, and the passages that can come to the front."""
    run, documents = gallery_run(RUN), world()
    [walk], [found] = run.find(Walk), run.find(Ranking)
    if run.context is None:
        raise ValueError(f"{RUN} has given nothing")
    passages, named = documents.passages, documents.titles
    known = {one.document: mention_name(named[one.document], one.title) for one in passages}
    links = Links(passages, known, quoted_entities(triples()))
    data: dict[str, Any] = head(run, HOW) | {
        "colour": STRATEGY.colour,
        "restart": walk.restart,
        "weight": walk.weight,
        "seeds": walk.seeds,
        "steps": STEPS,
        "pool": POOL,
        "given": sum(item.given for item in run.context.passages),
        "hits": links.named_first(
            found.query, [links.places[hit.passage.chunk] for hit in found.hits], walk.seeds
        ),
        "edges": _edges(links),
        "cosines": [round(one, COSINE_DIGITS) for one in documents.cosines(walk.query)],
        "cuts": [],
    }
    places = _seen(data, [[]])
    data["cuts"] = _strongest(data, places)
    cuts = range(len(data["cuts"]))
    places = _seen(data, [[], *([one] for one in cuts), *map(list, combinations(cuts, 2))])
    cards = shown([passages[place] for place in places], run)
    data["passages"] = [
        {"place": place, "short": shortened(card["name"], SHORT)} | card
        for place, card in zip(places, cards, strict=True)
    ]
    data["links"] = [
        _link(links, one, other) for one, other, *_ in data["edges"] if {one, other} <= set(places)
    ]
    first = _walked(data, {"restart": walk.restart, "cut": []})
    best = [one.passage.chunk for one in walk.passages][: data["given"]]
    if [passages[one.place].chunk for one in first.order[: len(best)]] != best:
        raise ValueError(f"{RUN} walked elsewhere")
    return data


def _edges(links: Links) -> list[list[float]]:
    """Every link as two places, the share of the first one's readers who take it, and of the other one's."""
    shares = np.array([links.shares(one) for one in range(len(links.passages))])
    return [
        [one, other, round(float(shares[other, one]), DIGITS), round(float(shares[one, other]), DIGITS)]
        for one, other in np.argwhere(shares > 0).tolist()
        if one < other
    ]


def _seen(data: Mapping[str, Any], cuts: Iterable[Sequence[int]]) -> list[int]:
    """Passages that are among the best where these links are cut, and those on the way to them."""
    found: dict[int, None] = {}
    for cut, restart in product(cuts, RESTARTS):
        walked = _walked(data, {"restart": restart, "cut": cut})
        for one in walked.order[:DRAWN]:
            found |= dict.fromkeys([*way(walked.links, walked.visited, one.place), one.place])
    return list(found)


def _strongest(data: Mapping[str, Any], places: Collection[int]) -> list[int]:
    """The links between these passages that bring most readers, as places among the edges."""
    visited = _walked(data, {"restart": data["restart"], "cut": []}).visited
    going = (1 - data["restart"]) ** np.arange(1, len(visited)) @ visited[:-1]
    brought = {
        at: going[one] * onward + going[other] * back
        for at, (one, other, onward, back) in enumerate(data["edges"])
        if one in places and other in places
    }
    return sorted(brought, key=lambda at: -brought[at])[:CUTS]


def _link(links: Links, one: int, other: int) -> dict[str, Any]:
    """The mention that joins two passages, in its sentence."""
    mention = next(links.mentions(one, other))
    text = links.passages[mention.source].text
    name = mention.entity or text[mention.start : mention.end]
    return {
        "source": mention.source,
        "target": other if mention.source == one else one,
        "name": name,
        "entity": bool(mention.entity),
        "pieces": [
            {"text": piece.text, "marked": piece.marked}
            for piece in pieces(sentence_at(text, mention.start), [name])
        ],
    }


def _walked(data: Mapping[str, Any], values: Mapping[str, Any]) -> WalkResult:
    count = len(data["cosines"])
    shares = np.zeros((count, count))
    cut = {data["cuts"][one] for one in values["cut"]}
    for at, (one, other, onward, back) in enumerate(data["edges"]):
        if at not in cut:
            shares[one, other], shares[other, one] = onward, back
    near = np.array(data["cosines"])
    walked = walk_from(
        Stored(shares),
        data["hits"],
        lambda places: near[list(places)],
        Walking(data["seeds"], values["restart"], data["weight"]),
    )
    if isinstance(walked, str):
        raise TypeError(walked)
    return walked


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`order` of the passages by walk and cosine, with their `chances` and `scores`.

    Args:
        data: As `make` gives it.
        values: `restart`, and `links`: which of `cuts` are there.
    """
    cut = [place for place, there in enumerate(values["links"]) if not there]
    walked = _walked(data, {"restart": values["restart"], "cut": cut})
    return {
        "order": [one.place for one in walked.order],
        "chances": [one.chance for one in walked.order],
        "scores": [one.score for one in walked.order],
        "vias": {
            str(one["place"]): way(walked.links, walked.visited, one["place"])[-2:-1]
            for one in data["passages"]
        },
    }
