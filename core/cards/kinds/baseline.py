"""What plain retrieval finds with as many passages: what a run is held against."""

from __future__ import annotations

from core.cards.kind import Kind, Scene, passage_list, provenance
from core.cards.matching import matches
from core.cards.parts import Aid, Card, Note, Part
from core.cards.passages import names, passage_card, says_the_same
from core.runs.budget import given_passages
from core.trace.artefacts import Baseline
from core.wording import counted

READING = (
    "One search with the question as it is, by the same retriever, for as many passages as this run gave to its "
    "answers. It asked no model and is not counted in the run's calls, rounds or seconds."
)


def card(artefact: Baseline, scene: Scene) -> Card:
    """Its passages; those that the run did not give are marked."""
    ours = {chunk for passage in given_passages(scene.record) for chunk in passage.ids}
    every = [hit.passage for hit in artefact.hits]
    asked = scene.record.started.question if scene.record.started else ""
    called, near = names(every), matches(asked, every)
    cards = [
        passage_card(
            hit.passage,
            hit.rank,
            hit.score,
            artefact.score_name,
            match=near.get(hit.passage.chunk),
            badge=says_the_same(hit.repeats) or ("" if ours.intersection(hit.passage.ids) else "only here"),
            faint=hit.repeats is not None,
            name=called[hit.passage.chunk],
            stars=scene.stars,
        )
        for hit in artefact.hits
    ]
    found: Part = passage_list(cards, "baseline") if cards else Note("It finds nothing.")
    return Card((Aid(READING), found, *provenance(artefact)), counted(len(artefact.given), "passage"))


KINDS = (
    Kind(
        key="baseline",
        title="Plain retrieval, for comparison",
        icon="compare_arrows",
        moment="What plain retrieval finds",
        card=card,
        apart=lambda artefact: True,
    ),
)
