"""What a page does with corpora: index with settings, look first, rename, delete, read a document again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.corpora.catalogue import CorpusDeleted, NameTaken
from core.corpora.demo import DEMO_CORPUS
from core.corpora.documents import document_id
from core.errors import InputError
from core.jobs import run_blocking
from core.runs.library import Library
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
    vars(bench.library.engines)["embedder"] = word_counts()
    yield bench
    bench.engines.supervisor.release()


@pytest.fixture
def library(bench: Workbench) -> Iterator[Library]:
    yield bench.library
    for corpus in bench.library.corpora():
        bench.library.delete(corpus.name)


def names(library: Library) -> list[str]:
    return [corpus.name for corpus in library.corpora()]


def test_settings_of_an_import_are_the_corpus_s(library: Library) -> None:
    job = library.index([LONG], "Small", chunk_tokens=40, overlap_tokens=5)
    small = job.report()
    large = library.index([LONG], "Large").report()
    assert small.chunks > 2 * large.chunks
    corpus = library.catalogue.corpus("Small")
    assert (corpus.chunk_tokens, corpus.overlap_tokens) == (40, 5)
    assert (job.share, job.message) == (
        1,
        f"Indexing: {small.chunks} of {small.chunks} chunks, 1 of 1 documents",
    )
    assert job.rate is None
    assert job.left is None
    look = library.preview([LONG], 40, 5)
    assert len(look.tokens) == small.chunks
    with pytest.raises(InputError, match="from 16 to 240"):
        library.index([LONG], "None", chunk_tokens=8).report()
    assert names(library) == ["Large", "Small"]


def test_a_document_is_read_again_at_a_chunk(library: Library) -> None:
    library.index([LONG, WREN], "Notes", chunk_tokens=40, overlap_tokens=5).report()
    searcher = run_blocking(library.searcher("Notes", "keyword"))
    for hit in run_blocking(searcher.search("a small brown bird or ship 17", 4)).hits:
        document = library.document_text("Notes", hit.passage.document)
        assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
    text = library.document_text("Notes", document_id(LONG[1]))
    assert text.text.split() == LONG[1].decode().split()
    assert [heading for _, heading in text.headings] == ["Ships", "Birds"]
    with pytest.raises(InputError, match="not in “Notes” any more"):
        library.document_text("Notes", "0" * 16)


def test_renaming(library: Library) -> None:
    library.index([WREN], "Notes").report()
    library.index([WREN], "Others").report()
    searcher = run_blocking(library.searcher("Notes", "dense"))
    library.rename("Notes", " Birds ")
    assert names(library) == ["Birds", "Others"]
    assert run_blocking(searcher.search("wren", 1)).hits, "an open searcher goes on"
    assert run_blocking(library.searcher("Birds", "dense")).corpus.id == searcher.corpus.id
    with pytest.raises(NameTaken, match="“Others”"):
        library.rename("Birds", "Others")
    for unfit in ("", "x" * 81):
        with pytest.raises(InputError):
            library.rename("Birds", unfit)
    with pytest.raises(InputError, match="no corpus named “Notes”"):
        library.rename("Notes", "More")


def test_deleting(library: Library) -> None:
    library.index([LONG, WREN], "Notes").report()
    searcher = run_blocking(library.searcher("Notes", "keyword"))
    assert library.delete_documents("Notes", [document_id(WREN[1])]) == 1
    assert library.delete_documents("Notes", [document_id(WREN[1])]) == 0
    assert not run_blocking(searcher.search("winter", 1)).hits
    library.delete("Notes")
    with pytest.raises(CorpusDeleted):
        run_blocking(searcher.search("ship", 1))
    with pytest.raises(InputError, match="no corpus"):
        library.delete("Notes")


def test_reindexing(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    library.index([tmp_path, LONG], "Notes").report()
    report = library.reindex("Notes", "Fine notes", chunk_tokens=32, overlap_tokens=0).report()
    assert (report.corpus, report.documents) == ("Fine notes", 2)
    assert names(library) == ["Fine notes", "Notes"]
    fine = library.document_text("Fine notes", document_id(LONG[1]))
    assert fine.text.split() == LONG[1].decode().split()


def test_the_demo_stays_as_it_is(library: Library) -> None:
    library.index([WREN], "Notes").report()
    for change in (
        lambda: library.delete(DEMO_CORPUS),
        lambda: library.rename(DEMO_CORPUS, "Mine"),
        lambda: library.rename("Notes", DEMO_CORPUS),
        lambda: library.delete_documents(DEMO_CORPUS, []),
        lambda: library.reindex("Notes", DEMO_CORPUS).report(),
    ):
        with pytest.raises(InputError, match="comes with the app"):
            change()


LIKE_THE_DEMO = (
    DEMO_CORPUS,
    "wikipedia DEMO  (60 questions)",
    "Wikipedia\u00a0demo (60\u200bquestions)",
    "\tWikipedia Demo(60 Questions) ",
)


@pytest.mark.parametrize("name", LIKE_THE_DEMO)
def test_nothing_is_added_to_the_demo_or_under_a_name_that_reads_like_its(
    library: Library, name: str
) -> None:
    library.index([WREN], "Notes").report()
    for change in (
        lambda: library.index([WREN], name).report(),
        lambda: library.rename("Notes", name),
        lambda: library.reindex("Notes", name).report(),
    ):
        with pytest.raises(InputError, match="comes with the app|control characters"):
            change()
    assert names(library) == ["Notes"]


def test_a_corpus_that_had_such_a_name_before_can_be_used_and_renamed(library: Library) -> None:
    name = DEMO_CORPUS.lower()
    embedder = library.engines.embedder
    library.catalogue.create(name, embedder.key, embedder.name, 240, 50)
    assert library.index([WREN], name).report().documents == 1
    library.rename(name, "Birds")
    assert names(library) == ["Birds"]


def test_only_the_owner_and_the_teacher_change_a_corpus(library: Library) -> None:
    me, other, teacher = User("a" * 32), User("b" * 32), User("c" * 32, teacher=True)
    library.index([WREN], "Notes", by=me).report()
    library.index([WREN], "Of the command line").report()
    changes: list[Callable[[User], object]] = [
        lambda by: library.index([("wren.txt", b"Changed.")], "Notes", by=by).report(),
        lambda by: library.index([LONG], " Notes ", by=by).report(),
        lambda by: library.index([LONG], "Of the command line", by=by).report(),
        lambda by: library.reindex("Notes", "Recut", by=by).report(),
        lambda by: library.reindex("Of the command line", "Recut", by=by).report(),
        lambda by: library.rename("Notes", "Mine", by),
        lambda by: library.delete_documents("Notes", [document_id(WREN[1])], by),
        lambda by: library.delete("Notes", by),
        lambda by: library.delete("Of the command line", by),
    ]
    for change in changes:
        with pytest.raises(NotAllowed, match="is not yours: only whoever made it, and the teacher"):
            change(other)
    assert names(library) == ["Notes", "Of the command line"]
    assert [entry.name for entry in library.catalogue.documents(library.catalogue.corpus("Notes").id)] == [
        "wren.txt"
    ]
    assert library.index([LONG], "Notes", by=me).report().documents == 1
    assert library.index([LONG], "Others’ notes", by=other).report().documents == 1
    assert library.reindex("Notes", "Recut", by=me).report().documents == 2
    assert library.catalogue.corpus("Recut").owner == me.owner
    library.rename("Recut", "Cut again", me)
    library.delete("Cut again", me)
    assert library.delete_documents("Notes", [document_id(LONG[1])], teacher) == 1
    library.delete("Notes", teacher)
    library.delete("Of the command line", teacher)


def test_what_somebody_began_to_cut_again_is_not_gone_on_with_by_another(library: Library) -> None:
    me, other = User("a" * 32), User("b" * 32)
    library.index([WREN], "Notes", by=me).report()
    library.index([("false.txt", b"What is false.")], "Recut (unfinished)", by=other).report()
    with pytest.raises(NotAllowed, match="Recut"):
        library.reindex("Notes", "Recut", by=me).report()
    assert library.reindex("Notes", "Recut").report().documents == 1
    recut = library.catalogue.corpus("Recut")
    assert [entry.name for entry in library.catalogue.documents(recut.id)] == ["wren.txt"]


def test_while_documents_are_added(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.library.PATIENCE_SECONDS", 0.05)
    library.index([WREN], "Notes").report()
    corpus = library.catalogue.corpus("Notes")
    library.catalogue.hold(corpus.id, "another process", 60)
    for change in (
        lambda: library.delete("Notes"),
        lambda: library.rename("Notes", "Birds"),
        lambda: library.reindex("Notes", "Birds").report(),
    ):
        with pytest.raises(InputError, match="Documents are being added"):
            change()
    library.catalogue.release(corpus.id, "another process")
