"""Hypothetical passages: what supports them, what they found, and what that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from core.cards.kind import Edit, Gist, Kind, Scene, TextField, passage_list, provenance
from core.cards.parts import Aid, Beside, Card, Drawing, Heading, Note, Part
from core.cards.passages import names, passage_card
from core.cards.reranking import rank_changes
from core.cards.support import SentenceSupport, support
from core.retrieval.dense import mean_of
from core.runs import edits
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
        drawn = asdict(changed) | {"titles": ("Question alone", "HyDE"), "colour": scene.colour}
        drawing = Drawing("moves", drawn)
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


KINDS = (
    Kind(
        key="passages",
        title="Hypothetical passages",
        icon="edit_note",
        moment="The hypothetical passages",
        gist=Gist(70, _gist),
        card=card,
        edit=Edit(_fields, edits.with_passages, lambda artefact: artefact.texts),
    ),
)
