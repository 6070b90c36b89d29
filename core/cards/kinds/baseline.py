"""The finds of plain retrieval with as many passages, which a run is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.cards.kind import Kind, Scene, hit_cards, passage_list, provenance
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Note, Part
from core.runs.budget import chunks_given, given_passages, plain_with
from core.trace.artefacts import Baseline
from core.trace.gold import pieces_held
from core.wording import counted

READING = (
    "One search with the question as it is, by the same retriever, for as many passages as this run gave to its "
    "answers. It asked no model and is not counted in the run's calls, rounds or seconds."
)


def card(artefact: Baseline, scene: Scene) -> Card:
    """Its passages; those that the run did not give are marked."""
    ours = {chunk for passage in given_passages(scene.record) for chunk in passage.ids}
    question = scene.record.question
    found = hit_cards(artefact.hits, artefact.score_name, scene.stars, question)
    cards = [
        card if card.badge or ours.intersection(hit.passage.ids) else replace(card, badge="only here")
        for card, hit in zip(found, artefact.hits, strict=True)
    ]
    listing: Part = passage_list(cards, "baseline") if cards else Note("It finds nothing.")
    return Card((Aid(READING), listing, *provenance(artefact)), counted(len(artefact.passages), "passage"))


def _sentence(baselines: Sequence[Baseline], scene: SceneContext) -> str:
    baseline = baselines[-1]
    if not baseline.retriever:  # nothing was searched for comparison
        return ""
    if not baseline.gold:
        return f"Plain retrieval finds {counted(len(baseline.passages), 'passage')}, for comparison."
    pieces = pieces_held(baseline.gold, baseline.passages)
    plain = plain_with(chunks_given(scene.run)).capitalize()
    return f"{plain} finds {pieces} of {counted(len(baseline.gold), 'piece')} of evidence."


KINDS = (
    Kind(
        key="baseline",
        title="Plain retrieval, for comparison",
        icon="compare_arrows",
        card=card,
        sentence=Sentence(220, _sentence),
        apart=lambda artefact: True,
    ),
)
