"""Answers against gold answers: SQuAD's rules, other scripts, yes and no, abstentions."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

import pytest

from core.evaluation.answers import Verdict, is_right, polarity, verdict
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.datasets import WIKIPEDIA, read_folder
from core.evaluation.measures import JudgedPair, metric, scores_of
from core.evaluation.plan import Result, Setting
from core.evaluation.words import same, squad_match, squad_tokens, token_f1, tokens
from core.skills.refusals import abstains
from core.trace.artefacts import Answer
from tests.cases import cases

CITY = "Which city is it?"


def answer_scores(answer: Answer, gold: Sequence[str], text: str) -> dict[str, float]:
    """The metrics of an answer."""
    question = LabelledQuestion("q", text, "", tuple(gold), {})
    found = scores_of(JudgedPair(Result(answer=answer), question, Setting(label="a", strategy="plain")))
    return {key: value for key, value in found.items() if metric(key).group == "Answers"}


def test_squad_normalisation() -> None:
    assert squad_tokens("The  U.S. (and a “cat”)!") == ("us", "and", "cat")
    assert tokens("The  U.S. (and a “cat”)!") == ["us", "and", "cat"]
    assert (
        squad_match("An Eiffel-Tower.", "the eiffeltower") == same("An Eiffel-Tower.", "the eiffeltower") == 1
    )
    assert squad_match("Paris, France", "Paris") == same("Paris, France", "Paris") == 0


def test_published_measures_keep_their_definition_where_marks_decide() -> None:
    scores = answer_scores(Answer(text="314"), ["3.14"], CITY)
    assert (scores["EM"], scores["F1"], scores["accuracy"]) == (1, 1, 0)
    scores = answer_scores(Answer(text="642"), ["642 metres"], CITY)
    assert (scores["EM"], scores["accuracy"]) == (0, 1)
    assert scores["F1"] == pytest.approx(2 / 3)


@cases(
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
    ours, theirs = squad_tokens(text), squad_tokens(gold)
    assert list(ours) == tokens(text)
    assert all(len(token) == 1 for token in ours)
    assert token_f1(text, gold) == pytest.approx(2 * shared / (len(ours) + len(theirs)))
    assert same(text, gold) == 0
    assert is_right(text, [gold])
    assert same("이순신 장군", "이순신장군") == same("「東京」。", "東京") == 1


def test_mixed_scripts() -> None:
    assert tokens("2018년 FIFA 월드컵") == ["2018", "년", "fifa", "월", "드", "컵"]


def test_containment_is_of_whole_words() -> None:
    assert is_right("It was David Bowie's first album.", ["David Bowie"])
    assert is_right("in the US", ["U.S."])
    assert is_right("He is St. Louis-based", ["Rome", "St. Louis"])
    assert not is_right("artist", ["art"])
    assert not is_right("anything", ["", "the"])


@cases(
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


@cases(
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
    scores = answer_scores(Answer(text=text), ["Rome"], CITY)
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
    assert answer_scores(Answer(text=text), ["Rome"], CITY)["hallucination"] == 1


def test_right_wrong_and_abstained_add_up() -> None:
    right = answer_scores(Answer(text="Paris [1]", sentences=("Paris",)), ["Paris", "Lutetia"], CITY)
    assert right == {
        "EM": 1, "F1": 1, "accuracy": 1, "abstained": 0, "unclear": 0, "hallucination": 0, "hallucination_abstained": 0,
    }  # fmt: skip
    wrong = answer_scores(Answer(text="Rome"), ["Paris"], CITY)
    assert (wrong["accuracy"], wrong["hallucination"], wrong["hallucination_abstained"]) == (0, 1, 1)
    # What a method itself declares counts, whatever its sentence says.
    silent = answer_scores(Answer(text="No sentence names Paris.", abstained=True), ["Paris"], CITY)
    assert (silent["accuracy"], silent["abstained"], silent["EM"], silent["F1"]) == (0, 1, 0, 0)


def test_a_right_answer_with_a_reservation_does_not_abstain() -> None:
    scores = answer_scores(Answer(text="Paris. The passages do not say since when."), ["Paris"], CITY)
    assert (scores["accuracy"], scores["abstained"]) == (1, 0)


LATER = "Which film has the director born later, Eight on the Lam or Full Moon High?"
FILM = ["Full Moon High"]


def test_a_refusal_comes_before_what_it_contains() -> None:
    said = "The passages do not hold the answer. Larry Cohen directed Full Moon High [2]."
    scores = answer_scores(Answer(text=said), FILM, LATER)
    assert (scores["abstained"], scores["accuracy"], scores["hallucination"]) == (1, 0, 0)


def test_the_answer_in_few_words_is_judged() -> None:
    wordy = "Full Moon High. Its director was born in 1936, that of Eight on the Lam in 1891."
    scores = answer_scores(Answer(text=wordy, short="Full Moon High"), FILM, LATER)
    assert (scores["EM"], scores["F1"], scores["accuracy"]) == (1, 1, 1)
    other = answer_scores(Answer(text=wordy, short="Eight on the Lam"), FILM, LATER)
    assert (other["EM"], other["F1"], other["accuracy"], other["hallucination"]) == (0, 0, 0, 1)
    # It is given as a fact, so that a remark behind it takes nothing back.
    noted = Answer(text="Paris. But the passages do not say which city it is.", short="Paris")
    assert answer_scores(noted, ["Paris"], CITY)["accuracy"] == 1
    assert answer_scores(Answer(text="Rome", short="not stated"), ["Paris"], CITY)["abstained"] == 1


def test_yes_and_no_are_read_from_few_words_where_there_are_some() -> None:
    said = Answer(text="Both are American, so the answer cannot be no", short="Yes")
    assert answer_scores(said, ["yes"], "Are both American?")["accuracy"] == 1


def test_what_cannot_be_judged_is_left_out_and_not_wrong() -> None:
    both = Answer(text="Full Moon High or Eight on the Lam.")
    assert answer_scores(both, FILM, LATER) == {"abstained": 0, "unclear": 1}


@cases(
    ("answer", "judged"),
    [
        (Answer(text="It stands in New York."), "unclear"),  # words of the question, or an answer
        (Answer(text="It stands in New York.", short="New York"), "right"),
        (Answer(text="In NYC."), "right"),
        (Answer(text="In Boston."), "wrong"),
        (Answer(text="", abstained=True), "refusal"),
    ],
)
def test_a_right_answer_in_the_question_by_chance(answer: Answer, judged: Verdict) -> None:
    assert verdict(answer, ["New York", "NYC"], "In which city is New York University?") == judged


def test_without_gold_answers_only_abstention_is_known() -> None:
    assert answer_scores(Answer(text="Rome"), [], CITY) == {"abstained": 0}


def squad(text: str) -> list[str]:
    """The normalisation of SQuAD's own script, version 1.1."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def test_english_is_cut_as_squad_cuts_it() -> None:
    texts = [one.text for one in read_folder(WIKIPEDIA).documents if one.text.isascii()]
    assert len(texts) > 200
    assert all(list(squad_tokens(text)) == squad(text) for text in texts)
