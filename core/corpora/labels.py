"""Questions with labelled evidence: in which passages of an indexed corpus the quoted words stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from core.corpora.entries import Evidence, Question, Quote
from core.errors import InputError
from core.trace.passages import Passage

Finder = Callable[[str, str], tuple[str, ...]]
"""Id of a document and words quoted from it -> ids of the chunks that hold them."""

_WORD = re.compile(r"\S+")


class _LabelledPlace(BaseModel):
    document: str
    """Name of its file."""
    quote: str


class _LabelledEvidence(_LabelledPlace):
    others: tuple[_LabelledPlace, ...] = Field((), alias="or")


class _LabelledQuestion(BaseModel):
    """A line of the file; what else it holds is not for the app."""

    id: str
    kind: str
    text: str
    answers: tuple[str, ...] = ()
    shows: str = ""
    strategies: tuple[str, ...] = ()
    evidence: tuple[_LabelledEvidence, ...] = ()


def read_questions(
    file: Path, documents: Mapping[str, str], passages: Iterable[Passage] | None = None
) -> tuple[Question, ...]:
    """Return the questions of a file, each with the documents and the passages that hold its evidence. Blocks.

    Args:
        file: JSON Lines; a question names its evidence by document and quoted words, with other places under `or`.
        documents: Name of each document -> its id.
        passages: All of the corpus; None: nothing is indexed yet, so evidence names no passage.

    Raises:
        InputError: A line is no question, or, of a corpus that is indexed, its document does not hold the words quoted.
    """
    find = None if passages is None else finder(passages)
    return tuple(
        Question(
            id=line.id,
            text=line.text,
            type=line.kind,
            answers=line.answers,
            evidence=tuple(_evidence(line, needed, find, documents) for needed in line.evidence),
            shows=line.shows,
            strategies=line.strategies,
        )
        for line in _lines(file)
    )


def relabel(questions: Iterable[Question], passages: Iterable[Passage]) -> tuple[Question, ...]:
    """Return the questions with the evidence that they have in a corpus of the same documents cut otherwise.

    Evidence in a document that is not there any more is held by no passage.
    """
    find = finder(passages)
    return tuple(
        question.model_copy(
            update={"evidence": tuple(_again(evidence, find) for evidence in question.evidence)}
        )
        for question in questions
    )


def finder(passages: Iterable[Passage]) -> Finder:
    """Return a function that finds quoted words in these passages.

    Where no chunk holds all of them, it is the one with the longest part; empty: the document does not hold them.
    """
    own: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        own[passage.document].append(passage)
    texts = {document: _DocumentText(chunks) for document, chunks in own.items()}
    return lambda document, quote: texts[document].chunks_with(quote) if document in texts else ()


def _lines(file: Path) -> Iterator[_LabelledQuestion]:
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _LabelledQuestion.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise InputError(
                f"Line {number} of {file.name} is no question: {where} {first['msg']}."
            ) from None


class _DocumentText:
    """A document put together from its chunks, without blanks: where a line breaks, some formats have none."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._chunks = sorted(passages, key=lambda passage: passage.position)

    @cached_property
    def _signs(self) -> tuple[str, list[int]]:
        """The characters that are no blanks, and the offset of each; what overlapping chunks repeat comes once."""
        words: list[str] = []
        offsets: list[int] = []
        length = 0
        for chunk in self._chunks:
            begin = max(length, chunk.start)
            for word in _WORD.finditer(chunk.text[begin - chunk.start :]):
                words.append(word.group())
                offsets.extend(range(begin + word.start(), begin + word.end()))
            length = max(length, chunk.end)
        return "".join(words), offsets

    def chunks_with(self, quote: str) -> tuple[str, ...]:
        """Return the ids of the chunks that hold the words; where none holds all, the one with the longest part.

        Empty: the document does not hold them.
        """
        spans = list(self._spans("".join(quote.split())))
        whole = [
            chunk.chunk
            for chunk in self._chunks
            if any(chunk.start <= start and end <= chunk.end for start, end in spans)
        ]
        if whole or not spans:
            return tuple(whole)
        return (max(self._chunks, key=lambda chunk: max(_shared(chunk, *span) for span in spans)).chunk,)

    def _spans(self, quote: str) -> Iterator[tuple[int, int]]:
        """Yield the first character of the document, and one past the last, of each place that holds the words."""
        text, offsets = self._signs
        at = text.find(quote) if quote else -1
        while at >= 0:
            yield offsets[at], offsets[at + len(quote) - 1] + 1
            at = text.find(quote, at + 1)


def _shared(chunk: Passage, start: int, end: int) -> int:
    """Return the number of characters of a span that a chunk holds; not above 0: none."""
    return min(chunk.end, end) - max(chunk.start, start)


def _evidence(
    question: _LabelledQuestion, needed: _LabelledEvidence, find: Finder | None, documents: Mapping[str, str]
) -> Evidence:
    chunks: dict[str, None] = {}
    places = (needed, *needed.others)
    if find is not None:
        for place in places:
            if place.document not in documents:
                raise InputError(f"Question {question.id}: there is no document “{place.document}”.")
            holders = find(documents[place.document], place.quote)
            if not holders:
                raise InputError(
                    f"Question {question.id}: “{place.document}” does not hold the words “{place.quote}”."
                )
            chunks |= dict.fromkeys(holders)
    first, *also = (Quote(document=documents.get(place.document, ""), quote=place.quote) for place in places)
    return Evidence(document=first.document, quote=first.quote, chunks=tuple(chunks), also=tuple(also))


def _again(evidence: Evidence, find: Finder) -> Evidence:
    places = (evidence, *evidence.also)
    chunks = [chunk for place in places for chunk in find(place.document, place.quote)]
    return evidence.model_copy(update={"chunks": tuple(dict.fromkeys(chunks))})
