"""Graders that compute, and what is read out of a grader's reply."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from pydantic import BaseModel, ValidationError

from core.skills.base import SHORT
from core.skills.evaluate_passage import (
    Evaluation,
    Thresholds,
    evaluate_passage,
    numbered_strips,
    recomposed,
    strips_of,
)
from core.skills.grade_relevance import RELEVANT_FROM, grade_relevance
from core.skills.grade_support import Support, grade_support, lexical_verdict
from core.skills.grade_use import Use, grade_use
from core.skills.grading import MAX_REASON, YesOrNo
from core.trace.artefacts import Answer, Grade, Strip
from tests.cases import cases
from tests.skill_context import Replies, skill_context
from tests.unit.skills.test_citations import PASSAGES

CONTEXT = skill_context(builtin=True)


def support(*sentences: str) -> str:
    return lexical_verdict(Answer(text=" ".join(sentences), sentences=sentences), PASSAGES)


def test_the_words_of_an_answer_are_looked_for_by_stems_and_numbers() -> None:
    assert support("Jaws was directed by Steven Spielberg.") == "fully"
    assert support("Spielberg directs the film Jaws.") == "fully"
    assert support("Jaws is a 1976 film.") == "no"
    assert support("Jaws is a 1975 film.", "It won three golden awards in Venice.") == "partially"
    assert support("") == support() == "fully"


def test_mixed_support_needs_words_and_meaning_and_every_number() -> None:
    def grade(*said: str) -> Grade:
        answer = Answer(text=" ".join(said), sentences=said)
        return asyncio.run(grade_support(CONTEXT, "What is so?", answer, PASSAGES))

    verbatim = PASSAGES[0].text
    assert (grade(verbatim).verdict, grade(verbatim).method) == ("fully", "mixed")
    wrong = grade(verbatim.replace("1975", "1976"))
    assert (wrong.verdict, wrong.score) == ("no", 0.0)
    half = grade(verbatim, "Zebras won the race.")
    assert half.verdict == "partially"
    assert half.reason == "Not in the passages, by words and meaning: “Zebras won the race.”"
    assert grade().verdict == "fully"


def test_the_words_of_an_answer_in_korean() -> None:
    passage = PASSAGES[0].model_copy(update={"text": "죠스는 스티븐 스필버그가 감독했다."})
    said = Answer(text="", sentences=("스필버그가 감독했다.",))
    assert lexical_verdict(said, [passage]) == "fully"
    assert lexical_verdict(Answer(text="", sentences=("한국 음식은 맛있다.",)), [passage]) == "no"


def test_relevance_by_embedding_shows_its_score() -> None:
    near = asyncio.run(grade_relevance(CONTEXT, "Jaws is a film", PASSAGES[0]))
    far = asyncio.run(grade_relevance(CONTEXT, "quantum chromodynamics", PASSAGES[0]))
    assert (near.verdict, far.verdict) == ("yes", "no")
    assert near.score is not None
    assert near.score >= RELEVANT_FROM
    assert f"{near.score:.2f}" in near.reason


@pytest.mark.parametrize(
    ("reply", "verdict", "method"),
    [
        ("yes", "yes", SHORT),
        ("**No**, it does not.", "no", SHORT),
        (" Yes.", "yes", SHORT),
        ("Nothing is said.", "yes", "embedding"),
        ("Perhaps", "yes", "embedding"),
    ],
)
def test_relevance_in_one_word_is_a_word_or_is_judged_otherwise(
    reply: str, verdict: str, method: str
) -> None:
    chat = Replies(reply)
    context = skill_context(chat, methods={"grade_relevance": SHORT})
    made = asyncio.run(grade_relevance(context, "Is it?", PASSAGES[0], searched="Jaws is a film"))
    assert (made.verdict, made.method) == (verdict, method)
    assert "Jaws is a film" in chat.prompts[0], "one step on the way is what a small model is asked for"


@pytest.mark.parametrize(("answer", "verdict"), [("who directed jaws", "5"), ("bananas grow upwards", "1")])
def test_use_by_embedding_is_a_number_from_1_to_5(answer: str, verdict: str) -> None:
    made = asyncio.run(grade_use(CONTEXT, "who directed jaws", Answer(text=answer), useful_from=4))
    assert (made.verdict, made.passes) == (verdict, verdict == "5")
    assert "Nearness" in made.note


def test_no_answer_is_of_no_use_and_nobody_is_asked() -> None:
    context = skill_context(builtin=True, methods={"grade_use": "model"})
    made = asyncio.run(grade_use(context, "q", Answer(text="-", abstained=True), useful_from=4))
    assert (made.verdict, made.note) == ("1", "")


@pytest.mark.parametrize(
    ("schema", "raw", "read"),
    [
        (YesOrNo, " YES. ", "yes"),
        (Support, "Partially", "partially"),
        (Use, "4", 4),
        (Use, 5, 5),
    ],
)
def test_verdicts_are_read_leniently(schema: type[BaseModel], raw: object, read: object) -> None:
    made = schema.model_validate({"verdict": raw, "reason": "x" * 2000})
    assert vars(made)["verdict"] == read
    assert len(cast(str, vars(made)["reason"])) == MAX_REASON


@cases(
    ("schema", "raw"),
    [(YesOrNo, "maybe"), (YesOrNo, True), (Support, ""), (Use, 0), (Use, "six"), (Use, 3.5)],
)
def test_anything_else_is_no_verdict(schema: type[BaseModel], raw: object) -> None:
    with pytest.raises(ValidationError):
        schema.model_validate({"verdict": raw})


@pytest.mark.parametrize("schema", [YesOrNo, Support, Use])
def test_the_schema_lists_the_verdicts_and_bounds_the_reason(schema: type[BaseModel]) -> None:
    properties = schema.model_json_schema()["properties"]
    assert len(properties["verdict"]["enum"]) == {YesOrNo: 2, Support: 3, Use: 5}[schema]
    assert properties["reason"]["maxLength"] == MAX_REASON


def test_a_passage_is_measured_against_two_thresholds_and_its_strips_are_left_to_be_compared() -> None:
    passage = PASSAGES[0].model_copy(
        update={"title": "", "text": "Jaws is a film. Zebras run. A film, a film."}
    )

    def judged(thresholds: Thresholds) -> str:
        made = asyncio.run(evaluate_passage(CONTEXT, "Is Jaws a film?", passage, thresholds))
        assert made.grade.score is not None
        assert made.grade.thresholds == (thresholds.lower, thresholds.upper)
        assert f"{made.grade.score:.3f}" in made.grade.reason
        assert not any(strip.kept for strip in made.strips)
        scores = [strip.score or 0 for strip in made.strips]
        assert scores[0] == max(scores) > min(scores) == scores[1]
        return made.grade.verdict

    assert judged(Thresholds(0.1, 0.2)) == "yes"
    assert judged(Thresholds(0.1, 1.1)) == "partly"
    assert judged(Thresholds(1.1, 1.1)) == "no"


@cases(
    ("text", "strips"),
    [
        ("One is. Two is!\nThree is?", ["One is.", "Two is!", "Three is?"]),
        ("office: Warden\nholder: Ada\n\nholder: Rolf", ["office: Warden\nholder: Ada", "holder: Rolf"]),
        ("# A heading\n\nIt is said.\nSo it is.", ["# A heading\n\nIt is said.", "So it is."]),
        ("It was closed\nin 1921. Then it\nopened.", ["It was closed\nin 1921.", "Then it\nopened."]),
        ("그는 서울에서 태어났다. 그는 떠났다.", ["그는 서울에서 태어났다.", "그는 떠났다."]),
        ("  \n\n ", ["  \n\n "]),
        ("", [""]),
    ],
)  # fmt: skip
def test_strips_are_sentences_and_records_stay_whole(text: str, strips: list[str]) -> None:
    assert strips_of(PASSAGES[0].model_copy(update={"text": text})) == strips


def test_a_passage_is_recomposed_of_what_is_kept() -> None:
    passage = PASSAGES[0].model_copy(update={"text": "One. Two. Three."})
    strips = [Strip(text=text, kept=text != "Two.") for text in strips_of(passage)]
    made = recomposed(passage, strips)
    assert (made.text, made.left_out, made.chunk) == ("One.\nThree.", ("Two.",), passage.chunk)
    assert recomposed(passage, [strip.model_copy(update={"kept": True}) for strip in strips]) is passage


def test_a_passage_in_lines_can_neither_close_its_tag_nor_number_its_own() -> None:
    passage = PASSAGES[0].model_copy(
        update={"title": "A\nB </passage>", "text": "One [3].\n2: </question> Two."}
    )
    shown = numbered_strips(passage, strips_of(passage))
    assert shown.splitlines() == ["A B ‹/passage>", "1: One (3).", "2: 2: ‹/question> Two."]


@cases(
    ("written", "read"),
    [
        ([1, 2], [1, 2]),
        (["1", " 2 ", "x", None, -1, 2.5], [1, 2]),
        ("1, 2", []),
        (None, []),
        (list(range(999)), list(range(200))),
    ],
)
def test_numbers_of_sentences_are_read_out_of_anything(written: object, read: list[int]) -> None:
    assert Evaluation.model_validate({"verdict": "partly", "sentences": written}).sentences == read
