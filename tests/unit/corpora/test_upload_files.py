"""Real files of other projects' test suites, judged as `python -m research.documents` judges them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.corpora.parsing import PARSERS
from research.documents import EITHER, READABLE, REFUSED, Judgement, judge, rows, table

DATA = Path(__file__).parents[2] / "data" / "upload_files"


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest) -> Iterator[list[Judgement]]:
    judgements: list[Judgement] = []
    yield judgements
    PARSERS.stop()
    if judgements:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print("\n" + table(judgements))


@pytest.mark.parametrize("row", rows(DATA), ids=lambda row: row["file"])
def test_read_or_refused_as_it_should_be(row: dict[str, str], judged: list[Judgement]) -> None:
    assert hashlib.sha256((DATA / row["file"]).read_bytes()).hexdigest() == row["sha256"]
    judgement = judge(DATA, row)
    judged.append(judgement)
    assert not judgement.fault, table([judgement])


def test_what_is_wrong_is_noticed() -> None:
    (row,) = (row for row in rows(DATA) if row["file"] == "txt/tika__testTXTNonASCIIUTF8.txt")
    judgement = judge(DATA, row)
    assert (judgement.expected, judgement.fault, judgement.recall) == (READABLE, "", 1.0)
    judgement.recall = 0.5
    assert judgement.fault == "words are missing"
    judgement.expected = REFUSED
    assert judgement.fault == "should be refused"
    judgement.documents, judgement.expected = [], READABLE
    assert judgement.fault == "should be read"
    judgement.expected, judgement.recall = EITHER, None
    assert judgement.fault == "refused without a reason"
    judgement.peak_mb = 3000
    assert judgement.fault == "breaks a limit"
