"""Comparisons and chains by rule: what a question asks, the facts of it, and what follows."""

from __future__ import annotations

import asyncio

import pytest

from core.skills.by_rule import (
    BY_RULE,
    RULE,
    composed,
    read_by_rule,
    split_by_rule,
    sub_answer_by_rule,
)
from core.skills.composing.chains import chain
from core.skills.composing.comparisons import comparison, sub_questions
from core.skills.composing.conclusions import conclude, follow
from core.skills.composing.holders import held_by
from core.skills.composing.values import amounts_in, dates_in
from core.skills.synthesise import SYNTHESISE, synthesise
from core.trace.artefacts import Citation, SubAnswer
from core.trace.passages import Passage
from tests.unit.skills.test_graders import context as skills


def passage(title: str, text: str) -> Passage:
    return Passage(
        chunk=f"chunk of {title}", document=title, title=title, text=text, position=0, start=0, end=len(text)
    )


def sub_answer(
    question: str, short: str, *, text: str = "", abstained: bool = False, chunk: str = ""
) -> SubAnswer:
    citations = (Citation(sentence=0, chunk=chunk, quote=text or short),) if chunk else ()
    return SubAnswer(
        index=0, question=question, searched=question, text=text or short, short=short, abstained=abstained,
        citations=citations,
    )  # fmt: skip


PEOPLE = [
    passage("Ada Moor", "Ada Moor (3 May 1912 – 4 June 1990) was a Danish painter. She lived in Rome."),
    passage(
        "Bo Lind", "Bo Lind (born in Oslo, Norway, 12 March 1934; died 1 July 1971) was a Norwegian writer."
    ),
    passage("Cal Ness", "Cal Ness was a British-American singer. Cal Ness was born in Leeds in May 1934."),
    passage("The Grey Door (1936 film)", "The Grey Door is a 1936 Danish drama film directed by Ada Moor."),
    passage("The Grey Door", "The Grey Door is a 2001 novel."),
    passage("Night Tram", "Night Tram is a film. It was directed by the writer Bo Lind and starred nobody."),
]


def short(question: str, answers: list[SubAnswer] | None = None) -> str:
    known = comparison(question)
    assert known, "no comparison"
    return conclude(known, answers or [], PEOPLE).short


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who is older, Ada Moor or Bo Lind?", ("When was Ada Moor born?", "When was Bo Lind born?")),
        ("Who died first: Ada Moor or Bo Lind?", ("When did Ada Moor die?", "When did Bo Lind die?")),
        ("Was Ada Moor or Bo Lind born first?", ("When was Ada Moor born?", "When was Bo Lind born?")),
        (
            "Which film was released earlier, Night Tram or Up And Or Down?",
            ("When was the film Night Tram released?", "When was the film Up And Or Down released?"),
        ),
        ("Which bridge is longer, the Alm or the Ro?", ("How long is the Alm?", "How long is the Ro?")),
        (
            "Which city has more museums, Alm or Ro?",
            ("How many museums does Alm have?", "How many museums does Ro have?"),
        ),
        ("Are Alm and Ro located in the same country?", ("In which country is Alm?", "In which country is Ro?")),
        (
            "Do Ada Moor and Bo Lind share the same nationality?",
            ("What nationality is Ada Moor?", "What nationality is Bo Lind?"),
        ),
        (
            "Does Ada Moor have the same nationality as Bo Lind?",
            ("What nationality is Ada Moor?", "What nationality is Bo Lind?"),
        ),
        ("Did the same firm build the Alm and the Ro?", ("Which firm built the Alm?", "Which firm built the Ro?")),
        ("How many years older is the tower than the gate?",
         ("When was the tower built or opened?", "When was the gate built or opened?")),
        (
            "Which film has the director born later, Night Tram or The Grey Door?",
            ("Who is the director of the film Night Tram?", "When was #1 born?",
             "Who is the director of the film The Grey Door?", "When was #3 born?"),
        ),
        (
            "Who was born first, the inventor of the kite or the founder of Alm?",
            ("Who is the inventor of the kite?", "When was #1 born?",
             "Who is the founder of Alm?", "When was #3 born?"),
        ),
        # Chains
        (
            "Where was the director of film Night Tram born?",
            ("Who is the director of film Night Tram?", "Where was #1 born?"),
        ),
        ("Who is Ada Moor's paternal grandfather?", ("Who is the father of Ada Moor?", "Who is the father of #1?")),
        ("When was the mother of the man who painted Alm born?",
         ("Who painted Alm?", "Who is the mother of #1?", "When was #2 born?")),
        ("Who led the school when the tower was built?", ("When was the tower built?", "Who led the school in #1?")),
        # Neither
        ("Who directed Night Tram?", ()),
        ("Who is the director of Night Tram?", ()),
        ("What is the smell of the river of Alm?", ()),
        ("Tea or coffee?", ()),
        ("영화 Night Tram의 감독은 어디에서 태어났나요?", ()),
        ("", ()),
    ],
)  # fmt: skip
def test_a_question_becomes_one_sub_question_per_fact(question: str, parts: tuple[str, ...]) -> None:
    assert sub_questions(question) == parts


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is older, Ada Moor or Bo Lind?", "Ada Moor"),
        ("Who is younger, Ada Moor or Bo Lind?", "Bo Lind"),
        ("Who was born later, Bo Lind or Ada Moor?", "Bo Lind"),
        ("Who died first, Ada Moor or Bo Lind?", "Bo Lind"),
        ("Who died later, Ada Moor or Bo Lind?", "Ada Moor"),
        ("Was Ada Moor born before Bo Lind?", "yes"),
        ("Was Ada Moor born after Bo Lind?", "no"),
        ("Is Bo Lind older than Ada Moor?", "no"),
        ("Are Ada Moor and Bo Lind of the same nationality?", "no"),
        ("By how many years did Ada Moor outlive Bo Lind?", "19 years"),
        (
            "Which film has the director who died first, Night Tram or The Grey Door (1936 film)?",
            "Night Tram",
        ),
        (
            "Do both films, Night Tram and The Grey Door (1936 film), have directors from the same country?",
            "no",
        ),
    ],
)
def test_what_follows_from_the_passages(question: str, answer: str) -> None:
    assert short(question) == answer


def test_dates_that_may_be_the_same_decide_nothing() -> None:
    known = comparison("Who is older, Bo Lind or Cal Ness?")
    assert known
    assert short("Who is older, Ada Moor or Cal Ness?") == "Ada Moor", (
        "a month is enough where the years differ"
    )
    assert short("Who is older, Bo Lind or Cal Ness?") == "Bo Lind", "March is before May"
    same_year = [passage("Bo Lind", "Bo Lind was born in 1934."), PEOPLE[2]]
    made = conclude(known, [], same_year)
    assert not made.short
    assert "leave open" in made.missing[0]


def test_each_fact_is_a_step_and_the_last_one_compares() -> None:
    made = composed("Who is older, Bo Lind or Ada Moor?", [], PEOPLE, skill=SYNTHESISE.key, method="composed")
    assert made
    assert made.sentences == (
        "Bo Lind: born 12 March 1934.",
        "Ada Moor: born 3 May 1912.",
        "1912 is earlier than 1934: Ada Moor.",
    )
    assert made.short == "Ada Moor"
    assert "[2]." in made.text
    assert [(one.sentence, one.chunk) for one in made.citations] == [
        (0, "chunk of Bo Lind"),
        (1, "chunk of Ada Moor"),
    ]
    assert made.citations[1].quote in PEOPLE[0].text
    assert made.note.startswith("Composed by rule")


def test_a_missing_side_gives_no_conclusion_and_says_what_to_try() -> None:
    question = "Who is older, Ada Moor or Nobody Known?"
    made = composed(question, [], PEOPLE, skill=SYNTHESISE.key, method="composed")
    assert made
    assert made.abstained
    assert not made.short
    assert "“When was Nobody Known born?”" in made.text
    assert "Ada Moor: born 3 May 1912" in made.text, "what is known is shown"
    assert "Try" in made.text


def test_a_sub_answer_counts_for_its_own_thing_and_question_only() -> None:
    question = "Who is older, Ada Moor or Dag Holm?"
    born = sub_answer("When was Dag Holm born?", "1899")
    assert short(question, [born]) == "Dag Holm"
    assert not short(question, [sub_answer("When did Dag Holm die?", "1899")])
    assert not short(question, [sub_answer("When was Eva Holm born?", "1899")])
    assert not short(question, [sub_answer("When was Dag Holm born?", "1899", abstained=True)])


@pytest.mark.parametrize(
    ("question", "first", "second", "answer"),
    [
        ("Which bridge is longer, the Alm or the Ro?", "900 metres", "1.2 km", "the Ro"),
        ("Which bridge is shorter, the Alm or the Ro?", "900 metres", "1.2 km", "the Alm"),
        ("Which bridge is longer, the Alm or the Ro?", "900 metres", "two tonnes", ""),
        ("Which bridge is longer, the Alm or the Ro?", "900 metres", "900 metres", ""),
        ("Is the Alm longer than the Ro?", "3 miles", "4 km", "yes"),
    ],
)
def test_numbers_are_compared_in_one_unit(question: str, first: str, second: str, answer: str) -> None:
    answers = [sub_answer("How long is the Alm?", first), sub_answer("How long is the Ro?", second)]
    assert short(question, answers) == answer


def test_names_are_the_same_where_one_is_a_part_of_the_other() -> None:
    question = "Did the same firm build the Alm and the Ro?"
    asked = ("Which firm built the Alm?", "Which firm built the Ro?")
    assert short(question, [sub_answer(asked[0], "Orme"), sub_answer(asked[1], "Rafe Orme")]) == "yes"
    assert short(question, [sub_answer(asked[0], "Orme"), sub_answer(asked[1], "Clara Lisk")]) == "no"
    assert short(question, [sub_answer(asked[0], "Orme")]) == ""


def test_a_chain_is_followed_to_its_last_link() -> None:
    made = follow(chain("When was the director of the film Night Tram born?"), [], PEOPLE)
    assert [step.text for step in made.steps] == [
        "The director of the film Night Tram: Bo Lind.",
        "Bo Lind: born 12 March 1934.",
    ]
    assert made.short == "12 March 1934"
    links = [sub_answer("Who is the owner of Alm?", "Bo Lind"), sub_answer("What did #1 invent?", "a kite")]
    assert follow(("Who is the owner of Alm?", "What did #1 invent?"), links, []).short == "a kite"
    broken = follow(("Who is the owner of Alm?", "What did #1 invent?"), links[1:], [])
    assert broken.missing == ("Who is the owner of Alm?",)


def test_a_title_in_brackets_tells_two_films_apart() -> None:
    made = follow(chain("When was the director of the film The Grey Door (1936 Film) born?"), [], PEOPLE)
    assert made.short == "3 May 1912"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("12 May 1912", (1912, 5, 12), (1912, 5, 12)),
        ("May 12, 1912", (1912, 5, 12), (1912, 5, 12)),
        ("1912-05-12", (1912, 5, 12), (1912, 5, 12)),
        ("the 3rd of May 1919", (1919, 5, 3), (1919, 5, 3)),
        ("July 1805", (1805, 7, 1), (1805, 7, 31)),
        ("c. 1450", (1450, 1, 1), (1450, 12, 31)),
        ("44 BC", (-44, 1, 1), (-44, 12, 31)),
        ("the 19th century", (1801, 1, 1), (1900, 12, 31)),
        ("the 1930s", (1930, 1, 1), (1939, 12, 31)),
    ],
)
def test_dates(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    (found,) = dates_in(text)
    assert (found[2].first, found[2].last) == (first, last)


@pytest.mark.parametrize("text", ["1,404 people", "1500 metres", "32 May 1912", "3 May", "12.1912", "£1900"])
def test_numbers_that_are_no_dates(text: str) -> None:
    assert dates_in(text) == []


def test_amounts() -> None:
    found = amounts_in("12 million people, 4.6 metres, 40 %, twenty-one ships and 28 days")
    assert [(one.value, one.kind) for one in found] == [
        (12e6, ""), (4.6, "length"), (40, "percent"), (21, ""), (28 * 86400, "time"),
    ]  # fmt: skip


def test_the_built_in_team_composes_and_else_joins() -> None:
    made = asyncio.run(synthesise(skills(), "Who is older, Ada Moor or Bo Lind?", [], PEOPLE))
    assert (made.method, made.short) == ("composed", "Ada Moor")
    answers = [
        sub_answer("What did Ada do?", "", text="Ada painted."),
        sub_answer("What did Bo do?", "", text="Bo wrote."),
    ]
    made = asyncio.run(synthesise(skills(), "What did Ada and Bo do?", answers, PEOPLE))
    assert made.text == "Ada painted. Bo wrote."
    assert made.note.startswith("Joined, not written")


def test_without_its_method_nothing_is_done_by_rule() -> None:
    question = "Who is older, Ada Moor or Bo Lind?"
    assert split_by_rule(skills(), question, 4) == sub_questions(question)
    assert split_by_rule(skills(), question, 1) == (), "more than may be asked"
    assert split_by_rule(skills(by_rule="model"), question, 4) == (), "a capable model splits it itself"
    assert asyncio.run(read_by_rule(skills(by_rule="model"), question, PEOPLE)) is None
    made = asyncio.run(read_by_rule(skills(), question, PEOPLE))
    assert made
    assert (made.skill, made.method, made.short) == (BY_RULE.key, RULE, "Ada Moor")


FAMILY = [
    passage(
        "Eva Holm – The Companion", "Eva Holm is a lawyer. She is a daughter of Ida Holm. Her house is old."
    ),
    passage(
        "Ida Holm",
        "Ida Holm (1 May 1911 – 2 May 1980) drew ships. She lived by the sea, and her son Per Holm did too.",
    ),
    passage(
        "News", "Eva Holm signed the treaty in 1999. The Alm was designed by the engineer Ida Holm in 1950."
    ),
]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is the mother of Eva Holm?", "Ida Holm"),
        ("Who is the father of Eva Holm?", None),
        ("Who is the daughter of Ida Holm?", "Eva Holm"),
        ("Who is the son of Ida Holm?", "Per Holm"),
        ("Who signed the treaty?", "Eva Holm"),
        ("Which lawyer signed the treaty?", "Eva Holm"),
        ("Who is the designer of the Alm?", "Ida Holm"),
        ("Who designed the Alm?", "Ida Holm"),
        ("Who designed the Ro?", None),
    ],
)
def test_relatives_and_doers_are_read_where_both_are_named(question: str, name: str | None) -> None:
    found = held_by(question, [], FAMILY)
    assert (found.value if found else None) == name


OFFICES = passage(
    "",
    "office: Mayor of Alm\nholder: Ada Moor\nfrom: 1919\nuntil: 1929\n\n"
    "office: Mayor of Alm\nholder: Bo Lind\nfrom: 1929\nuntil: 1939\n\n"
    "office: Rector of the School of Alm\nholder: Cal Ness\nfrom: 1939",
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who was Mayor of Alm in 1921?", "Ada Moor"),
        ("Who was the mayor in May 1935?", "Bo Lind"),
        ("Who was Mayor of Alm in 1929?", None),  # a year of change
        ("Who was Mayor of Alm in 1950?", None),
        ("Who led the school in 1950?", "Cal Ness"),
        ("Who was Mayor of Ro in 1921?", None),
    ],
)
def test_who_held_an_office_is_read_from_the_rows_of_a_table(question: str, name: str | None) -> None:
    found = held_by(question, [], [OFFICES])
    assert (found.value if found else None) == name
    if found:
        assert found.quote in OFFICES.text


def test_two_questions_in_one_sentence_are_no_chain() -> None:
    assert chain("Who is the founder of Alm?") == ()
    assert chain("Who directed Night Tram and who is the founder of Alm?") == ()
    assert chain("When was Alm founded, and where was the founder of Alm born?") == ()


def test_a_chain_may_end_with_a_sentence_or_lack_a_link() -> None:
    question = "What did the mother of Eva Holm invent?"
    asked = chain(question)
    assert asked == ("Who is the mother of Eva Holm?", "What did #1 invent?")
    last = sub_answer(asked[1], "", text="Ida Holm invented a kite.", chunk="chunk of News")
    made = composed(question, [last], FAMILY, skill=SYNTHESISE.key, method="composed")
    assert made
    assert made.sentences == ("The mother of Eva Holm: Ida Holm.", "Ida Holm invented a kite.")
    assert (made.short, made.abstained) == ("", False)
    assert composed(question, [], FAMILY, skill=SYNTHESISE.key, method="composed") is None, (
        "others may answer it"
    )
    lost = composed(question.replace("Eva", "Ole"), [last], FAMILY, skill=SYNTHESISE.key, method="composed")
    assert lost
    assert lost.abstained
    assert "“Who is the mother of Ole Holm?”" in lost.text


def test_a_sub_answer_by_rule_is_the_sentence_with_its_short_form() -> None:
    made = sub_answer_by_rule(skills(), "When did Ada Moor die?", PEOPLE)
    assert made
    assert (made.short, made.skill, made.method, made.final) == ("4 June 1990", BY_RULE.key, RULE, False)
    assert made.text == made.citations[0].quote
    assert made.text in PEOPLE[0].text
    assert sub_answer_by_rule(skills(), "When did Nobody Known die?", PEOPLE) is None
    assert sub_answer_by_rule(skills(by_rule="model"), "When did Ada Moor die?", PEOPLE) is None
