"""The three files of a data set, read line by line, with every defect."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.corpora.documents import clean
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.jsonl import load_jsonl
from core.errors import DocumentError, InputError
from core.strict_json import read_json

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
_RELEVANCE = re.compile("-?[0-9]{1,6}")


@dataclass(frozen=True)
class DataDocument:
    """A document as its data set has it; raw text."""

    id: str
    """Id in the data set, which differs from the id in a corpus."""
    title: str
    """May be empty."""
    text: str


@dataclass(frozen=True)
class LabelledQuestion:
    """A question with its labels; raw text."""

    id: str
    text: str
    type: str
    """Kind of reasoning that the question takes, in the words of its data set; may be empty."""
    answers: tuple[str, ...]
    """Right answers, each as good as another; empty: not known."""
    gold: Mapping[str, int]
    """Id of a document that holds evidence -> how relevant it is, from 1; empty: not known."""
    note: str = ""
    """A remark on these labels, e.g. that one is doubtful; may be empty. It does not count for the data set's key."""


def read_documents(data: bytes, defects: list[str]) -> tuple[DataDocument, ...]:
    """The documents of `corpus.jsonl`; adds its defects to `defects`."""
    try:
        loaded = load_jsonl(CORPUS, data)
    except RecursionError:
        defects.append(f"“{CORPUS}” has a line with too many brackets in one another.")
        return ()
    except DocumentError as error:
        defects.append(str(error))
        return ()
    if not loaded:
        defects.append(f"“{CORPUS}” holds no documents.")
    if any(not one.key for one in loaded):
        defects.append(f"“{CORPUS}” has a document with an empty id.")
    return tuple(DataDocument(one.key, one.title, one.text) for one in loaded)


def read_questions(data: bytes, defects: list[str]) -> tuple[LabelledQuestion, ...]:
    """The questions of `queries.jsonl`, still without gold documents; adds its defects to `defects`."""
    found: dict[str, LabelledQuestion] = {}
    lines = _lines(QUERIES, data, defects)
    for number, line in lines:
        try:
            question = _question(line)
            if question.id in found:
                raise InputError(f" repeats the id “{question.id}”.")
            found[question.id] = question
        except InputError as error:
            defects.append(f"“{QUERIES}”: line {number}{error}")
    if not lines and not defects:
        defects.append(f"“{QUERIES}” holds no questions.")
    return tuple(found.values())


def _question(line: str) -> LabelledQuestion:
    """The question of one line; the message of an error continues the words "line 3"."""
    try:
        record: Any = read_json(line, finite=False)
    except ValueError as error:
        raise InputError(" is not JSON.") from error
    if not isinstance(record, dict) or not all(
        isinstance(record.get(field), str | int) for field in ("id", "text")
    ):
        raise InputError(" is not an object with the fields id and text.")
    key, text, kind = _id(record["id"]), _text(record["text"]), _text(record.get("type") or "")
    if not key or not text:
        raise InputError(f" has an empty {'question' if key else 'id'}.")
    answers = record.get("answers") or []
    if not isinstance(answers, list) or not all(isinstance(answer, str | int) for answer in answers):
        raise InputError(": the field answers must be a list of texts.")
    note = _text(record.get("note") or "")
    return LabelledQuestion(key, text, kind, tuple(filter(None, map(_text, answers))), {}, note)


def read_judgements(
    data: bytes, known: tuple[set[str], set[str]] | None, defects: list[str]
) -> dict[str, dict[str, int]]:
    """The judgements of `qrels.tsv`: question -> document -> relevance, for relevances above 0.

    Args:
        known: Ids of the questions and of the documents; None: not all of them could be read.
        defects: List that defects are added to.
    """
    gold: dict[str, dict[str, int]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for number, line in _lines(QRELS, data, defects):
        fields = [_id(field) for field in line.split("\t")]
        try:
            if len(fields) != 3:
                raise InputError(f" has {len(fields)} fields instead of 3: question, document, relevance.")
            question, document, written = fields
            heading = number == 1
            if not _RELEVANCE.fullmatch(written):
                if heading:
                    continue
                raise InputError(f": the relevance “{written}” is not a whole number.")
            if heading:
                raise InputError(" must name the columns: qid, docid, rel.")
            if known and question not in known[0]:
                raise InputError(f": there is no question “{question}”.")
            if known and document not in known[1]:
                raise InputError(f": there is no document “{document}”.")
            if (question, document) in seen:
                raise InputError(f" judges “{document}” for “{question}” a second time.")
        except InputError as error:
            defects.append(f"“{QRELS}”: line {number}{error}")
            continue
        seen.add((question, document))
        if int(written) > 0:
            gold[question][document] = int(written)
    return gold


def _lines(name: str, data: bytes, defects: list[str]) -> list[tuple[int, str]]:
    """The lines that are not empty, each with its number from 1."""
    try:
        text = decode(name, data)
    except DocumentError as error:
        defects.append(str(error))
        return []
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _id(value: object) -> str:
    return clean(str(value)).strip()


def _text(value: object) -> str:
    return " ".join(clean(str(value)).split())
