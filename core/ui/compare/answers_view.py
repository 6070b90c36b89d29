"""The answers of several runs, sentence by sentence: what each cites, what supports it, how they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from core.cards.passages import Piece
from core.cards.support import Level, SentenceSupport, sources, support
from core.charts.columns import Column
from core.runs.record import Record
from core.skills.sentences import sentences
from core.trace.artefacts import Answer
from core.trace.passages import Passage

_WORD = re.compile(r"\w+(?:[’'.-]\w+)*")

Cosines = Sequence[Sequence[float]]
"""For each sentence of an answer, its cosine with each sentence of the passages that it cites."""


@dataclass(frozen=True)
class SentenceView:
    """A sentence of an answer; all text is raw."""

    pieces: tuple[Piece, ...]
    """Marked are the words that the other answer does not have."""
    titles: tuple[str, ...]
    """Titles of the passages that it cites."""
    level: Level
    """How much like a sentence of a cited passage it is; `none` where it cites nothing."""
    nearest: str
    """That sentence."""


@dataclass(frozen=True)
class AnswerColumn:
    """One answer."""

    mark: str
    title: str
    colour: str
    sentences: tuple[SentenceView, ...]
    empty: str
    """Why there is none; empty: there is one."""
    supported: int
    """Sentences that a cited passage supports, at least somewhat."""


def cited(answer: Answer, sentence: int, passages: Mapping[str, Passage]) -> list[Passage]:
    """The passages that a sentence of an answer cites, each once."""
    chunks = dict.fromkeys(item.chunk for item in answer.citations if item.sentence == sentence)
    return [passages[chunk] for chunk in chunks if chunk in passages]


def passages_of(record: Record) -> dict[str, Passage]:
    """The evidence of a run by its chunk."""
    return {item.passage.chunk: item.passage for item in record.context.passages} if record.context else {}


def answer_sentences(answer: Answer) -> tuple[str, ...]:
    """Its sentences; an answer that was never cut is one."""
    return answer.sentences or ((answer.text,) if answer.text else ())


def answer_columns(
    columns: Sequence[Column], reference: int = 0, cosines: Mapping[tuple[int, int], Cosines] | None = None
) -> tuple[AnswerColumn, ...]:
    """All answers.

    Args:
        reference: The column that the others are compared with; it is compared with the next one.
        cosines: (column, sentence) -> cosines, see `support`; None: words alone count.
    """
    texts = [column.record.answer.text if column.record.answer else "" for column in columns]
    made = []
    for place, column in enumerate(columns):
        other = reference if place != reference else (reference + 1) % len(columns)
        made.append(_column(column, texts[other], place, cosines or {}))
    return tuple(made)


def _column(
    column: Column, other: str, place: int, cosines: Mapping[tuple[int, int], Cosines]
) -> AnswerColumn:
    answer = column.record.answer
    if answer is None or not answer.text:
        empty = (
            "The answer is being worked on." if column.record.state == "running" else "There is no answer."
        )
        return AnswerColumn(column.mark, column.title, column.colour, (), empty, 0)
    passages, found = passages_of(column.record), []
    texts = answer_sentences(answer)
    for number, (text, pieces) in enumerate(zip(texts, differing(texts, other), strict=True)):
        own = cited(answer, number, passages)
        judged = _supported(text, own, cosines.get((place, number)))
        found.append(SentenceView(pieces, tuple(p.title for p in own), judged.level, judged.nearest))
    supported = sum(sentence.level in ("near", "some") for sentence in found)
    return AnswerColumn(column.mark, column.title, column.colour, tuple(found), "", supported)


def _supported(text: str, passages: Sequence[Passage], cosines: Cosines | None) -> SentenceSupport:
    nothing = SentenceSupport((), "none", 0, 0, None, "", "")
    if not passages:
        return nothing
    judged = support(text, passages, cosines)
    return max(judged, key=lambda one: one.shared, default=nothing)


def differing(texts: Sequence[str], other: str) -> list[tuple[Piece, ...]]:
    """Each text cut into pieces; marked are the words that have no counterpart, in order, in the other text."""
    words = [[match.span() for match in _WORD.finditer(text)] for text in texts]
    own = [
        text[start:end].casefold() for text, spans in zip(texts, words, strict=True) for start, end in spans
    ]
    theirs = [match.group().casefold() for match in _WORD.finditer(other)]
    same = [False] * len(own)
    if theirs:
        for block in SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks():
            same[block.a : block.a + block.size] = [True] * block.size
    else:
        same = [True] * len(own)  # nothing to compare with
    found, place = [], 0
    for text, spans in zip(texts, words, strict=True):
        found.append(_marked(text, spans, same[place : place + len(spans)]))
        place += len(spans)
    return found


def _marked(text: str, spans: Sequence[tuple[int, int]], same: Sequence[bool]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    reached = 0
    for (start, end), alike in zip(spans, same, strict=True):
        if alike:
            continue
        if pieces and pieces[-1].marked and not text[reached:start].strip():
            pieces[-1] = Piece(pieces[-1].text + text[reached:end], marked=True)
        else:
            pieces += [Piece(text[reached:start], marked=False), Piece(text[start:end], marked=True)]
        reached = end
    pieces.append(Piece(text[reached:], marked=False))
    return tuple(piece for piece in pieces if piece.text)


def to_embed(columns: Sequence[Column]) -> dict[tuple[int, int], tuple[tuple[str, ...], tuple[str, ...]]]:
    """(column, sentence) -> the sentence as `support` cuts it, and the sentences of the passages that it cites."""
    found = {}
    for place, column in enumerate(columns):
        answer, passages = column.record.answer, passages_of(column.record)
        for number, text in enumerate(answer_sentences(answer) if answer else ()):
            pool = tuple(source.text for source in sources(cited(answer, number, passages))) if answer else ()
            if pool:
                found[place, number] = (tuple(sentences(text)), pool)
    return found


def answers_data(columns: Sequence[AnswerColumn]) -> dict[str, Any]:
    """As plain values, for the page."""
    return {"columns": [asdict(column) for column in columns]}
