"""The finds of plain retrieval with as many passages, which a run is measured against."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.kind import Kind, Scene, passage_list, provenance
from core.cards.matching import matches
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Note, Part
from core.cards.passages import names, passage_card, says_the_same
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
    every = [hit.passage for hit in artefact.hits]
    question = scene.record.started.question if scene.record.started else ""
    called, near = names(every), matches(question, every)
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
        moment="What plain retrieval finds",
        card=card,
        sentence=Sentence(220, _sentence),
        apart=lambda artefact: True,
    ),
)
