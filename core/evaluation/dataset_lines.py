"""The three files of a data set, read line by line, with every defect."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.corpora.documents import clean
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.structured import load_jsonl
from core.errors import DocumentError, InputError
from core.strict_json import read_json
from core.wording import counted

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
_RELEVANCE = re.compile(r"(-?[0-9]{1,6})(?:\.0{0,6})?")
"""Grades are whole numbers, also where they are written as “1.0”."""


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
    if any(not document.key for document in loaded):
        defects.append(f"“{CORPUS}” has a document with an empty id.")
    return tuple(DataDocument(document.key, document.title, document.text) for document in loaded)


def read_questions(data: bytes, defects: list[str]) -> tuple[LabelledQuestion, ...]:
    """The questions of `queries.jsonl`, still without gold documents; adds its defects to `defects`."""
    questions: dict[str, LabelledQuestion] = {}
    lines = _lines(QUERIES, data, defects)
    for number, line in lines:
        try:
            question = _question(line)
            if questions.get(question.id, question) != question:
                raise InputError(f" repeats the id “{question.id}”.")
            questions[question.id] = question
        except InputError as error:
            defects.append(f"“{QUERIES}”: line {number}{error}")
    if not lines and not defects:
        defects.append(f"“{QUERIES}” holds no questions.")
    return tuple(questions.values())


def _question(line: str) -> LabelledQuestion:
    """The question of one line; the message of an error continues the words "line 3"."""
    try:
        record: Any = read_json(line, finite=False)
    except ValueError as error:
        raise InputError(" is not JSON.") from error
    ident = record.get("id", record.get("_id")) if isinstance(record, dict) else None  # `_id`: as in BEIR
    if not isinstance(ident, str | int) or not isinstance(record.get("text"), str | int):
        raise InputError(" is not an object with the fields id and text.")
    key, text, kind = _id(ident), _text(record["text"]), _text(record.get("type") or "")
    if not key or not text:
        raise InputError(f" has an empty {'question' if key else 'id'}.")
    answers = record.get("answers") or []
    if not isinstance(answers, list) or not all(isinstance(answer, str | int) for answer in answers):
        raise InputError(": the field answers must be a list of texts.")
    note = _text(record.get("note") or "")
    return LabelledQuestion(key, text, kind, tuple(filter(None, map(_text, answers))), {}, note)


class Judgements(NamedTuple):
    """The judgements of `qrels.tsv`."""

    gold: Mapping[str, Mapping[str, int]]
    """Question -> document -> relevance, for relevances above 0."""
    remark: str = ""
    """One sentence on lines that were left out; empty: none was."""


def read_judgements(data: bytes, ids: tuple[set[str], set[str]] | None, defects: list[str]) -> Judgements:
    """The judgements of `qrels.tsv`: with a header line and three columns, or TREC's four without one.

    Published sets judge documents that they do not hold, and questions that they do not ask; these lines are left out,
    and so is a line that stands there again. If none is left, each is a defect.

    Args:
        ids: Of the questions and of the documents; None: not all of them could be read.
        defects: List that defects are added to.
    """
    gold: dict[str, dict[str, int]] = defaultdict(dict)
    relevances: dict[tuple[str, str], int] = {}
    unknown: list[str] = []
    again = 0
    lines = _lines(QRELS, data, defects)
    tabs = bool(lines) and "\t" in lines[0][1]
    for place, (number, line) in enumerate(lines):
        fields = [_id(field) for field in (line.split("\t") if tabs else line.split())]
        try:
            if len(fields) not in (3, 4):
                raise InputError(f" has {len(fields)} fields instead of 3: question, document, relevance.")
            question, document, grade = fields[0], fields[-2], fields[-1]
            match = _RELEVANCE.fullmatch(grade)
            if not match and place == 0:
                continue
            if not match:
                raise InputError(f": the relevance “{grade[:40]}” is not a whole number.")
            if place == 0 and len(fields) == 3:
                raise InputError(" must name the columns: qid, docid, rel.")
            if ids and not (question in ids[0] and document in ids[1]):
                missing = f"document “{document}”" if question in ids[0] else f"question “{question}”"
                unknown.append(f"line {number}: there is no {missing}")
                continue
            relevance = int(match[1])
            again += (question, document) in relevances
            if relevances.setdefault((question, document), relevance) != relevance:
                raise InputError(f" judges “{document}” for “{question}” a second time, and differently.")
        except InputError as error:
            defects.append(f"“{QRELS}”: line {number}{error}")
            continue
        if relevance > 0:
            gold[question][document] = relevance
    if unknown and not relevances:
        defects.extend(f"“{QRELS}”: {defect}." for defect in unknown)
    return Judgements(gold, _left_out(unknown, again))


def _left_out(unknown: Sequence[str], again: int) -> str:
    parts = []
    if unknown:
        count = counted(len(unknown), "judgement is", "judgements are")
        parts.append(f"{count} left out: the data set does not have what is judged ({unknown[0]})")
    if again:
        lines = counted(again, "line that repeats a judgement counts", "lines that repeat a judgement count")
        parts.append(f"{lines} once")
    return "; ".join(parts) + "." if parts else ""


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
