"""Data sets as files, for upload and download."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.corpora.documents import display_name
from core.errors import InputError
from core.evaluation.dataset_lines import CORPUS, QRELS, QUERIES
from core.evaluation.datasets import FILES, DataSet, read_files, read_zip


def read_upload(files: Sequence[tuple[str, bytes]], max_mb: int) -> DataSet:
    """The data set of an upload: one archive, or its three files.

    Args:
        max_mb: Largest file, packed and unpacked, in MiB.

    Raises:
        InputError, DocumentError: These files are no data set; see `read_zip` and `read_files`.
    """
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
