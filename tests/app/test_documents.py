"""The page Documents: a look before indexing, what is refused, and a corpus searched, opened, cut again and changed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import DocumentRow
from core.retrieval.linked import NO_LINKS
from core.runs.sources.context_writing import NEEDS_ENDPOINT
from core.runs.workbench import Workbench
from core.ui.shell import session
from tests.app.opening import (
    click,
    click_row,
    drawings,
    drawn,
    harmless,
    has,
    keys,
    opened,
    table,
    value,
)
from tests.app.pages import workbench
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/documents.py"
PARAGRAPH = "The ship left the harbour at dawn. Nobody saw it again. "
SHIPS = "# Ships\n\n" + PARAGRAPH * 40 + "\n\n# Birds\n\n" + "The wren weighs nine grams. " * 30


@pytest.fixture
def nature(ready: Workbench) -> Iterator[Workbench]:
    """With a corpus of one document; what a test makes beside the demo is deleted after it."""
    ready.corpora.index([("ships.md", SHIPS.encode())], "Nature").result()
    yield ready
    for corpus in ready.corpora.catalogue.corpora():
        if corpus.name != DEMO_CORPUS:
            ready.corpora.delete(corpus.name)


def corpus(page: AppTest, name: str) -> AppTest:
    """Click a corpus in the list."""
    return click_row(page, "corpora", table(page, "corpora")["Corpus"].index(name))


def numbers(page: AppTest) -> list[int]:
    """Where a chunk begins."""
    return [
        one["begins"] for data in drawings(page, "stretches") for one in data["stretches"] if one["begins"]
    ]


def indexed(page: AppTest) -> AppTest:
    """The page after the import that was begun in it, or the cutting again, has ended."""
    for key in ("index-job", "reindex-job"):
        if key in page.session_state:
            page.session_state[key].wait(60)
    return drawn(page.run())


def test_a_look_before_indexing(bench: Workbench) -> None:
    page = opened(PAGE)
    text = PARAGRAPH * 60 + "<script>alert(1)</script>"
    page.file_uploader(key="files").upload("notes.txt", text.encode()).run()
    page.toggle(key="look").set_value(True).run()
    before = numbers(drawn(page))
    (shown,) = drawings(page, "stretches")
    assert any(one["shared"] for one in shown["stretches"])
    assert "".join(one["text"] for one in shown["stretches"]).endswith("<script>alert(1)</script>")
    assert [one.label for one in page.metric] == ["Chunks", "Tokens, median"]
    page.segmented_control(key="cut-new").set_value("Sentences").run()
    (sentences,) = drawings(page, "stretches")
    assert not any(one["shared"] for one in sentences["stretches"])
    assert len(numbers(page)) > len(before) + 50
    page.segmented_control(key="cut-new").set_value("Chunks of a size").run()
    size = page.slider(key="size-new")
    size.set_value(size.min).run()
    assert len(numbers(drawn(page))) > len(before) + 5
    assert page.metric[0].value == str(len(numbers(page)))
    assert bench.corpora.catalogue.corpora() == []
    assert harmless(page)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [("empty.txt", b"", "empty"), ("broken.pdf", b"%PDF-1.4\nnothing", "pdf")],
)
def test_bad_files_are_refused_with_a_reason(
    ready: Workbench, name: str, content: bytes, sentence: str
) -> None:
    page = opened(PAGE)
    page.file_uploader(key="files").upload(name, content).run()
    page.text_input(key="corpus-name").set_value("Refused").run()
    indexed(click(page, "index"))
    assert has(page, name) or any(name in str(one.proto.title) for one in [*page.warning, *page.error])
    assert re.search(sentence, "\n".join(one.value for one in [*page.warning, *page.error]), re.IGNORECASE)
    assert "Refused" not in [one.name for one in ready.corpora.catalogue.corpora()]


def test_what_was_indexed_is_asked_with_one_click(nature: Workbench) -> None:
    page = opened(PAGE)
    page.session_state["strategy"] = "closed-book"
    page.session_state["question"] = "Why does the water glow when you row at night in August?"
    page.file_uploader(key="files").upload("more.md", SHIPS.encode()).run()
    page.text_input(key="corpus-name").set_value(" Asked next ").run()
    click(indexed(click(page, "index")), "ask-these")
    assert page.selectbox(key="corpus").value == "Asked next"
    assert page.session_state["strategy"] == "plain"
    assert not page.text_area(key="question").value, "a question about the demo is not left in the field"


def test_a_suggested_question_is_taken_along(nature: Workbench) -> None:
    page = opened(PAGE)
    page.session_state["shown-run"] = "of-other-documents"
    page.file_uploader(key="files").upload("more.md", SHIPS.encode()).run()
    page.text_input(key="corpus-name").set_value("Suggested").run()
    indexed(click(page, "index"))
    assert has(page, "Nobody has checked the answers")
    click(page, "suggested-0")
    assert page.text_area(key="question").value == "What does “Ships” say about “Birds”?"
    assert page.selectbox(key="corpus").value == "Suggested"
    assert value(page, "run") == ""


def test_documents_that_suggest_nothing_have_the_button_alone(nature: Workbench) -> None:
    page = opened(PAGE)
    sentence = "Das Schiff verließ den Hafen und wurde nicht mehr gesehen. "
    text = f"# Schiffe\n\n{sentence * 20}\n\n# Vögel\n\n{sentence}"
    page.file_uploader(key="files").upload("schiffe.md", text.encode()).run()
    page.text_input(key="corpus-name").set_value("Nichts").run()
    indexed(click(page, "index"))
    assert "ask-these" in keys(page)
    assert "suggested-0" not in keys(page)


def test_an_import_can_be_stopped(ready: Workbench) -> None:
    page = opened(PAGE)
    files = [(f"{number}.txt", f"Document {number}. {PARAGRAPH * 150}".encode()) for number in range(40)]
    page.file_uploader(key="files").set_value([(name, data, "text/plain") for name, data in files]).run()
    page.text_input(key="corpus-name").set_value("Stopped").run()
    click(page, "index")
    job = page.session_state["index-job"]
    while not (job.done or re.match(r"Indexing: .* chunks", job.message)):
        time.sleep(0.005)
    assert re.search(r"\d+ chunks", drawn(page.run()).get("progress")[0].proto.text)
    assert page.button(key="index").disabled
    indexed(click(page, "stop-index"))
    assert has(page, "Stopped. The documents finished until then stay indexed.")
    assert not page.button(key="index").disabled
    if "Stopped" in [one.name for one in ready.corpora.catalogue.corpora()]:
        ready.corpora.delete("Stopped")


def test_a_corpus_is_indexed_searched_and_opened_at_a_chunk(nature: Workbench) -> None:
    page = opened(PAGE)
    page.file_uploader(key="files").upload("more.md", SHIPS.encode()).run()
    page.text_input(key="corpus-name").set_value("More nature").run()
    indexed(click(page, "index"))
    assert re.search(r"1 document indexed in \d+ chunks", page.success[0].value)
    assert (
        page.session_state["corpus"] == "More nature"
    )  # asked next, also when one gets there by another way
    assert page.text_input(key="corpus-name").value == ""
    page.text_input(key="corpus-name").set_value("More nature").run()
    assert has(page, "You already have a corpus “More nature”.")
    corpus(page, "More nature")
    page.text_input(key="search-query").set_value("How heavy is a wren?")
    click(page, "search-go")
    click(page, next(str(one.key) for one in page.button if str(one.key).startswith("open-")))
    assert has(page, "under “Birds”")
    (shown,) = drawings(page, "stretches")
    chosen = [one["text"] for one in shown["stretches"] if one["chunk"] == shown["chosen"]]
    assert "wren" in "".join(chosen)
    assert value(page, "chunk") == str(shown["chosen"])
    click(page, "back-to-corpus")
    assert value(page, "document") == ""
    page.session_state["documents"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    drawn(page.run())
    click(page, "document-open")
    assert value(page, "chunk") == "1"


def test_a_search_that_finds_nothing_says_so(nature: Workbench) -> None:
    page = corpus(opened(PAGE), "Nature")
    page.segmented_control(key="search-kind").set_value("keyword")
    page.text_input(key="search-query").set_value("xylophone")
    click(page, "search-go")
    assert has(page, "Nothing was found.")


def test_a_search_along_links_says_where_there_are_none(nature: Workbench) -> None:
    page = corpus(opened(PAGE), "Nature")
    page.segmented_control(key="search-kind").set_value("linked")
    page.text_input(key="search-query").set_value("wren")
    click(page, "search-go")
    assert has(page, NO_LINKS)


def test_it_is_cut_into_sentences(nature: Workbench) -> None:
    page = corpus(opened(PAGE), "Nature")
    key = value(page, "corpus")
    page.text_input(key=f"reindex-name-{key}").set_value("Nature, sentences")
    page.segmented_control(key=f"cut-again-{key}").set_value("Sentences").run()
    indexed(click(page, "reindex-go"))
    click(page, "all-corpora")
    corpus(page, "Nature, sentences")
    assert has(page, "chunks of one sentence each")
    nature.corpora.delete("Nature, sentences")


def test_contexts_are_forecast_written_shown_and_compared(
    nature: Workbench, scripted: ScriptedServer
) -> None:
    said = [{"number": one, "context": f"About *wrens* <b>{one}</b>."} for one in range(1, 13)]
    scripted.script(Rule(skill="situate", reply=json.dumps({"contexts": said})))
    page = corpus(opened(PAGE), "Nature")
    key = value(page, "corpus")
    page.segmented_control(key=f"contexts-again-{key}").set_value("Written by the model").run()
    (told,) = [one.value for one in page.caption if "Contexts for" in one.value]
    (calls,) = map(int, re.findall(r"(\d+) model call", told))
    assert page.text_input(key=f"reindex-contexts-{key}").value == "Nature, with contexts"
    before = len(scripted.requests)
    indexed(click(page, "reindex-go"))
    assert len(scripted.requests) - before == calls
    assert has(page, "scripted wrote a context for")
    click(page, "all-corpora")
    corpus(page, "Nature, with contexts")
    assert has(page, "each searched with a context that scripted wrote")
    page.text_input(key="search-query").set_value("wren")
    click(page, "search-go")
    (first, *_) = drawings(page, "cards")
    assert "<b>" in first["cards"][0]["context"]
    click(page, next(str(one.key) for one in page.button if str(one.key).startswith("open-")))
    assert has(page, "Context for the index, written by scripted: About *wrens* <b>")
    assert harmless(page)
    ids = {one.name: one.id for one in nature.corpora.catalogue.corpora()}
    pair = ids["Nature, with contexts"], ids["Nature"]
    page = opened("pages/compare.py", indexes=".".join(pair))
    assert page.selectbox(key="corpus").value == "Nature, with contexts"
    assert has(page, "With: Nature.")


def test_the_builtin_model_writes_no_contexts(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, demo_home) as bench:
        session.workbench()
        bench.corpora.demo().result()
        page = opened(PAGE)
        assert page.segmented_control(key="contexts-new").disabled
        assert has(page, NEEDS_ENDPOINT)


def test_it_is_cut_again_renamed_and_deleted(nature: Workbench) -> None:
    page = corpus(opened(PAGE), "Nature")
    key = value(page, "corpus")
    page.text_input(key=f"reindex-name-{key}").set_value("Nature, finely cut")
    size = page.slider(key=f"size-again-{key}")
    size.set_value(size.min).run()
    indexed(click(page, "reindex-go"))
    assert re.search(r"1 document indexed in \d+ chunks", page.success[0].value)
    cut = {one.name: one.chunks for one in nature.corpora.catalogue.corpora()}
    assert cut["Nature, finely cut"] > cut["Nature"]

    click(page, "all-corpora")
    corpus(page, "Nature, finely cut")
    key = value(page, "corpus")
    page.text_input(key=f"corpus-name-{key}").set_value("Nature")
    click(page, "corpus-rename-save")
    assert has(page, "already a corpus named")
    page.text_input(key=f"corpus-name-{key}").set_value("Fine <b>nature</b>")
    click(page, "corpus-rename-save")
    assert page.header[0].value.replace("\\", "").replace("\u2060", "") == "Fine <b>nature</b>"
    assert harmless(page)
    click(page, "corpus-delete-sure")
    assert page.header[0].value == "Documents"
    assert "Fine <b>nature</b>" not in table(page, "corpora")["Corpus"]


def test_documents_are_deleted_one_by_one_but_not_those_of_the_demo(nature: Workbench) -> None:
    nature.corpora.index([("owl.txt", b"The owl hunts at night.")], "Nature").result()
    page = corpus(opened(PAGE), "Nature")
    place = table(page, "documents")["File"].index("owl.txt")
    page.session_state["documents"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    drawn(page.run())
    click(page, "documents-delete-sure")
    assert table(page, "documents")["File"] == ["ships.md"]
    page = corpus(opened(PAGE), DEMO_CORPUS)
    page.session_state["documents"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    drawn(page.run())
    assert "document-open" in keys(page)
    assert not {"documents-delete-sure", "corpus-delete-sure"} & keys(page)


def test_documents_that_an_earlier_version_read_are_named_and_all_read_again_at_once(
    nature: Workbench,
) -> None:
    page = corpus(opened(PAGE), "Nature")
    assert "read-again" not in keys(page)
    with nature.corpora.catalogue.session() as session:
        session.execute(update(DocumentRow).where(DocumentRow.name == "ships.md").values(reader=1))
    page = drawn(page.run())
    assert has(page, "An earlier version read 1 document of this corpus: index again.")
    assert page.button(key="read-again").disabled, "until its file is chosen"
    assert table(page, "documents")["State"] == ["read by an earlier version"]
    assert "read-again" not in keys(corpus(opened(PAGE), DEMO_CORPUS)), (
        "what comes with the app is as it shall be"
    )


def test_a_corpus_that_is_gone_says_so(bench: Workbench) -> None:
    page = opened(PAGE, corpus="<script>")
    assert has(page, "The corpus in this address is no longer in this app")
