"""Short answers by rule: what is asked for, which spans there are, which is likeliest, and what is shown."""

from __future__ import annotations

import pytest

from core.skills.spans.candidates import candidates, dates_and_numbers
from core.skills.spans.deciding import SPAN_FROM, SPAN_OF_STEP_FROM, Decided, decide, decide_by_form
from core.skills.spans.features import Asked, Source
from core.skills.spans.missing import missing_fact
from core.skills.spans.ranking import learned, rank
from core.skills.spans.wanted import Wanted, wanted
from core.skills.spans.words import stems

ZEPPELIN = (
    "The LZ 9 was an airship of the Orlan Works.",
    "Designed by Mira van der Holt, it first flew on 4 May 1931 over Lake Brenn.",
    "It was 118 metres long and carried 24 passengers.",
    "The captain retired in 1950.",
)


def sources(*sentences: str, title: str = "LZ 9", fit: float = 0.7) -> list[Source]:
    return [Source(0, title, place, text, fit) for place, text in enumerate(sentences)]


def texts(sentence: str, *forms: str) -> set[str]:
    return {one.text for one in candidates(sentence) if one.form in forms}


@pytest.mark.parametrize(
    ("question", "kind", "asks"),
    [
        ("When was the LZ 9 built?", "date", "when"),
        ("In which year did the Orlan Works close?", "date", "which"),
        ("Who designed the LZ 9?", "person", "who"),
        ("From whom did she learn it?", "person", "who"),
        ("Where was Mira van der Holt born?", "place", "where"),
        ("Which city is the seat of the Orlan Works?", "place", "which"),
        ("What nationality is the designer of the LZ 9?", "nation", "what"),
        ("How many passengers did it carry?", "number", "how many"),
        ("How long was the LZ 9?", "number", "how long"),
        ("What does a room cost?", "number", "how much"),
        ("Which ship replaced the Petrel?", "name", "which"),
        ("What did Mira van der Holt design?", "text", "what"),
        ("It rained all day. When did it stop?", "date", "when"),
        ("배는 언제 만들어졌나요?", "date", "when"),
        ("船は何年に造られましたか。", "date", "when"),
        ("岛上停电多少天?", "number", "how many"),
    ],
)
def test_what_a_question_asks_for(question: str, kind: str, asks: str) -> None:
    found = wanted(question)
    assert found is not None
    assert (found.kind, found.asks) == (kind, asks)


@pytest.mark.parametrize(
    "question",
    [
        "Why did the captain retire?",
        "How was the airship built?",
        "Was the LZ 9 an airship?",
        "Which airship flew first, the LZ 9 or the LZ 10?",
        "Where can I stay, and what does a room cost?",
        "Airships",
    ],
)
def test_some_questions_ask_for_no_span(question: str) -> None:
    assert wanted(question) is None


def test_the_noun_that_is_asked_about() -> None:
    found = wanted("Which historic airship did she design?")
    assert found is not None
    assert found.heads == tuple(stems("historic airship"))


def test_dates_and_numbers_with_their_units() -> None:
    assert "4 May 1931" in texts(ZEPPELIN[1], "date")
    assert {"118 metres", "24 passengers"} <= texts(ZEPPELIN[2], "measure")
    assert {"1901 and 1904"} <= texts("It burned in 1901 and 1904.", "date")
    assert {"about 12 miles", "every five years"} <= texts("about 12 miles, every five years", "measure")
    assert texts("It cost $3.5 million in the 19th century.", "number", "date") >= {
        "$3.5 million",
        "19th century",
    }


def test_names_with_particles_inside_and_their_parts() -> None:
    assert {"Mira van der Holt"} <= texts(ZEPPELIN[1], "name")
    assert {"University of Brenn", "University", "Brenn"} <= texts(
        "She taught at the University of Brenn.", "name"
    )
    assert {"Route 66"} <= texts("They took Route 66 home.", "name")
    assert {"The Drowned Bell"} <= texts("He wrote “The Drowned Bell” there.", "quoted")


def test_no_span_cuts_a_date() -> None:
    assert not any(one.text in ("May", "4 May", "4") for one in candidates(ZEPPELIN[1]) if one.form != "date")


def test_dates_and_numbers_of_other_scripts() -> None:
    assert [one.text for one in dates_and_numbers("다리는 1936년 5월에 열렸다.", "date")] == ["1936년 5월"]
    assert [one.text for one in dates_and_numbers("ターニックの鐘は1764年に鋳造された。", "date")] == [
        "1764年"
    ]
    assert [one.text for one in dates_and_numbers("양식장은 해조류 340톤을 수확한다.", "number")] == ["340톤"]
    assert [one.text for one in dates_and_numbers("岛上停电九天。", "number")] == ["九天"]
    assert dates_and_numbers("他生于1921年。", "number") == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the LZ 9 first fly?", "4 May 1931"),
        ("Who was the airship designed by?", "Mira van der Holt"),
        ("How long was the LZ 9?", "118 metres"),
        ("In which year did the captain retire?", "1950"),
    ],
)
def test_the_likeliest_span(question: str, answer: str) -> None:
    asks = wanted(question)
    assert asks is not None
    ranked = rank(Asked(question, asks, sources(*ZEPPELIN)), learned()["spans"])
    assert ranked.spans[0].text == answer
    assert 0 < ranked.spans[0].chance <= ranked.spans[0].trust <= 1
    assert sum(ranked.by_sentence) + ranked.nothing == pytest.approx(1)


def test_of_two_dates_in_brackets_the_second_is_of_the_death() -> None:
    told = sources("Ada Quill (3 March 1880 – 9 June 1956) was a pilot.", title="Ada Quill")
    for question, year in (("When was Ada Quill born?", "1880"), ("When did Ada Quill die?", "1956")):
        asks = wanted(question)
        assert asks is not None
        assert year in rank(Asked(question, asks, told), learned()["spans"]).spans[0].text


def test_a_passage_that_another_leads_to() -> None:
    told = [
        Source(0, "Grey Rain", 0, "Grey Rain is a 1950 film directed by Otto Lind.", 0.8),
        Source(1, "Otto Lind", 0, "Otto Lind (2 May 1901 – 3 June 1970) was a director.", 0.5),
        Source(2, "Jon Karel", 0, "Jon Karel (8 July 1911 – 4 August 1990) was a composer.", 0.5),
    ]
    question = "When was the director of film Grey Rain born?"
    asks = wanted(question)
    assert asks is not None
    asked = Asked(question, asks, told)
    assert asked.led_to[1] > asked.led_to[2] == 0
    assert rank(asked, learned()["spans"]).spans[0].text == "2 May 1901"


def test_words_of_the_question_are_no_answer() -> None:
    question = "What did the Orlan Works build?"
    asks = wanted(question)
    assert asks is not None
    ranked = rank(Asked(question, asks, sources("The Orlan Works did build airships.")), learned()["spans"])
    assert "Orlan Works" not in {one.text for one in ranked.spans}


def test_what_is_shown_follows_the_trust() -> None:
    question = "When did the LZ 9 first fly?"
    asks = Wanted("date", asks="when")
    flat = {"spans": {}, "sentences": {"always": -9.0}}
    shown = decide(question, asks, sources(*ZEPPELIN), {**flat, "spans": {"date:date": 12.0}})
    assert (shown.span, shown.sentence and shown.sentence.text) == ("4 May 1931", ZEPPELIN[1])
    unsure = decide(question, asks, sources(*ZEPPELIN), {**flat, "sentences": {"always": 9.0}})
    assert unsure.span == ""
    assert unsure.sentence is not None
    nothing = decide(question, asks, sources(*ZEPPELIN), flat)
    assert nothing.sentence is None
    assert 0 < nothing.trust < SPAN_FROM
    assert decide(question, asks, sources("No date stands here.")) == Decided()


def test_a_passage_that_another_leads_to_needs_less_trust() -> None:
    question = "When was the director of film Grey Rain born?"
    asks, film = Wanted("date", asks="when"), Source(0, "Grey Rain", 0, "Otto Lind directed Grey Rain.", 0.8)
    unsure = {"spans": {"date:date": 0.5}, "sentences": {"always": -9.0}}
    for title, shown in (("Otto Lind", "2 May 1901"), ("Jon Karel", "")):
        born = Source(1, title, 0, "Born on 2 May 1901, he wrote films.", 0.5)
        assert decide(question, asks, [film, born], unsure).span == shown


def test_in_other_scripts_the_only_date_answers_a_sub_question() -> None:
    asks = Wanted("date", asks="when")
    (one,) = sources("다리는 1936년에 열렸다.")
    assert decide_by_form(asks, one, span_from=SPAN_OF_STEP_FROM).span == "1936년"
    assert decide_by_form(asks, one) == Decided("", one, 0.7)
    (two,) = sources("다리는 1936년에 열렸고 1950년에 닫혔다.")
    assert decide_by_form(asks, two, span_from=SPAN_OF_STEP_FROM) == Decided("", two, 0.7)


def test_the_missing_fact_is_named() -> None:
    question = "What is the date of birth of Ada Quill?"
    assert missing_fact(question, wanted(question), 6) == "No date of birth of Ada Quill in these 6 passages."
    question = "How many ships sank?"
    assert (
        missing_fact(question, wanted(question), 1) == f"No number in this passage that answers “{question}”"
    )
    long = "When " + "x" * 300
    assert len(missing_fact(long, wanted(long), 2)) < 200
