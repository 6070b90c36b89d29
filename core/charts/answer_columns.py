"""The answers of a comparison, sentence by sentence: what they have in common, and the passages that support them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.cards.kinds.hypothetical import Level, sources, support
from core.cards.matching import Stretch
from core.cards.narration import quoted
from core.cards.passages import Piece, marked_pieces
from core.charts.columns import Column
from core.corpora.sentence_spans import sentences
from core.runs.record import Record
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
    """Titles of the passages that it cites, in quotation marks."""
    level: Level
    """Likeness to a sentence of a cited passage; `none` where it cites nothing."""
    nearest: str
    """The sentence of a cited passage that is most like it."""


@dataclass(frozen=True)
class AnswerColumn:
    """One answer."""

    mark: str
    title: str
    colour: str
    sentences: tuple[SentenceView, ...]
    empty: str
    """The reason why there is no answer; empty: there is one."""
    supported: int
    """Sentences that a cited passage supports, at least somewhat."""


def _cited(answer: Answer, sentence: int, passages: Mapping[str, Passage]) -> list[Passage]:
    """The passages that a sentence of an answer cites, each once."""
    chunks = dict.fromkeys(citation.chunk for citation in answer.citations if citation.sentence == sentence)
    return [passages[chunk] for chunk in chunks if chunk in passages]


def _passages_of(record: Record) -> dict[str, Passage]:
    """The evidence of a run by its chunk."""
    return {hit.passage.chunk: hit.passage for hit in record.context.passages} if record.context else {}


def _sentences_of(answer: Answer) -> tuple[str, ...]:
    """The sentences of an answer; one that was never cut is one."""
    return answer.sentences or ((answer.text,) if answer.text else ())


def answer_columns(
    columns: Sequence[Column], reference: int = 0, cosines: Mapping[tuple[int, int], Cosines] | None = None
) -> tuple[AnswerColumn, ...]:
    """The answers of all columns. The others are compared with the column `reference`, and this with the next one;
    `cosines`: (column, sentence) -> cosines, see `support`, or None: words alone count."""
    texts = [column.record.answer.text if column.record.answer else "" for column in columns]
    first, second = texts[reference], texts[(reference + 1) % len(columns)]
    return tuple(
        _column(column, second if place == reference else first, place, cosines or {})
        for place, column in enumerate(columns)
    )


def _column(
    column: Column, other: str, place: int, cosines: Mapping[tuple[int, int], Cosines]
) -> AnswerColumn:
    answer = column.record.answer
    if answer is None or not answer.text:
        running = column.record.state == "running"
        empty = "The answer is being worked on." if running else "There is no answer."
        return AnswerColumn(column.mark, column.title, column.colour, (), empty, 0)
    passages, views = _passages_of(column.record), []
    texts = _sentences_of(answer)
    for number, (text, pieces) in enumerate(zip(texts, differing(texts, other), strict=True)):
        own = _cited(answer, number, passages)
        judged = support(text, own, cosines.get((place, number))) if own else ()
        best = max(judged, key=lambda likeness: likeness.shared, default=None)
        titles = tuple(quoted(passage.title) for passage in own)
        views.append(
            SentenceView(pieces, titles, best.level if best else "none", best.nearest if best else "")
        )
    supported = sum(view.level in ("near", "some") for view in views)
    return AnswerColumn(column.mark, column.title, column.colour, tuple(views), "", supported)


def differing(texts: Sequence[str], other: str) -> list[tuple[Piece, ...]]:
    """Each text cut into pieces; marked are the words without a counterpart, in order, in the other text."""
    words = [list(_WORD.finditer(text)) for text in texts]
    own = [match.group().casefold() for matches in words for match in matches]
    theirs = [match.group().casefold() for match in _WORD.finditer(other)]
    same = [not theirs] * len(own)  # all, where there is nothing to compare with
    for block in SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks():
        same[block.a : block.a + block.size] = [True] * block.size
    alike = iter(same)
    return [
        _marked(text, [match.span() for match in matches], [next(alike) for _ in matches])
        for text, matches in zip(texts, words, strict=True)
    ]


def _marked(text: str, spans: Sequence[Stretch], same: Sequence[bool]) -> tuple[Piece, ...]:
    marked: list[Stretch] = []
    for (start, end), alike in zip(spans, same, strict=True):
        if alike:
            continue
        joins = marked and not text[marked[-1][1] : start].strip()
        marked.append((marked.pop()[0] if joins else start, end))
    return marked_pieces(text, marked)


def to_embed(columns: Sequence[Column]) -> dict[tuple[int, int], tuple[tuple[str, ...], tuple[str, ...]]]:
    """(column, sentence) -> the sentence as `support` cuts it, and the sentences of the passages it cites."""
    texts = {}
    for place, column in enumerate(columns):
        answer, passages = column.record.answer or Answer(text=""), _passages_of(column.record)
        for number, text in enumerate(_sentences_of(answer)):
            pool = tuple(source.text for source in sources(_cited(answer, number, passages)))
            if pool:
                texts[place, number] = (tuple(sentences(text)), pool)
    return texts
