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
"""Where the data sets that come with the app lie."""
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
    """What its files have that was left out, in a sentence; empty: nothing."""
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
        [[one.id, one.title, one.text] for one in documents],
        [[one.id, one.text, one.type, one.answers, sorted(one.gold.items())] for one in questions],
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
    drawn = sorted(question.id for question in dataset.questions)
    random.Random(seed).shuffle(drawn)  # noqa: S311  (no secret)
    kept = set(drawn[:count])
    return replace(dataset, questions=tuple(one for one in dataset.questions if one.id in kept))


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
    # If ids are missing because of another defect, references to them are no defects of their own.
    whole = not defects
    known = ({one.id for one in questions}, {one.id for one in documents}) if whole else None
    judgements = read_judgements(files[QRELS], known, defects)
    if defects:
        raise DefectiveDataSet(defects)
    judged = tuple(replace(one, gold=judgements.gold.get(one.id, {})) for one in questions)
    return replace(data_set(name, documents, judged), remark=judgements.remark)


def _listed() -> str:
    return f"{CORPUS}, {QUERIES} and {QRELS}"


def read_upload(files: Sequence[tuple[str, bytes]], max_mb: int) -> DataSet:
    """The data set of an upload: one archive, or its three files, each of at most `max_mb` MiB, packed and unpacked.
    Raises as `read_zip` and `read_files` do."""
    named = {display_name(name): data for name, data in files}
    if len(named) < len(files):
        raise InputError("Two of these files have the same name. Choose one data set at a time.")
    for name, data in named.items():  # the limit that the browser enforces can be bypassed
        if len(data) > max_mb * 2**20:
            raise InputError(f"“{name}” has {len(data) / 2**20:.1f} MB; at most {max_mb} MB can be read.")
    archives = [name for name in named if name not in FILES]
    if len(archives) == 1 and len(named) == 1:
        return read_zip(archives[0], named[archives[0]], max_mb)
    if archives:
        what = "is neither a ZIP archive by itself nor" if len(named) > 1 else "is not"
        raise InputError(f"“{archives[0]}” {what} one of {CORPUS}, {QUERIES} and {QRELS}.")
    return read_files("My data set", named)


def files_of(dataset: DataSet) -> dict[str, str]:
    """The three files of a data set, as `read_files` reads them: name -> text."""
    return {
        CORPUS: _json_lines(
            {"id": one.id, "title": one.title, "text": one.text} for one in dataset.documents
        ),
        QUERIES: _json_lines(
            {"id": one.id, "text": one.text}
            | ({"answers": list(one.answers)} if one.answers else {})
            | ({"type": one.type} if one.type else {})
            | ({"note": one.note} if one.note else {})
            for one in dataset.questions
        ),
        QRELS: "".join(
            f"{line}\n"
            for line in [
                "qid\tdocid\trel",
                *(f"{one.id}\t{gold}\t{rel}" for one in dataset.questions for gold, rel in one.gold.items()),
            ]
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
