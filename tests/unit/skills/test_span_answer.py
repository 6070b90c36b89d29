"""Answers in few words, without a model: what they show, and what they say where there is none."""

from __future__ import annotations

import asyncio

from core.skills.base import SkillContext
from core.skills.copying import EXTRACTIVE
from core.skills.span_answer import SPAN, offline_answer
from core.skills.spans.missing import TRY
from core.trace.artefacts import Answer
from core.trace.passages import Passage
from tests.embedder import word_counts

CONTEXT = SkillContext(None, word_counts(), None, builtin=True)  # type: ignore[arg-type]  # not used
FLEW = "The LZ 9 first flew on 4 May 1931."
LONG = "It was 118 metres long."


def passage(text: str, title: str = "LZ 9") -> Passage:
    return Passage(chunk=title, document=title, title=title, text=text, position=0, start=0, end=len(text))


def answered(question: str, *passages: Passage, method: str = SPAN, without: tuple[str, ...] = ()) -> Answer:
    made = offline_answer(CONTEXT, method, question, passages, skill="answer", without=without, span_from=0.0)
    return asyncio.run(made)


def test_a_span_stands_before_the_sentence_that_it_is_in() -> None:
    made = answered("When did the LZ 9 first fly?", passage(f"{FLEW} {LONG}"))
    assert (made.short, made.text) == ("4 May 1931", f"4 May 1931 — “{FLEW}”")
    assert [(one.sentence, one.chunk, one.quote) for one in made.citations] == [(0, "LZ 9", FLEW)]
    assert made.method == SPAN
    assert made.note.startswith("Found by rule, not written: the likeliest date")
    assert not made.abstained


def test_a_value_of_a_table_stands_before_its_row() -> None:
    row = "Ship: Tern | Built: 1930 | Master: Ada Moll"
    made = answered("Who is the master of the Tern?", passage(f"Ship | Built | Master\n{row}", "ships.csv"))
    assert (made.short, made.text) == ("Ada Moll", f"Ada Moll — “{row}”")
    assert [(one.chunk, one.quote) for one in made.citations] == [("ships.csv", row)]
    assert "“Master” of the row" in made.note


def test_a_question_that_asks_for_no_span_gets_the_best_sentence() -> None:
    made = answered("Was the LZ 9 long?", passage(f"{LONG} {FLEW}"))
    old = answered("Was the LZ 9 long?", passage(f"{LONG} {FLEW}"), method=EXTRACTIVE)
    assert (made.text, made.short, made.abstained) == (old.text, "", old.abstained)


def test_the_missing_fact_is_named_with_what_to_try() -> None:
    question = "What is the date of birth of Ada Quill?"
    made = answered(question, passage("Ada Quill was a pilot.", "Ada Quill"), passage("Boats sail.", "Boats"))
    assert made.abstained
    assert made.text == "No date of birth of Ada Quill in these 2 passages."
    assert made.note.endswith(TRY)


def test_a_sentence_that_was_shown_is_left_out() -> None:
    made = answered("When did the LZ 9 first fly?", passage(FLEW), without=(FLEW,))
    assert made.abstained
    assert made.text.startswith("No date in this passage")


def test_the_only_date_of_a_korean_sentence() -> None:
    text = "비행선 LZ 9는 1931년에 처음 날았다."
    made = answered("비행선 LZ 9는 언제 처음 날았나요?", passage(text))
    assert (made.short, made.text) == ("1931년", f"1931년 — “{text}”")
