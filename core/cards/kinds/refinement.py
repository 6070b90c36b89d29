"""Passages in strips: which are kept for the answer, and which are left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from core.cards.kind import Edit, Kind, PickField, Scene, edited, provenance
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import names, where
from core.cards.turns import kept_strips
from core.trace.artefacts import RefinedPassage, Refinement
from core.wording import counted

READING = (
    "Each passage is cut into its sentences. Those struck through are left out: the answer never reads them."
)


def card(artefact: Refinement, scene: Scene) -> Card:
    """Each passage as it is read, what is left out struck through."""
    drawing = Drawing("refinement", {"colour": scene.colour, "passages": passages_data(artefact)})
    return Card((Aid(READING), drawing, *provenance(artefact)), kept_strips(artefact))


def passages_data(artefact: Refinement) -> list[dict[str, Any]]:
    """The passages for the drawing."""
    called = names(refined.passage for refined in artefact.passages)
    return [
        {
            "id": refined.passage.chunk,
            "title": called[refined.passage.chunk],
            "where": where(refined.passage),
            "kept": f"{sum(strip.kept for strip in refined.strips)} of {counted(len(refined.strips), 'strip')} kept",
            "strips": [
                {
                    "text": strip.text,
                    "kept": strip.kept,
                    "says": "" if strip.score is None else f"score {strip.score:.2f}",
                }
                for strip in refined.strips
            ],
        }
        for refined in artefact.passages
    ]


def _key(refined: RefinedPassage, place: int) -> str:
    return f"{place} {refined.passage.chunk}"


def _strips(artefact: Refinement) -> tuple[PickField]:
    called = names((refined.passage for refined in artefact.passages), 40)
    options = {
        _key(refined, place): f"{called[refined.passage.chunk]}: {strip.text}"
        for refined in artefact.passages
        for place, strip in enumerate(refined.strips)
    }
    hint = "Take strips out, or put back what was left out; they stand in the order of their passages."
    return (PickField("edit-strips", "Strips that the answer reads", options, _chosen(artefact), hint),)


def _chosen(artefact: Refinement) -> list[str]:
    return [
        _key(refined, place)
        for refined in artefact.passages
        for place, strip in enumerate(refined.strips)
        if strip.kept
    ]


def _keep(artefact: Refinement, values: Sequence[Sequence[str]]) -> Refinement:
    chosen = set(values[0])
    if chosen == set(_chosen(artefact)):
        return artefact
    split = (key.partition(" ") for key in chosen)
    return with_strips(artefact, {(chunk, int(place)) for place, _, chunk in split})


def _lines(artefact: Refinement) -> list[str]:
    return [strip.text for refined in artefact.passages for strip in refined.strips if strip.kept]


def with_strips(artefact: Refinement, chosen: Collection[tuple[str, int]]) -> Refinement:
    """Other strips are kept: by the chunk of their passage, and their place in it from 0."""
    passages = tuple(
        refined.model_copy(
            update={
                "strips": tuple(
                    strip.model_copy(update={"kept": (refined.passage.chunk, place) in chosen})
                    for place, strip in enumerate(refined.strips)
                )
            }
        )
        for refined in artefact.passages
    )
    return edited(artefact, passages=passages)


def _sentence(refinements: Sequence[Refinement], scene: SceneContext) -> str:
    strips = [strip for refined in refinements[-1].passages for strip in refined.strips]
    struck = sum(not strip.kept for strip in strips)
    if not struck:
        return f"Every one of {counted(len(strips), 'sentence')} is kept for the answer."
    empty = sum(not any(strip.kept for strip in refined.strips) for refined in refinements[-1].passages)
    gone = f", and with them {counted(empty, 'whole passage')}" if empty else ""
    return f"{struck} of {counted(len(strips), 'sentence')} are struck out, since the answer does not need them{gone}."


KINDS = (
    Kind(
        key="refinement",
        title="Strips",
        icon="filter_list",
        card=card,
        edit=Edit(_strips, _keep, _lines),
        sentence=Sentence(90, _sentence),
    ),
)
