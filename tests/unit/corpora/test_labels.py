"""In which passages the quoted words of a labelled question stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.corpora.entries import Evidence, Question, Quote
from core.corpora.labels import read_questions, relabel
from core.errors import InputError
from core.trace.passages import Passage

FERRY = "The ferry sails at noon.\n\nIlse Marrack founded the\ncompany in 1921. It has two ships."
NOTICE = "배는 정오에 떠난다.\n일제 마라크가 세웠다."
DOCUMENTS = {"ferry.md": "f", "notice.md": "n"}


def cut(document: str, text: str, *spans: tuple[int, int]) -> list[Passage]:
    return [
        Passage(
            chunk=f"{document}-{place}", document=document, title="", text=text[start:end], position=place,
            start=start, end=end,
        )
        for place, (start, end) in enumerate(spans)
    ]  # fmt: skip


# The second sentence of the ferry's document is from 26 to 67.
WHOLE = [*cut("f", FERRY, (0, 24), (26, 67), (68, 85)), *cut("n", NOTICE, (0, len(NOTICE)))]
FOUNDED = "Ilse Marrack founded the company in 1921."


def line(*evidence: dict[str, Any], **more: Any) -> str:
    return json.dumps({"id": "q1", "kind": "two hops", "text": "Who?", "evidence": evidence} | more)


def at(document: str, quote: str, *others: dict[str, Any]) -> dict[str, Any]:
    return {"document": document, "quote": quote} | ({"or": others} if others else {})


def chunks(tmp_path: Path, passages: list[Passage], *evidence: dict[str, Any]) -> list[tuple[str, ...]]:
    file = tmp_path / "questions.jsonl"
    file.write_text(line(*evidence), encoding="utf-8")
    (question,) = read_questions(file, DOCUMENTS, passages)
    return [one.chunks for one in question.evidence]


def test_a_question_keeps_what_the_app_shows_of_it(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    more = {
        "answers": ["Ilse", "I. Marrack"],
        "shows": "A chain.",
        "strategies": ["ircot"],
        "ideal": {},
        "first": True,
    }
    needed = at("ferry.md", FOUNDED, at("notice.md", "일제 마라크가 세웠다."))
    file.write_text(f"{line(needed, **more)}\n\n{line(id='q2', kind='near miss')}\n", encoding="utf-8")
    first, second = read_questions(file, DOCUMENTS, WHOLE)
    assert first == Question(
        text="Who?",
        id="q1",
        type="two hops",
        answers=("Ilse", "I. Marrack"),
        evidence=(
            Evidence(
                document="f",
                quote=FOUNDED,
                chunks=("f-1", "n-0"),
                also=(Quote(document="n", quote="일제 마라크가 세웠다."),),
            ),
        ),
        shows="A chain.",
        strategies=("ircot",),
    )
    assert (second.id, second.type, second.evidence, second.gold) == ("q2", "near miss", (), ())
    assert Question.model_validate_json(first.model_dump_json()) == first


def test_blanks_do_not_matter(tmp_path: Path) -> None:
    needed = (
        at("ferry.md", "  founded   the company "),
        at("notice.md", "떠난다. 일제"),
        at("notice.md", "떠난다.일제"),
    )
    assert chunks(tmp_path, WHOLE, *needed) == [("f-1",), ("n-0",), ("n-0",)]


def test_every_chunk_that_holds_it_counts(tmp_path: Path) -> None:
    overlapping = cut("f", FERRY, (0, 67), (26, 85), (68, 85))
    assert chunks(tmp_path, overlapping, at("ferry.md", FOUNDED), at("ferry.md", "two ships")) == [
        ("f-0", "f-1"),
        ("f-1", "f-2"),
    ]
    assert chunks(tmp_path, overlapping, at("ferry.md", "the")) == [("f-0", "f-1")]  # “The” is another word


@pytest.mark.parametrize(
    ("border", "holds"),
    [
        (40, "f-1"),  # 14 characters before it, 27 after it
        (46, "f-1"),  # 20 and 21
        (47, "f-0"),  # 21 and 20
    ],
)
def test_where_no_chunk_holds_it_whole_the_longest_part_counts(
    tmp_path: Path, border: int, holds: str
) -> None:
    parted = cut("f", FERRY, (0, border), (border, 85))
    assert chunks(tmp_path, parted, at("ferry.md", FOUNDED)) == [(holds,)]


def test_a_whole_place_is_preferred_to_a_parted_one(tmp_path: Path) -> None:
    text = "It sank. It rose. It sank."
    assert chunks(tmp_path, cut("f", text, (0, 3), (3, 17), (18, 26)), at("ferry.md", "It sank.")) == [
        ("f-2",)
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line(at("ferry.md", "It has three ships.")), "Question q1: “ferry.md” does not hold the words “It has three"),
        (line(at("ferry.md", " ")), "does not hold the words"),
        (line(at("ferry.md", "two ships", at("notice.md", "two ships"))), "“notice.md” does not hold"),
        (line(at("harbour.md", "two ships")), "there is no document “harbour.md”"),
        (f"\n{line(answers='Ilse')}", "Line 2 of questions.jsonl is no question: answers Input should"),
        ("{", "Line 1 of questions.jsonl is no question"),
    ],
)  # fmt: skip
def test_what_cannot_be_found_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_questions(file, DOCUMENTS, WHOLE)


def test_passages_are_found_again_when_documents_are_cut_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(line(at("ferry.md", FOUNDED, at("notice.md", "마라크"))), encoding="utf-8")
    questions = read_questions(file, DOCUMENTS, WHOLE)
    coarse = cut("f", FERRY, (0, 85))
    (again,) = relabel(questions, [*coarse, *cut("n", NOTICE, (0, 11), (12, len(NOTICE)))])
    assert [one.chunks for one in again.evidence] == [("f-0", "n-1")]
    (without,) = relabel(questions, coarse)  # the notice was removed
    assert [one.chunks for one in without.evidence] == [("f-0",)]
    assert relabel((again,), WHOLE) == questions
