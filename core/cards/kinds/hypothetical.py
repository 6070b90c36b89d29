"""Hypothetical passages: what supports them, what they found, and what that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from core.cards.kind import Edit, Gist, Kind, Scene, TextField, passage_list, provenance
from core.cards.moves import Moves, moves
from core.cards.parts import Aid, Beside, Card, Drawing, Heading, Note, Part
from core.cards.passages import PassageCard, passage_card
from core.cards.support import SentenceSupport, support
from core.retrieval.mean import mean_of
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Passages, Ranking
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


@dataclass(frozen=True)
class PassagesView:
    """The passages beside what they found; raw text."""

    style: str
    texts: tuple[str, ...]
    searched_with: str
    """What the vector that is searched with is the mean of, in words."""
    written: tuple[tuple[SentenceSupport, ...], ...]
    """Each passage, sentence by sentence."""
    found: tuple[PassageCard, ...]
    """The real passages that are used; empty before the search."""
    moves: Moves | None
    """Against the ranking of the question alone; None before both are there."""
    method: str
    """How support was measured."""
    summary: str
    """How much of what was written nothing supports; empty before the search."""


def passages_view(
    artefact: Passages,
    found: Ranking | None = None,
    beside: Ranking | None = None,
    cosines: Cosines | None = None,
) -> PassagesView:
    """The passages, and as far as they are there the two rankings.

    Args:
        artefact: The passages.
        found: What they found.
        beside: What the question alone found.
        cosines: Of each passage's sentences with those of the passages that `found` uses; None: words alone count.
    """
    real = [hit.passage for hit in found.used] if found else []
    written = tuple(
        support(text, real, cosines[place] if cosines is not None else None)
        for place, text in enumerate(artefact.texts)
    )
    name = found.score_name if found else ""
    cards = [passage_card(hit.passage, hit.rank, hit.score, name) for hit in (found.used if found else ())]
    return PassagesView(
        style=artefact.style,
        texts=artefact.texts,
        searched_with=mean_of(len(artefact.texts), artefact.with_question),
        written=written,
        found=tuple(cards),
        moves=moves(beside, found) if beside and found else None,
        method="lexical and embedding similarity" if cosines is not None else "lexical similarity",
        summary=_summary(written) if real and written else "",
    )


def rankings_of(artefact: Passages, rankings: Iterable[Ranking]) -> tuple[Ranking | None, Ranking | None]:
    """What the passages found, and what the question alone found, among a run's rankings."""
    every = list(rankings)
    beside = next((ranking for ranking in every if ranking.query == artefact.question), None)
    found = next((ranking for ranking in reversed(every) if ranking is not beside), None)
    return found, beside


def _summary(written: Sequence[Sequence[SentenceSupport]]) -> str:
    rows = [sentence for sentences in written for sentence in sentences]
    bare = sum(sentence.level == "none" for sentence in rows)
    new = sum(piece.marked for sentence in rows for piece in sentence.pieces)
    names = counted(new, "name or number is", "names and numbers are")
    if bare == 0:
        return f"Every sentence resembles something that was found; {names} in none of it."
    lines = f"{bare} of {counted(len(rows), 'sentence')}"
    return f"Nothing that was found resembles {lines}; {names} in none of it."


def card(artefact: Passages, scene: Scene, cosines: Cosines | None = None) -> Card:
    """The passages beside what they found, what supports them, and what that changed.

    Args:
        artefact: The passages.
        scene: The run.
        cosines: As for `passages_view`.
    """
    found, beside = rankings_of(artefact, scene.record.find(Ranking))
    view = passages_view(artefact, found, beside, cosines)
    parts: list[Part] = []
    if view.texts:
        texts = [[asdict(sentence) for sentence in sentences] for sentences in view.written]
        written = Heading("Written by the model, perhaps false"), Drawing("support", {"texts": texts})
        real = passage_list(view.found, "found") if view.found else Note("Not searched yet.")
        parts.append(Beside((written, (Heading("Found: real passages"), real))))
        parts.append(Note(f"Searched with {view.searched_with}."))
        if view.summary:
            parts += [Note(f"{view.summary} ({view.method}, not proof)", "rule"), Aid(READING_SUPPORT)]
    parts += provenance(artefact)
    if view.texts and view.moves:
        drawing = Drawing("moves", view.moves.data() | {"colour": scene.colour})
        parts += [Heading("What it changed"), Note(view.moves.summary), drawing, Aid(READING_MOVES)]
    count = len(artefact.texts)
    return Card(parts, f"{counted(count, 'passage') if count else 'no passages'}, {artefact.style}")


def _fields(artefact: Passages) -> list[TextField]:
    return [
        TextField(f"edit-text-{number}", f"Passage {number}", text, 180)
        for number, text in enumerate(artefact.texts, 1)
    ]


def _gist(record: Record) -> str:
    texts = record.find(Passages)[-1].texts
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
