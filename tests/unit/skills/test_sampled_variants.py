"""Sampled variants: names, grammars, the rules of the sieve, and prompts written in turns."""

import asyncio
from typing import Any

from core.skills.base import turns_of
from core.skills.names import lacks_name, names_in
from core.skills.sampled_variants import (
    OPENERS,
    REWORDING,
    filter_variants,
    grammars_of,
    kind_of,
)
from core.skills.variants import why_gibberish, why_other_meaning
from tests.cases import cases
from tests.embedder import WordCounts
from tests.skill_context import skill_context


@cases(
    ("question", "names"),
    [
        ("Who is Eysteinn's paternal grandfather?", ["Eysteinn"]),
        ("Where did the director of film Daddy Long Legs (1931 Film) die?", ["Daddy Long Legs (1931 Film)"]),
        (
            "Which came first, Eight on the Lam or El oficio del mundo?",
            ["Eight on the Lam", "El oficio del mundo"],
        ),
        (
            "Are both villages, Dehgah-E Lalmir and Kalkeh Jan, in Iran?",
            ["Dehgah-E Lalmir", "Kalkeh Jan", "Iran"],
        ),
        ("Who is Charles, Duke Of Lower Lorraine's mother?", ["Charles, Duke Of Lower Lorraine"]),
        ("Are D. J. Rogers and Yoram Rabin from the same country?", ["D. J. Rogers", "Yoram Rabin"]),
        ('Who sings "over the hills" in 1994?', ["over the hills", "1994"]),
        ("How does photosynthesis work?", []),
        ("Besides Oslo, where is Jaws shown?", ["Oslo", "Jaws"]),
        ("Jaws and E.T. were made in the 1970s. Which came first?", ["Jaws", "E.T", "1970s"]),
    ],
)
def test_names_are_found_whole(question: str, names: list[str]) -> None:
    assert names_in(question) == names


def test_the_kind_of_question_sets_the_beginnings() -> None:
    assert kind_of("Which film came first, Alien or Jaws?") == "choice"
    assert kind_of("Are director of Kill Or Be Killed and of Jaws from one country?") == "whether"
    assert kind_of("What is the place of birth of X?") == "where"
    assert kind_of("What is the date of birth of X?") == "when"
    assert kind_of("Explain it") == "what"
    made = grammars_of('Who is "Ann \\ Bo"?')
    assert len(made) == len(OPENERS["who"])
    assert all(r'"Ann \\ Bo"' in grammar for grammar in made)


def test_two_names_may_change_places() -> None:
    both = grammars_of("Which film came first, Alien or Jaws?")[0]
    assert '"Alien" between "Jaws"' in both
    assert '"Jaws" between "Alien"' in both


def test_a_name_is_there_whatever_its_case_and_small_words() -> None:
    assert not lacks_name("The Beach Girls And The Monster", "who made beach girls and monster?")
    assert lacks_name("Daddy Long Legs (1931 Film)", "Who directed the film Daddy Long Legs?")


def test_meanings_must_neither_turn_nor_get_lost() -> None:
    question = "Where was the director of film Jaws born?"
    assert (
        why_other_meaning(question, "Where did the director of Jaws die?", strict=False)
        == "asks something else (“die”)"
    )
    assert why_other_meaning(question, "Who was the director of Jaws?", strict=True) == "loses “born”"
    assert why_other_meaning(question, "Who was the director of Jaws?", strict=False) == ""
    assert why_other_meaning(
        "Who is Bo's grandfather?", "Who is the father of Bo's grandfather?", strict=True
    )
    assert why_other_meaning(question, "What is the birthplace of the director of Jaws?", strict=True) == ""


def test_words_that_do_not_exist_and_rambling_are_refused() -> None:
    assert (
        why_gibberish("Who is Eysteinn?", "Who is the ithubxam of Eysteinn?") == "has the odd word “ithubxam”"
    )
    assert why_gibberish("Who is Bo?", "Who is Bo " + "and who is he " * 4) == "rambles"
    assert why_gibberish("Who is Eysteinn?", "What is the name of Eysteinn?") == ""


class Alike(WordCounts):
    """Every text has the same likeness to the question, copies aside."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [
            [0.95, 0.3 * (i > 0), *(0.1 * (i == j) for j in range(1, len(texts)))] for i in range(len(texts))
        ]


def test_every_refused_candidate_has_a_reason() -> None:
    context = skill_context(embeddings=Alike())
    texts = [
        "In which city was the director of Jaws born?",
        "Where was he born?",
        "Where did the director of Jaws die?",
    ]
    made: Any = asyncio.run(
        filter_variants(context, "Where was the director of Jaws born?", texts, REWORDING)
    )
    assert len(made[0]) + len(made[1]) == 3
    assert texts[0] in made[0]
    assert {drop.reason for drop in made[1]} == {"loses Jaws", "asks something else (“die”)"}


def test_a_prompt_in_turns_is_sent_as_messages_and_any_other_as_one() -> None:
    turns = turns_of("A remark.\n\n[system]\nBe brief.\n\n[user]\n{question}\n")
    assert [(turn.role, turn.content) for turn in turns] == [("system", "Be brief."), ("user", "{question}")]
    assert [(turn.role, turn.content) for turn in turns_of("Ask [user] {question}")] == [
        ("user", "Ask [user] {question}")
    ]
