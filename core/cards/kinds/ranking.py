"""What one query found, as passage cards."""

from __future__ import annotations

from core.cards.kind import Gist, Item, Join, Kind, Scene, passage_list, provenance
from core.cards.matching import matches
from core.cards.parts import Card, Fold, Note, Part
from core.cards.passages import names, passage_card, says_the_same
from core.cards.reranking import flow, reranked, said
from core.retrieval.kinds import RETRIEVERS
from core.runs.record import Record
from core.trace.artefacts import Ranking


def card(artefact: Ranking, scene: Scene) -> Card:
    """The hits that the strategy uses, with those that repeat one of them, and the others."""
    every = [hit.passage for hit in artefact.hits]
    called, near = names(every), matches(artefact.query, every)
    own = {hit.passage.chunk for hit in artefact.used}
    cards = [
        passage_card(
            hit.passage,
            hit.rank,
            hit.score,
            artefact.score_name,
            match=near.get(hit.passage.chunk),
            badge=says_the_same(hit.repeats),
            faint=hit.passage.chunk not in own,
            name=called[hit.passage.chunk],
            stars=scene.stars,
            was=hit.before,
        )
        for hit in artefact.hits
    ]
    shown = {hit.passage.chunk for hit in artefact.used_as_found}
    used = [card for card in cards if card.id in shown]
    rest = [card for card in cards if card.id not in shown]
    anew = reranked(artefact)
    parts: list[Part] = [Note(said(artefact), "compare_arrows")] if anew else []
    parts.append(passage_list(used, "used") if used else Note("Nothing found for this query."))
    if anew:
        both = flow(artefact, scene)
        parts.append(Fold("Before and after reranking", both, _alone(artefact, scene.record), "reranked"))
    elif rest:
        parts.append(
            Fold(f"{len(rest)} more below k, not used", (passage_list(rest, "rest"),), slot="ranking-rest")
        )
    retriever = RETRIEVERS.get(artefact.retriever, artefact.retriever) + (", reranked" if anew else "")
    return Card((*parts, *provenance(artefact)), f"{retriever}: {artefact.query}")


def _alone(artefact: Ranking, record: Record) -> bool:
    """Whether it is the first search of its run, and nothing runs beside it."""
    layers = [step.layer for step in record.steps]
    own = [step.layer for step in record.steps if any(made is artefact for made in step.artefacts)]
    return record.find(Ranking)[:1] == [artefact] and [layers.count(layer) for layer in own] == [1]


def _same_layer(first: Item, following: Item) -> bool:
    return isinstance(following.artefact, Ranking) and following.step.layer == first.step.layer


def _gist(record: Record) -> str:
    searches = len(record.find(Ranking))
    return "1 search with the question as it is" if searches == 1 else f"{searches} searches"


KINDS = (
    Kind(
        key="ranking",
        title="Ranking",
        icon="format_list_numbered",
        moment="Rankings",
        gist=Gist(90, _gist),
        card=card,
        join=Join(_same_layer),
    ),
)
