"""Data sets: documents, questions, and which documents hold the evidence for which question."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.corpora.archives import members
from core.corpora.documents import display_name
from core.errors import InputError
from core.evaluation.dataset_lines import (
    CORPUS,
    QRELS,
    QUERIES,
    DataDocument,
    LabelledQuestion,
    read_documents,
    read_judgements,
    read_questions,
)

FILES = (CORPUS, QUERIES, QRELS)
DATA = Path(__file__).parents[2] / "data"
"""The folder of the data sets that come with the app."""
WIKIPEDIA = DATA / "2wiki_demo60"
"""Multi-hop questions about introductions of Wikipedia."""
MAX_DEFECTS = 50
"""Number of defects that are named; more than these usually repeat one mistake."""


class DefectiveDataSet(InputError):
    """A data set cannot be read; every defect is named, each with its file and line."""

    def __init__(self, defects: Sequence[str]) -> None:
        self.defects = tuple(defects[:MAX_DEFECTS])
        """Sentences, at least one."""
        self.more = len(defects) - len(self.defects)
        """Number of further defects."""
        others = len(defects) - 1
        also = f" There {'is one more defect' if others == 1 else f'are {others:,} more defects'}."
        super().__init__(self.defects[0] + (also if others else ""))


@dataclass(frozen=True)
class DataSet:
    """Questions about documents."""

    name: str
    key: str
    """Short hash of the whole content, so that stored results belong to exactly these texts. A sample keeps the
    key."""
    documents: tuple[DataDocument, ...]
    questions: tuple[LabelledQuestion, ...]
    remark: str = ""
    """A sentence on the lines of its files that were left out; empty: none was."""
    corpus: str = ""
    """Name of a corpus of the app that is searched as it is, where the documents are its own; empty: they are indexed
    as a corpus of their own."""

    @property
    def unjudged(self) -> int:
        """Questions without any gold document: no evidence metric can be computed for them."""
        return sum(not question.gold for question in self.questions)


def data_set(
    name: str, documents: tuple[DataDocument, ...], questions: tuple[LabelledQuestion, ...]
) -> DataSet:
    """A data set with the key of its content."""
    content = [
        [[document.id, document.title, document.text] for document in documents],
        [[q.id, q.text, q.type, q.answers, sorted(q.gold.items())] for q in questions],
    ]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return DataSet(name, digest[:16], documents, questions)


def sample(dataset: DataSet, count: int, seed: int) -> DataSet:
    """The set with `count` (from 1) of its questions, drawn without replacement and kept in their order; all documents.

    A larger sample with the same seed contains the smaller one, so that results already computed remain useful.
    """
    if count < 1:
        raise InputError("A sample needs at least one question.")
    # Sorted by id, so that the order of the file does not matter.
    ids = sorted(question.id for question in dataset.questions)
    random.Random(seed).shuffle(ids)  # noqa: S311  (no secret)
    sampled = set(ids[:count])
    questions = tuple(question for question in dataset.questions if question.id in sampled)
    return replace(dataset, questions=questions)


def read_folder(path: Path) -> DataSet:
    """The data set in a folder: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`; raises `InputError` if it cannot be read,
    and as `read_files` does. Blocks."""
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
        name: Name of the archive; display text.
        max_mb: Largest size of each of its files, unpacked, in MiB.

    Raises:
        InputError, DocumentError: It is no archive, or a file is too large or occurs twice.
        DefectiveDataSet: A file is missing or lines of it cannot be used.
    """
    entries = members(name, data)
    if entries[0].reason and len(entries) == 1:
        raise InputError(entries[0].reason)
    files: dict[str, bytes] = {}
    for member in entries:
        last = member.name.rsplit("/", 1)[-1]
        if last in files:
            raise InputError(f"“{name}” holds “{last}” more than once. An archive holds one data set.")
        if last in FILES:
            files[last] = member.read(max_mb)
    return read_files(display_name(name).removesuffix(".zip"), files)


def read_files(name: str, files: Mapping[str, bytes]) -> DataSet:
    """The data set in three files (name -> bytes); its own name is display text. Raises `DefectiveDataSet` where a file
    is missing or lines of it cannot be used."""
    defects = [
        f"“{name}” has no file {file}. A data set is a folder with {_listed()}."
        for file in FILES
        if file not in files
    ]
    if defects:
        raise DefectiveDataSet(defects)
    documents = read_documents(files[CORPUS], defects)
    questions = read_questions(files[QUERIES], defects)
    ids = ({question.id for question in questions}, {document.id for document in documents})
    # If ids are missing because of another defect, references to them are no defects of their own.
    judgements = read_judgements(files[QRELS], None if defects else ids, defects)
    if defects:
        raise DefectiveDataSet(defects)
    judged = tuple(replace(question, gold=judgements.gold.get(question.id, {})) for question in questions)
    return replace(data_set(name, documents, judged), remark=judgements.remark)


def _listed() -> str:
    return f"{CORPUS}, {QUERIES} and {QRELS}"


def read_upload(files: Sequence[tuple[str, bytes]], max_mb: int) -> DataSet:
    """The data set of an upload: one archive, or its three files, each of at most `max_mb` MiB, packed and unpacked.
    Raises as `read_zip` and `read_files` do."""
    by_name = {display_name(name): data for name, data in files}
    if len(by_name) < len(files):
        raise InputError("Two of these files have the same name. Choose one data set at a time.")
    for name, data in by_name.items():  # the limit that the browser enforces can be bypassed
        if len(data) > max_mb * 2**20:
            raise InputError(f"“{name}” has {len(data) / 2**20:.1f} MB; at most {max_mb} MB can be read.")
    archives = [name for name in by_name if name not in FILES]
    if len(archives) == 1 and len(by_name) == 1:
        return read_zip(archives[0], by_name[archives[0]], max_mb)
    if archives:
        problem = "is neither a ZIP archive by itself nor" if len(by_name) > 1 else "is not"
        raise InputError(f"“{archives[0]}” {problem} one of {CORPUS}, {QUERIES} and {QRELS}.")
    return read_files("My data set", by_name)


def files_of(dataset: DataSet) -> dict[str, str]:
    """The three files of a data set, as `read_files` reads them: name -> text."""
    return {
        CORPUS: _json_lines(map(vars, dataset.documents)),
        QUERIES: _json_lines(
            {"id": question.id, "text": question.text}
            | ({"answers": list(question.answers)} if question.answers else {})
            | ({"type": question.type} if question.type else {})
            | ({"note": question.note} if question.note else {})
            for question in dataset.questions
        ),
        QRELS: "qid\tdocid\trel\n"
        + "".join(
            f"{question.id}\t{document}\t{relevance}\n"
            for question in dataset.questions
            for document, relevance in question.gold.items()
        ),
    }


def to_zip(files: Mapping[str, str]) -> bytes:
    """The files as an archive; the same bytes for the same texts."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(ZipInfo(name), text.encode("utf-8", "replace"), ZIP_DEFLATED)
    return packed.getvalue()


def _json_lines(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
