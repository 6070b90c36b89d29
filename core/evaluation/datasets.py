"""Data sets: documents, questions, and which documents hold the evidence for which question."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.corpora.archives import members
from core.corpora.documents import clean, display_name
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.jsonl import load_jsonl
from core.errors import DocumentError, InputError

CORPUS, QUERIES, QRELS = FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
DEMO = Path(__file__).parents[2] / "data" / "2wiki_demo60"
"""The first of the data sets that come with the app."""
MAX_DEFECTS = 50
"""So many are named; who has more has made the same mistake everywhere."""
_RELEVANCE = re.compile("-?[0-9]{1,6}")


class DefectiveDataSet(InputError):
    """A data set cannot be read; every defect is named, each with its file and line."""

    def __init__(self, defects: Sequence[str]) -> None:
        self.defects = tuple(defects[:MAX_DEFECTS])
        """Sentences, at least one."""
        self.more = len(defects) - len(self.defects)
        """How many others there are."""
        others = len(defects) - 1
        also = f" There {'is one more defect' if others == 1 else f'are {others:,} more defects'}."
        super().__init__(self.defects[0] + (also if others else ""))


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
        InputError: It is no folder, or cannot be read.
        DefectiveDataSet: A file is missing or lines of it cannot be used.
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
        InputError, DocumentError: It is no archive, or a file is too large or occurs twice.
        DefectiveDataSet: A file is missing or lines of it cannot be used.
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
        DefectiveDataSet: A file is missing or lines of it cannot be used.
    """
    defects = [
        f"“{name}” has no file {file}. A data set is a folder with {_listed()}."
        for file in FILES
        if file not in files
    ]
    if defects:
        raise DefectiveDataSet(defects)
    documents = _documents(files[CORPUS], defects)
    questions = _questions(files[QUERIES], defects)
    # Where ids are missing because of another defect, what refers to them is no defect of its own.
    whole = not defects
    known = ({one.id for one in questions}, {one.id for one in documents}) if whole else None
    gold = _judgements(files[QRELS], known, defects)
    if defects:
        raise DefectiveDataSet(defects)
    return data_set(name, documents, tuple(replace(one, gold=gold.get(one.id, {})) for one in questions))


def _documents(data: bytes, defects: list[str]) -> tuple[DataDocument, ...]:
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


def _questions(data: bytes, defects: list[str]) -> tuple[LabelledQuestion, ...]:
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
    """The question of one line; what is raised goes on from the words "line 3"."""
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
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
    return LabelledQuestion(key, text, kind, tuple(filter(None, map(_text, answers))), {})


def _judgements(
    data: bytes, known: tuple[set[str], set[str]] | None, defects: list[str]
) -> dict[str, dict[str, int]]:
    """Question -> document -> relevance, for relevances above 0.

    Args:
        data: The file.
        known: Ids of the questions and of the documents; None: not all of them could be read.
        defects: What is wrong is added here.
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
    """Lines that hold something, each with its number from 1."""
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


def _listed() -> str:
    return f"{CORPUS}, {QUERIES} and {QRELS}"
