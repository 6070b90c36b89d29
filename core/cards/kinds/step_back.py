"""The question, the more general one behind it, and what each of the two found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cards.kind import (
    Gist,
    Kind,
    Scene,
    checked_text,
    edited,
    hit_cards,
    items_of,
    provenance,
    text_edit,
)
from core.cards.narration import SceneContext, Sentence, quoted
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import Stars
from core.cards.reranking import searches_reranked
from core.runs.record import Record
from core.trace.artefacts import Ranking, StepBack

READING = "Best passage first on each side. A line joins a passage that both questions found."


def card(artefact: StepBack, scene: Scene) -> Card:
    """Both questions with their passages side by side; a passage of both is marked and joined by a line."""
    missing = {"running": "Searching…", "paused": "Waiting"}.get(scene.record.state, "Not searched.")
    same = artefact.general == artefact.question  # no step back was found
    rankings = {ranking.query: ranking for ranking in scene.record.find(Ranking)}
    nothing = "The same question: it is not searched twice." if same else missing
    general = None if same else rankings.get(artefact.general)
    sides = (
        _side("The question", artefact.question, rankings.get(artefact.question), missing, scene.stars),
        _side("A step back", artefact.general, general, nothing, scene.stars),
    )
    left, right = ([card["id"] for card in side["cards"]] for side in sides)
    shared = [chunk for chunk in left if chunk in right]
    data = {"same": same, "sides": sides, "shared": shared, "colour": scene.colour}
    aid = () if same else (Aid(READING),)
    both = f"{len(shared)} found by both" if shared else ""
    anew = searches_reranked(list(rankings.values()), scene)
    return Card((*aid, Drawing("step_back", data), *anew, *provenance(artefact)), both)


def _side(label: str, question: str, ranking: Ranking | None, missing: str, stars: Stars) -> dict[str, Any]:
    """One question and its passages, best first; `empty` says what stands in place of passages."""
    hits = ranking.used if ranking else ()
    cards = [asdict(card) for card in hit_cards(hits, ranking.score_name if ranking else "", stars)]
    empty = missing if ranking is None else "" if cards else "Nothing was found."
    return {"label": label, "question": question, "cards": cards, "empty": empty}


def _inside(record: Record) -> list[str]:
    """The rankings of both questions stand side by side below them."""
    stepped = record.find(StepBack)
    return [item.key for item in items_of(record) if stepped and isinstance(item.artefact, Ranking)]


def _sentence(steps: Sequence[StepBack], scene: SceneContext) -> str:
    step_back = steps[-1]
    if step_back.general == step_back.question:
        return "No more general question was found, so the question is searched alone."
    return f"A step back: {quoted(step_back.general)} is searched beside the question."


def with_general(artefact: StepBack, text: str) -> StepBack:
    """Another step back."""
    return edited(artefact, general=checked_text(text))


KINDS = (
    Kind(
        key="step_back",
        title="Step back",
        icon="zoom_out_map",
        gist=Gist(60, lambda record: f"Stepped back to: “{record.find(StepBack)[-1].general}”"),
        card=card,
        inside=_inside,
        edit=text_edit("The step back", lambda artefact: artefact.general, with_general),
        sentence=Sentence(110, _sentence),
    ),
)
