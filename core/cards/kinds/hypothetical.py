"""Hypothetical passages: what supports them, what they found, and what that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.edits import Edit, TextField, checked_text, edited
from core.cards.kind import Gist, Kind, Picture, Scene, drawn_picture, passage_list, provenance
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Beside, Card, Drawing, Heading, Note, Part
from core.cards.passages import names, passage_card
from core.cards.reranking import RankChanges, rank_changes
from core.cards.support import SentenceSupport, support
from core.retrieval.dense import mean_of
from core.runs.record import Record
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.wording import counted

READING_SUPPORT = (
    "● much like a retrieved sentence, ◐ somewhat, ○ like none. Marked words are names and numbers that no "
    "retrieved passage holds. Choose a sentence to see the nearest one."
)
READING_MOVES = (
    "Left what the question alone finds, right what HyDE finds; a line leads from a passage to itself. "
    "Choose one to read it."
)

Cosines = Sequence[Sequence[Sequence[float]]]
"""Passage × its sentences × sentences of what was found."""


def rankings_of(
    artefact: HypotheticalDocuments, rankings: Iterable[Ranking]
) -> tuple[Ranking | None, Ranking | None]:
    """The ranking that the passages found, and the one that the question alone found, among a run's rankings."""
    every = list(rankings)
    beside = next((ranking for ranking in every if ranking.query == artefact.question), None)
    found = next((ranking for ranking in reversed(every) if ranking is not beside), None)
    return found, beside


def supported(
    artefact: HypotheticalDocuments, found: Ranking | None, cosines: Cosines | None = None
) -> list[tuple[SentenceSupport, ...]]:
    """Each passage, sentence by sentence, with what supports it; `cosines` as for `card`."""
    real = [hit.passage for hit in found.used] if found else []
    return [
        support(text, real, cosines[place] if cosines is not None else None)
        for place, text in enumerate(artefact.texts)
    ]


def bare(written: Sequence[Sequence[SentenceSupport]]) -> str:
    """How much of what was written nothing supports."""
    rows = [sentence for sentences in written for sentence in sentences]
    unlike = sum(sentence.level == "none" for sentence in rows)
    new = sum(piece.marked for sentence in rows for piece in sentence.pieces)
    names = counted(new, "name or number is", "names and numbers are")
    if unlike == 0:
        return f"Every sentence resembles something that was found; {names} in none of it."
    lines = f"{unlike} of {counted(len(rows), 'sentence')}"
    return f"Nothing that was found resembles {lines}; {names} in none of it."


def card(artefact: HypotheticalDocuments, scene: Scene, cosines: Cosines | None = None) -> Card:
    """The passages beside what they found, what supports them, and what that changed, as far as it is there.

    Args:
        artefact: The passages.
        scene: The run.
        cosines: Of each passage's sentences with those of the passages that were found; None: words alone count.
    """
    found, beside = rankings_of(artefact, scene.record.find(Ranking))
    count = len(artefact.texts)
    parts: list[Part] = []
    if count:
        written = supported(artefact, found, cosines)
        texts = [[asdict(sentence) for sentence in sentences] for sentences in written]
        left = Heading("Written by the model, perhaps false"), Drawing("support", {"texts": texts})
        used = found.used if found else ()
        name = found.score_name if found else ""
        called = names(hit.passage for hit in used)
        cards = [
            passage_card(
                hit.passage, hit.rank, hit.score, name, name=called[hit.passage.chunk], stars=scene.stars
            )
            for hit in used
        ]
        real = passage_list(cards, "found") if cards else Note("Not searched yet.")
        parts.append(Beside((left, (Heading("Found: real passages"), real))))
        parts.append(Note(f"Searched with {mean_of(count, artefact.with_question)}."))
        if used:
            method = "lexical similarity" if cosines is None else "lexical and embedding similarity"
            parts += [Note(f"{bare(written)} ({method}, not proof)", "rule"), Aid(READING_SUPPORT)]
    parts += provenance(artefact)
    if count and beside and found:
        changed = rank_changes(beside, found, scene.stars)
        drawing = Drawing("moves", _moves(changed, scene))
        parts += [Heading("What it changed"), Note(changed.summary), drawing, Aid(READING_MOVES)]
    return Card(parts, f"{counted(count, 'passage') if count else 'no passages'}, {artefact.style}")


def _fields(artefact: HypotheticalDocuments) -> list[TextField]:
    return [
        TextField(f"edit-text-{number}", f"Passage {number}", text, 180)
        for number, text in enumerate(artefact.texts, 1)
    ]


def _gist(record: Record) -> str:
    texts = record.find(HypotheticalDocuments)[-1].texts
    return f"{counted(len(texts), 'hypothetical passage')}, searched for real ones like it"


def with_passages(artefact: HypotheticalDocuments, texts: Sequence[str]) -> HypotheticalDocuments:
    """Other hypothetical passages."""
    return edited(artefact, texts=tuple(map(checked_text, texts)))


def _sentence(found: Sequence[HypotheticalDocuments], scene: SceneContext) -> str:
    count = len(found[-1].texts)
    if not count:
        return "No passage was made up, so the question is searched as it is."
    one = count == 1
    made = "A passage is made up" if one else f"{count} passages are made up"
    false = "It may be false: it only leads" if one else "They may be false: they only lead"
    return f"{made} that would answer the question. {false} to real ones."


def _picture(scene: Scene) -> Picture | None:
    """The finds of the hypothetical passages beside those of the question; the map needs vectors, and is drawn by the
    page alone."""
    written = scene.record.find(HypotheticalDocuments)
    found, beside = rankings_of(written[-1], scene.record.find(Ranking)) if written else (None, None)
    if not (found and beside and written[-1].texts):
        return None
    data = _moves(rank_changes(beside, found, scene.stars), scene)
    return drawn_picture("What the hypothetical passages changed", READING_MOVES, "moves", data)


def _moves(changes: RankChanges, scene: Scene) -> dict[str, Any]:
    return asdict(changes) | {"titles": ("Question alone", "HyDE"), "colour": scene.colour}


KINDS = (
    Kind(
        key="passages",
        title="Hypothetical passages",
        icon="edit_note",
        moment="The hypothetical passages",
        gist=Gist(70, _gist),
        card=card,
        edit=Edit(_fields, with_passages, lambda artefact: artefact.texts),
        sentence=Sentence(120, _sentence),
        picture=_picture,
    ),
)
