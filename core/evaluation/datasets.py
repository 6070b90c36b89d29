"""Data sets: documents, questions, and which documents hold the evidence for which question."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.corpora.archives import members
from core.corpora.documents import clean, display_name
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.jsonl import load_jsonl
from core.errors import InputError

CORPUS, QUERIES, QRELS = FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
DEMO = Path(__file__).parents[2] / "data" / "2wiki_demo60"
"""The data set that comes with the app."""
_RELEVANCE = re.compile("-?[0-9]{1,6}")


@dataclass(frozen=True)
class DataDocument:
    """A document as its data set has it; raw text."""

    id: str
    """In the data set: not the id that it gets in a corpus."""
    title: str
    """May be empty."""
    text: str


@dataclass(frozen=True)
class LabelledQuestion:
    """A question with what is known of its answer; raw text."""

    id: str
    text: str
    type: str
    """Kind of reasoning it takes, as its data set calls it; may be empty."""
    answers: tuple[str, ...]
    """Right answers, each as good as another; empty: not known."""
    gold: Mapping[str, int]
    """Id of a document that holds evidence -> how relevant it is, from 1; empty: not known."""


@dataclass(frozen=True)
class DataSet:
    """Questions about documents."""

    name: str
    key: str
    """Short hash of its whole content: what is stored under it belongs to exactly these texts. A sample of it
    keeps its key."""
    documents: tuple[DataDocument, ...]
    questions: tuple[LabelledQuestion, ...]

    @property
    def unjudged(self) -> int:
        """Questions without any gold document: no evidence metric can be computed for them."""
        return sum(not question.gold for question in self.questions)


def data_set(
    name: str, documents: tuple[DataDocument, ...], questions: tuple[LabelledQuestion, ...]
) -> DataSet:
    """A data set with the key of its content."""
    content = [
        [[one.id, one.title, one.text] for one in documents],
        [[one.id, one.text, one.type, one.answers, sorted(one.gold.items())] for one in questions],
    ]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return DataSet(name, digest[:16], documents, questions)


def sample(dataset: DataSet, count: int, seed: int) -> DataSet:
    """The set with `count` of its questions, drawn without replacement and kept in their order; all documents.

    A larger sample of the same seed holds the smaller one, so that what was already computed stays of use.

    Args:
        dataset: To draw from.
        count: How many questions, at least 1; more than there are: all of them.
        seed: Of the drawing.

    Raises:
        InputError: `count` is below 1.
    """
    if count < 1:
        raise InputError("A sample needs at least one question.")
    # By id, so that the order of the file does not matter.
    drawn = sorted(question.id for question in dataset.questions)
    random.Random(seed).shuffle(drawn)  # noqa: S311  (no secret)
    kept = set(drawn[:count])
    return replace(dataset, questions=tuple(one for one in dataset.questions if one.id in kept))


def read_folder(path: Path) -> DataSet:
    """The data set in a folder: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. Blocks.

    Raises:
        InputError, DocumentError: A file is missing or a line of it cannot be used; the message says which.
    """
    if not path.is_dir():
        raise InputError(f"“{path}” is not a folder. A data set is a folder with {_listed()}.")
    try:
        files = {name: (path / name).read_bytes() for name in FILES if (path / name).is_file()}
    except OSError as error:
        raise InputError(f"“{path}” cannot be read: {error.strerror}.") from error
    return read_files(path.resolve().name, files)


def read_zip(name: str, data: bytes, max_mb: int = 25) -> DataSet:
    """The data set in an uploaded ZIP archive, at its top or in one folder.

    Args:
        name: What the archive is called; display text.
        data: Its bytes.
        max_mb: Largest size of each of its files, unpacked, in MiB.

    Raises:
        InputError, DocumentError: It is no archive, a file is missing, too large or occurs twice, or a line
            cannot be used; the message says which.
    """
    found = members(name, data)
    if found[0].reason and len(found) == 1:
        raise InputError(found[0].reason)
    files: dict[str, bytes] = {}
    for member in found:
        last = member.name.rsplit("/", 1)[-1]
        if last in files:
            raise InputError(f"“{name}” holds “{last}” more than once. An archive holds one data set.")
        if last in FILES:
            files[last] = member.read(max_mb)
    return read_files(display_name(name).removesuffix(".zip"), files)


def read_files(name: str, files: Mapping[str, bytes]) -> DataSet:
    """The data set in three files.

    Args:
        name: What it is called; display text.
        files: File name -> its bytes.

    Raises:
        InputError, DocumentError: See `read_folder`.
    """
    if missing := [file for file in FILES if file not in files]:
        raise InputError(f"“{name}” has no file {missing[0]}. A data set is a folder with {_listed()}.")
    try:
        loaded = load_jsonl(CORPUS, files[CORPUS])
    except RecursionError as error:
        raise InputError(f"“{CORPUS}” has a line with too many brackets in one another.") from error
    if not loaded:
        raise InputError(f"“{CORPUS}” holds no documents.")
    if any(not one.key for one in loaded):
        raise InputError(f"“{CORPUS}” has a document with an empty id.")
    documents = tuple(DataDocument(one.key, one.title, one.text) for one in loaded)
    questions = list(_questions(files[QUERIES]))
    if not questions:
        raise InputError(f"“{QUERIES}” holds no questions.")
    gold = _judgements(files[QRELS], {one.id for one in questions}, {one.id for one in documents})
    return data_set(name, documents, tuple(replace(one, gold=gold.get(one.id, {})) for one in questions))


def _questions(data: bytes) -> Iterator[LabelledQuestion]:
    seen: set[str] = set()
    for number, line in enumerate(decode(QUERIES, data).split("\n"), 1):
        if not line.strip():
            continue
        where = f"“{QUERIES}”: line {number}"
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where} is not JSON.") from error
        if not isinstance(record, dict) or not all(
            isinstance(record.get(field), str | int) for field in ("id", "text")
        ):
            raise InputError(f"{where} is not an object with the fields id and text.")
        key, text, kind = _id(record["id"]), _text(record["text"]), _text(record.get("type") or "")
        if not key or not text:
            raise InputError(f"{where} has an empty {'question' if key else 'id'}.")
        if key in seen:
            raise InputError(f"{where} repeats the id “{key}”.")
        seen.add(key)
        answers = record.get("answers") or []
        if not isinstance(answers, list) or not all(isinstance(answer, str | int) for answer in answers):
            raise InputError(f"{where}: the field answers must be a list of texts.")
        yield LabelledQuestion(key, text, kind, tuple(filter(None, map(_text, answers))), {})


def _judgements(data: bytes, questions: set[str], documents: set[str]) -> dict[str, dict[str, int]]:
    """Question -> document -> relevance, for relevances above 0."""
    gold: dict[str, dict[str, int]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(decode(QRELS, data).split("\n"), 1):
        fields = [_id(field) for field in line.split("\t")]
        if not any(fields):
            continue
        where = f"“{QRELS}”: line {number}"
        if len(fields) != 3:
            raise InputError(f"{where} has {len(fields)} fields instead of 3: question, document, relevance.")
        question, document, written = fields
        if not _RELEVANCE.fullmatch(written):
            if number == 1:
                continue
            raise InputError(f"{where}: the relevance “{written}” is not a whole number.")
        if number == 1:
            raise InputError(f"{where} must name the columns: qid, docid, rel.")
        if question not in questions:
            raise InputError(f"{where}: there is no question “{question}”.")
        if document not in documents:
            raise InputError(f"{where}: there is no document “{document}”.")
        if (question, document) in seen:
            raise InputError(f"{where} judges “{document}” for “{question}” a second time.")
        seen.add((question, document))
        if int(written) > 0:
            gold[question][document] = int(written)
    return gold


def _id(value: object) -> str:
    return clean(str(value)).strip()


def _text(value: object) -> str:
    return " ".join(clean(str(value)).split())


def _listed() -> str:
    return f"{CORPUS}, {QUERIES} and {QRELS}"
