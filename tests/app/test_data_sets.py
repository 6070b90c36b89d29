"""Data sets on the page Evaluate: those there are, one that is uploaded, and one that is made."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.errors import StoreError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_lines import CORPUS, QRELS, QUERIES
from core.evaluation.datasets import read_zip
from core.evaluation.making import document_mark, documents_of
from core.evaluation.set_store import MadeQuestions
from core.runs.workbench import Workbench
from tests.app.opening import (
    TakenHome,
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

PAGE = "pages/evaluate.py"
FIRST = "Who painted the swing bridge anew?"
TENDER, LOBSTERS = "Repainting of the Swing Bridge: Bids and Award", "Shellfish Ordinance 2003"
SECOND = "Is <img src=x onerror=alert(1)> a **film**?"
BIRDS = {
    "corpus": '{"id": "d1", "title": "Wren", "text": "The wren weighs nine grams."}\n'
    '{"id": "d2", "title": "Owl", "text": "The owl hunts at night."}\n',
    "queries": '{"id": "q1", "text": "How heavy is a wren?", "answers": ["nine grams"], "type": "fact"}\n',
    "qrels": "qid\tdocid\trel\nq1\td1\t1\n",
}


def data_sets(owner: str = "me", **query: str) -> AppTest:
    return opened(PAGE, owner, section="Data sets", **query)


def packed(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr({"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS}[name], text)
    return content.getvalue()


def upload(page: AppTest, content: bytes, name: str = "birds.zip") -> AppTest:
    page.file_uploader(key="data-set-files").set_value([(name, content, "application/zip")])
    return drawn(page.run())


def name_field(page: AppTest) -> str:
    return next(str(one.key) for one in page.text_input if str(one.key).startswith("data-set-new-name-"))


def field(page: AppTest, what: str) -> str:
    """Key of a field of the question that is being written."""
    return next(
        str(one.key)
        for one in [*page.text_area, *page.text_input]
        if str(one.key).startswith(f"made-{what}-")
    )


def write(page: AppTest, text: str = "", answers: str = "") -> AppTest:
    if text:
        page.text_area(key=field(page, "text")).set_value(text).run()
    if answers:
        page.text_area(key=field(page, "answers")).set_value(answers).run()
    return drawn(page)


def made(page: AppTest, name: str) -> str:
    """Key of a data set about the demo that is begun by the form."""
    page.segmented_control(key="adding-way").set_value("Make one").run()
    page.selectbox(key="making-corpus").set_value(DEMO_CORPUS)
    page.text_input(key="making-name").set_value(name)
    click(page, "making-begin")
    return value(page, "dataset")


def titles(page: AppTest) -> list[str]:
    """Of the documents that may be marked."""
    return [card["title"] for card in drawings(page, "cards")[0]["cards"]]


def all_questions(page: AppTest) -> str:
    return next(one.label for one in page.expander if one.label.startswith("All questions"))


# Those there are


def test_what_comes_with_the_app_is_listed_and_opened(bench: Workbench, taken: TakenHome) -> None:
    page = data_sets()
    listed = table(page, "data-sets")
    assert set(listed["Origin"]) == {"comes with the app"}
    of_pellamar = [name for name in listed["Data set"] if name.startswith("Pellamar")]
    assert [name.split(", ")[1] for name in of_pellamar] == ["recorded questions", "single passages"]
    place = listed["Questions"].index(60)
    click_row(page, "data-sets", place)
    assert [one.label for one in page.metric] == [
        "Questions",
        "Documents of the data set",
        "Gold documents per question",
    ]
    assert page.metric[0].value == "60"
    assert len(page.dataframe[0].value) == 60
    assert len(read_zip("taken.zip", taken.data("data-set-export")).questions) == 60
    assert "data-set-delete-sure" not in keys(page)
    click(page, "all-data-sets")
    assert value(page, "dataset") == ""


def test_one_that_is_not_here_says_so(bench: Workbench) -> None:
    page = data_sets(dataset="<script>")
    assert "There is no data set at this address" in page.warning[0].value


# Uploaded


def test_an_upload_is_looked_at_added_renamed_and_deleted(bench: Workbench) -> None:
    page = upload(data_sets(), packed(**BIRDS))
    assert [one.value for one in page.metric] == ["1", "2", "1.0 (1 to 1)"]
    assert has(page, "Kinds of question: fact (1).")
    page.text_input(key=name_field(page)).set_value("Birds <b>").run()
    click(page, "data-set-add")
    key = value(page, "dataset")
    assert has(page, "Birds <b>")
    assert harmless(page)
    assert "How heavy is a wren?" in page.dataframe[0].value.to_csv()
    page.text_input(key=f"data-set-name-{key}").set_value("")
    click(page, "data-set-rename-save")
    assert page.error
    page.text_input(key=f"data-set-name-{key}").set_value("Wrens")
    click(page, "data-set-rename-save")
    assert page.subheader[0].value == "Wrens"
    assert "Wrens" not in table(data_sets("somebody else"), "data-sets")["Data set"]
    click(page, "all-data-sets")
    assert (
        table(page, "data-sets")["Origin"][table(page, "data-sets")["Data set"].index("Wrens")] == "uploaded"
    )
    click_row(page, "data-sets", table(page, "data-sets")["Data set"].index("Wrens"))
    click(page, "data-set-delete-sure")
    assert "Wrens" not in table(page, "data-sets")["Data set"]


def test_a_broken_archive_is_explained_and_nothing_is_added(bench: Workbench) -> None:
    broken = packed(
        corpus=json.dumps({"id": "a", "text": "First."}),
        queries='{"id": "q", "text": "Who?"}\n![](http://evil.example/x) is not JSON\n',
        qrels="qid\tdocid\trel\nq\ta\t<script>alert(1)</script>\n",
    )
    page = upload(data_sets(), broken, "broken.zip")
    assert has(page, "Nothing was added: the data set has 2 defects.")
    assert has(page, "“queries.jsonl”: line 2 is not JSON.")
    assert has(page, "the relevance “<script>alert(1)</script>” is not a whole number")
    assert harmless(page)
    assert "data-set-add" not in keys(page)


def test_many_defects_are_counted(bench: Workbench) -> None:
    queries = "not JSON\n" * 60
    page = upload(data_sets(), packed(corpus=BIRDS["corpus"], queries=queries, qrels=BIRDS["qrels"]))
    assert has(page, "And 1")
    assert "data-set-add" not in keys(page)


# Made


def test_nothing_can_be_made_before_the_documents_are_there(bench: Workbench) -> None:
    page = data_sets()
    page.segmented_control(key="adding-way").set_value("Make one").run()
    assert page.button(key="making-begin").disabled


def test_a_data_set_needs_a_name(ready: Workbench) -> None:
    page = data_sets("nameless")
    page.segmented_control(key="adding-way").set_value("Make one").run()
    click(page, "making-begin")
    assert page.error
    assert value(page, "dataset") == ""


def test_questions_are_written_kept_and_taken_home(ready: Workbench, taken: TakenHome) -> None:
    page = data_sets("maker")
    name = "Films <b>and</b> more"
    key = made(page, name)
    assert has(page, name)
    assert harmless(page)
    assert has(page, "**Question 1 of 1**")
    assert page.button(key="making-next").disabled
    assert drawings(page, "cards")[0]["fresh"]
    assert drawings(page, "cards")[0]["empty"].startswith("Write a question")
    write(page, FIRST, "a firm")
    assert titles(page)[0] == TENDER
    assert all_questions(page) == "All questions: 1, complete: 0"
    assert has(page, "**Question 1 of 1** :gray[◐ no gold documents]")

    # Marked, as the browser's clicks do it.
    sets = data_sets_of(ready)
    corpus = ready.corpora.catalogue.corpus(DEMO_CORPUS)
    documents = documents_of(ready.corpora.catalogue.documents(corpus.id))
    (first,) = sets.questions.list(key)
    entries = {one.title: one for one in documents.ready.values()}
    sets.questions.mark(key, first.id, document_mark(entries[TENDER], 2), [])
    page.run()
    assert all_questions(drawn(page)) == "All questions: 1, complete: 1"
    assert has(page, "**Question 1 of 1** :gray[✓ complete]")
    assert drawings(page, "cards")[0]["cards"][0]["grade"] == 2

    # A document that shares no word with the question is found by other words.
    click(page, "making-next")
    assert has(page, "**Question 2 of 2**")
    write(page, SECOND, "no\nfalse")
    page.text_input(key=field(page, "search")).set_value("carapace of a lobster").run()
    assert LOBSTERS in titles(drawn(page))
    second = sets.questions.list(key)[1]
    assert (second.text, second.answers) == (SECOND, ("no", "false"))
    sets.questions.mark(key, second.id, document_mark(entries[LOBSTERS], 1), [])
    click(page, "making-back")
    assert page.text_area(key=field(page, "text")).value == FIRST

    # A list of questions, one of whose documents is not in the corpus.
    uploader = next(str(one.key) for one in page.file_uploader if str(one.key).endswith("-file"))
    listed = b"question,answers,gold\nHow high is Mount Corrow?,642 metres,pellamar|Unicorn <b>\n"
    page.file_uploader(key=uploader).upload("list.csv", listed)
    click(page, uploader.replace("-file", "-add"))
    assert has(page, "Added 1 question.")
    assert has(page, "the corpus has no document “Unicorn <b>”")
    assert all_questions(page) == "All questions: 3, complete: 3"
    click(page, "question-list-away")
    assert not has(page, "Added 1 question.")

    assert taken.name("data-set-export") == "Films-b-and-b-more.zip"
    archive = taken.data("data-set-export")
    read = read_zip("films.zip", archive)
    found = {one.id: one.title for one in read.documents}
    assert len(read.documents) == corpus.documents
    assert [(one.text, one.answers) for one in read.questions] == [
        (FIRST, ("a firm",)),
        (SECOND, ("no", "false")),
        ("How high is Mount Corrow?", ("642 metres",)),
    ]
    assert [{found[one]: grade for one, grade in question.gold.items()} for question in read.questions] == [
        {TENDER: 2},
        {LOBSTERS: 1},
        {"Pellamar": 2},
    ]

    # Brought in again as it was taken home.
    click(page, "all-data-sets")
    upload(page, archive, "films.zip")
    assert has(page, "1.0 (1 to 1)") or [one for one in page.metric if one.value == "1.0 (1 to 1)"]
    page.text_input(key=name_field(page)).set_value("Films again").run()
    click(page, "data-set-add")
    assert page.subheader[0].value == "Films again"
    shown = page.dataframe[0].value.to_csv()
    assert SECOND in shown
    assert LOBSTERS in shown


def test_a_click_in_the_list_goes_on_with_a_question_and_a_question_is_deleted(ready: Workbench) -> None:
    page = data_sets("lister")
    key = made(page, "Listed")
    write(page, FIRST)
    click(page, "making-next")
    write(page, "And who wrote it?")
    first, second = data_sets_of(ready).questions.list(key)
    listing = next(str(one.key) for one in page.dataframe if str(one.key).startswith("made-questions-"))
    assert table(page, listing)["State"] == ["◐ no gold documents, no answer"] * 2
    click_row(page, listing, 0)
    assert value(page, "question") == first.id
    page = data_sets("lister", dataset=key, question=second.id)
    assert has(page, "**Question 2 of 2**")
    click(page, "making-delete-sure")
    assert [one.id for one in data_sets_of(ready).questions.list(key)] == [first.id]
    assert has(page, "**Question 1 of 1**")


def test_what_cannot_be_saved_says_so_and_stays(ready: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    page = data_sets("unlucky")
    made(page, "Unsaved")

    def refuse(*_: object) -> None:
        raise StoreError("The database is *locked*.")

    monkeypatch.setattr(MadeQuestions, "write", refuse)
    write(page, FIRST)
    assert has(page, "The database is *locked*")
    assert page.text_area(key=field(page, "text")).value == FIRST


def test_a_data_set_of_somebody_else_cannot_be_written(ready: Workbench) -> None:
    page = data_sets("writer")
    key = made(page, "Theirs")
    write(page, FIRST)
    data_sets_of(ready).store.pin(key, True)
    page = data_sets("reader", dataset=key)
    assert has(page, "Theirs")
    assert "making-next" not in keys(page)
    assert not [one for one in page.text_area if str(one.key).startswith("made-")]
    data_sets_of(ready).store.delete(key)
