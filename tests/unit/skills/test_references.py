"""Marks such as “#1” in sub-questions: what they count, and what is searched for in their place."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.skills.references import (
    POINTS_NOWHERE,
    asked_for,
    candidates,
    fill_references,
    renumber_references,
    spelled_out,
    value_of,
)
from core.strategies import decomposition_independent, rounds
from core.strategies.base import RunContext
from core.strategies.decomposition_sequential import Params
from core.trace.artefacts import Pair, Ranking, SubAnswer, SubQuestions
from core.trace.events import ListTracer
from core.trace.passages import Hit
from tests.cases import cases
from tests.skill_context import skill_context
from tests.unit.skills.test_citations import PASSAGES

DIRECTED, BORN = "Who directed Jaws?", "Where was #1 born?"
QUESTION = "Where was the director of Jaws born?"


def pair(answer: str, question: str = DIRECTED) -> Pair:
    return Pair(question=question, answer=answer)


@cases(
    ("answer", "text"),
    [
        ("Steven Spielberg", "Steven Spielberg"),
        ("November 14, 1975", "November 14, 1975"),
        ("a shark hunter", "a shark hunter"),
        ("Jaws is a film of 1975 that was directed by Steven Spielberg.", "Steven Spielberg"),
        ("It is set in Toronto.", "Toronto"),
        ("it was made by him, so they say, in a small town", "it was made by him"),
    ],
)
def test_of_an_answer_what_fits_into_a_question(answer: str, text: str) -> None:
    assert value_of(pair(answer)) == text


@cases(
    ("question", "words"),
    [
        ("Who is the director of Jaws?", "the director of Jaws"),
        ("What was the first film of Spielberg?", "the first film of Spielberg"),
        ("Which Adelaide team plays in the league?", "the Adelaide team that plays in the league"),
        ("Which colony became the state of Maryland?", "the colony that became the state of Maryland"),
        ("What is the capital of Peru?", "the capital of Peru"),
        ("Which is the longest river?", "the longest river"),
        ("Who directed Jaws?", "the one who directed Jaws"),
        ("Which film did Spielberg direct?", "film did Spielberg direct"),
        ("When was Spielberg born?", "Spielberg born"),
        ("Jaws >> director", "Jaws >> director"),
        ("어업 협정에 서명한 수호관은 누구인가?", "어업 협정에 서명한 수호관"),
        ("漁業協定に署名した守護官は誰ですか。", "漁業協定に署名した守護官"),
        ("签署渔业协定的总督是谁？", "签署渔业协定的总督"),
    ],
)
def test_the_words_that_ask_for_something(question: str, words: str) -> None:
    assert asked_for(question) == words


def test_answers_are_filled_in() -> None:
    made = fill_references("Is #1 older than #2?", [pair("Steven Spielberg"), pair("George Lucas")])
    assert made.text == "Is Steven Spielberg older than George Lucas?"
    assert made.note == "A rule filled in “Steven Spielberg” for #1. A rule filled in “George Lucas” for #2."
    assert fill_references(DIRECTED, [pair("x")]).note == ""


def test_without_an_answer_the_words_that_ask_for_it_stand_there() -> None:
    made = fill_references(BORN, [pair("")])
    assert made.text == "Where was the one who directed Jaws born?"
    assert "no answer for #1" in made.note


@pytest.mark.parametrize("question", ["Where was #2 born?", "Where was #0 born?", "Which is bus #10?"])
def test_a_mark_that_counts_nothing_is_left_as_it_is(question: str) -> None:
    assert fill_references(question, [pair("Spielberg")]).text == question


def test_questions_that_are_all_searched_at_once() -> None:
    made = spelled_out(["Who is the director of Jaws?", "Who is the wife of #1?", "Where was #2 born?"])
    assert [one.text for one in made] == [
        "Who is the director of Jaws?",
        "Who is the wife of the director of Jaws?",
        "Where was the wife of the director of Jaws born?",
    ]


def test_marks_count_the_questions_that_are_kept() -> None:
    lines = [
        QUESTION,
        DIRECTED,
        "Where was #2 born?",
        "How old is #1?",
        "When did #3 burn?",
        DIRECTED,
        "Is #6 old?",
    ]
    kept = [line for line in lines if line != QUESTION]
    made, dropped = renumber_references(lines, kept)
    assert made == (DIRECTED, BORN, "When did #2 burn?", "Is #1 old?")
    assert [(drop.text, drop.reason) for drop in dropped] == [("How old is #1?", POINTS_NOWHERE)]
    assert renumber_references(["Who is #1?", "Who is #3?"], ["Who is #1?", "Who is #3?"])[0] == ()


class _Retriever:
    """Finds the same for everything."""

    def __init__(self) -> None:
        self.searched: list[str] = []

    async def search(self, query: str, k: int, *, depth: int = 0) -> Ranking:
        self.searched.append(query)
        hits = tuple(Hit(rank=rank, score=1.0, passage=one) for rank, one in enumerate(PASSAGES, 1))
        return Ranking(query=query, retriever="dense", score_name="x", k=k, hits=hits)


def _runtime(retriever: _Retriever, **params: Any) -> Any:
    context: RunContext[Any] = RunContext(
        Params(**params), skill_context(builtin=True), ListTracer(), corpus=cast(Any, retriever)
    )
    return SimpleNamespace(context=context)


def _answered(text: str, *, abstained: bool = False) -> SubAnswer:
    return SubAnswer(index=0, question=DIRECTED, searched=DIRECTED, text=text, abstained=abstained)


@pytest.mark.parametrize("resolve_references", [False, True])
@pytest.mark.parametrize(
    ("before", "searched"),
    [
        (_answered("Steven Spielberg [1]"), "Where was Steven Spielberg born?"),
        (_answered("Nothing.", abstained=True), "Where was the one who directed Jaws born?"),
    ],
)
def test_one_after_the_other_an_answer_is_filled_in_before_the_search(
    before: SubAnswer, searched: str, resolve_references: bool
) -> None:
    retriever = _Retriever()
    parts = SubQuestions(questions=(DIRECTED, BORN))
    link = {"question": QUESTION, "index": 1, "label": BORN, "sub_questions": parts}
    link |= {"sub_answers": [(0, before)]}
    runtime = _runtime(retriever, resolve_references=resolve_references)
    update = asyncio.run(rounds.answer_next(cast(Any, link), runtime))
    assert retriever.searched == [searched]
    ((_, made),) = update["sub_answers"]
    assert (made.question, made.searched) == (BORN, searched)
    assert "#1" in made.note


def test_each_of_several_answers_is_searched_for_by_itself() -> None:
    retriever, parts = _Retriever(), SubQuestions(questions=(DIRECTED, BORN))
    before = _answered("Joel Coen and Ethan Coen").model_copy(update={"short": "Joel Coen and Ethan Coen"})
    link = {"question": QUESTION, "index": 1, "label": BORN, "sub_questions": parts}
    update = asyncio.run(
        rounds.answer_next(cast(Any, link | {"sub_answers": [(0, before)]}), _runtime(retriever))
    )
    assert sorted(retriever.searched) == ["Where was Ethan Coen born?", "Where was Joel Coen born?"]
    ((_, made),) = update["sub_answers"]
    assert made.searched == "Where was Joel Coen and Ethan Coen born?"
    assert set(made.queries) == set(retriever.searched)
    assert made.passages == tuple(PASSAGES), "each passage once"


@cases(
    ("short", "names"),
    [
        ("Jane Smith and Peter Hall", ["Jane Smith", "Peter Hall"]),
        ("Abel, Cain and Seth", ["Abel", "Cain", "Seth"]),
        ("Emma; Persuasion", ["Emma", "Persuasion"]),
        ('["Emma", "Persuasion"]', ["Emma", "Persuasion"]),
        ("山田太郎、鈴木一郎", ["山田太郎", "鈴木一郎"]),
        ("王羲之和谢安", ["王羲之", "谢安"]),
        ("홍길동과 이순신", ["홍길동", "이순신"]),
        ("Jane Smith; a second husband is not named", ["Jane Smith"]),
        *(
            (one, [one])
            for one in (
                "Simon and Garfunkel",
                "Paris, France",
                "December 25, 1990",
                "Springfield, Illinois, United States",
                "Harry Potter and the Chamber of Secrets",
                "中华人民共和国",
                "사과 나무",
            )
        ),
    ],
)
def test_only_a_plain_list_is_taken_apart(short: str, names: list[str]) -> None:
    assert list(candidates(short)) == names


def test_the_question_itself_has_no_marks() -> None:
    retriever = _Retriever()
    label = "Who sang the #1 hit of 1975?"
    parts = SubQuestions(questions=(DIRECTED, label))
    link = {"question": label, "index": 1, "label": label, "sub_questions": parts}
    link |= {"sub_answers": [(0, _answered("Queen"))]}
    asyncio.run(rounds.answer_next(cast(Any, link), _runtime(retriever)))
    assert retriever.searched == [label]


def test_all_at_once_the_words_stand_in_for_the_answer() -> None:
    retriever = _Retriever()
    state: Any = {"sub_questions": SubQuestions(questions=(DIRECTED, BORN))}
    branches = decomposition_independent.per_sub_question(state)
    assert [branch["label"] for branch in branches] == [DIRECTED, BORN]
    update = asyncio.run(decomposition_independent.answer_sub(cast(Any, branches[1]), _runtime(retriever)))
    assert retriever.searched == ["Where was the one who directed Jaws born?"]
    ((_, made),) = update["sub_answers"]
    assert made.question == BORN
    assert "no answer for #1" in made.note
    old: Any = {"index": 0, "label": DIRECTED}
    asyncio.run(decomposition_independent.answer_sub(old, _runtime(retriever)))
    assert retriever.searched[-1] == DIRECTED


@cases(
    ("question", "words"),
    [
        ("In which country is Nugegoda?", "the country in which Nugegoda is"),
        ("On what day did the flood begin?", "the day on which the flood begin"),
        ("Which Adelaide team plays in the league?", "the Adelaide team that plays in the league"),
        ("Which colony became the state of Maryland?", "the colony that became the state of Maryland"),
        ("What is the capital of Peru?", "the capital of Peru"),
        ("Which is the longest river?", "the longest river"),
        ("Who directed Jaws?", "the one who directed Jaws"),
        ("Who is the author of Emma?", "the author of Emma"),
    ],
)
def test_the_words_that_ask_stand_in_for_an_answer_that_is_not_there(question: str, words: str) -> None:
    assert asked_for(question) == words
