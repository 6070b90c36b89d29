"""Passages in strips: which are kept for the answer, and which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.cards.kind import Edit, Kind, PickField, Scene, provenance
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import names, where
from core.runs import edits
from core.trace.artefacts import RefinedPassage, Refinement
from core.wording import counted

READING = (
    "Each passage is cut into its sentences. Those struck through are left out: the answer never reads them."
)


def card(artefact: Refinement, scene: Scene) -> Card:
    """Each passage as it is read, what is left out struck through."""
    drawing = Drawing("refinement", {"colour": scene.colour, "passages": passages_data(artefact)})
    return Card((Aid(READING), drawing, *provenance(artefact)), summary(artefact))


def summary(artefact: Refinement) -> str:
    """How much is kept."""
    strips = [strip for one in artefact.passages for strip in one.strips]
    given = sum(any(strip.kept for strip in one.strips) for one in artefact.passages)
    kept = sum(strip.kept for strip in strips)
    return f"{kept} of {counted(len(strips), 'strip')} kept, in {given} of {counted(len(artefact.passages), 'passage')}"


def passages_data(artefact: Refinement) -> list[dict[str, Any]]:
    """The passages for the drawing."""
    called = names(one.passage for one in artefact.passages)
    return [
        {
            "id": one.passage.chunk,
            "title": called[one.passage.chunk],
            "where": where(one.passage),
            "kept": f"{sum(strip.kept for strip in one.strips)} of {counted(len(one.strips), 'strip')} kept",
            "strips": [
                {
                    "text": strip.text,
                    "kept": strip.kept,
                    "says": "" if strip.score is None else f"score {strip.score:.2f}",
                }
                for strip in one.strips
            ],
        }
        for one in artefact.passages
    ]


def _key(one: RefinedPassage, place: int) -> str:
    return f"{place} {one.passage.chunk}"


def _strips(artefact: Refinement) -> tuple[PickField]:
    called = names((one.passage for one in artefact.passages), 40)
    options = {
        _key(one, place): f"{called[one.passage.chunk]}: {strip.text}"
        for one in artefact.passages
        for place, strip in enumerate(one.strips)
    }
    hint = "Take strips out, or put back what was left out; they stand in the order of their passages."
    return (PickField("edit-strips", "Strips that the answer reads", options, _chosen(artefact), hint),)


def _chosen(artefact: Refinement) -> list[str]:
    return [
        _key(one, place) for one in artefact.passages for place, strip in enumerate(one.strips) if strip.kept
    ]


def _keep(artefact: Refinement, values: Sequence[Sequence[str]]) -> Refinement:
    chosen = set(values[0])
    if chosen == set(_chosen(artefact)):
        return artefact
    split = (key.partition(" ") for key in chosen)
    return edits.with_strips(artefact, {(chunk, int(place)) for place, _, chunk in split})


def _lines(artefact: Refinement) -> list[str]:
    return [strip.text for one in artefact.passages for strip in one.strips if strip.kept]


KINDS = (
    Kind(
        key="refinement",
        title="Strips",
        icon="filter_list",
        moment="The strips",
        card=card,
        edit=Edit(_strips, _keep, _lines),
    ),
)
