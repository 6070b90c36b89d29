"""Answers against gold answers: SQuAD's rules, other scripts, yes and no, abstentions."""

from __future__ import annotations

import re
import string

import pytest

from core.evaluation.answers import (
    abstains,
    answer_scores,
    exact_match,
    is_right,
    polarity,
    token_f1,
    tokens,
)
from core.evaluation.datasets import DEMO, read_folder
from core.trace.artefacts import Answer


def test_squad_normalisation() -> None:
    assert tokens("The  U.S. (and a “cat”)!") == ["us", "and", "cat"]
    assert exact_match("An Eiffel-Tower.", "the eiffeltower") == 1
    assert exact_match("Paris, France", "Paris") == 0


@pytest.mark.parametrize(
    ("text", "gold", "f1"),
    [
        ("the capital is Paris", "Paris", 2 * 1 / (3 + 1)),
        ("cat cat dog", "cat dog dog", 2 * 2 / 6),
        ("Rome", "Paris", 0),
        ("", "Paris", 0),
        ("", "the", 1),
        ("yes", "yes", 1),
        ("yes they are", "yes", 0),  # as in HotpotQA's own script
        ("no", "no man's land", 0),
    ],
)
def test_token_f1(text: str, gold: str, f1: float) -> None:
    assert token_f1(text, gold) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("text", "gold", "shared"),
    [
        ("이순신 장군은", "이순신장군", 5),
        ("東京都です", "東京都", 3),
        ("北京市在中国", "北京", 2),
    ],
)
def test_scripts_without_blanks_count_characters(text: str, gold: str, shared: int) -> None:
    ours, theirs = tokens(text), tokens(gold)
    assert all(len(token) == 1 for token in ours)
    assert token_f1(text, gold) == pytest.approx(2 * shared / (len(ours) + len(theirs)))
    assert exact_match(text, gold) == 0
    assert is_right(text, [gold])
    assert exact_match("이순신 장군", "이순신장군") == exact_match("「東京」。", "東京") == 1


def test_mixed_scripts() -> None:
    assert tokens("2018년 FIFA 월드컵") == ["2018", "년", "fifa", "월", "드", "컵"]


def test_containment_is_of_whole_words() -> None:
    assert is_right("It was David Bowie's first album.", ["David Bowie"])
    assert is_right("in the US", ["U.S."])
    assert is_right("He is St. Louis-based", ["Rome", "St. Louis"])
    assert not is_right("artist", ["art"])
    assert not is_right("anything", ["", "the"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes.", True),
        ("No, only one of them is.", False),
        ("They are both American, so yes", True),
        ("The answer is: no.", False),
        ("No one knows.", None),
        ("No information is given.", None),
        ("Both are from Norway.", None),
        ("네, 같습니다.", True),
        ("아니요. 다릅니다", False),
        ("はい、そうです。", True),
        ("不是。", False),
        ("", None),
    ],
)
def test_yes_and_no(text: str, said: bool | None) -> None:
    assert polarity(text) is said
    assert is_right(text, ["yes"]) is (said is True)
    assert is_right(text, ["No"]) is (said is False)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "The passages do not mention where she was born.",
        "문서에서 찾을 수 없습니다.",
        "提供された文章には記載されていません。",
        "无法回答。",
        "",
    ],
)
def test_abstentions_in_words(text: str) -> None:
    assert abstains(text)
    scores = answer_scores(Answer(text=text), ["Rome"])
    assert (scores["abstained"], scores["accuracy"]) == (1, 0)
    assert (scores["hallucination"], scores["hallucination_abstained"]) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "France did not give up the colony.",
        "The film does not include Bob Hope.",
        "It was not given to him.",
        "Unknown Pleasures",
    ],
)
def test_a_denial_is_an_answer(text: str) -> None:
    assert not abstains(text)
    assert answer_scores(Answer(text=text), ["Rome"])["hallucination"] == 1


def test_right_wrong_and_abstained_add_up() -> None:
    right = answer_scores(Answer(text="Paris [1]", sentences=("Paris",)), ["Paris", "Lutetia"])
    assert right == {
        "EM": 1, "F1": 1, "accuracy": 1, "abstained": 0, "hallucination": 0, "hallucination_abstained": 0,
    }  # fmt: skip
    wrong = answer_scores(Answer(text="Rome"), ["Paris"])
    assert (wrong["accuracy"], wrong["hallucination"], wrong["hallucination_abstained"]) == (0, 1, 1)
    # What a method itself declares counts, whatever its sentence says.
    silent = answer_scores(Answer(text="No sentence names Paris.", abstained=True), ["Paris"])
    assert (silent["accuracy"], silent["abstained"], silent["EM"], silent["F1"]) == (0, 1, 0, 0)


def test_a_right_answer_with_a_reservation_does_not_abstain() -> None:
    scores = answer_scores(Answer(text="Paris. The passages do not say since when."), ["Paris"])
    assert (scores["accuracy"], scores["abstained"]) == (1, 0)


def test_without_gold_answers_only_abstention_is_known() -> None:
    assert answer_scores(Answer(text="Rome"), []) == {"abstained": 0}


def squad(text: str) -> list[str]:
    """The normalisation of SQuAD's own script, version 1.1."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def test_english_is_cut_as_squad_cuts_it() -> None:
    texts = [one.text for one in read_folder(DEMO).documents if one.text.isascii()]
    assert len(texts) > 200
    assert all(tokens(text) == squad(text) for text in texts)
