"""What killed imports left behind is removed at the next start, but not under an import that lives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import core.corpora.ingestion as ingestion
from core.corpora.documents import Document, document_id
from core.runs.workbench import Workbench
from tests.bench import open_bench
from tests.homes import Homes

KEPT = ("kept.txt", b"The ship left the harbour at dawn.")


def left_behind(text: str) -> Document:
    data = text.encode()
    return Document(id=document_id(data), name=f"{text[:8]}.txt", title="", text=text)


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new())
    yield bench
    bench.backends.supervisor.release()


def test_leftovers_go_and_finished_documents_stay(bench: Workbench) -> None:
    corpora = bench.corpora
    assert corpora.clear_up().result(60) == 0
    corpora.index([KEPT], "Kept").result()
    kept = corpora.catalogue.corpus("Kept")
    corpora.catalogue.begin(kept.id, [(left_behind("half a document"), 3)])
    gone = corpora.catalogue.create("Nothing finished", kept.embedder, kept.embedder_name, 240, 50)
    corpora.catalogue.begin(gone.id, [(left_behind("half another"), 3), (left_behind("and a third"), 1)])
    assert corpora.clear_up().result(60) == 3
    assert [corpus.name for corpus in corpora.catalogue.corpora()] == ["Kept"]
    assert [entry.name for entry in corpora.catalogue.documents(kept.id)] == ["kept.txt"]
    assert corpora.opened_document("Kept", document_id(KEPT[1]))[0].text == KEPT[1].decode()


def test_an_import_that_lives_is_left_alone(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    corpora = bench.corpora
    kept = corpora.catalogue.corpus("Kept")
    corpora.catalogue.begin(kept.id, [(left_behind("under way"), 3)])
    assert corpora.catalogue.hold(kept.id, "somebody", 60)
    monkeypatch.setattr(ingestion, "HOLD_SECONDS", 0.0)
    assert corpora.clear_up().result(60) == 0
    assert len(corpora.catalogue.documents(kept.id)) == 2
    corpora.catalogue.release(kept.id, "somebody")
    assert corpora.clear_up().result(60) == 1
