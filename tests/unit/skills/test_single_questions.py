"""Questions that ask for one thing each: which of them point at earlier answers, and how those are filled in."""

from __future__ import annotations

import pytest

from core.skills.single_questions import depends, update_question
from core.trace.artefacts import Pair
from tests.cases import cases
from tests.skill_context import Replies, skill_context

DIRECTOR = Pair(
    question="Who directed Jaws?", answer="Steven Spielberg (film released: 1975)", short="Steven Spielberg"
)
NOBODY = Pair(question="Who is the director of Das Boot?", answer="")


@cases(
    ("question", "points"),
    [
        ("When was #1 born?", True),
        ("When was he born?", True),
        ("That film, who directed it?", True),
        ("Who directed that?", True),
        ("Which films came out in that year?", True),
        ("Which films did they direct?", True),
        ("What are their names?", True),
        ("Which film that he directed is the oldest?", True),
        ("In which films that Werner Herzog did not direct did Werner Herzog act?", False),
        ("Which directors acted in films they did not direct?", False),
        ("Which actors directed their own films?", False),
        ("Who wrote the film that won?", False),
        ("What did the Harbour Board of Port Ansel decide at its meeting of 1936?", False),
        ("What did the Assembly decide in the 1930s, according to its minutes?", False),
        ("What else does Berit Sallow write in her letter of 1904?", False),
        ("Which order governs Lantern Week, and of which year is it?", False),
        ("When was #1 built, and who designed it?", True),
        ("When was she born, and where did she die?", True),
        ("How many Oscars did its director win?", True),
        ("What did Steven Spielberg say at its premiere?", True),
        ("What did the director say at its premiere?", True),
        ("What did the Board say of it at its meeting?", True),
        ("When was Steven Spielberg born, and when did he direct it?", True),
    ],
)
def test_a_relative_clause_points_at_no_earlier_answer(question: str, points: bool) -> None:
    assert depends(question) is points


async def test_the_rule_replaces_the_pronoun_and_not_the_relative_word() -> None:
    made = await update_question(
        skill_context(builtin=True), "Which film that he directed is the oldest?", [DIRECTOR]
    )
    assert made.text == "Which film that Steven Spielberg directed is the oldest?"
    assert (await update_question(skill_context(builtin=True), "When was #1 born?", [DIRECTOR])).text == (
        "When was Steven Spielberg born?"
    )


async def test_a_mark_without_an_answer_gives_way_to_what_asked_for_it() -> None:
    made = await update_question(skill_context(), "When was #2 born?", [DIRECTOR, NOBODY])
    assert made.text == "When was the director of Das Boot born?"
    assert "No answer was found for #2" in made.note
    made = await update_question(skill_context(), "When was #1 born, and where did he grow up?", [DIRECTOR])
    assert made.text == "When was Steven Spielberg born, and where did he grow up?"
    made = await update_question(skill_context(), "Is #1 older than #2?", [DIRECTOR, NOBODY])
    assert made.text == "Is Steven Spielberg older than the director of Das Boot?"
    assert "#2" in made.note


@pytest.mark.parametrize("short", ["", "Lana Wachowski, Lilly Wachowski", "Lana and Lilly Wachowski"])
async def test_a_list_and_what_has_no_short_form_are_filled_in_by_the_model(short: str) -> None:
    chat = Replies("When were they born?")
    pair = Pair(question="Who directed The Matrix?", answer="The Wachowskis did.", short=short)
    made = await update_question(skill_context(chat), "When was #1 born?", [pair])
    assert made.text == "When were they born?"
    (prompt,) = chat.prompts
    assert "When was #1 born?" in prompt
