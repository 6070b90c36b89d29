"""What is said of a data set, and the cards that are graded while one is made."""

from __future__ import annotations

from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import data_set
from core.evaluation.making import PooledDocument
from core.evaluation.set_store import MadeQuestion, Mark
from core.trace.passages import Passage
from core.ui.evaluate.making_marks import marking_data, state_of
from core.ui.evaluate.set_summary import few_documents, gold_per_question, question_columns, remarks

SET = data_set(
    "Birds",
    (DataDocument("a", "Wren", "x"), DataDocument("b", "", "A long text " * 20)),
    (
        LabelledQuestion("1", "Who?", "fact", ("he", "him"), {"a": 1, "b": 2}),
        LabelledQuestion("2", "When?", "fact", (), {"a": 1}),
        LabelledQuestion("3", "Why?", "", (), {}),
    ),
)


def test_a_set_in_numbers() -> None:
    assert gold_per_question(SET) == "1.5 (1 to 2)"
    assert remarks(SET) == [
        "1 question has no gold document: search metrics leave them out.",
        "2 questions have no gold answer: answer metrics leave them out.",
        "It has only 2 documents: every strategy finds the right ones, so all will look alike.",
    ]
    assert few_documents(20) == ""


def test_its_questions_as_a_table() -> None:
    columns = question_columns(SET, 2)
    assert columns["Question"] == ["Who?", "When?"]
    assert columns["Answers"] == ["he | him", ""]
    assert columns["Gold documents"][0].startswith("Wren | A long text A long")
    assert columns["Gold documents"][0].endswith("…")
    assert columns["Kind"] == ["fact", "fact"]


def test_cards_with_their_marks_and_what_was_marked_before() -> None:
    chunks = tuple(
        Passage(
            chunk=f"d1-{n}", document="d1", title="Wren", text=f"Text {n}", position=n, start=n, end=n + 1
        )
        for n in range(2)
    )
    found = PooledDocument("d1", "Wren", chunks, (("dense", 1), ("hybrid", 2)))
    marks = {"d1": Mark("d1", 1, "wren.txt", "Wren"), "d9": Mark("old", 2, "owl.txt", "Owl")}
    data = marking_data([found], marks, question="q", query="Text 0", fresh=False)
    wren, owl = data["cards"]
    assert (wren["document"], wren["grade"], wren["found"]) == ("d1", 1, "dense 1 · hybrid 2")
    assert [wren["pieces"][0]["text"], *(one["pieces"][0]["text"] for one in wren["more"])] == [
        "Text 0",
        "Text 1",
    ]
    assert (owl["document"], owl["title"], owl["grade"], owl["pieces"]) == ("d9", "Owl", 2, [])


def test_how_far_a_question_is() -> None:
    whole = MadeQuestion("q", "Who?", "", ("he",), (Mark("d", 1, "n", "t"),))
    assert state_of(whole, ["d"]) == "✓ complete"
    assert state_of(whole, []) == "◐ no gold documents"
    assert state_of(MadeQuestion("q", "Who?"), []) == "◐ no gold documents, no answer"
    assert state_of(MadeQuestion("q"), []) == "○ no question"
