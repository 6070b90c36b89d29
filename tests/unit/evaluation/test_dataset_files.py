"""Uploads of a data set, and the archive that can be taken home."""

from __future__ import annotations

import stat
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from core.errors import LoupeError
from core.evaluation.dataset_lines import CORPUS, QRELS, QUERIES
from core.evaluation.datasets import (
    DATA,
    WIKIPEDIA,
    DefectiveDataSet,
    files_of,
    read_files,
    read_folder,
    read_upload,
    read_zip,
    to_zip,
)
from tests.cases import cases
from tests.unit.evaluation.test_datasets import FILES, files, packed


def test_what_is_taken_home_can_be_brought_back() -> None:
    for folder in (WIKIPEDIA, DATA / "belebele_ko60", DATA / "strategyqa_dev229"):
        dataset = read_folder(folder)
        archive = to_zip(files_of(dataset))
        assert read_zip(f"{folder.name}.zip", archive) == dataset
        assert to_zip(files_of(dataset)) == archive


def test_an_archive_or_three_files() -> None:
    archive = packed(*((f"set/{name}", text) for name, text in FILES.items()))
    three = [(f"C:\\{name}", data) for name, data in files().items()]
    assert read_upload([("birds.zip", archive)], 1).name == "birds"
    assert read_upload(three, 1).key == read_upload([("birds.zip", archive)], 1).key


def linked() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        link = ZipInfo(CORPUS)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return file.getvalue()


def bomb() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr(CORPUS, b" " * (20 * 2**20))
    return file.getvalue()


@cases(
    ("upload", "sentence"),
    [
        ([("a.zip", b"no archive")], "not a ZIP archive"),
        ([("a.zip", packed((f"../{CORPUS}", "x")))], "leads out of its archive"),
        ([("a.zip", packed((f"/etc/{CORPUS}", "x")))], "leads out of its archive"),
        ([("a.zip", linked())], "link"),
        ([("a.zip", bomb())], "corpus.jsonl"),
        ([("a.zip", packed(*FILES.items())), (CORPUS, b"x")], "neither a ZIP archive by itself nor"),
        ([("a.exe", b"MZ")], "not a ZIP archive"),
        ([(CORPUS, b"x"), (f"deep/{CORPUS}", b"x")], "same name"),
        ([(CORPUS, b"x" * (2**20 + 1))], "1.0 MB; at most 1 MB"),
        ([(CORPUS, b"x"), (QUERIES, b"x")], "has no file qrels.tsv"),
    ],
)
def test_what_is_no_data_set(upload: list[tuple[str, bytes]], sentence: str) -> None:
    with pytest.raises(LoupeError, match=sentence):
        read_upload(upload, 1)


def test_every_defect_is_named() -> None:
    broken = files(
        queries='{"id": "q", "text": "x"}\nnonsense\n{"id": "q", "text": "y"}\n',
        qrels="qid\tdocid\trel\nq\ta\tmuch\nq a 1\n",
    )
    with pytest.raises(DefectiveDataSet, match="There are 3 more defects") as error:
        read_files("set", broken)
    assert error.value.defects == (
        "“queries.jsonl”: line 2 is not JSON.",
        "“queries.jsonl”: line 3 repeats the id “q”.",
        "“qrels.tsv”: line 2: the relevance “much” is not a whole number.",
        "“qrels.tsv”: line 3 has 1 fields instead of 3: question, document, relevance.",
    )
    with pytest.raises(DefectiveDataSet) as many:
        read_files("set", files(queries="x\n" * 1000))
    assert (len(many.value.defects), many.value.more) == (50, 950)
    missing = {name: data for name, data in files().items() if name == QRELS}
    with pytest.raises(DefectiveDataSet) as absent:
        read_files("set", missing)
    assert len(absent.value.defects) == 2
