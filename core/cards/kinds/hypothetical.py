"""Hypothetical passages: what supports them, what they found, and what that changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from core.cards.kind import (
    Edit,
    Gist,
    Kind,
    Picture,
    Scene,
    TextField,
    checked_text,
    drawn_picture,
    edited,
    hit_cards,
    passage_list,
    provenance,
)
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Beside, Card, Drawing, Heading, Note, Part
from core.cards.passages import Piece, marked_pieces
from core.cards.reranking import RankChanges, rank_changes
from core.corpora.sentence_spans import sentences
from core.retrieval.dense import mean_of
from core.retrieval.tokens import tokens
from core.runs.record import Record
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.trace.passages import Passage
from core.wording import counted

Level = Literal["near", "some", "none", "unknown"]

NEAR_WORDS, SOME_WORDS = 0.6, 0.3
"""Share of a sentence's words that one retrieved sentence holds, from which it counts as near, or as somewhat so."""
NEAR_COSINE, SOME_COSINE = 0.75, 0.5
"""Cosine of the two sentences' vectors from which the sentence counts as near, or as somewhat so."""

_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those it its he she they we i his her their our my there here in on at as by for "
        "from of to with and or but if when while after before during since although because however also both each "
        "many most some such one two who what which where how",
    )
)


@dataclass(frozen=True)
class Source:
    """A sentence of a retrieved passage."""

    text: str
    title: str


@dataclass(frozen=True)
class SentenceSupport:
    """A sentence and the retrieved one that is nearest to it; all text is raw."""

    pieces: tuple[Piece, ...]
    """The sentence; marked is a name or number that no retrieved passage holds."""
    level: Level
    shared: int
    """Different words, stemmed, that the nearest sentence holds too."""
    words: int
    """Different words of the sentence."""
    cosine: float | None
    nearest: str
    title: str
    """Of the passage that the nearest sentence is from."""


def sources(passages: Sequence[Passage]) -> list[Source]:
    """Every sentence of some passages, in order."""
    return [Source(sentence, passage.title) for passage in passages for sentence in sentences(passage.text)]


def support(
    text: str, passages: Sequence[Passage], cosines: Sequence[Sequence[float]] | None = None
) -> tuple[SentenceSupport, ...]:
    """Return each sentence of a text with what supports it in the passages that were retrieved. `cosines` holds, for
    each sentence of the text, its cosine with each of `sources(passages)`; None: words alone count."""
    pool = sources(passages)
    known = {word for passage in passages for word in _words(f"{passage.title} {passage.text}")}
    bags = [set(tokens(source.text)) | set(tokens(source.title)) for source in pool]
    results: list[SentenceSupport] = []
    for place, sentence in enumerate(sentences(text)):
        if not pool:
            results.append(SentenceSupport((Piece(sentence, marked=False),), "unknown", 0, 0, None, "", ""))
            continue
        own = set(tokens(sentence))
        shares = [len(own & bag) / len(own) if own else 0.0 for bag in bags]
        likeness = list(cosines[place]) if cosines is not None else None
        best = max(range(len(pool)), key=lambda i: (shares[i] + (likeness[i] if likeness else 0.0), -i))
        marked = unseen(sentence, known)
        cosine = likeness[best] if likeness else None
        results.append(
            SentenceSupport(
                pieces=marked,
                level=_level(shares[best], cosine, strange=any(piece.marked for piece in marked)),
                shared=round(shares[best] * len(own)),
                words=len(own),
                cosine=cosine,
                nearest=pool[best].text if shares[best] or likeness else "",
                title=pool[best].title if shares[best] or likeness else "",
            )
        )
    return tuple(results)


def _level(share: float, cosine: float | None, *, strange: bool) -> Level:
    """Names and numbers come first: a sentence with an unknown one is never near."""
    near = share >= NEAR_WORDS or (cosine is not None and cosine >= NEAR_COSINE)
    if near and not strange:
        return "near"
    return "some" if near or share >= SOME_WORDS or (cosine or 0.0) >= SOME_COSINE else "none"


def unseen(sentence: str, known: set[str]) -> tuple[Piece, ...]:
    """A sentence cut into pieces; marked are names (capitalised words) and numbers that are not `known`.

    The first word of a sentence is capitalised anyway: it counts as a name only if another one follows.
    """
    runs: list[tuple[int, int]] = []
    matches = list(_WORD.finditer(sentence))
    for index, match in enumerate(matches):
        word = match.group()
        following = matches[index + 1].group() if index + 1 < len(matches) else ""
        named = word[0].isupper() and word.casefold() not in _NO_NAMES
        if named and (index > 0 or following[:1].isupper()):
            # Capitalised words that follow one another are one name.
            joins = runs and sentence[runs[-1][1] : match.start()] == " " and sentence[runs[-1][0]].isupper()
            start = runs.pop()[0] if joins else match.start()
            runs.append((start, match.end()))
        elif any(char.isdigit() for char in word):
            runs.append(match.span())
    new = [(start, end) for start, end in runs if not _words(sentence[start:end]) <= known]
    return marked_pieces(sentence, new)


def _words(text: str) -> set[str]:
    """Words without case, possessive ending and the commas inside numbers; a compound counts by its parts."""
    words: set[str] = set()
    for match in _WORD.finditer(text.casefold()):
        word = re.sub(r"['’]s$", "", match.group())
        if word[0].isdigit():
            words.add(word.replace(",", ""))
        else:
            words.update(filter(None, re.split(r"[.,'’-]", word)))
    return words


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
    hyde = next((ranking for ranking in reversed(every) if ranking is not beside), None)
    return hyde, beside


def supported(
    artefact: HypotheticalDocuments, ranking: Ranking | None, cosines: Cosines | None = None
) -> list[tuple[SentenceSupport, ...]]:
    """Each passage, sentence by sentence, with what supports it; `cosines` as for `card`."""
    real = [hit.passage for hit in ranking.used] if ranking else []
    return [
        support(text, real, cosines[place] if cosines is not None else None)
        for place, text in enumerate(artefact.texts)
    ]


def bare(written: Sequence[Sequence[SentenceSupport]]) -> str:
    """Say how much of what was written nothing supports."""
    rows = [sentence for sentences in written for sentence in sentences]
    unlike = sum(sentence.level == "none" for sentence in rows)
    new = sum(piece.marked for sentence in rows for piece in sentence.pieces)
    names = counted(new, "name or number is", "names and numbers are")
    if unlike == 0:
        return f"Every sentence resembles something that was found; {names} in none of it."
    lines = f"{unlike} of {counted(len(rows), 'sentence')}"
    return f"Nothing that was found resembles {lines}; {names} in none of it."


def card(artefact: HypotheticalDocuments, scene: Scene, cosines: Cosines | None = None) -> Card:
    """Show the passages beside what they found, what supports them, and what that changed, as far as it is there.
    `cosines` are those of each passage's sentences with the sentences found; None: words alone count."""
    hyde, beside = rankings_of(artefact, scene.record.find(Ranking))
    count = len(artefact.texts)
    parts: list[Part] = []
    if count:
        written = supported(artefact, hyde, cosines)
        texts = [[asdict(sentence) for sentence in sentences] for sentences in written]
        left = Heading("Written by the model, perhaps false"), Drawing("support", {"texts": texts})
        used = hyde.used if hyde else ()
        cards = hit_cards(used, hyde.score_name if hyde else "", scene.stars)
        real = passage_list(cards, "found") if cards else Note("Not searched yet.")
        parts.append(Beside((left, (Heading("Found: real passages"), real))))
        parts.append(Note(f"Searched with {mean_of(count, artefact.with_question)}."))
        if used:
            method = "lexical similarity" if cosines is None else "lexical and embedding similarity"
            parts += [Note(f"{bare(written)} ({method}, not proof)", "rule"), Aid(READING_SUPPORT)]
    parts += provenance(artefact)
    if count and beside and hyde:
        changed = rank_changes(beside, hyde, scene.stars)
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


def _sentence(artefacts: Sequence[HypotheticalDocuments], scene: SceneContext) -> str:
    count = len(artefacts[-1].texts)
    if not count:
        return "No passage was made up, so the question is searched as it is."
    single = count == 1
    subject = "A passage is made up" if single else f"{count} passages are made up"
    false = "It may be false: it only leads" if single else "They may be false: they only lead"
    return f"{subject} that would answer the question. {false} to real ones."


def _picture(scene: Scene) -> Picture | None:
    """The finds of the hypothetical passages beside those of the question; the map needs vectors, and is drawn by the
    page alone."""
    written = scene.record.find(HypotheticalDocuments)
    hyde, beside = rankings_of(written[-1], scene.record.find(Ranking)) if written else (None, None)
    if not (hyde and beside and written[-1].texts):
        return None
    data = _moves(rank_changes(beside, hyde, scene.stars), scene)
    return drawn_picture("What the hypothetical passages changed", READING_MOVES, "moves", data)


def _moves(changes: RankChanges, scene: Scene) -> dict[str, Any]:
    return asdict(changes) | {"titles": ("Question alone", "HyDE"), "colour": scene.colour}


KINDS = (
    Kind(
        key="passages",
        title="Hypothetical passages",
        icon="edit_note",
        gist=Gist(70, _gist),
        card=card,
        edit=Edit(
            _fields,
            lambda artefact, texts: edited(artefact, texts=tuple(map(checked_text, texts))),
            lambda artefact: artefact.texts,
        ),
        sentence=Sentence(120, _sentence),
        picture=_picture,
    ),
)
