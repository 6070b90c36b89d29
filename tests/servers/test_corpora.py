"""What a page does with corpora: index with settings, look first, rename, delete, read a document again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.corpora.catalogue import CorpusDeleted, NameTaken
from core.corpora.demo import DEMO_CORPUS
from core.corpora.documents import document_id
from core.corpora.preview import preview_files, read_sample
from core.errors import InputError
from core.jobs import run_blocking
from core.runs.sources.corpora import CorpusService
from core.runs.workbench import Workbench
from core.users import NotAllowed, User
from tests.bench import open_bench
from tests.embedder import word_counts
from tests.homes import Homes

TEXT = " ".join(f"Ship {number} left the harbour at dawn." for number in range(60))
LONG = ("long.md", f"# Ships\n\n{TEXT}\n\n# Birds\n\nThe wren is a small brown bird.".encode())
WREN = ("wren.txt", b"The wren sings in winter.")


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new())
    vars(bench.corpora.backends)["embedder"] = word_counts()
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def corpora(bench: Workbench) -> Iterator[CorpusService]:
    yield bench.corpora
    for corpus in bench.corpora.catalogue.corpora():
        bench.corpora.delete(corpus.name)


def names(corpora: CorpusService) -> list[str]:
    return [corpus.name for corpus in corpora.catalogue.corpora()]


def test_settings_of_an_import_are_the_corpus_s(corpora: CorpusService) -> None:
    job = corpora.index([LONG], "Small", chunk_tokens=40, overlap_tokens=5)
    small = job.result()
    large = corpora.index([LONG], "Large").result()
    assert small.chunks > 2 * large.chunks
    corpus = corpora.catalogue.corpus("Small")
    assert (corpus.chunk_tokens, corpus.overlap_tokens) == (40, 5)
    assert (job.progress.share, job.message) == (
        1,
        f"Indexing: {small.chunks} of {small.chunks} chunks, 1 of 1 documents",
    )
    assert job.progress.rate is None
    assert job.progress.left is None
    look = preview_files(read_sample([LONG], 1), corpora.backends.embedder, 40, 5)
    assert len(look.tokens) == small.chunks
    with pytest.raises(InputError, match="from 16 to 240"):
        corpora.index([LONG], "None", chunk_tokens=8).result()
    assert names(corpora) == ["Large", "Small"]


def test_a_document_is_read_again_at_a_chunk(corpora: CorpusService) -> None:
    birds = TEXT.replace("Ship", "Bird")
    book = ("book.md", f"# Book\n\n## Ships\n\n{TEXT}\n\n## Birds\n\n{birds}".encode())
    corpora.index([book, WREN], "Notes", chunk_tokens=40, overlap_tokens=5).result()
    retriever = run_blocking(corpora.retriever("Notes", "keyword"))
    for hit in run_blocking(retriever.search("a small brown bird or ship 17", 4)).hits:
        document = corpora.opened_document("Notes", hit.passage.document)[0]
        assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
    text = corpora.opened_document("Notes", document_id(book[1]))[0]
    assert text.text.split() == book[1].decode().split()
    assert [heading for _, heading in text.headings] == ["Ships", "Birds"]
    with pytest.raises(InputError, match="not in “Notes” any more"):
        corpora.opened_document("Notes", "0" * 16)[0]


def test_renaming(corpora: CorpusService) -> None:
    corpora.index([WREN], "Notes").result()
    corpora.index([WREN], "Others").result()
    retriever = run_blocking(corpora.retriever("Notes", "dense"))
    corpora.rename("Notes", " Birds ")
    assert names(corpora) == ["Birds", "Others"]
    assert run_blocking(retriever.search("wren", 1)).hits, "an open retriever goes on"
    assert run_blocking(corpora.retriever("Birds", "dense")).corpus.id == retriever.corpus.id
    with pytest.raises(NameTaken, match="“Others”"):
        corpora.rename("Birds", "Others")
    for unfit in ("", "x" * 81):
        with pytest.raises(InputError):
            corpora.rename("Birds", unfit)
    with pytest.raises(InputError, match="no corpus named “Notes”"):
        corpora.rename("Notes", "More")


def test_deleting(corpora: CorpusService) -> None:
    corpora.index([LONG, WREN], "Notes").result()
    retriever = run_blocking(corpora.retriever("Notes", "keyword"))
    assert corpora.delete_documents("Notes", [document_id(WREN[1])]) == 1
    assert corpora.delete_documents("Notes", [document_id(WREN[1])]) == 0
    assert not run_blocking(retriever.search("winter", 1)).hits
    corpora.delete("Notes")
    with pytest.raises(CorpusDeleted):
        run_blocking(retriever.search("ship", 1))
    with pytest.raises(InputError, match="no corpus"):
        corpora.delete("Notes")


def test_reindexing(corpora: CorpusService, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    corpora.index([tmp_path, LONG], "Notes").result()
    report = corpora.reindex("Notes", "Fine notes", chunk_tokens=32, overlap_tokens=0).result()
    assert (report.corpus, report.documents) == ("Fine notes", 2)
    assert names(corpora) == ["Fine notes", "Notes"]
    fine = corpora.opened_document("Fine notes", document_id(LONG[1]))[0]
    assert fine.text.split() == LONG[1].decode().split()


def test_the_demo_stays_as_it_is(corpora: CorpusService) -> None:
    corpora.index([WREN], "Notes").result()
    for change in (
        lambda: corpora.delete(DEMO_CORPUS),
        lambda: corpora.rename(DEMO_CORPUS, "Mine"),
        lambda: corpora.rename("Notes", DEMO_CORPUS),
        lambda: corpora.delete_documents(DEMO_CORPUS, []),
        lambda: corpora.reindex("Notes", DEMO_CORPUS).result(),
    ):
        with pytest.raises(InputError, match="comes with the app"):
            change()


LIKE_THE_DEMO = (
    DEMO_CORPUS,
    "PELLAMAR",
    "Pella\u200bmar\u00a0",
    "\tpellamar ",
    "pellamar  (KOREAN)",
)


@pytest.mark.parametrize("name", LIKE_THE_DEMO)
def test_nothing_is_added_to_the_demo_or_under_a_name_that_reads_like_its(
    corpora: CorpusService, name: str
) -> None:
    corpora.index([WREN], "Notes").result()
    for change in (
        lambda: corpora.index([WREN], name).result(),
        lambda: corpora.rename("Notes", name),
        lambda: corpora.reindex("Notes", name).result(),
    ):
        with pytest.raises(InputError, match="comes with the app|control characters"):
            change()
    assert names(corpora) == ["Notes"]


def test_a_corpus_that_had_such_a_name_before_can_be_used_and_renamed(corpora: CorpusService) -> None:
    name = DEMO_CORPUS.lower()
    embedder = corpora.backends.embedder
    corpora.catalogue.create(name, embedder.key, embedder.name, 240, 50)
    assert corpora.index([WREN], name).result().documents == 1
    corpora.rename(name, "Birds")
    assert names(corpora) == ["Birds"]


def test_only_the_owner_and_the_teacher_change_a_corpus(corpora: CorpusService) -> None:
    me, other, teacher = User("a" * 32), User("b" * 32), User("c" * 32, teacher=True)
    corpora.index([WREN], "Notes", by=me).result()
    corpora.index([WREN], "Of the command line").result()
    changes: list[Callable[[User], object]] = [
        lambda by: corpora.index([("wren.txt", b"Changed.")], "Notes", by=by).result(),
        lambda by: corpora.index([LONG], " Notes ", by=by).result(),
        lambda by: corpora.index([LONG], "Of the command line", by=by).result(),
        lambda by: corpora.reindex("Notes", "Recut", by=by).result(),
        lambda by: corpora.reindex("Of the command line", "Recut", by=by).result(),
        lambda by: corpora.rename("Notes", "Mine", by),
        lambda by: corpora.delete_documents("Notes", [document_id(WREN[1])], by),
        lambda by: corpora.delete("Notes", by),
        lambda by: corpora.delete("Of the command line", by),
    ]
    for change in changes:
        with pytest.raises(NotAllowed, match="is not yours: only its owner and the teacher"):
            change(other)
    assert names(corpora) == ["Notes", "Of the command line"]
    assert [entry.name for entry in corpora.catalogue.documents(corpora.catalogue.corpus("Notes").id)] == [
        "wren.txt"
    ]
    assert corpora.index([LONG], "Notes", by=me).result().documents == 1
    assert corpora.index([LONG], "Others’ notes", by=other).result().documents == 1
    assert corpora.reindex("Notes", "Recut", by=me).result().documents == 2
    assert corpora.catalogue.corpus("Recut").owner == me.owner
    corpora.rename("Recut", "Cut again", me)
    corpora.delete("Cut again", me)
    assert corpora.delete_documents("Notes", [document_id(LONG[1])], teacher) == 1
    corpora.delete("Notes", teacher)
    corpora.delete("Of the command line", teacher)


def test_what_somebody_began_to_cut_again_is_not_gone_on_with_by_another(corpora: CorpusService) -> None:
    me, other = User("a" * 32), User("b" * 32)
    corpora.index([WREN], "Notes", by=me).result()
    corpora.index([("false.txt", b"What is false.")], "Recut (unfinished)", by=other).result()
    with pytest.raises(NotAllowed, match="Recut"):
        corpora.reindex("Notes", "Recut", by=me).result()
    assert corpora.reindex("Notes", "Recut").result().documents == 1
    recut = corpora.catalogue.corpus("Recut")
    assert [entry.name for entry in corpora.catalogue.documents(recut.id)] == ["wren.txt"]


def test_while_documents_are_added(corpora: CorpusService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.sources.corpora.PATIENCE_SECONDS", 0.05)
    corpora.index([WREN], "Notes").result()
    corpus = corpora.catalogue.corpus("Notes")
    corpora.catalogue.hold(corpus.id, "another process", 60)
    for change in (
        lambda: corpora.delete("Notes"),
        lambda: corpora.rename("Notes", "Birds"),
        lambda: corpora.reindex("Notes", "Birds").result(),
    ):
        with pytest.raises(InputError, match="Documents are being added"):
            change()
    corpora.catalogue.release(corpus.id, "another process")
