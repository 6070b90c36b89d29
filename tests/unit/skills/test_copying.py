"""Answers without a model: the sentence that fits best, with its source, and what they say where none fits."""

from __future__ import annotations

import asyncio

from core.skills.copying import EXTRACTIVE, TRY, extract
from core.trace.artefacts import Answer
from core.trace.passages import Passage
from tests.skill_context import skill_context

CONTEXT = skill_context(builtin=True)
FLEW = "The LZ 9 first flew on 4 May 1931."
LONG = "It was 118 metres long."


def passage(text: str, title: str = "LZ 9") -> Passage:
    return Passage(chunk=title, document=title, title=title, text=text, position=0, start=0, end=len(text))


def answered(question: str, *passages: Passage, without: tuple[str, ...] = ()) -> Answer:
    return asyncio.run(extract(CONTEXT, question, passages, skill="answer", without=without))


def test_the_best_sentence_is_copied_and_cited() -> None:
    made = answered("When did the LZ 9 first fly?", passage(f"{LONG} {FLEW}"))
    assert (made.short, made.text, made.method) == ("", FLEW, EXTRACTIVE)
    assert [(one.sentence, one.chunk, one.quote) for one in made.citations] == [(0, "LZ 9", FLEW)]
    assert made.note.startswith("Copied, not written")
    assert not made.abstained


def test_a_value_of_a_table_stands_before_its_row() -> None:
    row = "Ship: Tern | Built: 1930 | Master: Ada Moll"
    made = answered("Who is the master of the Tern?", passage(f"Ship | Built | Master\n{row}", "ships.csv"))
    assert (made.short, made.text) == ("Ada Moll", f"Ada Moll — “{row}”")
    assert [(one.chunk, one.quote) for one in made.citations] == [("ships.csv", row)]
    assert "“Master” of the row" in made.note


def test_where_no_sentence_fits_it_says_so_and_what_to_try() -> None:
    made = answered("What is the date of birth of Ada Quill?", passage("Boats sail.", "Boats"))
    assert made.abstained
    assert made.text == "No sentence in these passages fits the question well enough to be an answer."
    assert made.note.endswith(TRY)


def test_a_sentence_that_was_shown_is_left_out() -> None:
    made = answered("When did the LZ 9 first fly?", passage(FLEW), without=(FLEW,))
    assert made.abstained
    assert made.text == "The passages hold no sentence that was not shown already."
