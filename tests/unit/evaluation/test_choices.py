"""Questions that name what may be answered: their options, and which one an answer chooses."""

from __future__ import annotations

import pytest

from core.evaluation.answers import _bare_polarity
from core.evaluation.choices import Chosen, Options, options_of, verdict_by_options
from core.evaluation.datasets import WIKIPEDIA, read_folder
from tests.cases import cases

LATER = "Which film has the director born later, Eight on the Lam or Full Moon High?"
GOLD, RIVAL = "Full Moon High", "Eight on the Lam"


def offered(question: str, gold: str = GOLD) -> Options:
    found = options_of(question, [gold])
    assert found is not None
    return found


@cases(
    ("question", "gold", "rivals"),
    [
        (LATER, GOLD, {RIVAL}),
        (LATER, RIVAL, {GOLD}),
        ("Eight on the Lam or Full Moon High: which is older?", GOLD, {RIVAL}),
        ("Eight on the Lam or Full Moon High, which is older?", RIVAL, {GOLD}),
        ("Between Jaws and Alien, which came out first?", "Alien", {"Jaws"}),
        ("Which is largest: Paris, Rome, or Bonn?", "Paris", {"Rome", "Bonn"}),
        ("Which is largest: Paris, Rome, or Bonn?", "Rome", {"Paris", "Bonn"}),
        ("Which is largest: Paris, Rome, or Bonn?", "Bonn", {"Paris", "Rome"}),
        ("Was Barack Obama or George Bush born first?", "George Bush", {"Barack Obama"}),
        ("Is “Jaws” or “Alien” older?", "Alien", {"Jaws"}),
        ("Which is older, Crime After Crime (Film) or Jaws?", "Crime After Crime", {"Jaws"}),
        ("Welcher Film ist älter, Jaws oder Alien?", "Jaws", {"Alien"}),
        ("기생충과 올드보이 중 어느 영화가 먼저 나왔나요?", "기생충", {"올드보이"}),
        ("『フルムーン』と『ジョーズ』では、どちらが先ですか？", "ジョーズ", {"フルムーン"}),
        ("《八人行》和《满月高中》哪部电影更早？", "满月高中", {"八人行"}),
        ("In what city is New York University?", "New York", set()),
    ],
)  # fmt: skip
def test_options(question: str, gold: str, rivals: set[str]) -> None:
    assert set(offered(question, gold).rivals) == rivals


def test_an_option_may_be_written_without_its_brackets_or_cut_out_of_its_clause() -> None:
    one = offered("Which is older, Jaws or Madame Wants No Children (1933 Film)?", "Jaws")
    assert one.rivals == ("Madame Wants No Children (1933 Film)", "Madame Wants No Children")
    assert "George Bush" in offered("Was Barack Obama or George Bush born first?", "Barack Obama").rivals
    assert "에이트 온 더 램" in offered("영화 에이트 온 더 램과 풀 문 하이 중 감독은?", "풀 문 하이").rivals


def test_a_right_answer_that_is_not_in_the_question_is_no_choice() -> None:
    assert options_of("Who is Caroline Kennedy's maternal grandmother?", ["Janet Lee Bouvier"]) is None


def test_every_choice_of_the_demo_questions_has_one_rival() -> None:
    asked = [
        (one, options)
        for one in read_folder(WIKIPEDIA).questions
        if _bare_polarity(one.answers[0]) is None and (options := options_of(one.text, one.answers))
    ]
    assert len(asked) == 12
    assert all(options.rivals and options.order for _, options in asked)
    assert {one.type for one, _ in asked} == {"bridge_comparison", "comparison"}


@cases(
    ("text", "said"),
    [
        ("Full Moon High", "right"),
        ("Full Moon High.", "right"),
        ("The film is full moon high", "right"),
        ("Full Moon High has the director who was born later.", "right"),
        ("Full Moon High has the director who was born later than that of Eight on the Lam.", "right"),
        ("Full Moon High, not Eight on the Lam.", "right"),
        ("It is Full Moon High. Eight on the Lam's director was born in 1891.", "right"),
        ("Eight on the Lam's director was born in 1891 and Full Moon High's in 1936, so Full Moon High.", "right"),
        ("Both films are American. Full Moon High has the director born later.", "right"),
        ("Full Moon High has the director born later: Larry Cohen was born in 1936, whereas George Marshall, director "
         "of Eight on the Lam, was born in 1891.", "right"),
        ("The answer is Full Moon High, because Larry Cohen was born after George Marshall, who directed Eight on the "
         "Lam.", "right"),
        ("George Marshall, director of Eight on the Lam, was born in 1891, and Larry Cohen, director of Full Moon "
         "High, in 1936. Full Moon High's director was born later.", "right"),
        ("Between the two, Full Moon High's director was born later.", "right"),
        ("Eight on the Lam", "wrong"),
        ("Eight on the Lam, because its director was born after that of Full Moon High.", "wrong"),
        ("It is Eight on the Lam and Full Moon High.", "wrong"),
        ("Eight on the Lam has the director who was born later than that of Full Moon High.", "wrong"),
        ("Eight on the Lam, rather than Full Moon High.", "wrong"),
        ("Eight on the Lam or Full Moon High.", "wrong"),
        ("The director of Eight on the Lam was born later [1]. Full Moon High came out in 1981.", "wrong"),
        ("Larry Cohen and George Marshall", "wrong"),
        ("Halloween", "wrong"),
        ("The passages say so [1]. A second one agrees [2].", "wrong"),
        ("Full Moon High or Eight on the Lam.", "unclear"),
        ("Full Moon High and Eight on the Lam are both films.", "unclear"),
        ("Full Moon High has the director who was born earlier than that of Eight on the Lam.", "unclear"),
        ("Full Moon High was directed by Larry Cohen. Eight on the Lam was directed by George Marshall.", "unclear"),
        ("Eight on the Lam was directed by George Marshall. Full Moon High was directed by Larry Cohen.", "unclear"),
        ("The director of Eight on the Lam is George Marshall and that of Full Moon High Larry Cohen.", "unclear"),
        ("It is not Full Moon High.", "unclear"),
        ("The latter.", "unclear"),
        ("Moon High", "unclear"),
    ],
)  # fmt: skip
def test_what_an_answer_chooses(text: str, said: Chosen) -> None:
    assert verdict_by_options(text, offered(LATER)) == said


@pytest.mark.parametrize(
    ("answer", "said"), [("{}.", ("right", "wrong")), ("It is {}, not {}.", ("right", "wrong"))]
)
def test_every_choice_of_the_demo_questions_is_judged(answer: str, said: tuple[Chosen, Chosen]) -> None:
    for one in read_folder(WIKIPEDIA).questions:
        if _bare_polarity(one.answers[0]) is None and (options := options_of(one.text, one.answers)):
            gold, rival = one.answers[0], options.rivals[0]
            assert (
                verdict_by_options(answer.format(gold, rival), options),
                verdict_by_options(answer.format(rival, gold), options),
            ) == said
            sentence = "The film {} was made by somebody and {} by somebody else"
            assert verdict_by_options(sentence.format(gold, rival), options) == "unclear"


@cases(
    ("question", "gold", "text", "said"),
    [
        ("에이트 온 더 램과 풀 문 하이 중 감독이 더 늦게 태어난 영화는?", "풀 문 하이", "풀 문 하이입니다.", "right"),
        ("에이트 온 더 램과 풀 문 하이 중 감독이 더 늦게 태어난 영화는?", "풀 문 하이", "에이트 온 더 램.", "wrong"),
        ("에이트 온 더 램과 풀 문 하이 중 감독이 더 늦게 태어난 영화는?", "풀 문 하이",
         "에이트 온 더 램보다 풀 문 하이의 감독이 더 늦게 태어났습니다.", "unclear"),
        ("『フルムーン』と『ジョーズ』では、どちらが先ですか？", "ジョーズ", "『ジョーズ』です。", "right"),
        ("『フルムーン』と『ジョーズ』では、どちらが先ですか？", "ジョーズ", "『フルムーン』です。", "wrong"),
        ("《八人行》和《满月高中》哪部电影更早？", "满月高中", "《满月高中》。", "right"),
        ("《八人行》和《满月高中》哪部电影更早？", "满月高中", "《八人行》更早。", "wrong"),
        ("Welcher Film ist älter, Jaws oder Alien?", "Jaws", "Jaws ist älter als Alien.", "right"),
        ("Welcher Film ist älter, Jaws oder Alien?", "Jaws", "Alien ist älter als Jaws.", "wrong"),
    ],
)  # fmt: skip
def test_choices_in_other_languages(question: str, gold: str, text: str, said: Chosen) -> None:
    assert verdict_by_options(text, offered(question, gold)) == said


def test_a_name_within_another_one_is_not_named_by_it() -> None:
    options = offered("Which is older, King Kong or King Kong Lives?", "King Kong")
    assert (verdict_by_options("King Kong Lives", options), verdict_by_options("King Kong", options)) == (
        "wrong",
        "right",
    )
